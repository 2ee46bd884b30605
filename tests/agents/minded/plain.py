"""Minds without a framework: behind each form of Python agent, and as programs."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

from tests.agents.minded.door import loaded

from proctor.agents import command, function
from proctor.codec.replies import to_reply
from proctor.roles import Agent
from proctor.testing.minds import TOOLS, Body, Mind, Tools, heard_in
from proctor.transcript import Reply, Request

ROOT = Path(__file__).parents[3]


def as_python(form: str, mind: Mind, tools: Tools = TOOLS) -> Agent:
    """Behind Python of this form."""
    return loaded(function.load, PYTHON[form](Body(mind=mind, tools=tools)))


def _function(body: Body) -> object:
    def answer(request: Request) -> Reply:
        return to_reply(asyncio.run(body.answer(heard_in(request))))

    return answer


def _async_function(body: Body) -> object:
    async def answer(request: Request) -> dict[str, Any]:
        return await body.answer(heard_in(request))

    return answer


def _generator(body: Body) -> object:
    async def answer(request: Request) -> AsyncIterator[str | dict[str, Any]]:
        said = await body.answer(heard_in(request))
        for piece in said["text"]:
            yield piece
        yield {**said, "text": ""}

    return answer


def _object(body: Body) -> object:
    class Callable:
        async def __call__(self, request: Request) -> Reply:
            return to_reply(await body.answer(heard_in(request)))

    return Callable()


def _class(body: Body) -> object:
    class Answering:
        async def reply(self, request: Request) -> dict[str, Any]:
            return await body.answer(heard_in(request))

    return Answering


PYTHON: Mapping[str, Callable[[Body], object]] = {
    "function": _function,
    "async function": _async_function,
    "async generator": _generator,
    "callable object": _object,
    "class": _class,
}


def as_program(mind: Mind) -> Agent:
    """In a process of its own for each question, which finds the mind by its name."""
    return command.load(_line("program", mind), {"input": "json"})


def as_lines(mind: Mind) -> Agent:
    """In a process that stays."""
    return command.load(_line("lines", mind), {"mode": "lines", "concurrency": 20})


def _line(module: str, mind: Mind) -> str:
    place = ["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", f"tests.agents.minded.{module}"]
    return shlex.join([*place, mind.__name__])
