"""How many turns an agent survives in a battle: Kaplan-Meier, restricted mean, and causes of failure.

The event is the first failed reply. A conversation that ended for another reason (turn limit, end of the script,
budget, network) is censored: the agent survived at least that long. A mean over failed conversations alone would
underrate agents whose conversations were short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from proctor.errors import InputError
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import wilson

FEWEST_AT_RISK = 3
"""The curve ends where fewer conversations than this are at risk."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lifetime:
    """Survival of one conversation, in fair turns."""

    turns: int
    """The turn that failed, or the last one survived."""
    cause: str | None = None
    """Cause of the failure (wrong, contradiction, caved, unclear, crashed), or None if no turn failed."""
    stopped: bool = False
    """Whether the examiner ended it early, perhaps because it was satisfied."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """One turn of the curve."""

    turn: int
    at_risk: int
    failed: int
    survival: Estimate
    """Share that has not failed up to and including this turn."""
    causes: dict[str, Estimate]
    """Share that has failed up to this turn, by cause; together with `survival`, they add up to 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Curve:
    """Survival over turns."""

    points: tuple[Point, ...]
    mean_turns: Estimate
    """Mean number of turns until the first failed reply, restricted to `until`."""
    until: int
    """Last turn of the curve."""
    stopped: int
    """Number of conversations that the examiner ended early."""


@dataclass(frozen=True, slots=True)
class _Turn:
    turn: int
    at_risk: int
    failed: dict[str, int]

    @property
    def all_failed(self) -> int:
        return sum(self.failed.values())


def survival_curve(lifetimes: Sequence[Lifetime], *, level: float = 0.95) -> Curve:
    """Estimate Kaplan-Meier with Wilson's interval on its effective size, and Aalen-Johansen's shares by cause.

    Greenwood's variance (1926) gives the effective size, which is the number of conversations if none is censored.
    """
    _check(lifetimes)
    turns = _turns(lifetimes)
    causes = sorted({lifetime.cause for lifetime in lifetimes if lifetime.cause is not None})
    points = []
    for upto in range(1, len(turns) + 1):
        seen = turns[:upto]
        points.append(
            Point(
                turn=seen[-1].turn,
                at_risk=seen[-1].at_risk,
                failed=seen[-1].all_failed,
                survival=_survival(seen, len(lifetimes), level),
                causes={cause: _incidence(seen, cause, len(lifetimes), level) for cause in causes},
            )
        )
    return Curve(
        points=tuple(points),
        mean_turns=_mean_turns(points, len(lifetimes), level),
        until=len(points),
        stopped=sum(lifetime.stopped for lifetime in lifetimes),
    )


def stopping_bounds(lifetimes: Sequence[Lifetime], turns: int, *, level: float = 0.95) -> tuple[Curve, Curve]:
    """Return the curves if conversations ended early had failed at the next turn, or had continued well."""
    early = [lifetime.stopped and lifetime.turns < turns for lifetime in lifetimes]
    worst = [
        replace(lifetime, turns=lifetime.turns + 1, cause="stopped") if stopped else lifetime
        for lifetime, stopped in zip(lifetimes, early, strict=True)
    ]
    best = [replace(c, turns=turns) if stopped else c for c, stopped in zip(lifetimes, early, strict=True)]
    return survival_curve(worst, level=level), survival_curve(best, level=level)


def _turns(lifetimes: Sequence[Lifetime]) -> list[_Turn]:
    table = []
    for turn in range(1, max((lifetime.turns for lifetime in lifetimes), default=0) + 1):
        at_risk = sum(lifetime.turns >= turn for lifetime in lifetimes)
        if at_risk < FEWEST_AT_RISK:
            break
        failed: dict[str, int] = {}
        for lifetime in lifetimes:
            if lifetime.turns == turn and lifetime.cause is not None:
                failed[lifetime.cause] = failed.get(lifetime.cause, 0) + 1
        table.append(_Turn(turn, at_risk, failed))
    return table


def _kaplan_meier(turns: Sequence[_Turn]) -> float:
    share = 1.0
    for turn in turns:
        share *= 1 - turn.all_failed / turn.at_risk
    return share


def _survival(turns: Sequence[_Turn], n: int, level: float) -> Estimate:
    share = _kaplan_meier(turns)
    if share == 1:
        size = float(turns[-1].at_risk)
    elif share == 0:
        size = float(n)
    else:
        greenwood = sum(t.all_failed / (t.at_risk * (t.at_risk - t.all_failed)) for t in turns)
        size = (1 - share) / (share * greenwood)
    return _estimate(share, size, n, "kaplan-meier", level)


def _incidence(turns: Sequence[_Turn], cause: str, n: int, level: float) -> Estimate:
    """Estimate the share that has failed of this cause, with the others as competing risks (Aalen & Johansen 1978)."""
    shares, before, total = [], [], 0.0
    for i, turn in enumerate(turns):
        before.append(_kaplan_meier(turns[:i]))
        total += before[-1] * turn.failed.get(cause, 0) / turn.at_risk
        shares.append(total)
    variance = sum(
        _incidence_term(turn, turn.failed.get(cause, 0), total - share, held)
        for turn, share, held in zip(turns, shares, before, strict=True)
    )
    size = total * (1 - total) / variance if variance > 1e-15 else float(turns[-1].at_risk if total < 1 else n)
    return _estimate(total, size, n, "aalen-johansen", level)


def _incidence_term(turn: _Turn, failed: int, ahead: float, held: float) -> float:
    """Return one turn's part of the variance, by the delta method: from failures at later turns, and from its own."""
    r, d = turn.at_risk, turn.all_failed
    later = ahead * ahead * d / (r * (r - d)) if d < r else 0.0
    return later + held * held * failed * (r - failed) / r**3 - 2 * ahead * held * failed / r**2


def _mean_turns(points: Sequence[Point], n: int, level: float) -> Estimate:
    """Σ over t below the last turn of the survival at t. Its points are dependent, so its ends are sums, too."""
    if not points:
        note = f"fewer than {FEWEST_AT_RISK} conversations"
        return Estimate(value=None, low=None, high=None, n=n, method="restricted-mean", attempts=n, note=note)
    held = [point.survival for point in points[:-1]]
    return Estimate(
        value=1 + sum(e.value or 0.0 for e in held),
        low=1 + sum(e.low or 0.0 for e in held),
        high=1 + sum(e.high or 0.0 for e in held),
        n=n,
        method="restricted-mean",
        attempts=n,
        level=level,
        note=f"counted to turn {points[-1].turn}",
    )


def _estimate(share: float, size: float, n: int, method: str, level: float) -> Estimate:
    value = min(1.0, max(0.0, share))
    low, high = wilson(value, size, level=level)
    return Estimate(value=value, low=low, high=high, n=n, method=method, attempts=n, level=level)


def _check(lifetimes: Sequence[Lifetime]) -> None:
    for lifetime in lifetimes:
        if lifetime.turns < 0 or (lifetime.cause is not None and lifetime.turns < 1):
            raise InputError(f"turns={lifetime.turns!r} cannot be used: expected from 0, and from 1 with a cause.")
