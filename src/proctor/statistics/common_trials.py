"""Two runs cut to as many trials of each case as both have, before they are held against each other.

The share of one trial is 0 or 1, that of eight is not: with unequal trials the difference of a case is skewed even
where both runs are of the same agent, and neither the sign-flip test nor P(B better) holds. The first trials of a case
are as good as any, so the run with more of them is cut to its first ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

Count = tuple[int, int]
"""(trials, passes) of a case."""
Values = Sequence[Sequence[float]]
"""Of one case: under each condition the values of its counted trials, in the order of the trials."""


def in_common(a: Values, b: Values) -> tuple[Sequence[float], Sequence[float]]:
    """The first values that both runs have of a case, condition by condition; in one row where conditions differ."""
    if len(a) != len(b):
        a, b = [[value for row in a for value in row]], [[value for row in b for value in row]]
    least = [min(len(x), len(y)) for x, y in zip(a, b, strict=True)]
    return _first(a, least), _first(b, least)


def counts_in_common(a: Values, b: Values) -> tuple[Count, Count]:
    """The same as (trials, passes), of values that are verdicts."""
    first, second = in_common(a, b)
    return (len(first), int(sum(first))), (len(second), int(sum(second)))


def differences_in_common(cases: Sequence[tuple[Values, Values]]) -> list[float] | None:
    """The differences of the means of values in common, of the cases that have any; None: neither run has others."""
    common = [in_common(a, b) for a, b in cases]
    kept = sum(len(x) + len(y) for x, y in common if x)
    if kept == sum(len(row) for a, b in cases if any(a) and any(b) for side in (a, b) for row in side):
        return None
    return [fmean(y) - fmean(x) for x, y in common if x]


def counts_alike(a: Count, b: Count) -> tuple[Count, Count]:
    """The same where the order of the trials is not known: as like each other as any order could make them."""
    if a[0] <= b[0]:
        return a, _likest(b, a)
    return _likest(a, b), b


def _first(rows: Values, trials: Sequence[int]) -> Sequence[float]:
    if len(rows) == 1:
        return rows[0][: trials[0]]
    return [value for row, number in zip(rows, trials, strict=True) for value in row[:number]]


def _likest(longer: Count, other: Count) -> Count:
    """Cut to the trials of the other, with that number of passes, out of those possible, that is nearest to its."""
    trials, passes = other
    fewest, most = max(0, longer[1] - (longer[0] - trials)), min(trials, longer[1])
    return trials, min(max(passes, fewest), most)
