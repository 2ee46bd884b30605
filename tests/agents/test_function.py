"""Python agents of every shape."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from proctor import Request as PublicRequest
from proctor.agents import function
from proctor.agents.function import adapt, load
from proctor.agents.http import load as load_http
from proctor.errors import AgentFault, InputError
from proctor.transcript import Reply, Request

ASKED = Request(question="q", conversation="one", context="c")


async def text_of(agent: Any, request: Request = ASKED) -> str:
    return (await adapt(agent, name="a").reply(request)).text


def plain(question: str) -> str:
    return f"plain {question}"


async def asynchronous(question: str) -> str:
    return f"async {question}"


def by_name(request) -> str:  # type: ignore[no-untyped-def]
    return f"named {request.context}"


def by_annotation(asked: Request) -> str:
    return f"annotated {asked.context}"


def by_public_annotation(asked: PublicRequest) -> dict[str, Any]:
    return {"text": f"public {asked.context}"}


async def streamed(question: str) -> AsyncIterator[Any]:
    yield "one "
    yield "two"
    yield {"text": "", "tool_calls": [{"name": "t"}]}


class Callable:
    def __call__(self, question: str) -> str:
        return f"called {question}"


class AsyncCallable:
    async def __call__(self, question: str) -> str:
        return f"async called {question}"


class StreamedCallable:
    async def __call__(self, question: str) -> AsyncIterator[str]:
        yield "called "
        yield question


class StreamedReply:
    async def reply(self, request: Request) -> AsyncIterator[str]:
        yield "replied "
        yield request.question


class BlockingReply:
    def reply(self, question: str) -> dict[str, Any]:
        return {"text": f"blocking {question}"}


class WithReply:
    async def reply(self, request: Request) -> Reply:
        return Reply(text=f"replied {request.context}")


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        (plain, "plain q"),
        (asynchronous, "async q"),
        (by_name, "named c"),
        (by_annotation, "annotated c"),
        (by_public_annotation, "public c"),
        (streamed, "one two"),
        (Callable(), "called q"),
        (Callable, "called q"),
        (AsyncCallable(), "async called q"),
        (StreamedCallable(), "called q"),
        (StreamedCallable, "called q"),
        (StreamedReply(), "replied q"),
        (StreamedReply, "replied q"),
        (BlockingReply(), "blocking q"),
        (BlockingReply, "blocking q"),
        (WithReply(), "replied c"),
        (WithReply, "replied c"),
        (lambda question: asynchronous(question), "async q"),
        (str.upper, "Q"),
    ],
)
async def test_every_shape_answers(agent: Any, text: str) -> None:
    assert await text_of(agent) == text


async def test_a_stream_tells_the_time_to_its_first_token_and_its_tool_calls() -> None:
    reply = await adapt(streamed, name="a").reply(ASKED)
    assert reply.first_token is not None
    assert reply.first_token >= 0
    assert [call.name for call in reply.tool_calls] == ["t"]


async def test_the_first_token_is_timed_and_not_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 10.0

    async def slowly(question: str) -> AsyncIterator[str]:
        nonlocal now
        for seconds in (2.0, 30.0, 30.0):
            now += seconds
            yield "word "

    monkeypatch.setattr(function, "time", SimpleNamespace(perf_counter=lambda: now))
    assert (await adapt(slowly, name="a").reply(ASKED)).first_token == 2.0


async def test_what_a_stream_says_at_its_end_of_the_whole_comes_before_the_pieces() -> None:
    async def corrected(question: str) -> AsyncIterator[Any]:
        yield "It is Bn."
        yield Reply(text="It is Ben.")

    assert await text_of(corrected) == "It is Ben."


RETURNED: list[Any] = ["so", {"text": "so", "tool_calls": [{"name": "t"}]}, Reply(text="so")]


@pytest.mark.parametrize("value", RETURNED, ids=["str", "dict", "Reply"])
async def test_a_text_a_table_or_a_reply_may_be_returned_by_any_shape(value: Any) -> None:
    async def asynchronous(question: str) -> Any:
        return value

    async def streamed(question: str) -> AsyncIterator[Any]:
        yield value

    class Kept:
        def reply(self, question: str) -> Any:
            return value

        __call__ = reply

    for agent in (lambda question: value, asynchronous, streamed, Kept(), Kept):
        reply = await adapt(agent, name="a").reply(ASKED)
        assert (reply.text, len(reply.tool_calls)) == ("so", int(isinstance(value, dict)))


def test_only_agents_that_take_a_request_say_so() -> None:
    assert adapt(by_name, name="a").takes_request
    assert adapt(WithReply, name="a").takes_request
    assert not adapt(plain, name="a").takes_request


async def test_a_class_is_made_anew_for_each_conversation_and_forgotten_after_it() -> None:
    class Counter:
        def __init__(self) -> None:
            self.count = 0

        def reply(self, question: str) -> str:
            self.count += 1
            return str(self.count)

    agent = adapt(Counter, name="a")
    one, two = Request(question="q", conversation="one"), Request(question="q", conversation="two")
    assert [(await agent.reply(request)).text for request in (one, one, two)] == ["1", "2", "1"]
    await agent.forget("one")
    assert (await agent.reply(one)).text == "1"


class NeedsArguments:
    def __init__(self, key: str) -> None:
        self.key = key

    def reply(self, question: str) -> str:
        return self.key


@pytest.mark.parametrize("agent", [3, "text", NeedsArguments, int])
def test_what_cannot_answer_is_refused_before_the_first_question(agent: Any) -> None:
    with pytest.raises(InputError, match=r"expected a function|needs a reply"):
        adapt(agent, name="a")


@pytest.mark.parametrize("module", ["strands.agent", "agno.agent", "dspy.predict.react", "autogen_agentchat.agents"])
def test_an_object_of_a_framework_that_takes_a_function_is_refused_before_the_first_question(module: str) -> None:
    theirs = type("Agent", (Callable,), {"__module__": module})
    with pytest.raises(InputError, match=rf"an object of {module.partition('.')[0]} \(Agent\).*expected a function"):
        adapt(theirs(), name="python:support:agent")
    ours = type("Ours", (theirs,), {"__module__": "support"})
    assert adapt(ours(), name="python:support:agent").name, "a class of one's own may answer with a text"


async def test_a_spec_is_loaded_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "agent_for_load_test.py").write_text("def answer(question): return 'loaded'\n")
    agent = load("agent_for_load_test:answer", {})
    assert agent.name == "python:agent_for_load_test:answer"
    assert (await agent.reply(ASKED)).text == "loaded"


def test_options_of_a_python_agent_are_refused() -> None:
    with pytest.raises(InputError, match="a python: agent has no option 'temperature'; the only one is per_worker"):
        load("os:getcwd", {"temperature": 1})


def test_a_misspelt_key_of_its_table_is_told_with_the_one_that_was_meant() -> None:
    with pytest.raises(InputError, match="did you mean 'kind'"):
        load("os:getcwd", {"knid": "orchestrator"})
    with pytest.raises(InputError, match="an http agent has no option 'kindd'; did you mean 'kind'"):
        load_http("//127.0.0.1:1/ask", {"kindd": "orchestrator"})


SPOKEN = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Before?"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": {"name": "old", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "a", "content": "1"},
    {"role": "assistant", "content": "Then."},
    {"role": "user", "content": "q"},
    {"role": "assistant", "tool_calls": [{"id": "b", "function": {"name": "find", "arguments": '{"x": 1}'}}]},
    {"role": "tool", "tool_call_id": "b", "content": "4711"},
    {"role": "user", "content": "Go on."},
    {"role": "assistant", "content": "It is 4711."},
]


@pytest.mark.parametrize("returned", [{"messages": SPOKEN}, SPOKEN, {"messages": SPOKEN[6:8] + SPOKEN[9:], "usage": 3}])
async def test_messages_are_read_as_the_reply_to_the_question(returned: Any) -> None:
    reply = await adapt(lambda question: returned, name="a").reply(ASKED)
    assert reply.text == "It is 4711."
    assert [(call.name, call.arguments, call.result) for call in reply.tool_calls] == [("find", {"x": 1}, "4711")]
    assert reply.tools_known


async def test_messages_of_langchain_are_read_from_any_agent() -> None:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    def agent(question: str) -> dict[str, Any]:
        asked = AIMessage("", tool_calls=[{"name": "find", "args": {"x": 1}, "id": "b"}])
        failed = ToolMessage("no such page", tool_call_id="b", status="error")
        return {"messages": [HumanMessage(question), asked, failed, AIMessage("I cannot say.")]}

    reply = await adapt(agent, name="a").reply(ASKED)
    assert reply.text == "I cannot say."
    assert [(call.name, call.error) for call in reply.tool_calls] == [("find", "no such page")]


async def test_messages_without_an_answer_are_no_reply() -> None:
    with pytest.raises(AgentFault, match="'messages' that end with the agent's answer"):
        await adapt(lambda question: {"messages": [{"role": "user", "content": question}]}, name="a").reply(ASKED)


async def test_a_text_tells_no_tools_and_a_reply_does() -> None:
    assert not (await adapt(plain, name="a").reply(ASKED)).tools_known
    assert not (await adapt(by_public_annotation, name="a").reply(ASKED)).tools_known
    assert (await adapt(streamed, name="a").reply(ASKED)).tools_known
    assert (await adapt(lambda question: Reply(text="x"), name="a").reply(ASKED)).tools_known
