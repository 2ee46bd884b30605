"""Workers of a run: where they run, what they receive, and how they rebuild its parts."""

from __future__ import annotations

import io
import logging
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FunctionType
from typing import Any

from proctor.benchmark import Benchmark
from proctor.config import Config
from proctor.errors import UsageError
from proctor.failures import short_message
from proctor.run import Run, Settings
from proctor.running.plan import exams_of
from proctor.running.workers import messages
from proctor.running.workers.crew import CrewExecutor
from proctor.running.workers.link import Transport
from proctor.running.workers.messages import Brief, Build, Parts
from proctor.running.workers.processes import Processes
from proctor.running.workers.ray import LOCAL, RayCluster, check_address
from proctor.settings import check_setting
from proctor.spending.budget import Budget
from proctor.spending.run_limits import current
from proctor.threads import Stage
from proctor.workflows.parts import Cast, recast
from proctor.workflows.run_limits import allowing

_log = logging.getLogger("proctor")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunData:
    """Data from which a worker rebuilds the parts of a run."""

    run: Run
    benchmark: Benchmark
    config: Config
    settings: Settings
    """Settings as the run is played now."""
    live: Mapping[str, Any] = field(default_factory=dict)
    """Role → Python object passed in."""
    cache: bool | str | Path = False


@dataclass(frozen=True, slots=True)
class WorkersWanted:
    """Requested workers."""

    count: int | None = None
    """Number of workers; None for `[run]`, else as many as fit on Ray, else only this process."""
    ray: str | None = None
    """Ray cluster: `local`, `auto` or an address; None for `[run]`, else no cluster."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerPlan:
    """Number of workers, where they run, and the recipe with which they start."""

    count: int
    recipe: bytes
    transport: Transport = field(default_factory=Processes)

    def executor(self, settings: Settings, stage: Stage) -> CrewExecutor:
        """Create the executor, within the current limits."""
        limits = current()
        brief = Brief(
            recipe=self.recipe,
            places=settings.concurrency,
            folder=os.getcwd(),
            path=tuple(sys.path),
            environment=dict(os.environ),
            cost=settings.budget,
            tokens=settings.max_tokens,
            lease=messages.LEASE,
        )
        return CrewExecutor(
            transport=self.transport,
            brief=brief,
            workers=self.count,
            stage=stage,
            budget=None if limits is None else limits.budget,
            on_lost=_log.warning,
        )


def plan_workers(
    asked: WorkersWanted,
    run: Run,
    benchmark: Benchmark,
    config: Config,
    *,
    build: Build,
    live: Mapping[str, Any] | None = None,
    changed: Mapping[str, Any] | None = None,
    cache: bool | str | Path = False,
) -> WorkerPlan | None:
    """Return the plan as requested or as in `[run]`; None if this process plays. Raise UsageError if it is not
    possible."""
    count = config.run.workers if asked.count is None else asked.count
    ray = config.run.ray if asked.ray is None else asked.ray
    if ray is not None:
        check_address(ray)
    if count is not None:
        check_setting("workers", count)
    elif ray is None:
        return None
    settings = replace(run.settings, **(changed or {}))
    handed_in = {role: part for role, part in (live or {}).items() if part is not None and not isinstance(part, str)}
    data = RunData(run=run, benchmark=benchmark, config=config, settings=settings, live=handed_in, cache=cache)
    if ray is None:
        if wanted := _resources(run, config):
            _log.warning("resources = %s of %s reserve nothing here: only Ray does (--ray)", dict(wanted), run.agent)
        return WorkerPlan(count=count or 1, recipe=_pack(build, data, _pickle))
    cluster = _cluster(ray, count, run, config, cache=cache)
    try:
        recipe = _pack(build, data, cluster.pack)
    except BaseException:
        cluster.close()
        raise
    number = count or min(cluster.count(), settings.concurrency)
    if cluster.is_remote:
        _warn_of_limits(config, min(number, settings.concurrency))
    return WorkerPlan(count=number, recipe=recipe, transport=cluster)


def _warn_of_limits(config: Config, workers: int) -> None:
    """Warn that machines without a shared folder cannot share a concurrency limit: each makes one call at a time."""
    for name, limit in config.limits.items():
        if (most := limit.get("concurrency")) is not None and most < workers:
            _log.warning(
                "[limits.%s] concurrency = %s is not kept by %s workers, each of which makes a call at a time: "
                "expected at most that many (--workers %s)", name, most, workers, most,
            )  # fmt: skip


def _cluster(ray: str, count: int | None, run: Run, config: Config, *, cache: bool | str | Path) -> RayCluster:
    """Connect to the cluster, so that errors show before anything is stored."""
    if cache and ray != LOCAL:
        raise UsageError(
            f"ray={ray!r} cannot use the cache, which is a file of this machine; leave out --cache, or run here "
            "with --workers N or --ray local"
        )
    return RayCluster(ray, workers=count, resources=_resources(run, config))


def _resources(run: Run, config: Config) -> Mapping[str, float]:
    """Return the resources that a worker reserves on a cluster, from the agent's table."""
    declared = config.agents.get(run.agent)
    return {} if declared is None else declared.resources


def _pack(build: Build, data: RunData, dumps: Callable[[object], bytes]) -> bytes:
    """Serialise the recipe for workers; raise UsageError if it contains what cannot be sent."""
    for role, part in data.live.items():
        _sendable(part, f"the {role}", dumps)
    return _sendable((build, data), "the run", dumps)


@contextmanager
def rebuild_run(data: RunData, budget: Budget | None) -> Iterator[Parts]:
    """Rebuild the parts of a run in a worker, within its limits."""
    with enforce_limits(data, budget):
        yield parts_of(data, recast(data.run, data.benchmark, data.config, data.live))


@contextmanager
def enforce_limits(data: RunData, budget: Budget | None) -> Iterator[None]:
    """Apply the limits of the run in a worker; its budget is managed by the driver."""
    with allowing(data.settings, data.config, cache=data.cache, budget=budget):
        yield


def parts_of(data: RunData, cast: Cast) -> Parts:
    """Return the parts that a worker plays with."""
    return Parts(
        agent=cast.agent,
        reviewers=cast.reviewers,
        settings=data.settings,
        exams={exam.id: exam for exam in exams_of(data.benchmark, data.run.settings)},
        examiner=cast.examiner,
        faults=cast.faults,
    )


class _Pickler(pickle.Pickler):
    """Pickler that rejects what a worker could not import, such as objects of a running script."""

    def persistent_id(self, obj: Any) -> None:
        if isinstance(obj, (type, FunctionType)) and obj.__module__ == "__main__":
            raise pickle.PicklingError(f"{obj.__qualname__} is defined in the script that is being run")


def _pickle(value: object) -> bytes:
    file = io.BytesIO()
    _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(value)
    return file.getvalue()


def _sendable(value: object, what: str, dumps: Callable[[object], bytes]) -> bytes:
    try:
        return dumps(value)
    except Exception as error:
        raise UsageError(
            f"{what} cannot be sent to workers: {short_message(error)}; expected a function or class of a module that "
            "can be imported, or an object of one that can be pickled: move it to a module, name it as "
            "python:MODULE:NAME, or leave out workers"
        ) from error
