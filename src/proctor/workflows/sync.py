"""Synchronous interface of the async workflows, for scripts and notebooks alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, overload

from proctor.config import Config, load_config
from proctor.errors import UsageError
from proctor.settings import shown
from proctor.threads import run_driven
from proctor.workflows.evaluate import Evaluation, aevaluate, plan_crew, start_and_sync
from proctor.workflows.ledger import Watch
from proctor.workflows.parts import choose
from proctor.workflows.prepare import prepare
from proctor.workflows.progress import watch_in_notebook
from proctor.workflows.read import read_findings
from proctor.workflows.request import request_of
from proctor.workflows.rescore import arescore
from proctor.workflows.resume import aresume
from proctor.workflows.run_group import join_runs
from proctor.workflows.run_limits import allowing
from proctor.workflows.store_url import store_url


@overload
def evaluate(benchmark: object, *, agent: object, **options: Any) -> Evaluation: ...


@overload
def evaluate(
    benchmark: object, *, agent: None = None, agents: Sequence[object], **options: Any
) -> list[Evaluation]: ...


def evaluate(
    benchmark: object, *, agent: object = None, agents: Sequence[object] | None = None, **options: Any
) -> Evaluation | list[Evaluation]:
    """Examine an agent, or several `agents`, and return the run or runs with their findings; see `aevaluate` for the
    options."""
    if agent is not None and agents is not None:
        raise UsageError("agent and agents are both given; expected one of them")
    with watch_in_notebook(options.pop("watch", None)) as watch:
        if agents is not None:
            return _evaluate_each(benchmark, agents, watch=watch, **options)
        return run_driven(lambda: aevaluate(benchmark, agent=agent, watch=watch, **options))


def _evaluate_each(
    benchmark: object,
    agents: Sequence[object],
    *,
    store: str | Path | None = None,
    config: Config | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> list[Evaluation]:
    """Evaluate one agent after the other, on the same cases and with one budget, after checking all of them."""
    _check_agents(agents)
    config = config or load_config()
    url, asked = store_url(store, config), request_of(benchmark, agent=None, **options).with_defaults(config.run)
    names = [choose(agent, config.agents, default="standard").name for agent in agents]
    requests = [
        replace(asked, agent=agent, name=asked.name and f"{asked.name}, {name}")
        for agent, name in zip(agents, names, strict=True)
    ]
    ready = join_runs([prepare(request, config) for request in requests])
    crews = [plan_crew(asked, each, config) for each in ready]
    with allowing(ready[0].run.settings, config, cache=asked.cache or False):
        return [
            run_driven(partial(start_and_sync, each, config, store=url, watch=watch, workers=crew))
            for each, crew in zip(ready, crews, strict=True)
        ]


def _check_agents(agents: Sequence[object]) -> None:
    if isinstance(agents, str) or not isinstance(agents, Sequence):
        raise UsageError(f"agents={shown(agents)} is one; expected a list, or agent={shown(agents)}")
    if not agents:
        raise UsageError("agents is empty; expected one or more")
    twice = next((agent for place, agent in enumerate(agents) if _among(agent, agents[:place])), None)
    if twice is not None:
        raise UsageError(f"agents has {shown(twice)} twice; expected different agents, or more trials of one")


def _among(agent: object, others: Sequence[object]) -> bool:
    return any(agent is each or (isinstance(agent, str) and agent == each) for each in others)


def resume(run: str, **options: Any) -> Evaluation:
    """Resume a run where it stopped; see `aresume` for the options."""
    with watch_in_notebook(options.pop("watch", None)) as watch:
        return run_driven(lambda: aresume(run, watch=watch, **options))


def rescore(run: str, **options: Any) -> Evaluation:
    """Judge the stored replies of a run again; see `arescore` for the options."""
    with watch_in_notebook(options.pop("watch", None)) as watch:
        return run_driven(lambda: arescore(run, watch=watch, **options))


def load_run(run: str, *, store: str | Path | None = None, config: Config | None = None) -> Evaluation:
    """Return a stored run as `evaluate` does, as far as it was played; given by id, prefix, name, or `last`."""
    url = store_url(store, config or load_config())
    findings = read_findings(run, store=url)
    return Evaluation(run=findings.run, findings=findings, store=url)
