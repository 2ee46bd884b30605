"""Minds: what an agent under test thinks, whichever framework or wire its words and tools travel through.

A mind is an async function from what it has heard so far to its next move: say something, or call tools. It keeps
nothing, so that any number of conversations can share it.
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
    """What a mind has heard."""

    question: str
    context: str = ""
    """The summary of the conversation so far."""
    history: tuple[str, ...] = ()
    """What was said before, by both sides in turn."""
    results: tuple[Any, ...] = ()
    """What its calls have given so far; an exception for one that failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """One tool call."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """What a mind does next: calls tools, or says its last word."""

    text: str = ""
    calls: tuple[Wish, ...] = ()
    citations: tuple[Mapping[str, Any], ...] = ()


Mind = Callable[[Heard], Awaitable[Move]]
Tools = Mapping[str, Callable[..., Any]]


class Status(Exception):
    """What a provider's package raises for an HTTP error."""

    def __init__(self, status_code: int) -> None:
        super().__init__(f"Error code: {status_code}")
        self.status_code = status_code


# --- minds --------------------------------------------------------------------------------------


async def echoing(heard: Heard) -> Move:
    """Says what it was asked."""
    return Move(text=f"You said: {heard.question}")


async def silent(heard: Heard) -> Move:
    """Says nothing, which is an answer."""
    return Move(text="")


async def adding(heard: Heard) -> Move:
    """Calls two tools at once, then a third with what they gave."""
    number = len(heard.question)
    if not heard.results:
        return Move(calls=tuple(Wish(name="add", arguments={"a": number, "b": each}) for each in (1, 2)))
    if len(heard.results) == 2:
        first, second = (each["sum"] for each in heard.results)
        return Move(calls=(Wish(name="multiply", arguments={"a": first, "b": second}),))
    return Move(text=f"{heard.question} comes to {heard.results[2]['product']}")


async def recalling(heard: Heard) -> Move:
    """Says all that it has been told, as JSON."""
    return Move(text=json.dumps([heard.context, *heard.history, heard.question]))


async def fail_confused(heard: Heard) -> Move:
    """Fails."""
    raise RuntimeError("I have lost my mind")


async def cut_off(heard: Heard) -> Move:
    """Cannot be reached."""
    raise ConnectionError("nobody is there")


async def busy(heard: Heard) -> Move:
    """Is told to come back later."""
    raise Status(503)


async def locked_out(heard: Heard) -> Move:
    """Has the wrong key."""
    raise Status(401)


async def pondering(heard: Heard) -> Move:
    """Thinks for ever."""
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


# --- at work ------------------------------------------------------------------------------------


def heard_in(request: Request) -> Heard:
    """What a request says."""
    said = [text for turn in request.history for text in (turn.question, turn.reply.text if turn.reply else "")]
    return Heard(question=request.question, context=request.context or "", history=tuple(said))


@dataclass(kw_only=True, slots=True)
class Body:
    """Plays a mind with its tools, as the simplest agent would, and gives a reply as a dict."""

    mind: Mind
    tools: Tools = field(default_factory=lambda: TOOLS)

    async def answer(self, heard: Heard) -> dict[str, Any]:
        """Let the mind think and run its tools until it has said its last word."""
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


def context_in(told: Iterable[str]) -> str:
    """The context in what an adapter told a model beside the conversation, with or without a heading."""
    return "".join(told).removeprefix("Summary of the conversation so far:\n")


def read_result(text: Any, *, failed: bool = False) -> Any:
    """What a framework told a model of a tool's result, as data again: JSON, or Python's own way of writing it."""
    if failed:
        return RuntimeError(str(text))
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text) if isinstance(text, str) else text
        except (ValueError, SyntaxError):
            continue
    return text
