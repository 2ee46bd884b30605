"""LangChain and LangGraph agents: a Runnable, an agent of `create_agent` or any compiled graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents import options as checked
from proctor.agents.framework import find, require
from proctor.errors import InputError
from proctor.roles import Agent

_KNOWN = ("input", "output", "context", "stream", "sync", "steps")


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the Runnable at `package.module:attribute`, or the one that the function there returns, as an agent."""
    _must_be_usable(options)
    require("langchain_core", extra="langchain")
    from langchain_core.runnables import Runnable

    target = find(rest, Runnable, expected="a Runnable, such as a chain, an agent or a compiled graph")
    return adapt(target, name=f"langchain:{rest}", options=options)


def adapt(target: Any, *, name: str, options: Mapping[str, Any] | None = None) -> Agent:
    """Wrap a Runnable as an agent."""
    from proctor.agents.langchain.agent import LangChainAgent

    return LangChainAgent(target, name=name, options=options or {})


def _must_be_usable(options: Mapping[str, Any]) -> None:
    checked.must_be_known(options, _KNOWN, whose="a langchain: agent")
    checked.text(options, "output")
    checked.table(options, "steps")
    where = checked.text(options, "context")
    if where not in (None, "system", "question"):
        raise InputError(
            f"context={where!r} is not known; expected system (a message of its own) or question (in front of it)"
        )
    if checked.truth(options, "stream") and checked.truth(options, "sync"):
        raise InputError("a langchain: agent streams or runs in a thread, not both; remove stream or sync")
