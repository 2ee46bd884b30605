"""Agents that speak A2A: behind the official SDK's server, and behind others that keep the rules or break them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from aiohttp import web
from tests.agents.minded import a2a as minded
from tests.net.serving import Server, serving

from proctor.agents.a2a import load
from proctor.errors import AgentFault, CallError, EnvironmentFault, InputError, Misconfigured
from proctor.roles import Agent
from proctor.testing import minds
from proctor.testing.agents import AgentContract
from proctor.testing.minds import Mind
from proctor.transcript import Request

ASKED = Request(question="What is it?", conversation="one")


def needs_sdk() -> None:
    pytest.importorskip("a2a", reason="the A2A SDK (a2a-sdk) is not installed")


class _Contract(AgentContract):
    cannot: ClassVar = {
        "history": "an A2A agent remembers by the id of the context; see the tests of memory here",
        "status": "an A2A server tells of its agent's failure as a failed task; see the tests of statuses here",
    }
    version: ClassVar[str]
    streaming: ClassVar[bool]
    binding: ClassVar[str] = "JSONRPC"

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        needs_sdk()
        options: dict[str, Any] = {"version": self.version, "streaming": self.streaming, "binding": self.binding}
        async with minded.served(minded.minded(mind), **options) as (url, _):
            agent = load("http://127.0.0.1:1" if mind is minds.cut_off else url, {})
            try:
                yield agent
            finally:
                await agent.close()


class TestContractStreaming(_Contract):
    version, streaming = "1.0", True


class TestContractInOnePiece(_Contract):
    version, streaming = "1.0", False


class TestContractOfVersion03(_Contract):
    version, streaming = "0.3", True


class TestContractOfResources(_Contract):
    version, streaming, binding = "1.0", True, "HTTP+JSON"


del AgentContract, _Contract


# --- with the official server -------------------------------------------------------------------


@asynccontextmanager
async def playing(play: minded.Play, **options: Any) -> AsyncIterator[tuple[Agent, minded.Executor]]:
    needs_sdk()
    served = {name: options.pop(name) for name in ("version", "streaming", "binding") if name in options}
    async with minded.served(play, **served) as (url, executor):
        agent = load(url, options)
        try:
            yield agent, executor
        finally:
            await agent.close()


@pytest.mark.parametrize(("version", "binding"), [("1.0", "JSONRPC"), ("0.3", "JSONRPC"), ("1.0", "HTTP+JSON")])
@pytest.mark.parametrize("streaming", [True, False])
async def test_the_agent_remembers_each_conversation_by_its_own_id(version: str, binding: str, streaming: bool) -> None:
    served = {"version": version, "streaming": streaming, "binding": binding}
    async with playing(minded.minded(minds.recalling), **served) as (agent, _):
        first = await agent.reply(Request(question="One?", conversation="a", context="A race."))
        other = await agent.reply(Request(question="Else?", conversation="b"))
        second = await agent.reply(Request(question="Two?", conversation="a", turn=2))
        await agent.forget("a")
        anew = await agent.reply(Request(question="Three?", conversation="a"))
    assert json.loads(first.text) == ["A race.", "One?"]
    assert json.loads(other.text) == ["", "Else?"]
    assert json.loads(second.text) == ["", "One?", first.text, "Two?"]
    assert json.loads(anew.text) == ["", "Three?"]
    assert agent.takes_request
    assert agent.keeps_memory  # type: ignore[attr-defined]


@pytest.mark.parametrize("version", ["1.0", "0.3"])
async def test_a_streamed_artifact_is_put_together_and_its_first_piece_timed(version: str) -> None:
    async def play(updater: Any, message: Any, memory: list[str]) -> None:
        await updater.start_work(updater.new_agent_message([minded.part("Looking it up …")]))
        for place, piece in enumerate(["Par", "is, ", "of course."]):
            await updater.add_artifact([minded.part(piece)], artifact_id="answer", append=place > 0)
        await updater.complete()

    async with playing(play, version=version) as (agent, _):
        reply = await agent.reply(ASKED)
    assert reply.text == "Paris, of course."
    assert reply.seconds is not None
    assert reply.first_token is not None
    assert 0 < reply.first_token < reply.seconds


@pytest.mark.parametrize("binding", ["JSONRPC", "HTTP+JSON"])
async def test_a_task_that_needs_input_is_a_reply_and_the_next_question_goes_on_in_it(binding: str) -> None:
    seen: list[str] = []

    async def play(updater: Any, message: Any, memory: list[str]) -> None:
        seen.append(updater.task_id)
        if len(seen) == 1:
            await updater.requires_input(updater.new_agent_message([minded.part("Which city?")]))
        else:
            await updater.add_artifact([minded.part("Paris it is.")])
            await updater.complete()

    async with playing(play, binding=binding) as (agent, _):
        asked_back = await agent.reply(Request(question="Book a room", conversation="a"))
        done = await agent.reply(Request(question="Paris", conversation="a", turn=2))
        await agent.reply(Request(question="Another", conversation="a", turn=3))
    assert (asked_back.text, done.text) == ("Which city?", "Paris it is.")
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.parametrize("binding", ["JSONRPC", "HTTP+JSON"])
@pytest.mark.parametrize("streaming", [True, False])
async def test_a_task_that_the_server_has_forgotten_is_the_agents_failure(binding: str, streaming: bool) -> None:
    async def play(updater: Any, message: Any, memory: list[str]) -> None:
        await updater.requires_input(updater.new_agent_message([minded.part("Which city?")]))

    async with playing(play, binding=binding, streaming=streaming) as (agent, _):
        await agent.reply(Request(question="Book a room", conversation="a"))
        threads = agent._threads  # type: ignore[attr-defined]
        threads["a"] = replace(threads["a"], task="gone")
        with pytest.raises(AgentFault, match=r"answered with error (-32001|TASK_NOT_FOUND): "):
            await agent.reply(Request(question="Paris", conversation="a", turn=2))


async def test_a_task_of_resources_that_nobody_waits_for_is_cancelled() -> None:
    working = asyncio.Event()

    async def play(updater: Any, message: Any, memory: list[str]) -> None:
        await updater.start_work()
        working.set()
        await asyncio.Event().wait()

    async with playing(play, binding="HTTP+JSON") as (agent, executor):
        waiting = asyncio.ensure_future(agent.reply(ASKED))
        await working.wait()
        await asyncio.sleep(0.3)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await agent.close()
        assert len(executor.cancelled) == 1


@pytest.mark.parametrize("streaming", [True, False])
async def test_a_message_without_a_task_is_a_reply(streaming: bool) -> None:
    class Plain(minded.Executor):
        async def execute(self, context: Any, event_queue: Any) -> None:
            said = minded._sdk("helpers").new_text_message("Paris", context_id=context.context_id)
            await event_queue.enqueue_event(said)

    needs_sdk()
    async with minded.served(minded.minded(minds.echoing), streaming=streaming, executor=Plain) as (url, _):
        agent = load(url, {})
        assert (await agent.reply(ASKED)).text == "Paris"
        await agent.close()


# --- with servers of our own --------------------------------------------------------------------

Answer = Callable[[dict[str, Any]], Any]
"""A call → its result, a list of results to stream, or a response."""

CARD = {"name": "n", "supportedInterfaces": [{"protocolBinding": "JSONRPC", "protocolVersion": "1.0", "url": "/rpc"}]}


@asynccontextmanager
async def scripted(
    answer: Answer, card: Any = CARD, *, place: str = "/.well-known/agent-card.json"
) -> AsyncIterator[Server]:
    """A server from the specification, which answers what it is told to."""

    async def handle(request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            return web.json_response(card) if request.path == place else web.Response(status=404)
        call = await request.json()
        server.calls.append((call, dict(request.headers)))
        said = answer(call)
        if isinstance(said, web.StreamResponse):
            return said
        if not isinstance(said, list):
            return web.json_response({"jsonrpc": "2.0", "id": call["id"], "result": said})
        wrapped = [json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": each}) for each in said]
        return web.Response(text="".join(f"data: {each}\n\n" for each in wrapped), content_type="text/event-stream")

    async with serving(handle) as plain:
        server = Recording(url=plain.url, requests=plain.requests)
        yield server


class Recording(Server):
    """A server that keeps what it was asked."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.calls: list[tuple[dict[str, Any], dict[str, str]]] = []


