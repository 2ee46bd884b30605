"""An object of a framework → its adapter. A framework that nobody has imported is not imported here either."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from proctor.roles import Agent


class _Kind(NamedTuple):
    """How the objects of a framework are known."""

    adapter: str
    """Where they are made agents of."""
    module: str
    name: str
    """What they are instances of."""
    beside: str
    """What else stands in that module: `agents` is a name that others have, too."""


_KINDS = (
    _Kind("proctor.agents.langchain", "langchain_core.runnables", "Runnable", beside="RunnableLambda"),
    _Kind("proctor.agents.pydantic_ai", "pydantic_ai.agent", "AbstractAgent", beside="AgentRunResult"),
    _Kind("proctor.agents.openai_agents", "agents", "Agent", beside="RunHooks"),
)


def adapt_object(target: object, *, name: str) -> Agent | None:
    """An object of a framework as an agent; None: it is of none that is known."""
    for kind in _KINDS:
        framework = sys.modules.get(kind.module)
        if framework is not None and _is_one(target, framework, kind):
            adapter: Any = import_module(kind.adapter)
            agent: Agent = adapter.adapt(target, name=name)
            return agent
    return None


def _is_one(target: object, framework: ModuleType, kind: _Kind) -> bool:
    known = getattr(framework, kind.name, None)
    return isinstance(known, type) and hasattr(framework, kind.beside) and isinstance(target, known)
