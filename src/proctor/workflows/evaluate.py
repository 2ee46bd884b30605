"""From a benchmark and an agent to a verdict: what `proctor run` and `proctor.evaluate` do."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor.benchmark import Benchmark
from proctor.config import DEFAULT_STORE, Config, load_config
from proctor.findings import Findings, Gathering
from proctor.run import Attempt, Run, Settings
from proctor.running.plan import exams_of, sittings
from proctor.storage import open_store
from proctor.workflows.conduct import Watch, conduct
from proctor.workflows.loading import load_benchmark
from proctor.workflows.parts import Cast, Chosen, build_agent, build_reviewer, choose, kind_of
from proctor.workflows.settings import make_settings
from proctor.workflows.tally import Tally


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """A run with its findings, and the way back to its attempts."""

    run: Run
    findings: Findings
    store: str = field(repr=False)  # a URL may hold a password

    def attempts(self) -> Iterator[Attempt]:
        """Every attempt with its transcript, streamed from the store."""
        with open_store(self.store, create=False) as store:
            yield from store.archive.full_attempts(self.run.id)


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A run that is ready to start: everything was found, built and checked, nothing was called yet."""

    run: Run
    benchmark: Benchmark
    cast: Cast


def store_url(given: str | Path | None, config: Config) -> str:
    """Where results are kept: as given, else PROCTOR_STORE, else the config, else `.proctor/`."""
    where = str(given or os.environ.get("PROCTOR_STORE") or config.store or DEFAULT_STORE)
    return where if "://" in where else os.path.abspath(where)


async def aevaluate(
    benchmark: object,
    *,
    agent: object,
    reviewer: object = None,
    name: str | None = None,
    labels: Mapping[str, str] | None = None,
    kind: str | None = None,
    store: str | Path | None = None,
    config: Config | None = None,
    watch: Watch | None = None,
    **settings: Any,
) -> Evaluation:
    """Examine an agent and return the run with its findings. What `proctor run` does.

    `benchmark` is a path, a Benchmark or a list of cases; `agent` and `reviewer` are names from
    `proctor.toml`, spec strings or live objects; `settings` are those of `proctor run`.
    """
    config = config or load_config()
    prepared = prepare(
        benchmark, agent=agent, reviewer=reviewer, name=name, labels=labels, kind=kind, config=config, settings=settings
    )
    return await start(prepared, store=store_url(store, config), watch=watch)


def prepare(
    benchmark: object,
    *,
    agent: object,
    reviewer: object,
    name: str | None,
    labels: Mapping[str, str] | None,
    kind: str | None,
    config: Config,
    settings: Mapping[str, Any],
) -> Prepared:
    """Find, build and check everything before the first call."""
    loaded = load_benchmark(benchmark)
    examined = choose(agent, config.agents, default="standard")
    if reviewer is None:
        reviewer = config.run.reviewer or "embedded"
    judge = choose(reviewer, config.reviewers, default="standard")
    cast, chosen = _cast(examined, judge, config)
    made = make_settings(settings, config.run, **chosen)
    run = _new_run(loaded, examined, made, name=name, labels=labels, kind=kind)
    return Prepared(run=run, benchmark=loaded, cast=cast)


def _cast(agent: Chosen, reviewer: Chosen, config: Config) -> tuple[Cast, dict[str, Any]]:
    """The players, and what the settings must say of them so that they can be built again."""
    cast = Cast(
        agent=build_agent(agent, config),
        reviewers=() if reviewer.name == "none" else (build_reviewer(reviewer, config),),
    )
    return cast, {
        "reviewer": reviewer.name if cast.reviewers else None,
        "rubric": cast.reviewers[0].rubric if cast.reviewers else "",
        "context_given": cast.agent.takes_request,
        "built": {
            role: part.spec for role, part in (("agent", agent), ("reviewer", reviewer)) if part.spec is not None
        },
    }


def _new_run(
    benchmark: Benchmark,
    agent: Chosen,
    settings: Settings,
    *,
    name: str | None,
    labels: Mapping[str, str] | None,
    kind: str | None,
) -> Run:
    exams = exams_of(benchmark, settings)
    return Run(
        id=new_id(),
        name=name or f"{agent.name.rpartition(':')[2]} on {benchmark.name}",
        benchmark=benchmark.name,
        digest=benchmark.digest,
        agent=agent.name,
        kind=kind_of(agent, kind),
        settings=settings,
        labels={str(name): str(value) for name, value in (labels or {}).items()},
        planned=len(exams) * settings.trials * len(settings.conditions),
        created=time.time(),
    )


def new_id() -> str:
    """An id that sorts by time and that a person can type the beginning of."""
    return f"{datetime.now(UTC):%y%m%d-%H%M%S}-{secrets.token_hex(2)}"


async def start(prepared: Prepared, *, store: str, watch: Watch | None = None) -> Evaluation:
    """Store the run and play it from the beginning."""
    run = prepared.run
    exams = exams_of(prepared.benchmark, run.settings)
    with open_store(store) as opened:
        opened.journal.create(run, prepared.benchmark)
        with opened.journal.writing(run.id):
            findings = await conduct(
                opened,
                run,
                exams,
                cast=prepared.cast,
                sittings=sittings(run, exams),
                tally=Tally(planned=run.planned),
                watch=watch,
                gathering=Gathering(run, exams),
            )
    return Evaluation(run=findings.run, findings=findings, store=store)
