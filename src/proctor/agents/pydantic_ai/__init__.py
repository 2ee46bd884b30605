"""Pydantic AI: an agent of that framework, as an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.framework import find, must_know, provided, require
from proctor.roles import Agent

_KNOWN: Mapping[str, type[Any]] = {"deps": str, "stream": bool}


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """The agent that `package.module:attribute` names, or that the function of that name makes."""
    must_know(options, _KNOWN, scheme="pydantic-ai")
    require("pydantic_ai", extra="pydantic-ai")
    from pydantic_ai.agent import AbstractAgent

    from proctor.agents.pydantic_ai.agent import PydanticAIAgent

    target = find(rest, AbstractAgent, expected="a pydantic_ai.Agent")
    deps = provided(options.get("deps"), option="deps")
    return PydanticAIAgent(target, name=f"pydantic-ai:{rest}", deps=deps, stream=options.get("stream", False))
