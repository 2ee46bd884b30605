"""An agent of smolagents, stood in for by an object with the same parts; tests/frameworks tries the real one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType, SimpleNamespace
from typing import Any

from proctor.agents import smolagents
from proctor.running.deadline import within
from proctor.transcript import Request


class StandIn:
    """An agent whose whole run is one function of the agent itself."""

    name = "desk"

    def __init__(self, work: Callable[[Any], str]) -> None:
        self.tools: dict[str, Any] = {"find_policy": Tool(), "final_answer": Tool()}
        self.managed_agents: dict[str, Any] = {}
        self.step_callbacks = SimpleNamespace(callback=lambda *_, **__: None)
        self.work = work

    def run(self, task: str, *, reset: bool, return_full_result: bool) -> Any:
        return SimpleNamespace(output=self.work(self), state="success")

    def step(self, *asked: tuple[str, Any], error: str | None = None, tokens: int | None = 1) -> None:
        """A step is over, in which the model asked for these calls."""
        calls = [
            SimpleNamespace(id=f"id{place}", function=SimpleNamespace(name=name, arguments=given))
            for place, (name, given) in enumerate(asked)
        ]
        used = None if tokens is None else SimpleNamespace(input_tokens=tokens, output_tokens=tokens)
        message = SimpleNamespace(tool_calls=calls)
        timing = SimpleNamespace(start_time=0.0)
        self.step_callbacks.callback(
            SimpleNamespace(model_output_message=message, token_usage=used, timing=timing, error=error), agent=self
        )


class Tool:
    name = "find_policy"
    inputs: Mapping[str, Any] = MappingProxyType({"topic": {}})

    def __call__(self, topic: str) -> str:
        if topic == "nothing":
            raise LookupError("no such policy")
        return f"{topic}: 30 days"


def _request(conversation: str = "c") -> Request:
    return Request(question="How many days?", conversation=conversation)


async def test_every_call_is_told_also_one_that_failed_or_was_never_made() -> None:
    def work(agent: Any) -> str:
        agent.tools["find_policy"]("leave")
        agent.tools["find_policy"]({"topic": "leave"})
        with suppress(LookupError):
            agent.tools["find_policy"](topic="nothing")
        asked = [("find_policy", {"topic": "nothing"}), ("find_polizy", '{"topic": "leave"}'), ("final_answer", {})]
        agent.step(*asked, error="unknown tool find_polizy")
        return "30 days"

    reply = await smolagents.adapt(StandIn(work), name="desk").reply(_request())
    told = [(call.name, call.arguments, call.error) for call in reply.tool_calls]
    assert sorted(told, key=str) == [
        ("find_policy", {"topic": "leave"}, None),
        ("find_policy", {"topic": "leave"}, None),
        ("find_policy", {"topic": "nothing"}, "no such policy"),
        ("find_polizy", {"topic": "leave"}, "not called: unknown tool find_polizy"),
    ]
    assert reply.tools_known


async def test_an_agent_that_called_no_tool_is_known_to_have_called_none() -> None:
    def work(agent: Any) -> str:
        agent.step(tokens=None)
        return "30 days"

    reply = await smolagents.adapt(StandIn(work), name="desk").reply(_request())
    assert reply.tools_known
    assert reply.tool_calls == ()
    assert reply.usage is None


async def test_tokens_are_unknown_where_one_step_does_not_tell_them() -> None:
    def work(agent: Any) -> str:
        agent.step()
        agent.step(tokens=None)
        return "30 days"

    assert (await smolagents.adapt(StandIn(work), name="desk").reply(_request())).usage is None


async def test_waiting_for_one_s_turn_is_not_the_agent_s_time() -> None:
    started, go_on = threading.Event(), threading.Event()

    def work(agent: Any) -> str:
        started.set()
        assert go_on.wait(10)
        return "30 days"

    agent = smolagents.adapt(StandIn(work), name="desk")
    first = asyncio.create_task(agent.reply(_request("first")))
    while not started.is_set():
        await asyncio.sleep(0)
    second = asyncio.create_task(within(0.05, agent.reply(_request("second"))))
    done, _ = await asyncio.wait({second}, timeout=0.2)
    assert not done, "its time has not begun"
    go_on.set()
    assert (await first).text == "30 days"
    late = await second
    assert late.seconds is not None
    assert late.seconds < 0.2


async def test_whoever_gave_up_waiting_leaves_no_question_behind() -> None:
    runs, go_on = [], threading.Event()

    def work(agent: Any) -> str:
        runs.append(agent)
        assert go_on.wait(10)
        return "30 days"

    agent = smolagents.adapt(StandIn(work), name="desk")
    for conversation in ("first", "second"):  # the first thread is left behind, and the second waits for it in vain
        asked = asyncio.create_task(agent.reply(_request(conversation)))
        await asyncio.wait({asked}, timeout=0.05)
        asked.cancel()
        await asyncio.wait({asked})
    go_on.set()
    assert (await agent.reply(_request("third"))).text == "30 days"
    assert len(runs) == 2
