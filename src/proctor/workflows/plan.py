"""Planning from what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from proctor.errors import UsageError
from proctor.findings.comparison.sample_size import POWER, TRIALS, DifferencePlan, plan_from_run, plan_from_runs
from proctor.findings.run.label_plan import LabelPlan, plan_labels_from
from proctor.storage import open_store
from proctor.workflows.read import findings_of_run
from proctor.workflows.speed import speed_of


def plan_from_stored(
    difference: float,
    runs: Sequence[str],
    *,
    store: str,
    flips: float | None = None,
    trials: Sequence[int] = TRIALS,
    power: float = POWER,
) -> DifferencePlan:
    """Cases and trials for a difference, from one stored run and an assumed share of flips, or from two runs."""
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
    """How many labels a stored run takes for a rate as people judge that is as sure as wanted."""
    with open_store(store, create=False) as opened:
        found = opened.archive.find(run)
        return plan_labels_from(half_width, found.id, findings_of_run(opened, found).people)
