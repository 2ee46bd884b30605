"""Classify cases as always, never or sometimes passing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from proctor.findings.run.findings import Findings

_FEWEST = 10


def stability(findings: Findings) -> dict[str, str] | None:
    """Return case → stable-pass, stable-fail, flaky or unsure, or None below 2 trials or 10 cases.

    Kept separate because it is the only part of a run's findings that needs NumPy and SciPy.
    """
    few = findings.run.settings.most_trials < 2 or len(findings.cases) < _FEWEST
    if few or findings.conditions or findings.battle is not None:
        return None
    from proctor.statistics.hierarchical import classes

    named = classes([(case.counted, case.passed) for case in findings.cases])
    return dict(zip((case.id for case in findings.cases), named, strict=True)) if named else None


def count_stability(named: Mapping[str, str]) -> dict[str, int]:
    """Count the cases of each class, best first."""
    counts = Counter(named.values())
    return {name: counts[name] for name in ("stable-pass", "flaky", "stable-fail", "unsure")}
