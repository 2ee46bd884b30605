"""Agents that are tools of an MCP server: the official SDK's as a program and on loopback, and servers of our own."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from textwrap import dedent
from typing import Any, ClassVar

import pytest
from aiohttp import web
from tests.agents.minded import mcp as minded
from tests.net.serving import Server, serving

from proctor.agents.mcp import load
from proctor.agents.mcp.agent import McpAgent
from proctor.errors import AgentFault, CallError, EnvironmentFault, InputError, Misconfigured
from proctor.roles import Agent
from proctor.testing import minds
from proctor.testing.agents import AgentContract
from proctor.testing.minds import Mind
from proctor.transcript import Request

ROOT = Path(__file__).parents[2]
ASKED = Request(question="What is it?", conversation="one")


def needs_sdk() -> None:
    pytest.importorskip("mcp.server.mcpserver", reason="the MCP SDK (mcp 2) is not installed")


class TestContractOverHttp(AgentContract):
    cannot: ClassVar = {"status": "a tool tells of its failure in its result; see the tests of statuses here"}

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        needs_sdk()
        async with minded.served(mind.__name__) as url:
            agent = load("http://127.0.0.1:1/mcp" if mind is minds.cut_off else url, minded.WHOLE)
            try:
                yield agent
            finally:
                await agent.close()


class TestContractOfProgram(AgentContract):
    cannot: ClassVar = {
        "status": "a tool tells of its failure in its result",
        "network": "a program needs no network",
    }

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        needs_sdk()
        agent = load(minded.line(mind.__name__), minded.WHOLE)
        try:
            yield agent
        finally:
            await agent.close()


del AgentContract


# --- with the official server -------------------------------------------------------------------


@asynccontextmanager
async def reaching(way: str, **options: Any) -> AsyncIterator[McpAgent]:
    """The echoing mind's server, by stdio or by one of the ways of HTTP."""
    needs_sdk()
    if way == "stdio":
        agent = load(minded.line("echoing"), options)
        try:
            yield agent
        finally:
            await agent.close()
        return
    served = {"sse": {}, "json": {"json_response": True}, "stateless": {"stateless_http": True}}[way]
    async with minded.served("echoing", **served) as url:
        agent = load(url, options)
        try:
            yield agent
        finally:
            await agent.close()


WAYS = ["stdio", "sse", "json", "stateless"]


@pytest.mark.parametrize("way", WAYS)
async def test_the_tool_is_called_with_the_question_in_its_only_text(way: str) -> None:
    async with reaching(way, tool="shout") as agent:
        reply = await agent.reply(ASKED)
        again = await agent.reply(Request(question="again", conversation="two"))
    assert (reply.text, again.text) == ("WHAT IS IT?", "AGAIN")
    assert reply.seconds is not None
    assert not agent.takes_request


@pytest.mark.parametrize("way", WAYS)
async def test_the_tools_that_exist_are_listed(way: str) -> None:
    async with reaching(way) as agent:
        tools = await agent.list_tools()
    assert [tool.name for tool in tools] == ["ask", "shout", "add"]
    assert tools[1].description == "Say it louder."
    assert tools[1].schema["required"] == ["words"]


async def test_standard_error_of_a_program_is_kept() -> None:
    async with reaching("stdio", tool="shout") as agent:
        assert "shouting" in (await agent.reply(ASKED)).stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "offers ask, shout, add; say which one is the agent with tool = "),
        ({"tool": "shoot"}, "no tool 'shoot'; did you mean 'shout'"),
        ({"tool": "add"}, "has the arguments a, b; .* argument = "),
        ({"tool": "shout", "argument": "word"}, "no argument 'word'; did you mean 'words'"),
    ],
)
async def test_a_setting_that_does_not_fit_the_server_stops_the_run(options: dict[str, Any], words: str) -> None:
    async with reaching("json", **options) as agent:
        with pytest.raises(Misconfigured, match=words):
            await agent.reply(ASKED)


async def test_a_modern_request_is_one_that_the_official_server_takes() -> None:
    from proctor.agents.mcp import protocol
    from proctor.agents.mcp.http import Http, McpSession

    async with reaching("sse", tool="shout") as agent:
        connection = agent._connection
        assert isinstance(connection, Http)
        connection._shared = McpSession(version=protocol.MODERN_VERSION, id=None)
        assert (await agent.reply(ASKED)).text == "WHAT IS IT?"


