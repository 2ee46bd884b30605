"""Which used call answers which expected one: a one-to-one assignment, and whether it keeps the order.

Only calls of one name can be paired, so each name is a problem of its own. Within it as many calls as possible are
paired; among those assignments the one with the most right arguments wins, then the one that answers more calls that
may not be absent, then the one that leaves calls nearest their place.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from itertools import groupby, permutations
from math import perm
from typing import NamedTuple

from proctor.benchmark import ExpectedCall
from proctor.reading.text.fold import fold_name
from proctor.reviewers.arguments import arguments_fit
from proctor.transcript import ToolCall

_TRIED_OUT = 120
"""Up to so many assignments are compared outright; beyond that SciPy solves it."""


class AssignedCall(NamedTuple):
    """An expected call and the used call that answers it, by their places in the lists."""

    expected: int
    used: int
    fit: float
    """The share of its arguments that are right."""


def assign(
    expected: Sequence[ExpectedCall], used: Sequence[ToolCall], *, fold_names: bool = False
) -> list[AssignedCall]:
    """The best one-to-one assignment, in the order of the expected calls."""
    key = fold_name if fold_names else str
    wanted: dict[str, list[int]] = {}
    for i, call in enumerate(expected):
        wanted.setdefault(key(call.name), []).append(i)
    made: dict[str, list[int]] = {}
    for j, done in enumerate(used):
        if (name := key(done.name)) in wanted:
            made.setdefault(name, []).append(j)
    pairs: list[AssignedCall] = []
    for name, columns in made.items():
        pairs += _assign_one_name(expected, used, wanted[name], columns)
    return sorted(pairs)


def _assign_one_name(
    expected: Sequence[ExpectedCall], used: Sequence[ToolCall], rows: list[int], columns: list[int]
) -> list[AssignedCall]:
    if len(rows) == len(columns):
        in_order = [AssignedCall(i, j, arguments_fit(expected[i], used[j])) for i, j in zip(rows, columns, strict=True)]
        # All right and in order is the best there is: no other assignment leaves calls nearer their place.
        if len(rows) == 1 or all(pair.fit == 1.0 for pair in in_order):
            return in_order
    fits = [[arguments_fit(expected[i], used[j]) for j in columns] for i in rows]
    required = [not expected[i].may_be_absent for i in rows]
    small, large = sorted((len(rows), len(columns)))
    solve = _try_out if perm(large, small) <= _TRIED_OUT else _solve
    return [AssignedCall(rows[r], columns[c], fits[r][c]) for r, c in solve(rows, columns, fits, required)]


def _try_out(
    rows: list[int], columns: list[int], fits: list[list[float]], required: list[bool]
) -> Iterable[tuple[int, int]]:
    """Every assignment compared by (fit, required ones answered, nearness)."""

    def worth(pairs: list[tuple[int, int]]) -> tuple[float, int, int]:
        fit = round(sum(fits[r][c] for r, c in pairs), 9)
        return fit, sum(required[r] for r, _ in pairs), -sum((rows[r] - columns[c]) ** 2 for r, c in pairs)

    return max(_assignments(len(rows), len(columns)), key=worth)


def _assignments(rows: int, columns: int) -> Iterable[list[tuple[int, int]]]:
    if rows <= columns:
        return ([(r, c) for r, c in enumerate(chosen)] for chosen in permutations(range(columns), rows))
    return ([(r, c) for c, r in enumerate(chosen)] for chosen in permutations(range(rows), columns))


def _solve(
    rows: list[int], columns: list[int], fits: list[list[float]], required: list[bool]
) -> Iterable[tuple[int, int]]:
    """The same by SciPy, each wish weighing so little that it only decides between equals of the one before."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    places, targets = np.array(rows), np.array(columns)
    nearness = 1e-6 / (1 + max(rows[-1], columns[-1]) ** 2)
    weights = np.array(fits)
    if not all(required):
        weights += 1e-6 * np.array(required)[:, None]
        nearness /= min(weights.shape)
    weights -= nearness * (places[:, None] - targets[None, :]) ** 2
    chosen_rows, chosen_columns = linear_sum_assignment(weights, maximize=True)
    return zip(chosen_rows.tolist(), chosen_columns.tolist(), strict=True)


def order_kept(places: Iterable[tuple[int, int]]) -> float:
    """The share of required "before" pairs that hold strictly, from (expected place, used place); 1: none is required.

    Equal expected places require nothing of each other; equal used places ran in parallel, so neither came before.
    """
    required = held = 0
    earlier: list[int] = []
    for _, group in groupby(sorted(places), key=lambda place: place[0]):
        now = [used for _, used in group]
        required += len(earlier) * len(now)
        held += sum(bisect_left(earlier, place) for place in now)
        for place in now:
            insort(earlier, place)
    return held / required if required else 1.0
