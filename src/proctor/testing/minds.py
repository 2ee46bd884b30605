"""Minds: the behaviour of a fake agent under test, independent of framework and transport.

A mind is an async function from what it has received so far to its next move: a final answer or tool calls. It has no
state, so that any number of conversations can share it.
"""

from __future__ import annotations

import ast
import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.transcript import Request


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """Everything that a mind has received so far."""

    question: str
    context: str = ""
    """Summary of the conversation so far."""
    history: tuple[str, ...] = ()
    """Earlier messages, user and agent in turn."""
    results: tuple[Any, ...] = ()
    """Results of its tool calls so far, with an exception for each failed call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """A tool call that a mind requests."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """A mind's next move: tool calls or a final answer."""

    text: str = ""
    calls: tuple[Wish, ...] = ()
    citations: tuple[Mapping[str, Any], ...] = ()


Mind = Callable[[Heard], Awaitable[Move]]
Tools = Mapping[str, Callable[..., Any]]


class Status(Exception):
    """HTTP error as raised by a provider's client library."""

    def __init__(self, status_code: int) -> None:
        super().__init__(f"Error code: {status_code}")
        self.status_code = status_code


# --- minds --------------------------------------------------------------------------------------


async def echoing(heard: Heard) -> Move:
    """Repeat the question."""
    return Move(text=f"You said: {heard.question}")


async def silent(heard: Heard) -> Move:
    """Answer with an empty text."""
    return Move(text="")


async def adding(heard: Heard) -> Move:
    """Call two tools in parallel, then a third with their results."""
    number = len(heard.question)
    if not heard.results:
        return Move(calls=tuple(Wish(name="add", arguments={"a": number, "b": each}) for each in (1, 2)))
    if len(heard.results) == 2:
        first, second = (each["sum"] for each in heard.results)
        return Move(calls=(Wish(name="multiply", arguments={"a": first, "b": second}),))
    return Move(text=f"{heard.question} comes to {heard.results[2]['product']}")


async def recalling(heard: Heard) -> Move:
    """Answer with everything received, as JSON."""
    return Move(text=json.dumps([heard.context, *heard.history, heard.question]))


async def fail_confused(heard: Heard) -> Move:
    """Raise an error of the agent's own."""
    raise RuntimeError("I have lost my mind")


async def cut_off(heard: Heard) -> Move:
    """Raise a connection error."""
    raise ConnectionError("nobody is there")


async def busy(heard: Heard) -> Move:
    """Raise an HTTP rate limit error."""
    raise Status(503)


async def locked_out(heard: Heard) -> Move:
    """Raise an HTTP authentication error."""
    raise Status(401)


async def pondering(heard: Heard) -> Move:
    """Never finish."""
    await asyncio.Event().wait()
    raise AssertionError("it thinks for ever")


# --- tools --------------------------------------------------------------------------------------


def add(a: int, b: int) -> dict[str, int]:
    """The sum of two numbers."""
    return {"sum": a + b}


def multiply(a: int, b: int) -> dict[str, int]:
    """The product of two numbers."""
    return {"product": a * b}


TOOLS: Tools = {"add": add, "multiply": multiply}


# --- running a mind -----------------------------------------------------------------------------


def heard_in(request: Request) -> Heard:
    """Return what a request contains, as a mind receives it."""
    earlier_texts = [
        text for turn in request.history for text in (turn.question, turn.reply.text if turn.reply else "")
    ]
    return Heard(question=request.question, context=request.context or "", history=tuple(earlier_texts))


@dataclass(kw_only=True, slots=True)
class Body:
    """Minimal agent that runs a mind with its tools and returns the reply as a dict."""

    mind: Mind
    tools: Tools = field(default_factory=lambda: TOOLS)

    async def answer(self, heard: Heard) -> dict[str, Any]:
        """Run the mind and its tool calls until it gives a final answer."""
        calls: list[dict[str, Any]] = []
        results: list[Any] = []
        step = 0
        while (move := await self.mind(_with(heard, results))).calls:
            step += 1
            for wanted in move.calls:
                call = {
                    "name": wanted.name,
                    "arguments": wanted.arguments,
                    "step": step,
                    "id": f"call-{len(calls) + 1}",
                }
                try:
                    results.append(self.tools[wanted.name](**wanted.arguments))
                    call["result"] = results[-1]
                except Exception as error:
                    results.append(error)
                    call["error"] = str(error)
                calls.append(call)
        return {"text": move.text, "tool_calls": calls, "citations": list(move.citations)}


def _with(heard: Heard, results: list[Any]) -> Heard:
    return Heard(question=heard.question, context=heard.context, history=heard.history, results=tuple(results))


def context_in(contents: Iterable[str]) -> str:
    """Extract the context from an adapter's system text, with or without a heading."""
    return "".join(contents).removeprefix("Summary of the conversation so far:\n")


def read_result(text: Any, *, failed: bool = False) -> Any:
    """Parse a tool result as a framework passed it to a model: JSON or a Python literal."""
    if failed:
        return RuntimeError(str(text))
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text) if isinstance(text, str) else text
        except (ValueError, SyntaxError):
            continue
    return text