@asynccontextmanager
async def asking(answer: Answer, card: Any = CARD, **options: Any) -> AsyncIterator[tuple[Agent, Any]]:
    async with scripted(answer, card) as server:
        agent = load(server.url, options)
        try:
            yield agent, server
        finally:
            await agent.close()


async def fault(answer: Answer, card: Any = CARD, **options: Any) -> CallError:
    async with asking(answer, card, **options) as (agent, _):
        with pytest.raises(CallError) as caught:
            await agent.reply(ASKED)
    return caught.value


def task(state: str, text: str | None = None, **others: Any) -> dict[str, Any]:
    status: dict[str, Any] = {"state": state}
    if text is not None:
        status["message"] = {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": text}]}
    return {"task": {"id": "t", "contextId": "c", "status": status, **others}}


async def test_a_task_that_goes_on_is_asked_after_until_it_ends() -> None:
    states = iter(["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"])

    def answer(call: dict[str, Any]) -> Any:
        said = task(next(states), artifacts=[{"artifactId": "a", "parts": [{"text": "Paris"}]}])
        return said if call["method"] == "SendMessage" else said["task"]

    async with asking(answer, every=0.001) as (agent, server):
        assert (await agent.reply(ASKED)).text == "Paris"
    assert [call["method"] for call, _ in server.calls] == ["SendMessage", "GetTask", "GetTask"]
    assert server.calls[1][0]["params"] == {"id": "t"}
    assert {headers["A2A-Version"] for _, headers in server.calls} == {"1.0"}


async def test_an_idle_connection_that_closes_as_a_task_is_asked_after_sends_no_question_again() -> None:
    asked: list[str] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            return web.json_response(CARD)
        call = await request.json()
        asked.append(call["method"])
        if asked == ["SendMessage", "GetTask"] and request.transport is not None:
            request.transport.close()
        said = task("TASK_STATE_COMPLETED", "Paris")["task"] if len(asked) > 1 else task("TASK_STATE_WORKING")
        return web.json_response({"jsonrpc": "2.0", "id": call["id"], "result": said})

    async with serving(handle) as server:
        agent = load(server.url, {"every": 0.6})
        assert (await agent.reply(ASKED)).text == "Paris"
        await agent.close()
    assert asked == ["SendMessage", "GetTask", "GetTask"]


async def test_a_stream_that_breaks_off_is_asked_after() -> None:
    def answer(call: dict[str, Any]) -> Any:
        if call["method"] == "SendStreamingMessage":
            return [task("TASK_STATE_WORKING")]
        return task("TASK_STATE_COMPLETED", "Paris")["task"]

    async with asking(answer, stream=True, every=0.001) as (agent, _):
        assert (await agent.reply(ASKED)).text == "Paris"


async def test_a_stream_that_breaks_off_before_it_named_a_task_is_the_agents_fault() -> None:
    assert "gave no task" in str(await fault(lambda call: [], stream=True))


async def test_a_task_that_nobody_waits_for_is_cancelled() -> None:
    asked_after = asyncio.Event()

    def answer(call: dict[str, Any]) -> Any:
        if call["method"] == "GetTask":
            asked_after.set()
        return task("TASK_STATE_WORKING") if call["method"] == "SendMessage" else task("TASK_STATE_WORKING")["task"]

    async with asking(answer, every=0.001) as (agent, server):
        waiting = asyncio.ensure_future(agent.reply(ASKED))
        await asked_after.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await agent.close()
    assert (server.calls[-1][0]["method"], server.calls[-1][0]["params"]) == ("CancelTask", {"id": "t"})


async def test_an_agent_of_version_03_is_asked_in_its_own_words() -> None:
    card = {"name": "n", "url": "/rpc", "protocolVersion": "0.3.0", "preferredTransport": "JSONRPC"}
    parts = [{"kind": "text", "text": "Paris"}]
    said = {"kind": "message", "messageId": "m", "role": "agent", "contextId": "c", "parts": parts}
    async with asking(lambda call: said, card) as (agent, server):
        await agent.reply(Request(question="Where?", conversation="a", context="A trip.", condition="slow"))
        await agent.reply(Request(question="Why?", conversation="a"))
    first, second = (call["params"]["message"] for call, _ in server.calls)
    assert server.calls[0][0]["method"] == "message/send"
    assert server.calls[0][0]["params"]["configuration"]["blocking"] is True
    assert (first["kind"], first["role"], first["metadata"]) == ("message", "user", {"condition": "slow"})
    assert [part["text"] for part in first["parts"]] == ["Summary of the conversation so far:\nA trip.", "Where?"]
    assert "contextId" not in first
    assert second["contextId"] == "c"
    assert "taskId" not in second


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (task("TASK_STATE_COMPLETED", "Done.", artifacts=[{"artifactId": "a", "parts": [{"text": "Paris"}]}]), "Paris"),
        (task("TASK_STATE_COMPLETED", artifacts=[{"parts": [{"text": "a"}, {"text": "b"}]}]), "a\nb"),
        (task("TASK_STATE_COMPLETED", artifacts=[{"artifactId": n, "parts": [{"text": n}]} for n in "ab"]), "a\nb"),
        (task("TASK_STATE_COMPLETED", "Paris"), "Paris"),
        (task("TASK_STATE_COMPLETED", history=[{"role": "ROLE_AGENT", "parts": [{"text": "Paris"}]}]), "Paris"),
        (task("TASK_STATE_COMPLETED", history=[{"role": "ROLE_USER", "parts": [{"text": "Where?"}]}]), ""),
        (task("TASK_STATE_COMPLETED", artifacts=[{"parts": [{"data": {"a": "X", "n": 3.0}}]}]), '{"a":"X","n":3}'),
        (task("TASK_STATE_COMPLETED"), ""),
        (task("TASK_STATE_INPUT_REQUIRED", "Which?"), "Which?"),
        ({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "Paris"}]}}, "Paris"),
    ],
)  # fmt: skip
async def test_the_text_is_found_where_agents_put_it(result: dict[str, Any], text: str) -> None:
    async with asking(lambda call: result) as (agent, _):
        assert (await agent.reply(ASKED)).text == text


