"""Estimate a judge's own noise from repeated judgements, and its part in the uncertainty of the pass rate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist
from typing import Literal

from proctor.score import SecondOpinion
from proctor.statistics.estimate import Estimate
from proctor.statistics.noise import NoiseComponents, flip_rate, noise_components

Addition = Literal["cases", "trials", "judgements"]
_FEWEST_CASES = 3
_Reply = tuple[str, int]
"""(condition, trial) of an attempt at a case."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSize:
    """Size of a run and the cost of an attempt."""

    cases: int
    trials: int
    attempt_cost: float | None
    """Cost of an attempt including its verdict, or None if unknown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NoiseOption:
    """Effect of doubling cases, trials or judgements on the pass rate's interval, and what that would cost."""

    add: Addition
    half_width: float
    """Half width of the interval after doubling."""
    extra: float
    """Additional cost, in money or in calls."""
    gain: float
    """Reduction of variance per unit of additional cost."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NoiseFinding:
    """Noise of one judge, estimated from repeated judgements."""

    judge: str
    size: RunSize
    """Size of the run that the replies belong to."""
    repeats: int
    """Number of judgements per reply."""
    replies: int
    """Number of replies the estimates are based on."""
    left_out: int
    """Repeatedly judged replies that do not count: some judgement has no verdict, or their case has too few replies."""
    flips: Estimate | None
    """Probability that two judgements of the same reply differ, or None without enough data."""
    verdicts: NoiseComponents | None
    """Variance components of the pass rate, or None with too few cases."""
    marks: NoiseComponents | None
    """Variance components of the mean score, or None with too few cases or no scores."""
    half_width: float | None
    """Half width of the current interval of the pass rate."""
    options: tuple[NoiseOption, ...]
    """Doubling the cases, trials or judgements."""
    unit: Literal["cost", "calls"]
    """Unit of the options' cost; calls if some cost is unknown."""

    @property
    def cheapest(self) -> Addition | None:
        """The most cost-effective addition, or None if nothing varies or is known."""
        return _cheapest(self.options)

    @property
    def cheapest_here(self) -> Addition | None:
        """The most cost-effective addition without more cases, or None."""
        return _cheapest([option for option in self.options if option.add != "cases"])


def noise_finding(judge: str, judgements: Iterable[SecondOpinion], size: RunSize) -> NoiseFinding | None:
    """Estimate a judge's noise, or return None if nothing was judged twice."""
    given = list(judgements)
    by_case = _by_case(given)
    repeats = _common([len(entry) for replies in by_case.values() for entry in replies.values() if len(entry) > 1])
    if repeats < 2:
        return None
    chosen = _balance(by_case, repeats)
    replies = sum(len(case) for case in chosen)
    verdicts = [[[float(bool(entry.passed)) for entry in reply] for reply in case] for case in chosen]
    parts = noise_components(verdicts) if len(chosen) >= _FEWEST_CASES else None
    unit, attempt, judgement = _prices(size, given)
    again = len({(each.exam, each.condition, each.trial) for each in given if each.repeat > 1})
    return NoiseFinding(
        judge=judge,
        size=size,
        repeats=repeats,
        replies=replies,
        left_out=max(0, again - replies),
        flips=flip_rate([[sum(map(int, reply)) for reply in case] for case in verdicts], repeats) if chosen else None,
        verdicts=parts,
        marks=_mark_noise(chosen),
        half_width=None if parts is None else _half_width(parts, size.cases, size.trials, 1),
        options=() if parts is None else tuple(_options(parts, size, attempt=attempt, judgement=judgement)),
        unit=unit,
    )


def _by_case(given: Sequence[SecondOpinion]) -> dict[str, dict[_Reply, list[SecondOpinion]]]:
    """Return case → reply → its verdicts, ordered by repeat."""
    found: dict[str, dict[_Reply, list[SecondOpinion]]] = {}
    for each in sorted(given, key=lambda one: one.repeat):
        if each.finished and each.passed is not None:
            found.setdefault(each.exam, {}).setdefault((each.condition, each.trial), []).append(each)
    return found


def _balance(
    by_case: Mapping[str, Mapping[_Reply, Sequence[SecondOpinion]]], repeats: int
) -> list[list[Sequence[SecondOpinion]]]:
    """Return case → reply → judgements with equal counts, leaving out cases and replies that have fewer."""
    full_cases = [
        [opinions[:repeats] for _, opinions in sorted(replies.items()) if len(opinions) >= repeats]
        for replies in by_case.values()
    ]
    trials = _common([len(case) for case in full_cases if case])
    return [case[:trials] for case in full_cases if trials and len(case) >= trials]


def _common(counts: Sequence[int]) -> int:
    """Return the upper median of the counts, which at least half of them reach; 0 if there are none."""
    return sorted(counts)[len(counts) // 2] if counts else 0


def _mark_noise(chosen: Sequence[Sequence[Sequence[SecondOpinion]]]) -> NoiseComponents | None:
    values = [[[opinion.value for opinion in reply] for reply in case] for case in chosen]
    known = [
        [[value for value in reply if value is not None] for reply in case]
        for case in values
        if all(value is not None for reply in case for value in reply)
    ]
    return noise_components(known) if len(known) >= _FEWEST_CASES else None


def _prices(size: RunSize, given: Sequence[SecondOpinion]) -> tuple[Literal["cost", "calls"], float, float]:
    """Return the unit of cost, the cost of an attempt with its verdict, and the cost of another judgement."""
    costs = [each.usage.cost for each in given if each.finished]
    known = [cost for cost in costs if cost is not None]
    if size.attempt_cost and known and len(known) == len(costs):
        return "cost", size.attempt_cost, sum(known) / len(known)
    return "calls", 2.0, 1.0


def _options(parts: NoiseComponents, size: RunSize, *, attempt: float, judgement: float) -> Iterable[NoiseOption]:
    n, m = size.cases, size.trials
    now = parts.variance_of_mean(n, m, 1)
    doubled: dict[Addition, tuple[tuple[int, int, int], float]] = {
        "cases": ((2 * n, m, 1), n * m * attempt),
        "trials": ((n, 2 * m, 1), n * m * attempt),
        "judgements": ((n, m, 2), n * m * judgement),
    }
    if parts.trials is None:
        del doubled["trials"]
    for add, (shape, extra) in doubled.items():
        saved = now - parts.variance_of_mean(*shape)
        gain = 0.0 if saved <= 1e-15 else saved / extra if extra else inf
        yield NoiseOption(add=add, half_width=_half_width(parts, *shape), extra=extra, gain=gain)


def _half_width(parts: NoiseComponents, cases: int, trials: int, judgements: int) -> float:
    return NormalDist().inv_cdf(0.975) * sqrt(max(0.0, parts.variance_of_mean(cases, trials, judgements)))


def _cheapest(options: Sequence[NoiseOption]) -> Addition | None:
    best = max(options, key=lambda option: option.gain, default=None)
    return best.add if best is not None and best.gain > 0 else None
