"""What became of each check of a case, counted while attempts stream by: CheckLabels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from proctor.reports.checks.words import FAILED, of_tally, severity
from proctor.reports.outcomes import FLAKY, OutcomeLabel
from proctor.run import Attempt
from proctor.score import NO_ERROR


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """One check of one case, over its trials."""

    name: str
    outcome: OutcomeLabel
    tally: str
    """`2/3` where it passed in some trials only; else empty."""

    @property
    def failed(self) -> bool:
        """In any trial."""
        return self.outcome in (FAILED, FLAKY)


class CheckLabels:
    """The checks of these cases; `plain_alone`: in the plain run, where the run has other conditions besides."""

    def __init__(self, cases: Iterable[str], *, plain_alone: bool = False) -> None:
        self._plain_alone = plain_alone
        self._counts: dict[str, dict[str, list[int]]] = {case: {} for case in cases}

    def watching(self, attempts: Iterable[Attempt]) -> Iterator[Attempt]:
        """The same attempts, counted as they go by."""
        for attempt in attempts:
            checks = self._counts.get(attempt.key.exam)
            if checks is not None and not (self._plain_alone and attempt.key.condition):
                for result in attempt.checks:
                    counts = checks.setdefault(result.name, [0, 0])
                    if result.passed is not None:
                        counts[not result.passed] += 1
            yield attempt

    def of(self, case: str) -> list[Label]:
        """Those that failed first, then those that could not be checked; that it answered at all comes last."""
        counted = self._counts.get(case, {})
        return sorted((_label(name, *counts) for name, counts in counted.items()), key=_place)


def _place(label: Label) -> tuple[int, bool]:
    return severity(label.outcome), label.name == NO_ERROR


def _label(name: str, passed: int, failed: int) -> Label:
    outcome = of_tally(passed, failed)
    return Label(name=name, outcome=outcome, tally=f"{passed}/{passed + failed}" if outcome is FLAKY else "")