@asynccontextmanager
async def advanced(*, modern: bool = False, **options: Any) -> AsyncIterator[McpAgent]:
    """The server whose tools use more of the protocol, over HTTP, in either age."""
    needs_sdk()
    from proctor.agents.mcp import protocol
    from proctor.agents.mcp.http import Http, McpSession

    async with minded.served(minded.advanced(), event_store=minded.remembering(), retry_interval=50) as url:
        agent = load(url, options)
        if modern:
            assert isinstance(agent._connection, Http)
            agent._connection._shared = McpSession(version=protocol.MODERN_VERSION, id=None)
        try:
            yield agent
        finally:
            await agent.close()


async def test_a_stream_that_the_server_ends_before_its_answer_is_taken_up_again() -> None:
    async with advanced(tool="patient") as agent:
        assert (await agent.reply(ASKED)).text == "after a while: What is it?"


@pytest.mark.parametrize("modern", [True, False])
async def test_the_text_of_an_embedded_resource_is_the_reply(modern: bool) -> None:
    async with advanced(tool="read", modern=modern) as agent:
        assert (await agent.reply(ASKED)).text == "Paris"


async def test_names_and_marked_arguments_are_repeated_in_headers_that_the_official_server_checks() -> None:
    options = {"argument": "question", "arguments": {"loud": True}}
    async with advanced(tool="übersetzen", modern=True, **options) as agent:
        for question in ("What is it?", "Größe?", " =?base64? ", ""):
            assert (await agent.reply(Request(question=question, conversation="a"))).text == question.upper()


# --- with servers of our own over HTTP ----------------------------------------------------------

Answer = Callable[[dict[str, Any]], Any]
"""A `tools/call` → its result, or a response."""

TOOL = {"name": "ask", "inputSchema": {"properties": {"question": {"type": "string"}, "k": {"type": "integer"}}}}


UNKNOWN = {"code": -32601, "message": "?"}


