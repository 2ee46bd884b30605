"""OpenAI Agents SDK agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents import options as checked
from proctor.agents.framework import find, load_factory, require
from proctor.roles import Agent

_KNOWN = ("context", "max_turns", "stream")


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent at `package.module:attribute`, or the one that the function there returns."""
    checked.must_be_known(options, _KNOWN, whose="an openai-agents: agent")
    context, turns = checked.text(options, "context"), checked.whole_or_none(options, "max_turns")
    stream = checked.truth(options, "stream") or False
    require("agents", extra="openai-agents")
    from agents import Agent as Target

    target = find(rest, Target, expected="an agents.Agent")
    made = load_factory(context, option="context")
    return adapt(target, name=f"openai-agents:{rest}", context=made, max_turns=turns, stream=stream)


def adapt(target: Any, *, name: str, **how: Any) -> Agent:
    """Wrap an agent of the SDK."""
    from proctor.agents.openai_agents.agent import OpenAIAgentsAgent

    return OpenAIAgentsAgent(target, name=name, **how)
