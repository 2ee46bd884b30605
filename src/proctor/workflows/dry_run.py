"""What runs would take, told before anybody is called: RunEstimate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from proctor.config import Config
from proctor.run import Run
from proctor.spending.estimate import CostEstimate, together
from proctor.workflows.prepare import PreparedRun
from proctor.workflows.run_limits import called_gently, estimate_cost, unreported_spenders
from proctor.workflows.speed import PastSpeed, speed_of_last


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEstimate:
    """What can be said before a run, or before several that are started together."""

    run: Run
    """As it would be started; of several, the first."""
    runs: int
    """One for each agent."""
    exams: int
    models: CostEstimate
    """What the chat models take, in all runs together."""
    warnings: tuple[str, ...]
    unreported: tuple[str, ...]
    """Who may spend what only they can tell."""
    called_gently: Mapping[str, int]
    """Models on this machine → calls at once, where nobody has said how many."""
    past: PastSpeed | None
    """How fast the last run of the agent on the benchmark went; None: there is none, or there are several agents."""

    @property
    def seconds(self) -> float | None:
        """How long it takes at that speed; None: nobody knows."""
        if self.past is None:
            return None
        return self.past.seconds_for(self.run.planned, concurrency=self.run.settings.concurrency)


def estimate_runs(prepared: Sequence[PreparedRun], config: Config, stored: Iterable[Run]) -> RunEstimate:
    """What these runs take together; `stored` are the runs of the store, the newest first."""
    first = prepared[0]
    return RunEstimate(
        run=first.run,
        runs=len(prepared),
        exams=len(first.exams),
        models=reduce(together, [estimate_cost(each.run, each.exams, config) for each in prepared]),
        warnings=tuple(dict.fromkeys(warning for each in prepared for warning in each.warnings)),
        unreported=tuple(dict.fromkeys(name for each in prepared for name in unreported_spenders(each.run))),
        called_gently={host: calls for each in prepared for host, calls in called_gently(each.run, config).items()},
        past=speed_of_last(first.run, stored) if len(prepared) == 1 else None,
    )
