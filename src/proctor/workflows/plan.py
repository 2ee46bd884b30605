"""Plan the number of cases, trials and labels: `proctor plan` and the page of the same name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from proctor.errors import UsageError
from proctor.findings.comparison.sample_size import (
    POWER,
    TRIALS,
    DifferencePlan,
    plan_from_assumptions,
    plan_from_run,
    plan_from_runs,
)
from proctor.findings.gates.look_plan import LookPlan
from proctor.findings.gates.sample_size import GatePlan, plan_early, plan_gate
from proctor.findings.run.people import LabelPlan, plan_labels, plan_labels_from
from proctor.settings import shown
from proctor.storage import open_store
from proctor.workflows.dry_run import speed_of
from proctor.workflows.read import findings_of_run

USUAL_CASES = 500
USUAL_RATE = 0.9
MOST_TRIALS = 1_000_000
_SIDE_BY_SIDE = 20
"""Maximum number of trial counts planned at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanRequest:
    """A planning question: exactly one of `difference`, `gate` and `labels`."""

    difference: float | None = None
    """Difference in pass rate between two runs to detect."""
    gate: str | None = None
    labels: float | None = None
    """Half width of the desired interval of the pass rate by people."""
    flips: float | None = None
    """Share of cases that flip between two runs; None to take it from stored runs."""
    noise: float = 0.0
    """Share of cases that flip by chance alone."""
    runs: tuple[str, ...] = ()
    """Stored runs to plan from."""
    power: float = POWER
    trials: tuple[int, ...] = TRIALS
    failures: int | None = None
    """Number of failures with which the gate must still be met; None for 0, 1, 2 and 5."""
    stop_early: bool = False
    """Whether to plan the interim looks of a run that stops early for the gate, given cases and one trial count."""
    cases: int = USUAL_CASES
    rate: float = USUAL_RATE
    """Expected pass rate when planning labels."""


def read_trials(text: str) -> tuple[int, ...]:
    """Parse `1,2,4` as trials per case, for plans side by side; raise UsageError if invalid."""
    pieces = [piece.strip().lstrip("0") for piece in text.split(",")]
    longest = len(str(MOST_TRIALS))
    if len(pieces) <= _SIDE_BY_SIDE and all(piece.isdecimal() and len(piece) <= longest for piece in pieces):
        trials = tuple(map(int, pieces))
        if all(1 <= number <= MOST_TRIALS for number in trials):
            return trials
    raise UsageError(
        f"{shown(text)} is not a number of trials; expected something like 1,2,4, each at most {MOST_TRIALS:,}"
    )


def plan_for(wanted: PlanRequest, *, store: str) -> DifferencePlan | GatePlan | LookPlan | LabelPlan:
    """Return the plan. Raise UsageError if it is not possible."""
    if wanted.labels is not None:
        return _plan_labels(wanted.labels, wanted, store)
    if wanted.gate is not None and wanted.stop_early:
        return plan_early(wanted.gate, wanted.cases, trials=wanted.trials[0])
    if wanted.gate is not None:
        return plan_gate(wanted.gate, failures=wanted.failures, flips=wanted.flips, power=wanted.power)
    if wanted.difference is None:
        raise UsageError("nothing is asked; expected a difference, a gate or labels")
    if wanted.runs and wanted.noise:
        raise UsageError("the noise is known from the stored runs: leave --noise out")
    known: dict[str, Any] = {"flips": wanted.flips, "trials": wanted.trials, "power": wanted.power}
    if wanted.runs:
        return plan_from_stored(wanted.difference, wanted.runs, store=store, **known)
    return plan_from_assumptions(wanted.difference, noise=wanted.noise, **known)


def _plan_labels(half_width: float, wanted: PlanRequest, store: str) -> LabelPlan:
    if not wanted.runs:
        return plan_labels(half_width, rate=wanted.rate)
    if len(wanted.runs) > 1:
        raise UsageError("labels are planned from one run; give --run once")
    return plan_labels_of(half_width, wanted.runs[0], store=store)


def plan_from_stored(
    difference: float,
    runs: Sequence[str],
    *,
    store: str,
    flips: float | None = None,
    trials: Sequence[int] = TRIALS,
    power: float = POWER,
) -> DifferencePlan:
    """Plan cases and trials for a difference from one stored run and an assumed share of flips, or from two runs."""
    if len(runs) > 2:
        raise UsageError(f"{len(runs)} runs were given; plan from one or two")
    with open_store(store, create=False) as opened:
        found = [findings_of_run(opened, opened.archive.find(name)) for name in runs]
    if len(found) == 1:
        planned = plan_from_run(difference, found[0], flips, trials=trials, power=power)
    elif flips is not None:
        raise UsageError("how many cases flip is known from two runs: leave --flips out, or give one run")
    else:
        planned = plan_from_runs(difference, found[0], found[1], trials=trials, power=power)
    speeds = [speed for each in found if (speed := speed_of(each.run)) is not None]
    seconds = fmean(speed.seconds / speed.attempts for speed in speeds) if len(speeds) == len(found) else None
    return replace(planned, seconds_per_attempt=seconds)


def plan_labels_of(half_width: float, run: str, *, store: str) -> LabelPlan:
    """Plan the number of labels with which a stored run's rate by people is as precise as desired."""
    with open_store(store, create=False) as opened:
        found = opened.archive.find(run)
        return plan_labels_from(half_width, found.id, findings_of_run(opened, found).people)
