"""Which checks a case failed, and what they saw, picked while attempts stream by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proctor.run import Attempt

Failing = Mapping[str, Mapping[str, str]]
"""Case → the checks that it failed → what each of them saw first."""


def failing(attempts: Iterable[Attempt]) -> Failing:
    """The checks that failed in any trial, with the evidence of the first one; attempts need no transcripts."""
    found: dict[str, dict[str, tuple[int, str]]] = {}
    for attempt in attempts:
        for check in attempt.checks:
            if check.passed is False:
                of_case, seen = found.setdefault(attempt.key.exam, {}), (attempt.place, check.evidence)
                of_case[check.name] = min(of_case.get(check.name, seen), seen)
    return {case: {name: evidence for name, (_, evidence) in checks.items()} for case, checks in found.items()}
