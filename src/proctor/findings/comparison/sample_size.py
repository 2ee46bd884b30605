"""Sample size planning: how many cases and trials it takes to detect a difference between two runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.errors import UsageError
from proctor.findings.comparison.comparability import unlike
from proctor.findings.run import Findings
from proctor.settings import given
from proctor.statistics.plan import (
    Counts,
    SampleSizePlan,
    Spread,
    plan,
    spread_from_flips,
    spread_from_run,
    spread_from_runs,
)

TRIALS = (1, 2, 4)
"""Default numbers of trials to plan for."""
POWER = 0.8
LEAST_DIFFERENCE = 1e-6
"""Smallest difference to plan for; a smaller one would need impractically many cases."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferencePlan:
    """Sample sizes needed to detect a difference between two runs."""

    plans: tuple[SampleSizePlan, ...]
    """One plan per number of trials."""
    spread: Spread
    """Variance components of a case's difference between two runs."""
    basis: str
    """What the spread was derived from, as text."""
    seconds_per_attempt: float | None = None
    """Mean seconds per attempt in the stored runs, at their concurrency, or None if unknown."""

    @property
    def trials_help(self) -> bool:
        """Whether trial-to-trial noise is known; otherwise more trials are assumed not to help."""
        return bool(self.spread.within_a or self.spread.within_b)


def plan_from_assumptions(
    difference: float, flips: float | None, *, noise: float = 0.0, trials: Sequence[int] = TRIALS, power: float = POWER
) -> DifferencePlan:
    """Plan from the share of cases that flip between the two runs and the share that flips by chance alone."""
    _check(difference)
    if flips is None:
        raise UsageError(
            "how many cases flip between the two runs? Give --flips, such as 0.10, or stored runs by --run"
        )
    if not 0 <= noise <= flips:
        raise UsageError(
            given("noise", noise), f" is not usable; expected a share from 0 to that of the flips, {flips:g}"
        )
    chance = f", {_percent(noise)} by chance alone" if noise else ""
    basis = f"the assumption that {_percent(flips)} of cases flip between the two runs{chance}"
    return _plan_difference(
        spread_from_flips(flips, difference, noise=noise / 2), difference, basis, trials=trials, power=power
    )


def plan_from_run(
    difference: float,
    run: Findings,
    flips: float | None,
    *,
    trials: Sequence[int] = TRIALS,
    power: float = POWER,
) -> DifferencePlan:
    """Plan from a stored run, which shows the noise between trials, and an assumed share of flips."""
    _check(difference)
    if flips is None:
        raise UsageError(
            f"run {run.run.id} shows how much results vary from trial to trial, not how many cases a change would "
            "flip: give --flips, such as 0.10, or a second --run"
        )
    spread = spread_from_run(_counts(run), flips, difference)
    basis = f"the trials of run {run.run.id} and the assumption that {_percent(flips)} of cases flip"
    return _plan_difference(spread, difference, basis, trials=trials, power=power)


def plan_from_runs(
    difference: float, a: Findings, b: Findings, *, trials: Sequence[int] = TRIALS, power: float = POWER
) -> DifferencePlan:
    """Plan from two stored runs of the same cases."""
    _check(difference)
    apart = unlike(a.run, b.run)
    if apart:
        raise UsageError(f"{_both(a, b)} cannot be planned from together: {'; '.join(map(str, apart))}")
    of_b = {case.id: case for case in b.compared_on}
    both = [(case, of_b[case.id]) for case in a.compared_on if case.id in of_b]
    pairs = [((x.counted, x.passed), (y.counted, y.passed)) for x, y in both if x.counted and y.counted]
    if not pairs:
        raise UsageError(f"{_both(a, b)} have no case that counted in both; there is nothing to plan from")
    spread, basis = _spread_of_runs(difference, a, b, pairs)
    if not spread.of(1, 1):
        raise UsageError(
            f"in {_both(a, b)} nothing varied, so nothing can be planned from them; assume a share with --flips instead"
        )
    return _plan_difference(spread, difference, basis, trials=trials, power=power)


def _plan_difference(
    spread: Spread, difference: float, basis: str, *, trials: Sequence[int], power: float
) -> DifferencePlan:
    return DifferencePlan(plans=tuple(plan(spread, difference, trials=trials, power=power)), spread=spread, basis=basis)


def _check(difference: float) -> None:
    if not LEAST_DIFFERENCE <= difference < 1:
        raise UsageError(
            given("difference", difference),
            f" is not usable; expected a share from {LEAST_DIFFERENCE:f} to below 1, such as 0.05",
        )


def _spread_of_runs(
    difference: float, a: Findings, b: Findings, pairs: Sequence[tuple[tuple[int, int], tuple[int, int]]]
) -> tuple[Spread, str]:
    """Estimate noise and change separately if both runs have several trials, or together as flips if both have one."""
    single = [all(m == 1 for m, _ in side) for side in zip(*pairs, strict=True)]
    if not any(single):
        return spread_from_runs([x for x, _ in pairs], [y for _, y in pairs]), _both(a, b)
    if not all(single):
        raise UsageError(
            f"{_both(a, b)} cannot be planned from together: one has a single trial, the other several; give two alike"
        )
    flipped = sum(x != y for x, y in pairs) / len(pairs)
    # The share of flips cannot be below the difference itself, so plan for at least that.
    spread = spread_from_flips(max(flipped, difference), difference)
    return spread, f"{_both(a, b)}, in which {_percent(flipped)} of cases flipped"


def _counts(findings: Findings) -> Counts:
    return [(case.counted, case.passed) for case in findings.compared_on]


def _both(a: Findings, b: Findings) -> str:
    return f"runs {a.run.id} and {b.run.id}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
