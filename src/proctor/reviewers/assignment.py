"""Match expected tool calls one to one with used calls, and measure how far the expected order is kept.

Only calls of the same name can be matched, so each name is solved separately. The assignment matches as many calls as
possible; ties are broken by the most correct arguments, then by the most required calls matched, then by the smallest
distance in position.
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
"""Maximum number of assignments to compare by brute force; larger problems are solved by SciPy."""


class AssignedCall(NamedTuple):
    """An expected call and the used call matched to it, by their indices."""

    expected: int
    used: int
    fit: float
    """Share of correct arguments."""


def assign(
    expected: Sequence[ExpectedCall], used: Sequence[ToolCall], *, fold_names: bool = False
) -> list[AssignedCall]:
    """Return the best one-to-one assignment, in the order of the expected calls."""
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
        # If all arguments match in order, no other assignment can be better.
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
    """Solve by brute force, comparing assignments by (fit, required calls matched, nearness)."""

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
    """Solve by SciPy, with weights so small that each criterion only breaks ties of the one before it."""
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
    """Share of required "before" pairs strictly kept, given (expected place, used place); 1 if none is required.

    Equal expected places impose no order; equal used places ran in parallel, so neither came first.
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
