"""LangChain and LangGraph: a Runnable, an agent of `create_agent` or any compiled graph, as an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.framework import find, must_know, require
from proctor.errors import InputError
from proctor.roles import Agent

_KNOWN: Mapping[str, type[Any]] = {
    "input": object,
    "output": str,
    "context": str,
    "stream": bool,
    "sync": bool,
    "steps": dict,
}


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """The Runnable that `package.module:attribute` names, or that the function of that name makes."""
    must_know(options, _KNOWN, scheme="langchain")
    where = options.get("context", "system")
    if where not in ("system", "question"):
        raise InputError(
            f"context={where!r} is not known; expected system (a message of its own) or question (in front of it)"
        )
    if options.get("stream") and options.get("sync"):
        raise InputError("a langchain: agent streams or runs in a thread, not both; remove stream or sync")
    require("langchain_core", extra="langchain")
    from langchain_core.runnables import Runnable

    from proctor.agents.langchain.agent import LangChainAgent

    target = find(rest, Runnable, expected="a Runnable, such as a chain, an agent or a compiled graph")
    return LangChainAgent(target, name=f"langchain:{rest}", options=options)
