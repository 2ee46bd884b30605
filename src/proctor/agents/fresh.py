"""Framework agents that are created for each conversation, so that conversations cannot mix."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Collection
from typing import Any, Protocol

from proctor.agents.framework import ask, find, summary
from proctor.agents.notes import Notes
from proctor.errors import InputError
from proctor.plugins import import_attribute
from proctor.transcript import Reply, Request

_log = logging.getLogger("proctor")


class Dialogue(Protocol):
    """One conversation with an agent of a framework."""

    async def reply(self, request: Request, notes: Notes) -> Reply:
        """Ask the agent and note what it does."""


class PerConversationAgent:
    """Creates an agent for each conversation and drops it when the conversation ends."""

    takes_request = True

    def __init__(self, begin: Callable[[], Dialogue], *, name: str) -> None:
        self.name = name
        self._begin = begin
        self._living: dict[str, Dialogue] = {}

    async def reply(self, request: Request) -> Reply:
        """Ask the agent of this conversation."""
        dialogue = self._living.get(request.conversation)
        if dialogue is None:
            dialogue = self._living[request.conversation] = self._begin()
        living = dialogue
        try:
            return await ask(request, lambda notes: living.reply(request, notes))
        except BaseException:
            self._living.pop(request.conversation, None)  # it remembers half a turn: a retry starts anew
            raise

    async def forget(self, conversation: str) -> None:
        """Drop the agent of a finished conversation."""
        self._living.pop(conversation, None)

    async def close(self) -> None:
        """Drop all agents."""
        self._living.clear()


def import_framework(module: str, *, scheme: str, install: str) -> Any:
    """Import the framework; raise InputError with the pip command if it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        raise InputError(f"a {scheme}: agent needs a package that is not installed: pip install {install}") from error


def find_maker(spec: str, kind: type[Any], *, expected: str) -> tuple[Callable[[], Any], bool]:
    """Return a factory for the agent that a spec names, and whether it always returns the same object."""
    found = import_attribute(spec, what="agent")
    if isinstance(found, kind):
        return lambda: found, True
    find(spec, kind, expected=expected)  # reject other objects and factories before the first question
    return found, False


def warn_of_sharing(name: str, what: str) -> None:
    """Warn that one stateful object serves all conversations."""
    _log.warning(
        "the agent %r is one object for all conversations, and %s; name a function that makes one, as in "
        "`def make(): return …`, and each conversation has its own",
        name, what,
    )  # fmt: skip


def with_history(request: Request, *, but: Collection[str] = ()) -> str:
    """Return the question, preceded by context and history, for an agent that takes one text and has no memory of them.

    `but` lists "context" or "history" if the agent is given those separately.
    """
    apart = {"context": summary(request.context), "history": said_before(request)}
    sections = [text for name, text in apart.items() if text and name not in but]
    return "\n\n".join([*sections, request.question])


def said_before(request: Request) -> str:
    """Return the earlier turns as one text."""
    lines = []
    for turn in request.history:
        lines.append(f"User: {turn.question}")
        if turn.reply is not None:
            lines.append(f"Assistant: {turn.reply.text}")
    return "\n\n".join(lines)
