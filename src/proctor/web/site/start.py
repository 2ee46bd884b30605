"""What somebody asks for in a form or by the API → a run that is stored and waits to be played."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from proctor.config import Config
from proctor.errors import InputError
from proctor.formats.suites.suite import is_suite
from proctor.run import Run
from proctor.web.site import offer
from proctor.web.site.site import Site
from proctor.workflows.evaluate import PreparedRun, prepare
from proctor.workflows.library import Library


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRequest:
    """A run as somebody wants it; what is None is left to the configuration."""

    benchmark: str
    """Its id in the library."""
    version: str | None = None
    """None: the newest."""
    agent: str
    """One that is offered."""
    reviewer: str | None = None
    examiner: str | None = None
    conditions: tuple[str, ...] = ()
    """Names, `none` or `all`; empty: none."""
    checks: str | None = None
    """The id of a suite in the library whose expectations hold too."""
    name: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of `proctor run`: type, trials, concurrency, timeout, retries, max_turns, seeds, passing_score, weights …"""


def prepare_run(wanted: RunRequest, library: Library, config: Config) -> PreparedRun:
    """Everything found, built and checked; nothing is stored or called yet. Raises UsageError for what cannot be."""
    offer.must_be_offered("agent", wanted.agent, offer.agents(config))
    if wanted.reviewer is not None:
        offer.must_be_offered("reviewer", wanted.reviewer, offer.reviewers(config))
    if wanted.examiner is not None:
        offer.must_be_offered("examiner", wanted.examiner, offer.examiners(config))
    checks = library.path(wanted.checks) if wanted.checks else None
    if checks is not None and not is_suite(checks):
        raise InputError(f"the benchmark {wanted.checks!r} expects nothing that could be checked; name a suite")
    ready = prepare(
        library.playable(wanted.benchmark, wanted.version),
        agent=wanted.agent,
        reviewer=wanted.reviewer,
        examiner=wanted.examiner,
        conditions=wanted.conditions or None,
        checks=checks,
        name=wanted.name or None,
        labels=wanted.labels,
        config=config,
        settings=wanted.settings,
    )
    return _called(ready, library.find(wanted.benchmark).name, run_named=bool(wanted.name))


def _called(ready: PreparedRun, name: str, *, run_named: bool) -> PreparedRun:
    """By the name under which the benchmark was saved, whatever its file calls itself."""
    own, run = ready.run.benchmark, ready.run
    if own == name:
        return ready
    called = run.name if run_named else run.name.removesuffix(own) + name
    return replace(ready, run=replace(run, benchmark=name, name=called), benchmark=replace(ready.benchmark, name=name))


def start(site: Site, wanted: RunRequest) -> Run:
    """Store a run and play it, now or in turn."""
    return start_prepared(site, prepare_run(wanted, site.library, site.config))


def start_prepared(site: Site, ready: PreparedRun) -> Run:
    """The same for one that is prepared already."""
    site.store.journal.create(ready.run, ready.benchmark)
    let_go(ready)  # another process plays it, with players of its own
    return site.jobs.play(ready.run.id)


def start_demonstration(site: Site) -> list[Run]:
    """The demonstration's first two runs: thirty questions, and a suite."""
    from proctor.workflows.demo import questions

    return [start_prepared(site, ready) for ready in questions().values()]


def let_go(ready: PreparedRun) -> None:
    """Close the agent of a run that is not played here."""
    with contextlib.suppress(Exception):
        asyncio.run(ready.cast.agent.close())