async def test_data_tells_of_tool_calls_citations_and_usage() -> None:
    told = {
        "tool_calls": [{"name": "find", "arguments": {"k": 3.0}}],
        "citations": ["a.md"],
        "usage": {"input_tokens": 7},
    }
    result = task("TASK_STATE_COMPLETED", artifacts=[{"parts": [{"text": "Paris"}, {"data": told}]}])
    async with asking(lambda call: result) as (agent, _):
        reply = await agent.reply(ASKED)
    assert (reply.text, reply.tool_calls[0].arguments, reply.citations[0].source) == ("Paris", {"k": 3}, "a.md")
    assert reply.usage is not None
    assert reply.usage.input_tokens == 7


@pytest.mark.parametrize(
    ("result", "kind", "words"),
    [
        (task("TASK_STATE_FAILED", "out of paper"), AgentFault, "the task failed: out of paper"),
        (task("TASK_STATE_FAILED"), AgentFault, "the task failed, and gave no reason"),
        (task("TASK_STATE_REJECTED", "not mine"), AgentFault, "was rejected by the agent: not mine"),
        (task("TASK_STATE_CANCELED"), AgentFault, "was cancelled by the agent"),
        (task("TASK_STATE_AUTH_REQUIRED", "log in"), Misconfigured, "asks for credentials .*: log in; .*headers"),
        (task("TASK_STATE_INPUT_REQUIRED"), AgentFault, "does not say what it needs"),
        (task("TASK_STATE_DREAMING"), AgentFault, "state 'dreaming', which A2A does not know"),
        ({"task": {"id": "t"}}, AgentFault, "a task without a status"),
        ({"what": 1}, AgentFault, "neither a task nor a message"),
        (None, AgentFault, "neither a task nor a message"),
        (web.json_response({"error": {"code": -32603, "message": "boom"}}), AgentFault, "error -32603: boom"),
        (web.json_response({"error": {"code": -32601, "message": "?"}}), Misconfigured, "does not know SendMessage"),
        (web.json_response([1]), AgentFault, "expected a JSON-RPC message"),
        (web.Response(text="<p>", content_type="text/html"), AgentFault, "the reply is 'text/html'"),
        (web.Response(text="{", content_type="application/json"), AgentFault, "not valid JSON"),
        (web.Response(status=503), EnvironmentFault, "503"),
        (web.Response(status=401), Misconfigured, "401"),
        (web.Response(status=500, text="boom"), AgentFault, "500 .*boom"),
    ],
)
async def test_whose_failure_it_is(result: Any, kind: type[CallError], words: str) -> None:
    caught = await fault(lambda call: result)
    assert type(caught) is kind
    assert caught.args[0]
    with pytest.raises(kind, match=words):
        raise caught


