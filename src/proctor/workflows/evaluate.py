"""Evaluate an agent on a benchmark: `proctor run` and `proctor.evaluate`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from proctor.config import Config, load_config
from proctor.findings.run import Accumulator, Findings
from proctor.reports.numbers import say
from proctor.run import Attempt, Run
from proctor.running.plan import pending_attempts
from proctor.storage import open_store
from proctor.workflows.conduct import conduct
from proctor.workflows.export import data_frame
from proctor.workflows.ledger import Listener, Watch
from proctor.workflows.prepare import PreparedRun, prepare
from proctor.workflows.request import RunRequest
from proctor.workflows.run_limits import allowing
from proctor.workflows.stop_early import begin_looks
from proctor.workflows.store_url import store_url
from proctor.workflows.tally import RunTally
from proctor.workflows.workers import WorkerPlan, WorkersWanted, plan_workers, rebuild_run


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Evaluation:
    """A run with its findings and access to its attempts."""

    run: Run
    findings: Findings
    store: str

    def __repr__(self) -> str:
        """Return one line, without the store, whose URL may contain a password."""
        rate, run = say(self.findings.pass_rate), self.run
        rate_text = f"pass rate {rate.value} ({rate.interval})" if self.findings.pass_rate.n else "nothing counted"
        return f"<Evaluation {run.id}: {run.agent} on {run.benchmark}, {run.status}, {rate_text}>"

    def _repr_html_(self) -> str:
        """Return the terminal report as HTML for a notebook."""
        from proctor.reports.run.notebook import as_html

        return as_html(self.findings)

    def attempts(self) -> Iterator[Attempt]:
        """Yield every attempt with its transcript, streamed from the store."""
        with open_store(self.store, create=False) as store:
            yield from store.archive.full_attempts(self.run.id)

    def to_dataframe(self, rows: Literal["attempts", "cases"] = "attempts", *, library: str | None = None) -> Any:
        """Return a data frame with a row per attempt or per case, of `pandas` if it is installed, else of `polars`."""
        return data_frame(self.run.id, rows=rows, library=library, store=self.store)


async def aevaluate(
    benchmark: object,
    *,
    agent: object,
    reviewer: object = None,
    examiner: object = None,
    conditions: str | Sequence[str] | None = None,
    checks: str | Path | None = None,
    cache: bool | str | Path = False,
    name: str | None = None,
    labels: Mapping[str, str] | None = None,
    kind: str | None = None,
    store: str | Path | None = None,
    config: Config | None = None,
    watch: Watch | None = None,
    workers: int | None = None,
    ray: str | None = None,
    **settings: Any,
) -> Evaluation:
    """Examine an agent and return the run with its findings, as `proctor run` does.

    `benchmark` is a path, a Benchmark or a list of cases; `agent`, `reviewer` and `examiner` are names from
    `proctor.toml`, spec strings or live objects; a list of reviewers is a panel, whose majority decides; `conditions`
    are names, or `all`; `checks` is a suite whose expectations apply to the cases too; `cache` stores the replies of
    models on disk; `workers` is the number of processes that play the run instead of this one, with `ray` on that
    cluster; `settings` are those of `proctor run`.
    """
    config = config or load_config()
    request = RunRequest(
        benchmark=benchmark, agent=agent, reviewer=reviewer, examiner=examiner, conditions=conditions, checks=checks,
        cache=cache or None, name=name, labels={} if labels is None else labels, kind=kind,
        workers=workers, ray=ray, settings=settings,
    ).with_defaults(config.run)  # fmt: skip
    prepared = prepare(request, config)
    with allowing(prepared.run.settings, config, cache=request.cache or False):
        return await start_and_sync(
            prepared, config, store=store_url(store, config), watch=watch, workers=plan_crew(request, prepared, config)
        )


async def start_and_sync(
    prepared: PreparedRun, config: Config, *, store: str, watch: Watch | None, workers: WorkerPlan | None
) -> Evaluation:
    """Store the run, play it, and send it to the destinations of `[run] sync`."""
    evaluation = await start(prepared, store=store, watch=watch, workers=workers)
    if config.run.sync:
        from proctor.workflows.destination import sync_configured

        await sync_configured(evaluation.run.id, config.run.sync, store=store)
    return evaluation


def plan_crew(request: RunRequest, prepared: PreparedRun, config: Config) -> WorkerPlan | None:
    """Return the plan of workers, as requested or as in `[run]`, or None if this process plays."""
    return plan_workers(
        WorkersWanted(request.workers, request.ray), prepared.run, prepared.benchmark, config,
        build=rebuild_run, live=prepared.live, cache=request.cache or False,
    )  # fmt: skip


async def start(
    prepared: PreparedRun,
    *,
    store: str,
    watch: Watch | None = None,
    heard: Listener | None = None,
    workers: WorkerPlan | None = None,
) -> Evaluation:
    """Store the run and play it from the beginning."""
    run = prepared.run
    exams = prepared.exams
    with open_store(store) as opened:
        opened.journal.create(run, prepared.benchmark)
        with opened.journal.writing(run.id):
            findings = await conduct(
                opened,
                run,
                exams,
                cast=prepared.cast,
                pending_attempts=pending_attempts(run, exams),
                tally=RunTally.of(run, exams),
                watch=watch,
                heard=heard,
                gathering=Accumulator(run, exams),
                workers=workers,
                looks=begin_looks(opened, run, exams),
            )
    return Evaluation(run=findings.run, findings=findings, store=store)
