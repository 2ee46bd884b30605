"""The contract of agents, for those that need no framework; the others have it in their own test modules."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar

from tests.agents.minded.plain import as_function, as_program, as_recording, over_chat, over_http

from proctor.agents.contract import minds
from proctor.agents.contract.agents import ASKED, CROWD, AgentContract
from proctor.agents.contract.minds import Mind
from proctor.roles import Agent
from proctor.transcript import Request


class TestFunction(AgentContract):
    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield as_function(mind)


class TestCommand(AgentContract):
    cannot: ClassVar = {
        "network": "a program that fails says so by its exit code, whatever the reason",
        "status": "a program that fails says so by its exit code, whatever the reason",
    }

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield as_program(mind)


class TestHttp(AgentContract):
    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        async with over_http(mind) as agent:
            yield agent


class TestOpenAI(AgentContract):
    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        tools = [f"python:proctor.agents.contract.minds:{name}" for name in minds.TOOLS]
        async with over_chat(mind, tools) as agent:
            yield agent


class TestRecorded(AgentContract):
    cannot: ClassVar = {
        "history": "a recording says again what was said, whatever it is handed",
        "network": "a recording needs no network",
        "status": "a recording needs no provider",
        "waiting": "a recording never has to think",
    }

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        crowd = [Request(question="?" * n, conversation="", case=f"x{n}") for n in range(1, CROWD + 1)]
        with tempfile.TemporaryDirectory() as folder:
            yield await as_recording(mind, [ASKED, *crowd], Path(folder) / "recorded.jsonl")
