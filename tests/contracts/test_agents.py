"""The contract of agents, for those that need no framework; the others have it in their own test modules."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar

from tests.agents.minded.online import over_http, over_openai
from tests.agents.minded.plain import as_program, as_python
from tests.agents.minded.recordings import as_recording

from proctor.roles import Agent
from proctor.testing import ASKED, CROWD, TOOLS, AgentContract, Mind
from proctor.transcript import Request


class TestFunction(AgentContract):
    form: ClassVar = "function"

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield as_python(self.form, mind)


class TestAsyncFunction(TestFunction):
    form = "async function"


class TestAsyncGenerator(TestFunction):
    form = "async generator"


class TestCallableObject(TestFunction):
    form = "callable object"


class TestClass(TestFunction):
    form = "class"


class TestCommand(AgentContract):
    cannot: ClassVar = {
        "network": "a program that fails says so by its exit code, whatever the reason",
        "status": "a program that fails says so by its exit code, whatever the reason",
    }

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield as_program(mind)


class TestHttp(AgentContract):
    way: ClassVar = "json"

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        async with over_http(mind, way=self.way) as agent:
            yield agent


class TestHttpStreaming(TestHttp):
    way = "sse"


class TestHttpPolling(TestHttp):
    way = "poll"


class TestOpenAIChat(AgentContract):
    api: ClassVar = "chat"

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        tools = [f"python:proctor.testing.minds:{name}" for name in TOOLS]
        async with over_openai(mind, tools, api=self.api) as agent:
            yield agent


class TestOpenAIResponses(TestOpenAIChat):
    api = "responses"


class TestRecorded(AgentContract):
    form: ClassVar = "reply"
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
            yield await as_recording(mind, [ASKED, *crowd], Path(folder) / "recorded.jsonl", form=self.form)


class TestRecordedTranscript(TestRecorded):
    form = "transcript"


class TestRecordedMessages(TestRecorded):
    form = "messages"
    cannot: ClassVar = {
        **TestRecorded.cannot,
        "failing": "a list of messages has no word for an agent that failed",
    }


class TestRecordedOtlp(TestRecorded):
    form = "otlp"


class TestRecordedOpenInference(TestRecorded):
    form = "openinference"


class TestRecordedLangfuse(TestRecorded):
    form = "langfuse"
