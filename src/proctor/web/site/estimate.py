"""What a run would take, told before anybody is called."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from proctor.run import Run
from proctor.spending.estimate import CostEstimate, together
from proctor.web.site.site import Site
from proctor.web.site.start import NewRuns, let_go, prepare_runs
from proctor.workflows.run_limits import estimate_cost


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEstimate:
    """What can be said before a run."""

    run: Run
    """As it would be started; of several, the first."""
    runs: int
    """One for each agent."""
    exams: int
    estimate: CostEstimate
    """Of the chat models, in all runs together."""
    warnings: tuple[str, ...]
    last: Run | None
    """The last run of the same agent in the same type, by which the time can be told."""

    @property
    def seconds(self) -> float | None:
        """As long as it took then; None: nobody knows."""
        if self.last is None:
            return None
        return self.last.seconds / self.last.planned * self.run.planned


def estimate_runs(site: Site, wanted: NewRuns) -> RunEstimate:
    """Prepare the runs and let go of them again. Raises what starting them would raise."""
    prepared = prepare_runs(wanted, site)
    for ready in prepared:
        let_go(ready)
    run, exams = prepared[0].run, prepared[0].exams
    estimates = [estimate_cost(ready.run, exams, site.config) for ready in prepared]
    return RunEstimate(
        run=run,
        runs=len(prepared),
        exams=len(exams),
        estimate=reduce(together, estimates),
        warnings=tuple(dict.fromkeys(warning for ready in prepared for warning in ready.warnings)),
        last=_last(site, run) if len(prepared) == 1 else None,
    )


def _last(site: Site, run: Run) -> Run | None:
    done = (each for each in site.store.archive.runs() if each.status == "completed" and each.agent == run.agent)
    return next((each for each in done if each.settings.type == run.settings.type and each.planned), None)