async def test_a_reply_that_is_too_large_is_the_agents_fault() -> None:
    result = task("TASK_STATE_COMPLETED", "x" * 20_000)
    assert "more than 10,000 bytes" in str(await fault(lambda call: result, max_bytes=10_000))


async def test_the_older_place_of_the_card_is_found_too_and_the_card_is_read_once() -> None:
    async with scripted(lambda call: task("TASK_STATE_COMPLETED", "Paris"), place="/.well-known/agent.json") as server:
        agent = load(f"{server.url}/some/path", {})
        await asyncio.gather(*(agent.reply(Request(question="?", conversation=name)) for name in "abc"))
        await agent.close()
    assert server.requests[:4] == [
        "GET /some/path/.well-known/agent-card.json",
        "GET /some/path/.well-known/agent.json",
        "GET /.well-known/agent-card.json",
        "GET /.well-known/agent.json",
    ]
    assert server.requests[4:] == ["POST /rpc"] * 3


@pytest.mark.parametrize("address", ["/cards/mine.json", ""])
async def test_the_place_of_the_card_can_be_said(address: str) -> None:
    async with scripted(lambda call: task("TASK_STATE_COMPLETED", "Paris"), place="/cards/mine.json") as server:
        agent = load(server.url + address, {} if address else {"card": "/cards/mine.json"})
        assert (await agent.reply(ASKED)).text == "Paris"
        await agent.close()
    assert server.requests == ["GET /cards/mine.json", "POST /rpc"]


