"""Comparison of two runs under each of their common conditions, corrected for multiple tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from proctor.findings.run import CaseFinding, Findings
from proctor.statistics.common_trials import Values, counts_in_common, differences_in_common
from proctor.statistics.compare import CategoryComparison, Comparison, compare, compare_categories, compare_counts


@dataclass(frozen=True, kw_only=True, slots=True)
class CategoryChange:
    """A category or condition in both runs."""

    cases: int
    """Number of cases counted in both runs."""
    a: float | None
    """A's pass rate over those; None if there are none."""
    b: float | None
    tested: CategoryComparison
    """The difference, and whether it is significant after Holm correction over all categories."""


def by_condition(before: Findings, after: Findings, level: float) -> dict[str, CategoryChange]:
    """Compare two runs under each condition that both have, if they have several."""
    names = [each.name for each in before.conditions if each.name in {other.name for other in after.conditions}]
    known = {case.id: case for case in after.cases}
    pairs = [(case, known[case.id]) for case in before.cases if case.id in known]
    if not names or not pairs:
        return {}
    by_share = before.battle is not None and after.battle is not None
    under = {name: [(_side(x, name, by_share), _side(y, name, by_share)) for x, y in pairs] for name in names}
    tested = compare_categories({name: _compare_under(sides, by_share, level) for name, sides in under.items()})
    return {name: _change_under(sides, tested[name]) for name, sides in under.items()}


class _Side(NamedTuple):
    """A case of one run under one condition."""

    planned: int
    counted: int
    passed: int
    values: Values
    """Verdicts, or in a battle shares, in order of the trials."""

    @property
    def rate(self) -> float | None:
        """Share that passed; None if nothing was counted."""
        marks = [each for part in self.values for each in part]
        return fmean(marks) if marks else None


def _side(case: CaseFinding, condition: str, by_share: bool) -> _Side:
    counted, passed = case.conditions.get(condition, (0, 0))
    planned = case.planned // len(case.conditions) if case.is_pooled else case.planned
    if case.trials is None:
        return _Side(planned, counted, passed, [[1.0] * passed + [0.0] * (counted - passed)])
    values = case.trials.shares(case.id, condition) if by_share else case.trials.verdicts(case.id, condition)
    return _Side(planned, counted, passed, values)


def _compare_under(sides: Sequence[tuple[_Side, _Side]], by_share: bool, level: float) -> Comparison:
    if by_share:
        tested = differences_in_common([(x.values, y.values) for x, y in sides])
        return compare([x.rate for x, _ in sides], [y.rate for _, y in sides], tested=tested, level=level)
    a, b = ([(each.counted, each.passed) for each in side] for side in zip(*sides, strict=True))
    common = [counts_in_common(x.values, y.values) for x, y in sides]
    return compare_counts(a, b, planned=[(x.planned, y.planned) for x, y in sides], common=common, level=level)


def _change_under(sides: Sequence[tuple[_Side, _Side]], tested: CategoryComparison) -> CategoryChange:
    both = [(x.rate, y.rate) for x, y in sides]
    known = [(x, y) for x, y in both if x is not None and y is not None]
    return CategoryChange(
        cases=len(known),
        a=fmean(x for x, _ in known) if known else None,
        b=fmean(y for _, y in known) if known else None,
        tested=tested,
    )
