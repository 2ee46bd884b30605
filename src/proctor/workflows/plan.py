"""Planning from what is stored."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.errors import UsageError
from proctor.findings.comparison.sample_size import POWER, TRIALS, DifferencePlan, plan_from_run, plan_from_runs
from proctor.storage import open_store
from proctor.workflows.read import findings_of_run


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
        return plan_from_run(difference, found[0], flips, trials=trials, power=power)
    if flips is not None:
        raise UsageError("two runs tell how many cases flip: leave --flips out, or give one run")
    return plan_from_runs(difference, found[0], found[1], trials=trials, power=power)