async def test_an_agent_without_a_card_is_a_misconfiguration() -> None:
    async with scripted(lambda call: None, place="/nowhere") as server:
        agent = load(server.url, {})
        with pytest.raises(Misconfigured, match=r"no agent card at .*agent-card\.json or .*agent\.json; .*card = "):
            await agent.reply(ASKED)
        await agent.close()


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ([], "is not an agent card: it is not a JSON object"),
        ({"supportedInterfaces": [{"url": "/x", "protocolBinding": "GRPC"}]}, "offers GRPC; expected .* JSONRPC"),
        ({"url": "/x", "preferredTransport": "HTTP+JSON"}, r"offers HTTP\+JSON; .* HTTP\+JSON of version 1.0"),
        ({"url": "ftp://x/y"}, "cannot be used: its scheme is 'ftp'"),
    ],
)  # fmt: skip
async def test_a_card_that_cannot_be_used_is_a_misconfiguration(card: Any, words: str) -> None:
    with pytest.raises(Misconfigured, match=words):
        raise await fault(lambda call: None, card)


async def test_the_newest_version_that_both_know_is_spoken() -> None:
    interfaces = [
        {"url": "/old", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
        {"url": "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "acme"},
        {"url": "/grpc", "protocolBinding": "GRPC", "protocolVersion": "1.0"},
        {"url": "/new", "protocolBinding": "JSONRPC", "protocolVersion": "2.0"},
        {"url": "/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
    ]
    card = {"supportedInterfaces": interfaces}
    async with asking(lambda call: task("TASK_STATE_COMPLETED", "Paris"), card) as (agent, server):
        await agent.reply(ASKED)
    assert server.requests[-1] == "POST /rpc"
    assert server.calls[0][0]["params"]["tenant"] == "acme"


REST = {
    "supportedInterfaces": [{"protocolBinding": "HTTP+JSON", "protocolVersion": "1.0", "url": "/v/", "tenant": "a b"}]
}


async def test_an_agent_of_resources_is_asked_by_their_addresses() -> None:
    states = iter(["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"])

    async def handle(request: web.Request) -> web.StreamResponse:
        if request.path.startswith("/.well-known"):
            return web.json_response(REST)
        said = task(next(states), "Paris")
        return web.json_response(said if request.method == "POST" else {**said["task"], "id": "t/1"})

    async with serving(handle) as server:
        agent = load(server.url, {"every": 0.001})
        assert (await agent.reply(ASKED)).text == "Paris"
        await agent.close()
    assert server.requests[1:] == ["POST /v/a%20b/message:send", "GET /v/a%20b/tasks/t"]


def refused(reason: str, status: int) -> web.Response:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}]
    return web.json_response({"error": {"code": status, "message": "no", "details": details}}, status=status)


@pytest.mark.parametrize(
    ("answered", "kind", "words"),
    [
        (refused("INTERNAL_ERROR", 500), AgentFault, "answered with error INTERNAL_ERROR: no"),
        (refused("VERSION_NOT_SUPPORTED", 400), Misconfigured, "does not know POST /message:send, .*: error VERSION"),
        (refused("EXTENSION_SUPPORT_REQUIRED", 400), Misconfigured, "header A2A-Extensions: error EXTENSION"),
        (refused("TASK_NOT_FOUND", 404), AgentFault, "answered with error TASK_NOT_FOUND: no"),
        (refused("RATE_LIMITED", 429), EnvironmentFault, "429"),
        (refused("UNAVAILABLE", 503), EnvironmentFault, "503"),
        (refused("UNAUTHENTICATED", 401), Misconfigured, "401"),
        (web.json_response({"error": {"message": "odd"}}), AgentFault, "answered with error 0: odd"),
        (web.json_response({"detail": "x"}, status=400), AgentFault, "400 Bad Request: .*detail"),
        (web.Response(status=404), Misconfigured, "404"),
        (web.Response(status=503), EnvironmentFault, "503"),
        (web.json_response({"what": 1}), AgentFault, "neither a task nor a message"),
    ],
)
async def test_whose_failure_it_is_over_resources(answered: web.Response, kind: type[CallError], words: str) -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        return web.json_response(REST) if request.path.startswith("/.well-known") else answered

    async with serving(handle) as server:
        agent = load(server.url, {})
        with pytest.raises(kind, match=words) as caught:
            await agent.reply(ASKED)
        await agent.close()
    assert type(caught.value) is kind


async def test_headers_go_to_the_agent_and_are_never_shown() -> None:
    said = task("TASK_STATE_FAILED", "I was given hush-hush-hush")
    async with asking(lambda call: said, headers={"Authorization": "Bearer hush-hush-hush"}) as (agent, server):
        with pytest.raises(AgentFault) as caught:
            await agent.reply(ASKED)
    assert server.calls[0][1]["Authorization"] == "Bearer hush-hush-hush"
    assert "hush" not in str(caught.value)


async def test_headers_are_not_carried_to_another_host_that_the_card_names() -> None:
    async with scripted(lambda call: task("TASK_STATE_COMPLETED", "mine")) as other:
        card = {"supportedInterfaces": [{"protocolBinding": "JSONRPC", "url": f"{other.url}/rpc"}]}
        with pytest.raises(Misconfigured, match=r"leads to .* not sent to the other"):
            raise await fault(lambda call: None, card, headers={"Authorization": "Bearer hush-hush"})
        async with asking(lambda call: None, card) as (agent, _):
            assert (await agent.reply(ASKED)).text == "mine"
    assert "Authorization" not in other.calls[0][1]  # type: ignore[attr-defined]


async def test_nobody_there_is_the_environments() -> None:
    agent = load("http://127.0.0.1:1", {})
    with pytest.raises(EnvironmentFault, match="is it running"):
        await agent.reply(ASKED)
    await agent.close()


async def test_one_that_never_answers_is_cut_off_by_the_time_limit() -> None:
    async def hang(request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            return web.json_response(CARD)
        await asyncio.Event().wait()
        raise AssertionError

    async with serving(hang) as server:
        agent = load(server.url, {})
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await agent.reply(ASKED)
        await agent.close()


@pytest.mark.parametrize(
    ("address", "options", "words"),
    [
        ("", {}, "cannot be used"),
        ("ftp://x", {}, "expected http or https"),
        ("http://user:pass@x", {}, "holds a user or password"),
        ("http://x/?api_key=1", {}, "'api_key' in its query"),
        ("http://x/{{question}}", {}, "placeholders"),
        ("http://x", {"header": {}}, "did you mean 'headers'"),
        ("http://x", {"headers": "x"}, "headers is not a table"),
        ("http://x", {"headers": {"A": ["a"]}}, r"headers\.A is a list; expected text"),
        ("http://x", {"stream": "sse"}, "stream='sse' is not usable; expected true or false"),
        ("http://x", {"every": 0}, "every=0 is not usable"),
        ("http://x", {"concurrency": 0.5}, "concurrency=0.5 is not usable"),
        ("http://x", {"card": 1}, "card is a int; expected text"),
    ],
)
def test_a_wrong_setting_is_said_before_the_first_question(address: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        load(address, options)
