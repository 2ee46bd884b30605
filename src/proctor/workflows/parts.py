"""Names, specs or live objects → the parts of a run, and how another process can build them again."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proctor import plugins
from proctor.config import AgentConfig, Config, PartConfig
from proctor.errors import InputError, UsageError
from proctor.roles import Agent, Reviewer
from proctor.run import AgentKind, Run, Spec


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """One part as somebody chose it: by name, or as a live object."""

    name: str
    """What the run calls it."""
    spec: Spec | None
    """How to build it; None: a live object, which must be handed in again to resume."""
    live: Any = None
    """The object itself, where one was handed in."""
    kind: str = "standard"
    """As declared in `proctor.toml`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cast:
    """Everybody who plays in a run."""

    agent: Agent
    reviewers: tuple[Reviewer, ...]


def choose(what: str | object, declared: Mapping[str, PartConfig], *, default: str) -> Chosen:
    """What was meant: a name in `proctor.toml`, a spec string, or the object itself."""
    if not isinstance(what, str):
        name = getattr(what, "__name__", None) or getattr(what, "name", None) or type(what).__name__
        return Chosen(name=f"object:{name}", spec=None, live=what)
    if what in declared:
        part = declared[what]
        kind = part.kind if isinstance(part, AgentConfig) else default
        return Chosen(name=what, spec=Spec(spec=part.spec, options=part.options), kind=kind)
    return Chosen(name=what, spec=Spec(spec=what), kind=default)


def kind_of(agent: Chosen, asked: str | None) -> AgentKind:
    """The agent's kind; desktop agents are refused."""
    kind = asked or agent.kind
    if kind == "desktop":
        raise UsageError("desktop agents cannot be examined; the kinds that can are standard and orchestrator")
    if kind not in ("standard", "orchestrator"):
        raise UsageError(f"kind={kind!r} is not known; expected standard or orchestrator")
    return "orchestrator" if kind == "orchestrator" else "standard"


def build_agent(chosen: Chosen, config: Config) -> Agent:
    """The agent itself."""
    if chosen.live is not None:
        from proctor.agents.function import adapt

        return adapt(chosen.live, name=chosen.name)
    if chosen.spec is None:
        raise UsageError(
            "agent=None cannot be examined; expected an object that answers, or a spec such as demo:librarian"
        )
    _must_be_known("agents", chosen.spec.spec, list(config.agents))
    agent: Agent = plugins.build("agents", chosen.spec.spec, chosen.spec.options)
    return agent


def build_reviewer(chosen: Chosen, config: Config) -> Reviewer:
    """The reviewer itself: a live one, a built-in one, or a chat model by its name."""
    if chosen.live is not None:
        return _live_reviewer(chosen)
    assert chosen.spec is not None
    spec = chosen.spec.spec
    scheme, colon, _ = spec.partition(":")
    if colon and scheme not in plugins.known("reviewers"):
        spec = f"model:{spec}"
    else:
        _must_be_known("reviewers", spec, list(config.reviewers))
    reviewer: Reviewer = plugins.build("reviewers", spec, chosen.spec.options)
    return reviewer


def _must_be_known(family: plugins.Family, spec: str, declared: list[str]) -> None:
    scheme, colon, _ = spec.partition(":")
    known = plugins.known(family)
    if scheme not in known or (family == "agents" and not colon):
        names = sorted(declared) + sorted(f"{name}:…" if family == "agents" else name for name in known)
        raise InputError(plugins.unknown(family, spec, names))


def _live_reviewer(chosen: Chosen) -> Reviewer:
    live = chosen.live
    if hasattr(live, "ainvoke") and not hasattr(live, "review") and not inspect.isclass(live):
        from proctor.reviewers.model import ModelReviewer

        return ModelReviewer(live, name=chosen.name)
    from proctor.reviewers.function import adapt

    return adapt(live, name=chosen.name)


def recast(run: Run, config: Config, live: Mapping[str, Any]) -> Cast:
    """The parts of a stored run, built again."""
    agent = build_agent(_again(run, "agent", run.agent, live), config)
    if run.settings.reviewer is None:
        return Cast(agent=agent, reviewers=())
    reviewer = build_reviewer(_again(run, "reviewer", run.settings.reviewer, live), config)
    return Cast(agent=agent, reviewers=(reviewer,))


def _again(run: Run, role: str, name: str, live: Mapping[str, Any]) -> Chosen:
    if live.get(role) is not None:
        return Chosen(name=name, spec=None, live=live[role])
    if role not in run.settings.built:
        raise UsageError(
            f"the {role} of run {run.id} was the Python object {name!r}, which only your program has: "
            f"resume it there with proctor.resume({run.id!r}, {role}=…)"
        )
    return Chosen(name=name, spec=run.settings.built[role])
