"""Contract tests that every agent adapter must pass."""
# ruff: noqa: D102  a test's name is its sentence

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from functools import wraps
from typing import Any, ClassVar, ParamSpec
from unittest import SkipTest

from proctor.errors import AgentFault, CallError, EnvironmentFault, Misconfigured
from proctor.failures import classify
from proctor.roles import Agent
from proctor.testing import minds
from proctor.testing.minds import Mind
from proctor.transcript import Reply, Request, ToolCall, Turn

P = ParamSpec("P")

ASKED = Request(question="What is it?", conversation="run/exam//1/0.5", case="c1")
"""The request in most tests."""
EARLIER = (
    Turn(number=1, question="Who was first?", reply=Reply(text="Ada was.")),
    Turn(number=2, question="Who was second?", reply=Reply(text="Ben was.")),
)
"""Earlier turns, in tests with history."""
CROWD = 12
"""Number of concurrent conversations: questions `?`, `??`, …, of the cases `x1`, `x2`, …"""
_PROMPT = 5.0
"""Seconds within which a cancelled call must end; generous even for a busy machine."""


def _to_the_end(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Wrap an async test so that it runs without a pytest plugin."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


class AgentContract:
    """Contract tests for one agent adapter."""

    cannot: ClassVar[Mapping[str, str]] = {}
    """Abilities that the adapter lacks, with the reason shown for the tests that are skipped.

    `silence`: give an empty answer. `tools`: report tool calls. `together`: report which calls were made in parallel.
    `history`: accept context and earlier turns. `failing`: report that the agent failed. `network`: lose the
    connection. `status`: receive an HTTP error status. `waiting`: never finish.
    """

    def connected(self, mind: Mind) -> AbstractAsyncContextManager[Agent]:
        """Connect to an agent that behaves as this mind does, with the tools in `TOOLS`; it is closed on exit."""
        raise NotImplementedError

    def _needs(self, ability: str) -> None:
        if ability in self.cannot:
            raise SkipTest(self.cannot[ability])

    async def _fault(self, mind: Mind) -> CallError:
        """Call an agent that must fail, and return the error as a run would classify it."""
        async with self.connected(mind) as agent:
            try:
                reply = await agent.reply(ASKED)
            except Exception as error:
                return classify(error)
        raise AssertionError(f"it answered {reply.text!r}")

    @_to_the_end
    async def test_it_has_a_name(self) -> None:
        async with self.connected(minds.echoing) as agent:
            assert agent.name
            assert isinstance(agent.takes_request, bool)

    @_to_the_end
    async def test_it_answers(self) -> None:
        async with self.connected(minds.echoing) as agent:
            reply = await agent.reply(ASKED)
        assert reply.text == "You said: What is it?"
        assert reply.tool_calls == ()
        assert reply.steps == ()

    @_to_the_end
    async def test_an_empty_answer_is_a_reply(self) -> None:
        self._needs("silence")
        async with self.connected(minds.silent) as agent:
            assert (await agent.reply(ASKED)).text == ""

    @_to_the_end
    async def test_tool_calls_are_recorded_in_order_with_arguments_and_results(self) -> None:
        self._needs("tools")
        async with self.connected(minds.adding) as agent:
            reply = await agent.reply(ASKED)
        assert reply.text == "What is it? comes to 156"
        assert [_seen(call) for call in reply.tool_calls] == [
            ("add", {"a": 11, "b": 1}, {"sum": 12}, None),
            ("add", {"a": 11, "b": 2}, {"sum": 13}, None),
            ("multiply", {"a": 12, "b": 13}, {"product": 156}, None),
        ]

    @_to_the_end
    async def test_calls_that_were_asked_for_together_share_their_place(self) -> None:
        self._needs("tools")
        self._needs("together")
        async with self.connected(minds.adding) as agent:
            reply = await agent.reply(ASKED)
        assert [call.step for call in reply.tool_calls] == [1, 1, 2]

    @_to_the_end
    async def test_context_and_history_are_honoured(self) -> None:
        self._needs("history")
        request = Request(
            question="And third?", conversation="c", context="A race.", history=EARLIER, turn=3, case="c3"
        )
        async with self.connected(minds.recalling) as agent:
            assert agent.takes_request
            texts = json.loads((await agent.reply(request)).text)
        assert texts == ["A race.", "Who was first?", "Ada was.", "Who was second?", "Ben was.", "And third?"]

    @_to_the_end
    async def test_a_conversation_goes_on(self) -> None:
        self._needs("history")
        async with self.connected(minds.recalling) as agent:
            first = await agent.reply(Request(question="One?", conversation="c", case="c4"))
            turn = Turn(number=1, question="One?", reply=first)
            second = await agent.reply(Request(question="Two?", conversation="c", history=(turn,), turn=2, case="c5"))
            await agent.forget("c")
        assert json.loads(second.text) == ["", "One?", first.text, "Two?"]

    @_to_the_end
    async def test_conversations_at_once_never_mix(self) -> None:
        self._needs("tools")
        questions = ["?" * (number + 1) for number in range(CROWD)]
        async with self.connected(minds.adding) as agent:
            requests = [
                Request(question=each, conversation=f"c{len(each)}", case=f"x{len(each)}") for each in questions
            ]
            replies = await asyncio.gather(*map(agent.reply, requests))
        for question, reply in zip(questions, replies, strict=True):
            one, two = len(question) + 1, len(question) + 2
            assert reply.text == f"{question} comes to {one * two}"
            assert [call.result for call in reply.tool_calls] == [{"sum": one}, {"sum": two}, {"product": one * two}]

    @_to_the_end
    async def test_an_agent_that_raises_has_failed_itself(self) -> None:
        self._needs("failing")
        assert isinstance(await self._fault(minds.fail_confused), AgentFault)

    @_to_the_end
    async def test_a_refused_connection_is_the_environments(self) -> None:
        self._needs("network")
        assert isinstance(await self._fault(minds.cut_off), EnvironmentFault)

    @_to_the_end
    async def test_a_busy_provider_is_the_environments(self) -> None:
        self._needs("status")
        assert isinstance(await self._fault(minds.busy), EnvironmentFault)

    @_to_the_end
    async def test_a_wrong_key_is_a_misconfiguration(self) -> None:
        self._needs("status")
        assert isinstance(await self._fault(minds.locked_out), Misconfigured)

    @_to_the_end
    async def test_a_call_that_is_cancelled_ends_at_once(self) -> None:
        self._needs("waiting")
        async with self.connected(minds.pondering) as agent:
            began = time.perf_counter()
            try:
                async with asyncio.timeout(0.2):
                    reply = await agent.reply(ASKED)
            except TimeoutError:
                pass
            else:
                raise AssertionError(f"it answered {reply.text!r}")
            assert time.perf_counter() - began < _PROMPT

    @_to_the_end
    async def test_a_conversation_nobody_knows_can_be_forgotten(self) -> None:
        async with self.connected(minds.echoing) as agent:
            await agent.forget("never heard of")

    @_to_the_end
    async def test_it_can_be_closed_twice(self) -> None:
        async with self.connected(minds.echoing) as agent:
            await agent.reply(ASKED)
            await agent.close()
            await agent.close()

    @_to_the_end
    async def test_nothing_is_printed(self, capfd: Any) -> None:
        async with self.connected(minds.echoing) as agent:
            await agent.reply(ASKED)
            await agent.close()
        assert capfd.readouterr() == ("", "")


def _seen(call: ToolCall) -> tuple[str, dict[str, object], object, str | None]:
    return call.name, call.arguments, call.result, call.error
