"""Truncate two runs to the same number of trials per case, before they are compared.

The pass share of one trial is 0 or 1, that of eight is not: with unequal trials, the distribution of a case's
difference is skewed even if both runs are of the same agent, and neither the sign-flip test nor P(B better) is valid.
All trials of a case are exchangeable, so the run with more of them is truncated to its first ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

Count = tuple[int, int]
"""(trials, passes) of a case."""
Values = Sequence[Sequence[float]]
"""Values of one case's counted trials, in order, one sequence per condition."""


def in_common(a: Values, b: Values) -> tuple[Sequence[float], Sequence[float]]:
    """Return the first values that both runs have of a case, by condition; all in one row if the conditions differ."""
    if len(a) != len(b):
        a, b = [[value for row in a for value in row]], [[value for row in b for value in row]]
    least = [min(len(x), len(y)) for x, y in zip(a, b, strict=True)]
    return _first(a, least), _first(b, least)


def counts_in_common(a: Values, b: Values) -> tuple[Count, Count]:
    """Return (trials, passes) of `in_common`, for values that are verdicts."""
    first, second = in_common(a, b)
    return (len(first), int(sum(first))), (len(second), int(sum(second)))


def differences_in_common(cases: Sequence[tuple[Values, Values]]) -> list[float] | None:
    """Return the differences of mean common values, for cases that have any; None if neither run has extra values."""
    common = [in_common(a, b) for a, b in cases]
    kept = sum(len(x) + len(y) for x, y in common if x)
    if kept == sum(len(row) for a, b in cases if any(a) and any(b) for side in (a, b) for row in side):
        return None
    return [fmean(y) - fmean(x) for x, y in common if x]


def counts_alike(a: Count, b: Count) -> tuple[Count, Count]:
    """Like `counts_in_common`, with unknown order of trials: choose the most similar counts that any order allows."""
    if a[0] <= b[0]:
        return a, _likest(b, a)
    return _likest(a, b), b


def _first(rows: Values, trials: Sequence[int]) -> Sequence[float]:
    if len(rows) == 1:
        return rows[0][: trials[0]]
    return [value for row, number in zip(rows, trials, strict=True) for value in row[:number]]


def _likest(longer: Count, other: Count) -> Count:
    """Truncate to the other's number of trials, with the possible number of passes nearest to the other's."""
    trials, passes = other
    fewest, most = max(0, longer[1] - (longer[0] - trials)), min(trials, longer[1])
    return trials, min(max(passes, fewest), most)