class Recording(Server):
    """A server that keeps what it was asked."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.calls: list[tuple[dict[str, Any], dict[str, str]]] = []

    def methods(self) -> list[str]:
        return [call["method"] for call, _ in self.calls]


@asynccontextmanager
async def scripted(
    answer: Answer, *, sessions: bool = False, modern: int | None = None, tools: Any = (TOOL,), discovered: Any = None
) -> AsyncIterator[Recording]:
    """A server from the specification, of the earlier age, or one that refuses handshakes with the code `modern`."""

    async def handle(request: web.Request) -> web.StreamResponse:
        if request.method == "DELETE":
            return web.Response(status=204)
        call = await request.json()
        server.calls.append((call, dict(request.headers)))
        method = call["method"]
        if "id" not in call:
            return web.Response(status=202)
        if modern is not None and method == "initialize":
            error = {"code": modern, "message": "no handshakes here"}
            return web.json_response({"jsonrpc": "2.0", "id": call["id"], "error": error}, status=400)
        result: Any = {"protocolVersion": "2025-06-18", "capabilities": {}}
        if method == "server/discover" and discovered is not None:
            result = discovered
        elif method == "tools/list":
            result = {"tools": list(tools)}
        elif method == "tools/call":
            result = answer(call)
        if isinstance(result, web.StreamResponse):
            return result
        headers = {"Mcp-Session-Id": f"s{len(server.calls)}"} if sessions and method == "initialize" else {}
        return web.json_response({"jsonrpc": "2.0", "id": call["id"], "result": result}, headers=headers)

    async with serving(handle) as plain:
        server = Recording(url=plain.url, requests=plain.requests)
        yield server


@asynccontextmanager
async def asking(
    answer: Answer, options: dict[str, Any] | None = None, **served: Any
) -> AsyncIterator[tuple[McpAgent, Recording]]:
    async with scripted(answer, **served) as server:
        agent = load(server.url, options or {})
        try:
            yield agent, server
        finally:
            await agent.close()


def said(text: str, **others: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **others}


async def test_tools_that_are_listed_on_several_pages_are_all_found() -> None:
    pages = {None: ("first", "two"), "two": ("second", "three"), "three": ("ask", None)}

    async def handle(request: web.Request) -> web.StreamResponse:
        call = await request.json()
        if "id" not in call:
            return web.Response(status=202)
        result: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {}}
        if call["method"] == "tools/list":
            name, following = pages[call.get("params", {}).get("cursor")]
            result = {"tools": [{**TOOL, "name": name}], **({"nextCursor": following} if following else {})}
        elif call["method"] == "tools/call":
            result = said(call["params"]["name"])
        return web.json_response({"jsonrpc": "2.0", "id": call["id"], "result": result})

    async with serving(handle) as server:
        agent = load(server.url, {"tool": "ask"})
        assert [tool.name for tool in await agent.list_tools()] == ["first", "second", "ask"]
        assert (await agent.reply(ASKED)).text == "ask"
        await agent.close()


async def test_a_server_that_keeps_no_sessions_is_greeted_once() -> None:
    async with asking(lambda call: said("yes")) as (agent, server):
        await asyncio.gather(*(agent.reply(Request(question="?", conversation=name)) for name in "abc"))
    methods = server.methods()
    assert methods[:3] == ["initialize", "notifications/initialized", "tools/list"]
    assert methods[3:] == ["tools/call"] * 3
    assert {headers.get("MCP-Protocol-Version") for _, headers in server.calls[1:]} == {"2025-06-18"}


async def test_each_conversation_has_a_session_of_its_own_which_ends_with_it() -> None:
    async with asking(lambda call: said("yes"), sessions=True) as (agent, server):
        for conversation in ("a", "b", "a"):
            await agent.reply(Request(question="?", conversation=conversation))
        called = [headers["Mcp-Session-Id"] for call, headers in server.calls if call["method"] == "tools/call"]
        before = sum(each.startswith("DELETE") for each in server.requests)
        await agent.forget("a")
        assert sum(each.startswith("DELETE") for each in server.requests) == before + 1
    assert called[0] == called[2] != called[1]
    assert sum(each.startswith("DELETE") for each in server.requests) == before + 2


@pytest.mark.parametrize(
    "body", ['{"jsonrpc":"2.0","error":{"code":-32600,"message":"gone"}}', "", "{}", "Session not found"]
)
async def test_a_session_that_the_server_has_forgotten_is_made_anew(body: str) -> None:
    answers = iter([web.Response(status=404, text=body), said("yes")])
    async with asking(lambda call: next(answers), sessions=True) as (agent, server):
        assert (await agent.reply(ASKED)).text == "yes"
    assert server.methods()[-4:] == ["tools/call", "initialize", "notifications/initialized", "tools/call"]


async def test_a_server_that_knows_no_new_session_either_is_misconfigured() -> None:
    async with asking(lambda call: web.Response(status=404), sessions=True) as (agent, server):
        with pytest.raises(Misconfigured, match="404"):
            await agent.reply(ASKED)
    assert server.methods().count("tools/call") == 2


@pytest.mark.parametrize("code", [-32601, -32602, -32022])
async def test_a_server_of_the_modern_age_needs_no_handshake(code: int) -> None:
    async with asking(lambda call: said("yes", resultType="complete"), modern=code) as (agent, server):
        assert (await agent.reply(ASKED)).text == "yes"
    assert server.methods() == ["initialize", "server/discover", "tools/list", "tools/call"]
    call, headers = server.calls[-1]
    assert call["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    routing = ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name")
    assert [headers[name] for name in routing] == ["2026-07-28", "tools/call", "ask"]


@pytest.mark.parametrize(
    ("code", "discovered", "kind", "words"),
    [
        (-32603, UNKNOWN, AgentFault, "initialize with error -32603: no handsh"),
        (-32022, UNKNOWN, Misconfigured, "speaks no version to 2026-07-28: error -32022"),
        (-32601, {"supportedVersions": ["2031-01-01"]}, Misconfigured, "speaks 2031-01-01; expected 2026-07-28"),
    ],
)
async def test_a_server_that_can_be_spoken_to_in_neither_way_is_told_apart(
    code: int, discovered: dict[str, Any], kind: type[CallError], words: str
) -> None:
    refusal = {"jsonrpc": "2.0", "id": 2, "error": discovered}
    answered = web.json_response(refusal) if "code" in discovered else discovered
    async with asking(lambda call: None, modern=code, discovered=answered) as (agent, _):
        with pytest.raises(kind, match=words):
            await agent.reply(ASKED)


async def test_a_stream_whose_rest_is_not_to_be_had_was_dropped() -> None:
    def answer(call: dict[str, Any]) -> web.Response:
        return web.Response(text="id: 7\nretry: 1\ndata:\n\n", content_type="text/event-stream")

    async with asking(answer) as (agent, server):
        with pytest.raises(AgentFault, match="without an answer to tools/call") as caught:
            await agent.reply(ASKED)
    assert caught.value.kind == "dropped"
    assert server.methods().count("tools/call") == 1
    assert server.requests[-1].startswith("GET")


async def test_a_server_is_told_that_nobody_waits_for_its_answer_any_more() -> None:
    called = asyncio.Event()

    async def handle(request: web.Request) -> web.StreamResponse:
        call = await request.json()
        if "id" not in call:
            heard.append(call)
            return web.Response(status=202)
        result: dict[str, Any] = {"tools": [TOOL]} if call["method"] == "tools/list" else {}
        if call["method"] == "tools/call":
            numbers.append(call["id"])
            called.set()
            await asyncio.Event().wait()
        return web.json_response({"jsonrpc": "2.0", "id": call["id"], "result": result})

    heard: list[dict[str, Any]] = []
    numbers: list[int] = []
    async with serving(handle) as server:
        agent = load(server.url, {})
        waiting = asyncio.ensure_future(agent.reply(ASKED))
        await called.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await agent.close()
    assert heard[-1]["method"] == "notifications/cancelled"
    assert [heard[-1]["params"]["requestId"]] == numbers


async def test_arguments_are_filled_in_and_what_is_not_there_is_left_out() -> None:
    options = {"argument": "question", "arguments": {"k": 3, "about": "{{context}}", "trial": "{{trial}}"}}
    async with asking(lambda call: said("yes"), options) as (agent, server):
        await agent.reply(Request(question="Where?", conversation="a", context="A trip."))
        await agent.reply(Request(question="Why?", conversation="b", trial=2))
        assert agent.takes_request
    calls = [call["params"]["arguments"] for call, _ in server.calls if call["method"] == "tools/call"]
    assert calls[0] == {"question": "Where?", "k": 3, "about": "A trip.", "trial": 1}
    assert calls[1] == {"question": "Why?", "k": 3, "trial": 2}


async def test_a_template_that_has_the_question_needs_no_argument() -> None:
    async with asking(lambda call: said("yes"), {"arguments": {"prompt": "Q: {{question}}"}}) as (agent, server):
        await agent.reply(ASKED)
    assert server.calls[-1][0]["params"]["arguments"] == {"prompt": "Q: What is it?"}


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (said("Paris"), "Paris"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]}, "a\nb"),
        (said("", structuredContent={"result": "x"}), ""),
        ({"content": [], "structuredContent": {"result": "Paris"}}, "Paris"),
        ({"content": [], "structuredContent": {"city": "Paris"}}, '{"city":"Paris"}'),
        ({"content": [], "structuredContent": "Paris"}, "Paris"),
        ({"content": [{"type": "resource", "resource": {"uri": "a:b", "text": "Paris"}}]}, "Paris"),
        ({"content": [{"type": "resource", "resource": {"uri": "a:b", "blob": "eA=="}}, {"type": "resource"}]}, ""),
        (said('{"text": "Paris"}'), "Paris"),
        (said('{"city": "Paris"}'), '{"city": "Paris"}'),
        (said("ignored", structuredContent={"text": "Paris"}), "Paris"),
        ({"content": []}, ""),
    ],
)  # fmt: skip
async def test_text_and_structured_content_are_both_read(result: Any, text: str) -> None:
    async with asking(lambda call: result) as (agent, _):
        assert (await agent.reply(ASKED)).text == text


async def test_structured_content_tells_of_tool_calls_and_citations() -> None:
    told = {"text": "Paris", "tool_calls": [{"name": "find"}], "citations": ["a.md"], "usage": {"prompt_tokens": 5}}
    async with asking(lambda call: said("x", structuredContent=told)) as (agent, _):
        reply = await agent.reply(ASKED)
    assert (reply.tool_calls[0].name, reply.citations[0].source) == ("find", "a.md")
    assert reply.usage is not None
    assert reply.usage.input_tokens == 5


def error(code: int, message: str, status: int = 200) -> web.Response:
    return web.json_response({"jsonrpc": "2.0", "id": 3, "error": {"code": code, "message": message}}, status=status)


def events(*messages: dict[str, Any]) -> web.Response:
    text = "".join(f"data: {json.dumps(message)}\n\n" for message in messages)
    return web.Response(text=text, content_type="text/event-stream")


@pytest.mark.parametrize(
    ("result", "kind", "words"),
    [
        (said("out of paper", isError=True), AgentFault, "the tool 'ask' failed: out of paper"),
        ({"content": [], "isError": True}, AgentFault, "failed: it gave no reason"),
        ({"resultType": "input_required"}, AgentFault, "asks for further input"),
        (error(-32602, "no such thing"), AgentFault, "tools/call with error -32602: no such thing"),
        (error(-32602, "no such thing", status=400), AgentFault, "error -32602: no such thing"),
        (error(-32601, "?", status=404), Misconfigured, "does not know tools/call"),
        (events({"method": "notifications/progress"}), AgentFault, "without an answer to tools/call"),
        (web.json_response({"id": 3, "result": 1}), AgentFault, "neither a result nor an error"),
        (web.Response(text="<p>", content_type="text/html"), AgentFault, "the reply is 'text/html'"),
        (web.Response(status=503), EnvironmentFault, "503"),
        (web.Response(status=401), Misconfigured, "401"),
        (web.Response(status=404), Misconfigured, "404"),
        (web.Response(status=500, text="boom"), AgentFault, "500 .*boom"),
    ],
)
async def test_whose_failure_it_is(result: Any, kind: type[CallError], words: str) -> None:
    async with asking(lambda call: result) as (agent, _):
        with pytest.raises(kind, match=words):
            await agent.reply(ASKED)


async def test_a_server_that_asks_us_for_something_is_told_that_we_have_it_not() -> None:
    def answer(call: dict[str, Any]) -> web.Response:
        return events(
            {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "thinking"}},
            {"jsonrpc": "2.0", "id": "x", "method": "sampling/createMessage", "params": {}},
            {"jsonrpc": "2.0", "id": "y", "method": "ping"},
            {"jsonrpc": "2.0", "id": call["id"], "result": said("yes")},
        )

    heard: list[dict[str, Any]] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        call = await request.json()
        if "method" not in call:
            heard.append(call)
            return web.Response(status=202)
        if "id" not in call:
            return web.Response(status=202)
        result = {"tools": [TOOL]} if call["method"] == "tools/list" else {}
        if call["method"] == "tools/call":
            return answer(call)
        return web.json_response({"jsonrpc": "2.0", "id": call["id"], "result": result})

    async with serving(handle) as server:
        agent = load(server.url, {})
        assert (await agent.reply(ASKED)).text == "yes"
        await agent.close()
    assert [(each["id"], "error" in each) for each in heard] == [("x", True), ("y", False)]


async def test_headers_are_sent_and_never_shown() -> None:
    result = said("I was given hush-hush-hush", isError=True)
    headers = {"Authorization": "Bearer hush-hush-hush"}
    async with asking(lambda call: result, {"headers": headers}) as (agent, server):
        with pytest.raises(AgentFault) as caught:
            await agent.reply(ASKED)
    assert {headers["Authorization"] for _, headers in server.calls} == {"Bearer hush-hush-hush"}
    assert "hush" not in str(caught.value)


async def test_a_reply_that_is_too_large_is_the_agents_fault() -> None:
    async with asking(lambda call: said("x" * 20_000), {"max_bytes": 10_000}) as (agent, _):
        with pytest.raises(AgentFault, match="more than 10,000 bytes"):
            await agent.reply(ASKED)


async def test_a_server_without_tools_stops_the_run() -> None:
    async with asking(lambda call: None, tools=()) as (agent, _):
        with pytest.raises(Misconfigured, match="offers no tools"):
            await agent.reply(ASKED)


# --- with programs of our own -------------------------------------------------------------------


def program(body: str) -> str:
    """A server whose tool does this with each call, `say` being its answer."""
    code = dedent("""
        import json, os, sys
        def say(call, text):
            send({"jsonrpc": "2.0", "id": call["id"], "result": {"content": [{"type": "text", "text": text}]}})
        def send(message):
            print(json.dumps(message), flush=True)
        for line in sys.stdin:
            call = json.loads(line)
            method = call.get("method")
            if method == "initialize":
                send({"jsonrpc": "2.0", "id": call["id"], "result": {"protocolVersion": "2025-11-25"}})
            elif method == "tools/list":
                tool = {"name": "ask", "inputSchema": {"properties": {"question": {"type": "string"}}}}
                send({"jsonrpc": "2.0", "id": call["id"], "result": {"tools": [tool]}})
            elif method == "tools/call":
                question = call["params"]["arguments"]["question"]
    """)
    code += "".join(f"        {line}\n" for line in body.strip().splitlines())
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


async def test_a_program_that_dies_is_started_and_greeted_again() -> None:
    agent = load(program("sys.exit(3) if question == 'die' else say(call, str(os.getpid()))"), {})
    before = await agent.reply(ASKED)
    with pytest.raises(AgentFault, match="exit code 3"):
        await agent.reply(Request(question="die", conversation="x"))
    after = await agent.reply(ASKED)
    await agent.close()
    assert before.text != after.text


async def test_a_program_that_is_no_mcp_server_is_said_to_be_none() -> None:
    agent = load(f"{shlex.quote(sys.executable)} -c {shlex.quote('print(input() and 5); input()')}", {"restarts": 1})
    with pytest.raises(AgentFault, match="the program printed '5'; expected one line of JSON"):
        await agent.reply(ASKED)
    await agent.close()


async def test_a_program_that_dies_at_once_is_not_started_for_ever() -> None:
    agent = load(f"{shlex.quote(sys.executable)} -c {shlex.quote('raise SystemExit(9)')}", {"restarts": 1})
    for _ in range(2):
        with pytest.raises(AgentFault, match="exit code 9"):
            await agent.reply(ASKED)
    with pytest.raises(Misconfigured, match="2 times in a row"):
        await agent.reply(ASKED)
    await agent.close()


async def test_a_program_may_notify_and_ask_in_between() -> None:
    body = """
