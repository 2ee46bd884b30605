"""A judge's own noise: the same replies judged again, and what of the doubt in the pass rate comes from whom."""

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
"""The condition and trial of a case's attempt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSize:
    """How large the run is, and what it costs."""

    cases: int
    trials: int
    attempt_cost: float | None
    """Of an attempt with its verdict; None: unknown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NoiseOption:
    """What twice as many would do to the pass rate's interval, and what that would take."""

    add: Addition
    half_width: float
    """Of the interval then."""
    extra: float
    """What it takes more, in money or in calls."""
    gain: float
    """Variance that one unit of that buys; more is cheaper."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NoiseFinding:
    """What judging the same replies again has shown of one judge."""

    judge: str
    size: RunSize
    """Of the run whose replies they are."""
    repeats: int
    """How often each reply was judged."""
    replies: int
    """Replies that this rests on."""
    left_out: int
    """Replies judged again that do not count: without a verdict each time, or of a case that lacks some."""
    flips: Estimate | None
    """The chance that two judgements of one reply differ; None: too little was judged."""
    verdicts: NoiseComponents | None
    """Of the pass rate's variance; None: too few cases."""
    marks: NoiseComponents | None
    """The same of the mean score's; None: too few, or no marks."""
    half_width: float | None
    """Of the pass rate's interval as the run is."""
    options: tuple[NoiseOption, ...]
    """Twice the cases, trials or judgements."""
    unit: Literal["cost", "calls"]
    """What options are paid in; calls, where some cost is not known."""

    @property
    def cheapest(self) -> Addition | None:
        """What to add first; None: nothing varies, or nothing is known."""
        return _cheapest(self.options)

    @property
    def cheapest_here(self) -> Addition | None:
        """The same where no further cases can be had."""
        return _cheapest([option for option in self.options if option.add != "cases"])


def noise_finding(judge: str, judgements: Iterable[SecondOpinion], size: RunSize) -> NoiseFinding | None:
    """What a judge's repeated judgements show; None: nothing was judged twice."""
    given = list(judgements)
    by_case = _by_case(given)
    repeats = _common([len(said) for replies in by_case.values() for said in replies.values() if len(said) > 1])
    if repeats < 2:
        return None
    chosen = _balance(by_case, repeats)
    replies = sum(len(case) for case in chosen)
    verdicts = [[[float(bool(said.passed)) for said in reply] for reply in case] for case in chosen]
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
        marks=_marks(chosen),
        half_width=None if parts is None else _half_width(parts, size.cases, size.trials, 1),
        options=() if parts is None else tuple(_options(parts, size, attempt=attempt, judgement=judgement)),
        unit=unit,
    )


def _by_case(given: Sequence[SecondOpinion]) -> dict[str, dict[_Reply, list[SecondOpinion]]]:
    """Case → reply → its verdicts, in the order of the repeats."""
    found: dict[str, dict[_Reply, list[SecondOpinion]]] = {}
    for each in sorted(given, key=lambda one: one.repeat):
        if each.finished and each.passed is not None:
            found.setdefault(each.exam, {}).setdefault((each.condition, each.trial), []).append(each)
    return found


def _balance(
    by_case: Mapping[str, Mapping[_Reply, Sequence[SecondOpinion]]], repeats: int
) -> list[list[Sequence[SecondOpinion]]]:
    """Case → reply → judgements, everywhere as many; cases and replies that have fewer are left out."""
    whole = [
        [said[:repeats] for _, said in sorted(replies.items()) if len(said) >= repeats] for replies in by_case.values()
    ]
    trials = _common([len(case) for case in whole if case])
    return [case[:trials] for case in whole if trials and len(case) >= trials]


def _common(counts: Sequence[int]) -> int:
    """The largest number that at least half of them reach; 0: there are none."""
    return sorted(counts)[len(counts) // 2] if counts else 0


def _marks(chosen: Sequence[Sequence[Sequence[SecondOpinion]]]) -> NoiseComponents | None:
    values = [[[said.value for said in reply] for reply in case] for case in chosen]
    known = [
        [[value for value in reply if value is not None] for reply in case]
        for case in values
        if all(value is not None for reply in case for value in reply)
    ]
    return noise_components(known) if len(known) >= _FEWEST_CASES else None


def _prices(size: RunSize, given: Sequence[SecondOpinion]) -> tuple[Literal["cost", "calls"], float, float]:
    """In what is paid, and what an attempt with its verdict and a further judgement take."""
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
