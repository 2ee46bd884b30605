"""Which cases pass always, which never, and which now and then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from proctor.findings.run.findings import Findings

_FEWEST = 10


def stability(findings: Findings) -> dict[str, str] | None:
    """Case → stable-pass, stable-fail, flaky or unsure; None below 2 trials or 10 cases.

    Apart from the rest because it needs NumPy and SciPy, which nothing else of a run does.
    """
    few = findings.run.settings.most_trials < 2 or len(findings.cases) < _FEWEST
    if few or findings.conditions or findings.battle is not None:
        return None
    from proctor.statistics.hierarchical import classes

    named = classes([(case.counted, case.passed) for case in findings.cases])
    return dict(zip((case.id for case in findings.cases), named, strict=True)) if named else None


def count_stability(named: Mapping[str, str]) -> dict[str, int]:
    """Each name, best first → how many cases have it."""
    counts = Counter(named.values())
    return {name: counts[name] for name in ("stable-pass", "flaky", "stable-fail", "unsure")}
