"""Bradley-Terry model: strengths of players from pairwise contests, with ranks only as far as the cases support them.

Bradley & Terry (1952): the probability that i beats j is 1 / (1 + exp(s_j − s_i)). A tie is half a win for each; half a
pseudo-win each way in every pair keeps the strengths finite (the penalty of Firth 1993, for two). Intervals come from a
bootstrap over cases, because contests of the same case are not independent; ranks from simultaneous intervals of all
differences, by the maximum of their studentised deviations (Hall & Miller 2009; Mogstad et al. 2024).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Numbers = NDArray[np.float64]

METHOD = "bradley-terry, bootstrap over cases"
FEWEST_CASES = 30
"""Minimum number of cases for intervals and ranks."""
DRAWS = 2000
_AT_ONCE = 200
_STEPS = 200
_LONGEST_STEP = 1.0
_SMALLEST_STEP = 1e-10
_ROUNDING = 1e-9

Pair = tuple[int, int]
"""Two players by their indices, the smaller one first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Strength:
    """Strength and rank of one player."""

    value: Estimate
    """On the log-odds scale; all strengths add up to 0."""
    best: int
    """Best possible rank: one more than the number of players that are certainly stronger."""
    worst: int
    """Worst possible rank."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Meeting:
    """Direct contests between two players."""

    a: int
    b: int
    wins: float
    """Contests that A won; a tie counts as half."""
    contests: int
    share: Estimate
    """Share of contests that A won; the interval is simultaneous over all pairs."""
    certain: int
    """1 if A is certainly stronger, −1 if B is, 0 if undecided; judged by the strengths."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """Ranking of all players."""

    strengths: tuple[Strength, ...]
    meetings: tuple[Meeting, ...]
    cycles: tuple[tuple[int, ...], ...]
    """Cycles in which each player beats the next, and the last the first, with intervals that exclude one half."""
    cases: int


def strengths(wins: Sequence[Sequence[float]]) -> list[float]:
    """Fit strengths to a matrix of wins, with ties as halves: `wins[i][j]` counts wins of i over j."""
    import numpy as np

    matrix = np.asarray(wins, dtype=float)
    return [float(value) for value in _fit(matrix[None])[0]]


def ranking(outcomes: Sequence[Mapping[Pair, float]], players: int, *, seed: int = 0, level: float = 0.95) -> Ranking:
    """Compute strengths, ranks and cycles from each case's outcomes: pair → A's score, 1 won, ½ tied, 0 lost."""
    import numpy as np

    pairs = list(combinations(range(players), 2))
    scores, played = _tables([case for case in outcomes if case], pairs)
    cases = len(scores)
    value = _fit(_matrices(scores.sum(0)[None], played.sum(0)[None], pairs, players))[0]
    shares = _ratio(scores.sum(0), played.sum(0))
    drawn = _bootstrap(scores, played, pairs, players, seed) if cases >= FEWEST_CASES else None
    certain = [0] * len(pairs) if drawn is None else _certain(value, drawn.strengths, pairs, level)
    ends = None if drawn is None else np.quantile(drawn.strengths, [(1 - level) / 2, (1 + level) / 2], axis=0)
    around = None if drawn is None else _simultaneous(shares, drawn.shares, level)
    meetings = tuple(
        Meeting(
            a=a, b=b, wins=float(scores[:, at].sum()), contests=int(played[:, at].sum()), certain=certain[at],
            share=_share(shares[at], None if around is None else around[at], int(played[:, at].sum()), level),
        )
        for at, (a, b) in enumerate(pairs)
    )  # fmt: skip
    return Ranking(
        strengths=tuple(
            Strength(
                value=_strength(float(value[place]), None if ends is None else ends[:, place], cases, level),
                best=1 + sum(_is_above(one, place) for one in meetings),
                worst=players - sum(_is_below(one, place) for one in meetings),
            )
            for place in range(players)
        ),
        meetings=meetings,
        cycles=tuple(_cycles(meetings, players)),
        cases=cases,
    )


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Bootstrap samples: strengths and shares of resampled cases."""

    strengths: _Numbers
    shares: _Numbers


def _tables(outcomes: Sequence[Mapping[Pair, float]], pairs: Sequence[Pair]) -> tuple[_Numbers, _Numbers]:
    """Return matrices by case and pair: A's scores, and whether there was a contest."""
    import numpy as np

    scores = np.zeros((len(outcomes), len(pairs)))
    played = np.zeros_like(scores)
    places = {pair: at for at, pair in enumerate(pairs)}
    for row, case in enumerate(outcomes):
        for pair, score in case.items():
            scores[row, places[pair]] = score
            played[row, places[pair]] = 1
    return scores, played


def _matrices(won: _Numbers, played: _Numbers, pairs: Sequence[Pair], players: int) -> _Numbers:
    """Build matrices of wins from the wins of each pair's first player."""
    import numpy as np

    matrices = np.zeros((len(won), players, players))
    for at, (a, b) in enumerate(pairs):
        matrices[:, a, b] = won[:, at]
        matrices[:, b, a] = played[:, at] - won[:, at]
    return matrices


def _fit(wins: _Numbers, start: _Numbers | None = None) -> _Numbers:
    """Fit the strengths of each matrix of wins by Newton's method, with half a pseudo-win each way."""
    import numpy as np

    players = wins.shape[1]
    apart = 1.0 - np.eye(players)
    wins = (wins + 0.5) * apart
    games = wins + wins.transpose(0, 2, 1)
    found = np.zeros(wins.shape[:2]) if start is None else np.broadcast_to(start, wins.shape[:2]).copy()
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(found[:, None, :] - found[:, :, None]))
        gradient = (wins - games * chance).sum(2)
        curve = games * chance * (1 - chance) * apart
        hessian = np.eye(players) * curve.sum(2)[:, :, None] - curve + 1.0
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        longest = np.abs(step).max(1, keepdims=True)
        found += step * np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
        if longest.max() < _SMALLEST_STEP:
            break
    return np.asarray(found - found.mean(1, keepdims=True))