send({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
say(call, json.loads(sys.stdin.readline())["result"].__repr__())
"""
    agent = load(program(body), {})
    assert (await agent.reply(ASKED)).text == "{}"
    await agent.close()


async def test_a_program_is_told_that_nobody_waits_for_its_answer_any_more() -> None:
    body = """
if question == "wait": waited = call["id"]
elif question == "told?": say(call, str(json.loads(given)["params"]["requestId"] == waited))
else: say(call, "quick"); given = sys.stdin.readline()
"""
    agent = load(program(body), {})
    waiting = asyncio.ensure_future(agent.reply(Request(question="wait", conversation="a")))
    await asyncio.sleep(0.5)
    assert (await agent.reply(Request(question="quick", conversation="b"))).text == "quick"
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (await agent.reply(Request(question="told?", conversation="c"))).text == "True"
    await agent.close()


@pytest.mark.parametrize(
    ("spec", "options", "words"),
    [
        ("", {}, "mcp: names no program"),
        ("no-such-program-anywhere", {}, "no program 'no-such-program-anywhere'"),
        ("http://user:pass@x", {}, "holds a user or password"),
        ("http://x/{{question}}", {}, "placeholders"),
        ("http://x", {"tools": "ask"}, "did you mean 'tool'"),
        ("http://x", {"restarts": 2}, "'restarts' has no effect for a server that is an address"),
        ("cat", {"headers": {}}, "'headers' has no effect for a server that is a program"),
        ("http://x", {"tool": 1}, "tool is a int; expected text"),
        ("http://x", {"arguments": "x"}, "arguments is not a table"),
        ("http://x", {"arguments": {"a": "{{questoin}}"}}, "did you mean {{question}}"),
    ],
)
def test_a_wrong_setting_is_said_before_the_first_question(spec: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        load(spec, options)
