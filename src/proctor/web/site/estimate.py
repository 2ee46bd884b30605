"""What a run would take, told before anybody is called."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.run import Run
from proctor.running.plan import exams_of
from proctor.spending.estimate import CostEstimate
from proctor.web.site.site import Site
from proctor.web.site.start import RunRequest, let_go, prepare_run
from proctor.workflows.run_limits import foresee


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEstimate:
    """What can be said before a run."""

    run: Run
    """As it would be started."""
    exams: int
    estimate: CostEstimate
    """Of the chat models."""
    warnings: tuple[str, ...]
    last: Run | None
    """The last run of the same agent in the same type, by which the time can be told."""

    @property
    def seconds(self) -> float | None:
        """As long as it took then; None: nobody knows."""
        if self.last is None:
            return None
        return self.last.seconds / self.last.planned * self.run.planned


def foretell(site: Site, wanted: RunRequest) -> RunEstimate:
    """Prepare a run and let go of it again. Raises what starting it would raise."""
    config = site.config
    ready = prepare_run(wanted, site.library, config)
    let_go(ready)
    run, exams = ready.run, exams_of(ready.benchmark, ready.run.settings)
    return RunEstimate(
        run=run,
        exams=len(exams),
        estimate=foresee(run, exams, config),
        warnings=ready.warnings,
        last=_last(site, run),
    )


def _last(site: Site, run: Run) -> Run | None:
    done = (each for each in site.store.archive.runs() if each.status == "completed" and each.agent == run.agent)
    return next((each for each in done if each.settings.type == run.settings.type and each.planned), None)
