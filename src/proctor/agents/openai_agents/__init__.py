"""The OpenAI Agents SDK: an agent of that framework, as an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.framework import find, must_know, provided, require
from proctor.errors import InputError
from proctor.roles import Agent

_KNOWN: Mapping[str, type[Any]] = {"context": str, "max_turns": int, "stream": bool}


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """The agent that `package.module:attribute` names, or that the function of that name makes."""
    must_know(options, _KNOWN, scheme="openai-agents")
    turns = options.get("max_turns")
    if turns is not None and turns < 1:
        raise InputError(f"max_turns={turns!r} is not usable; expected 1 or more")
    require("agents", extra="openai-agents")
    from agents import Agent as Target
    from proctor.agents.openai_agents.agent import OpenAIAgentsAgent

    return OpenAIAgentsAgent(
        find(rest, Target, expected="an agents.Agent"),
        name=f"openai-agents:{rest}",
        context=provided(options.get("context"), option="context"),
        max_turns=turns,
        stream=options.get("stream", False),
    )