def _bootstrap(scores: _Numbers, played: _Numbers, pairs: Sequence[Pair], players: int, seed: int) -> _Drawn:
    """Resample the cases; identical cases are drawn together, which is equivalent and faster."""
    import numpy as np

    both, times = np.unique(np.hstack([scores, played]), axis=0, return_counts=True)
    scores, played = both[:, : len(pairs)], both[:, len(pairs) :]
    cases, random = int(times.sum()), np.random.default_rng(seed)
    start = _fit(_matrices((times @ scores)[None], (times @ played)[None], pairs, players))[0]
    fitted, shares = [], []
    for _ in range(DRAWS // _AT_ONCE):
        weights = random.multinomial(cases, times / cases, size=_AT_ONCE)
        won, met = weights @ scores, weights @ played
        fitted.append(_fit(_matrices(won, met, pairs, players), start))
        shares.append(_ratio(won, met))
    return _Drawn(np.vstack(fitted), np.vstack(shares))


def _ratio(won: _Numbers, met: _Numbers) -> _Numbers:
    """Return won / met, or one half where there was no contest."""
    import numpy as np

    return np.asarray(np.divide(won, met, out=np.full(np.shape(won), 0.5), where=met > 0))


def _simultaneous(value: _Numbers, drawn: _Numbers, level: float) -> _Numbers:
    """Return simultaneous intervals of all values: with probability `level`, none of them misses."""
    import numpy as np

    errors = drawn.std(axis=0)
    scale = np.where(errors > 0, errors, np.inf)
    greatest = (np.abs(drawn - value) / scale).max(axis=1, initial=0.0)
    reach = float(np.quantile(greatest, level)) * errors
    return np.column_stack([value - reach, value + reach])


def _certain(value: _Numbers, drawn: _Numbers, pairs: Sequence[Pair], level: float) -> list[int]:
    """Return per pair who is stronger: 1 or −1 if the simultaneous interval of the difference excludes 0, else 0."""
    firsts, seconds = [a for a, _ in pairs], [b for _, b in pairs]
    ends = _simultaneous(value[firsts] - value[seconds], drawn[:, firsts] - drawn[:, seconds], level)
    return [int(low > _ROUNDING) - int(high < -_ROUNDING) for low, high in ends]


def _strength(value: float, ends: _Numbers | None, cases: int, level: float) -> Estimate:
    note = "" if ends is not None else f"{cases} cases: fewer than the {FEWEST_CASES} that an interval needs"
    if ends is not None and _is_without_width(ends):
        note, ends = "all cases ended alike: they do not tell how far it may be off", None
    low, high = (None, None) if ends is None else (min(value, float(ends[0])), max(value, float(ends[1])))
    return Estimate(value=value, low=low, high=high, n=cases, method=METHOD, level=level, note=note)


def _share(value: float, ends: _Numbers | None, contests: int, level: float) -> Estimate:
    method = "simultaneous max-t, bootstrap over cases"
    if not contests:
        return Estimate(value=None, low=None, high=None, n=0, method=method, level=level, note="they never met")
    if ends is not None and _is_without_width(ends):  # resampling identical cases gives no variation
        least, most = wilson(float(value), contests, level=level)
        return Estimate(value=float(value), low=least, high=most, n=contests, method="wilson", level=level)
    ends = None if ends is None else ends.clip(0.0, 1.0)
    low, high = (None, None) if ends is None else (float(ends[0]), float(ends[1]))
    note = "" if ends is not None else f"fewer than {FEWEST_CASES} cases"
    return Estimate(value=float(value), low=low, high=high, n=contests, method=method, level=level, note=note)


def _is_without_width(ends: _Numbers) -> bool:
    return bool(abs(ends[1] - ends[0]) < _ROUNDING)


def _is_above(meeting: Meeting, place: int) -> bool:
    """Whether the player is certainly the weaker of the two."""
    return (meeting.b == place and meeting.certain > 0) or (meeting.a == place and meeting.certain < 0)


def _is_below(meeting: Meeting, place: int) -> bool:
    return (meeting.a == place and meeting.certain > 0) or (meeting.b == place and meeting.certain < 0)


def _cycles(meetings: Sequence[Meeting], players: int) -> list[tuple[int, ...]]:
    """Find the shortest cycle through each player among those who certainly beat each other; each cycle once."""
    beats: list[list[int]] = [[] for _ in range(players)]
    for meeting in meetings:
        low, high = meeting.share.low, meeting.share.high
        if low is not None and low > 0.5:
            beats[meeting.a].append(meeting.b)
        elif high is not None and high < 0.5:
            beats[meeting.b].append(meeting.a)
    found: dict[tuple[int, ...], None] = {}
    for start in range(players):
        cycle = _way_back(beats, start)
        if cycle:
            first = cycle.index(min(cycle))
            found[cycle[first:] + cycle[:first]] = None
    return list(found)


def _way_back(beats: Sequence[Sequence[int]], start: int) -> tuple[int, ...]:
    """Return the shortest cycle from a player through players beaten back to itself; empty if there is none."""
    ways: deque[tuple[int, ...]] = deque([(start,)])
    seen: set[int] = set()
    while ways:
        way = ways.popleft()
        for after in beats[way[-1]]:
            if after == start:
                return way
            if after not in seen:
                seen.add(after)
                ways.append((*way, after))
    return ()
