"""Pydantic AI agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents import options as checked
from proctor.agents.framework import find, load_factory, require
from proctor.roles import Agent

_KNOWN = ("deps", "stream")


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent at `package.module:attribute`, or the one that the function there returns."""
    checked.must_be_known(options, _KNOWN, whose="a pydantic-ai: agent")
    deps, stream = checked.text(options, "deps"), checked.truth(options, "stream") or False
    require("pydantic_ai", extra="pydantic-ai")
    from pydantic_ai.agent import AbstractAgent

    target = find(rest, AbstractAgent, expected="a pydantic_ai.Agent")
    return adapt(target, name=f"pydantic-ai:{rest}", deps=load_factory(deps, option="deps"), stream=stream)


def adapt(target: Any, *, name: str, **how: Any) -> Agent:
    """Wrap a Pydantic AI agent."""
    from proctor.agents.pydantic_ai.agent import PydanticAIAgent

    return PydanticAIAgent(target, name=name, **how)
