"""HTTP endpoints as agents: what is sent, what is read, and what is said of mistakes."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from tests.net.serving import Handler, Server, serving

from proctor.agents.http import load, load_secure
from proctor.agents.http.agent import HttpAgent
from proctor.errors import AgentFault, CallError, EnvironmentFault, InputError, Misconfigured
from proctor.roles import Agent
from proctor.transcript import Reply, Request, Turn

ASKED = Request(
    question='Which "one"?',
    conversation="run/exam/1",
    context="so far",
    history=(Turn(number=1, question="Who?", reply=Reply(text="Ada")), Turn(number=2, question="And?")),
    case="c1",
    turn=3,
    trial=2,
)
SPOKEN = [
    {"role": "user", "content": "Who?"},
    {"role": "assistant", "content": "Ada"},
    {"role": "user", "content": "And?"},
]


@asynccontextmanager
async def agent_at(handler: Handler, path: str = "/ask", **options: Any) -> AsyncIterator[tuple[Agent, Server]]:
    """An agent that asks a server of the handler."""
    async with serving(handler) as server:
        agent = load(f"{server.url.removeprefix('http:')}{path}", options)
        try:
            yield agent, server
        finally:
            await agent.close()


def answering(body: Any, **response: Any) -> Handler:
    async def answer(_: web.Request) -> web.Response:
        return web.json_response(body, **response)

    return answer


async def mirror(request: web.Request) -> web.Response:
    """What arrived, as text."""
    body = await request.text()
    said = {"query": dict(request.query), "body": json.loads(body) if body[:1] in ("{", "[") else body}
    said["headers"] = {name: value for name, value in request.headers.items() if name.startswith("X-")}
    said["type"] = request.content_type
    said["path"] = request.raw_path
    return web.json_response({"text": json.dumps(said)})


async def arrived(path: str = "/ask", request: Request = ASKED, **options: Any) -> dict[str, Any]:
    async with agent_at(mirror, path, **options) as (agent, _):
        said: dict[str, Any] = json.loads((await agent.reply(request)).text)
        return said


async def reply_to(body: Any, **options: Any) -> Reply:
    async with agent_at(answering(body), **options) as (agent, _):
        return await agent.reply(ASKED)


# --- what is sent ------------------------------------------------------------------------------


async def test_without_options_the_request_is_sent_as_json() -> None:
    said = await arrived()
    assert said["type"] == "application/json"
    assert said["body"] == {
        "question": ASKED.question,
        "context": "so far",
        "history": SPOKEN,
        "conversation": "run/exam/1",
    }


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "put"])
async def test_the_method_is_the_one_that_is_said(method: str) -> None:
    async with agent_at(mirror, method=method) as (agent, server):
        said = json.loads((await agent.reply(ASKED)).text)
    assert server.requests == [f"{method.upper()} /ask"]
    assert said["body"]["question"] == ASKED.question


async def test_a_get_has_the_question_in_its_query_and_no_body() -> None:
    headers = {"Content-Type": "application/json", "X-Kept": "yes"}
    async with agent_at(mirror, method="GET", query={"q": "{{question}}"}, headers=headers) as (agent, server):
        said = json.loads((await agent.reply(ASKED)).text)
    assert server.requests[0].startswith("GET /ask?q=")
    assert (said["query"], said["body"], said["headers"]) == ({"q": ASKED.question}, "", {"X-Kept": "yes"})
    assert said["type"] == "application/octet-stream", "what has no body says nothing of its type"


async def test_tokens_that_a_reply_tells_count_against_the_tokens_a_minute() -> None:
    used = {"text": "yes", "usage": {"input_tokens": 2_500, "output_tokens": 500}}
    async with agent_at(answering(used), tokens_per_minute=60_000) as (agent, _):
        assert isinstance(agent, HttpAgent)
        await agent.reply(ASKED)
        bucket = agent._throttle._tokens
        assert bucket is not None
        assert bucket.take(0, now=time.monotonic()) > 1.0, "3,000 of 1,000 a second are used: two are owed"


async def test_a_placeholder_alone_becomes_the_value_and_within_text_is_text() -> None:
    body = {
        "a": "{{ trial }}",
        "b": ["say: {{question}} ({{turn}})", {"c": "{{condition}}"}],
        "d": True,
        "e": "{{case}}",
    }
    said = await arrived(body=body)
    assert said["body"] == {"a": 2, "b": ['say: Which "one"? (3)', {"c": None}], "d": True, "e": "c1"}


async def test_messages_are_context_history_and_question() -> None:
    said = await arrived(body={"messages": "{{messages}}"})
    assert said["body"]["messages"] == [
        {"role": "system", "content": "so far"},
        *SPOKEN,
        {"role": "user", "content": ASKED.question},
    ]


async def test_a_body_written_as_json_text_is_a_structure() -> None:
    said = await arrived(body='{"q": "{{question}}", "h": "{{history}}"}')
    assert said["body"] == {"q": ASKED.question, "h": SPOKEN}


async def test_a_body_of_text_is_sent_as_text() -> None:
    said = await arrived(body="Q: {{question}} H: {{history}} N: {{condition}}.")
    assert said["type"] == "text/plain"
    assert said["body"].startswith('Q: Which "one"? H: [{"role":"user"')
    assert said["body"].endswith("N: .")


async def test_what_is_put_in_is_not_looked_at_again() -> None:
    sly = Request(question="{{context}} {{nonsense}} ${HOME}", conversation="one", context="a secret")
    assert (await arrived(body={"q": "{{question}}!"}, request=sly))["body"] == {"q": sly.question + "!"}


async def test_address_query_and_headers_take_placeholders_too() -> None:
    said = await arrived(
        "/ask/{{conversation}}?fixed=1&turn={{turn}}",
        method="get",
        query={"q": "{{question}}", "n": 5},
        headers={"X-Trial": "trial {{trial}}"},
    )
    assert said["path"].startswith("/ask/run%2Fexam%2F1?")
    assert said["query"] == {"fixed": "1", "turn": "3", "q": ASKED.question, "n": "5"}
    assert said["headers"]["X-Trial"] == "trial 2"
    assert said["body"] == ""


async def test_a_question_cannot_add_a_header() -> None:
    sly = Request(question="one\r\nX-Evil: yes", conversation="one")
    said = await arrived(headers={"X-Question": "{{question}}"}, request=sly)
    assert said["headers"] == {"X-Question": "one  X-Evil: yes"}


async def test_half_a_surrogate_pair_is_sent_all_the_same() -> None:
    odd = Request(question="a\ud800b", conversation="one")
    said = await arrived(query={"q": "{{question}}"}, body={"q": "{{question}}"}, request=odd)
    assert (said["query"]["q"], said["body"]["q"]) == ("a?b", "a?b")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, True),
        ({"body": {"q": "{{question}}"}}, False),
        ({"body": {"q": "{{question}}", "id": "{{conversation}}"}}, False),
        ({"body": {"q": "{{question}}", "c": "{{context}}"}}, True),
        ({"body": {"m": ["{{messages}}"]}}, True),
        ({"body": {"q": "{{question}}"}, "query": {"h": "{{history}}"}}, True),
    ],
)
def test_whether_it_is_handed_context_and_history_follows_from_what_is_sent(
    options: dict[str, Any], expected: bool
) -> None:
    assert load("//127.0.0.1/ask", options).takes_request is expected


def test_the_scheme_is_kept_and_the_name_has_no_query() -> None:
    assert load("//host/ask?mode=fast", {}).name == "http://host/ask"
    assert load_secure("//host/ask", {}).name == "https://host/ask"


# --- what is read ------------------------------------------------------------------------------

CALL = {"name": "find", "arguments": {"q": "x"}, "result": None}
OPENAI = {
    "choices": [
        {
            "message": {
                "role": "assistant",
                "content": "yes",
                "tool_calls": [
                    {"id": "7", "type": "function", "function": {"name": "find", "arguments": '{"q": "x"}'}}
                ],
            }
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
}


@pytest.mark.parametrize(
    "body",
    [
        "yes",
        {"text": "yes"},
        {"answer": "yes", "confidence": 0.5},
        {"output": "yes"},
        {"reply": "yes"},
        {"content": "yes"},
        {"response": {"text": "yes"}},
        {"content": [{"type": "text", "text": "y"}, {"type": "tool_use", "id": "1"}, {"type": "text", "text": "es"}]},
        {"output": [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": "yes"}]}]},
        OPENAI,
    ],
)
async def test_the_shapes_that_are_common_need_no_options(body: Any) -> None:
    assert (await reply_to(body)).text == "yes"


async def test_a_whole_reply_is_taken_as_one_with_nulls_left_out() -> None:
    body = {
        "text": "yes",
        "tool_calls": [CALL],
        "citations": [{"source": "a.md", "quote": "q"}, "b.md"],
        "steps": [{"id": "1", "kind": "plan", "name": "think", "parent": None, "usage": None}],
        "usage": {"input_tokens": 1, "output_tokens": 2, "cost": 0.5},
        "session": None,
    }
    reply = await reply_to(body)
    assert (reply.tool_calls[0].arguments, reply.tool_calls[0].result_known) == ({"q": "x"}, True)
    assert [(each.source, each.quote) for each in reply.citations] == [("a.md", "q"), ("b.md", None)]
    assert reply.steps[0].name == "think"
    assert reply.usage is not None
    assert (reply.usage.output_tokens, reply.usage.cost) == (2, 0.5)
    assert (await reply_to({"text": "yes", "tool_calls": None, "usage": None})).tool_calls == ()


async def test_a_chat_completion_tells_its_tools_and_tokens() -> None:
    reply = await reply_to(OPENAI)
    assert [(call.name, call.arguments, call.id) for call in reply.tool_calls] == [("find", {"q": "x"}, "7")]
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (3, 4)


@pytest.mark.parametrize("options", [{}, {"text": "choices[0].message.content"}])
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("the model is overloaded", EnvironmentFault),
        ({"message": "Busy", "code": 503}, EnvironmentFault),
        ({"message": "Oops", "code": 500}, AgentFault),
        ("Oops", AgentFault),
    ],
)
async def test_an_error_in_place_of_a_reply_is_a_failure_by_that_error(
    error: Any, kind: type[CallError], options: dict[str, Any]
) -> None:
    async with agent_at(answering({"error": error}), **options) as (agent, _):
        with pytest.raises(kind, match="the reply is an error: "):
            await agent.reply(ASKED)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ({"error": True, "message": "Too many requests"}, EnvironmentFault, "429"),
        ({"error": "upstream", "message": "try later", "code": 503}, EnvironmentFault, "503 .*try later"),
        ({"error": "Oops", "message": "it broke", "status": 500}, AgentFault, "500 .*it broke"),
    ],
)
async def test_the_words_beside_an_error_are_no_reply(body: Any, kind: type[CallError], words: str) -> None:
    async with agent_at(answering(body)) as (agent, _):
        with pytest.raises(kind, match=f"the reply is an error: {words}"):
            await agent.reply(ASKED)


@pytest.mark.parametrize("options", [{}, {"text": "choices[0].message.content"}])
async def test_a_refusal_is_the_reply(options: dict[str, Any]) -> None:
    message = {"content": None, "refusal": "I cannot help with that."}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    async with agent_at(answering(body), **options) as (agent, _):
        reply = await agent.reply(ASKED)
    assert (reply.text, reply.cut_off) == ("I cannot help with that.", False)


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"content": "Par"}, "finish_reason": "length"}]},
        {"content": "Par", "stop_reason": "max_tokens"},
    ],
)
async def test_a_reply_that_reached_the_output_limit_is_cut_off(body: Any) -> None:
    reply = await reply_to(body)
    assert (reply.text, reply.cut_off) == ("Par", True)


async def test_arguments_that_are_no_json_are_kept_as_they_were_written() -> None:
    calls = [{"function": {"name": "find", "arguments": "{oops"}}]
    assert (await reply_to({"text": "", "tool_calls": calls})).tool_calls[0].arguments == {"arguments": "{oops"}


async def test_expressions_say_where_everything_stands() -> None:
    body = {
        "data": {"answer": "yes", "docs": [{"path": "a.md"}, {"path": "b.md"}]},
        "trace": [{"tool": "find", "in": {"q": "x"}}, {"note": "hm"}],
        "tokens": {"in": 1, "out": 2},
    }
    reply = await reply_to(
        body,
        text="data.answer",
        citations="data.docs[].path",
        tool_calls="trace[?tool].{name: tool, arguments: in}",
        usage="{input_tokens: tokens.in, output_tokens: tokens.out}",
        steps="nothing.here",
    )
    assert reply.text == "yes"
    assert [each.source for each in reply.citations] == ["a.md", "b.md"]
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("find", {"q": "x"})]
    assert reply.usage is not None
    assert reply.usage.output_tokens == 2
    assert reply.steps == ()


async def test_an_empty_text_is_a_reply() -> None:
    assert (await reply_to({"answer": ""})).text == ""
    assert (await reply_to({"data": ""}, text="data")).text == ""


async def test_plain_text_is_a_reply_in_its_own_charset() -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(body="größer".encode("latin-1"), headers={"Content-Type": "text/plain; charset=latin-1"})

    async with agent_at(answer) as (agent, _):
        assert (await agent.reply(ASKED)).text == "größer"


async def test_time_spent_waiting_for_our_own_limits_is_not_the_agents() -> None:
    async def think(_: web.Request) -> web.Response:
        await asyncio.sleep(0.05)
        return web.json_response("yes")

    async with agent_at(think, concurrency=1) as (agent, _):
        before = time.perf_counter()
        _, second = await asyncio.gather(agent.reply(ASKED), agent.reply(ASKED))
        both = time.perf_counter() - before
    assert second.seconds is not None
    assert 0.04 < second.seconds < both - 0.04


# --- sessions ----------------------------------------------------------------------------------


async def test_a_session_is_kept_for_its_conversation_until_it_is_over() -> None:
    seen: list[Any] = []

    async def answer(request: web.Request) -> web.Response:
        seen.append((await request.json())["session"])
        return web.json_response({"text": "yes", "meta": {"session": f"s{len(seen)}"} if len(seen) != 2 else {}})

    body = {"q": "{{question}}", "session": "{{session}}"}
    async with agent_at(answer, body=body, session="meta.session") as (agent, _):
        for conversation in ("a", "a", "a", "b"):
            await agent.reply(Request(question="q", conversation=conversation))
        await agent.forget("a")
        await agent.reply(Request(question="q", conversation="a"))
    assert seen == [None, "s1", "s1", None, None]


# --- whose fault it is -------------------------------------------------------------------------


def saying(body: bytes, kind: str, status: int = 200) -> Handler:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=body, headers={"Content-Type": kind}, status=status)

    return answer


@pytest.mark.parametrize(
    ("handler", "options", "words"),
    [
        (saying(b"<html>", "text/html"), {}, "the reply is 'text/html'; expected application/json"),
        (saying(b"\x89PNG", "image/png"), {}, "the reply is 'image/png'"),
        (saying(b"{oops", "application/json"), {}, "the reply is not valid JSON: .*byte 1"),
        (saying(b"yes", "text/plain"), {"text": "a"}, "the reply is not valid JSON"),
        (saying(b"", "application/json"), {}, "the reply is empty; expected JSON"),
        (saying(b"[" * 100_000, "application/json"), {}, "not valid JSON: lists and objects are nested too deeply"),
        (saying(b'{"text": "\xff\xfe"}', "application/json"), {}, "the reply is not UTF-8"),
        (saying(b"\xff\xfe", "text/plain"), {}, "the reply is not utf-8 text"),
        (saying(b"yes", "text/plain; charset=klingon"), {}, "the reply is not klingon text"),
        (answering({"status": "ok", "hidden": "hush"}), {}, r"no text; its keys are \['status', 'hidden'\]; say where"),
        (answering({"a": {"b": "hush"}}), {"text": "a.c"}, r"nothing at text = 'a.c'; its keys are \['a'\]"),
        (answering({"a": {"b": "hush"}}), {"text": "a"}, "no text at text = 'a', but a dict"),
        (answering(["hush"]), {"text": "a"}, "nothing at text = 'a'; it is a list of 1"),
        (answering({"a": "hush"}), {"text": "sum(a)"}, r"text = 'sum\(a\)' does not fit the reply .*keys are \['a'\]"),
        (answering({f"k{n}": "hush" for n in range(99)}), {"text": "a"}, r"'k19'\] and 79 more"),
        (answering({"text": "a", "tool_calls": [{"no": 1}]}), {}, "not a reply: .*name"),
        (answering({"text": "a", "usage": {"cost": -1}}), {}, "usage.cost=-1"),
        (answering({"error": "hush"}, status=500), {}, "answered 500 Internal Server Error"),
        (answering({}, status=422), {}, "answered 422"),
    ],
)
async def test_what_cannot_be_read_is_the_agents_fault_in_one_sentence(
    handler: Handler, options: dict[str, Any], words: str
) -> None:
    async with agent_at(handler, **options) as (agent, _):
        with pytest.raises(AgentFault, match=words) as caught:
            await agent.reply(ASKED)
    if "500" not in words:
        assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "fault"),
    [(429, EnvironmentFault), (503, EnvironmentFault), (401, Misconfigured), (404, Misconfigured), (501, AgentFault)],
)
async def test_a_status_is_whose_fault_the_specification_says(status: int, fault: type[CallError]) -> None:
    async with agent_at(answering({}, status=status)) as (agent, _):
        with pytest.raises(fault, match=f"/ask answered {status}"):
            await agent.reply(ASKED)


async def test_no_message_repeats_what_headers_and_query_carry() -> None:
    async def tell_tales(request: web.Request) -> web.Response:
        return web.json_response(
            [request.headers["X-Key"], request.headers["Authorization"], request.path_qs], status=500
        )

    options: dict[str, Any] = {
        "headers": {"X-Key": "hush-1", "Authorization": "Bearer hush-2"},
        "query": {"key": "hush-3"},
    }
    async with agent_at(tell_tales, **options) as (agent, _):
        with pytest.raises(AgentFault, match="answered 500") as caught:
            await agent.reply(ASKED)
    assert "hush" not in str(caught.value)


# --- options -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"txt": "a"}, "an http agent has no option 'txt'; did you mean 'text'"),
        ({"zzz": "a"}, "an http agent has no option 'zzz'; expected one of method, headers"),
        ({"text": "a..b"}, r"text = 'a..b' is not a valid JMESPath expression: it cannot be read from character 3 on"),
        ({"usage": ""}, "usage = '' is not a valid JMESPath expression"),
        ({"text": 5}, "text is a int; expected a JMESPath expression"),
        ({"body": {"q": ["{{qestion}}"]}}, r"body holds the placeholder {{qestion}}.*did you mean {{question}}\?"),
        ({"body": {"q": "{{a.b}}"}}, "{{a.b}}.*expected one of question"),
        ({"body": '{"q": {{question}}}'}, "body looks like JSON, but is not"),
        ({"method": "DELETE"}, "method='DELETE' is not known; expected POST, GET"),
        ({"method": "GET", "body": "x"}, "a GET request has no body"),
        ({"headers": "X: y"}, "headers is not a table"),
        ({"headers": {"X": ["a"]}}, r"headers\.X is a list; expected text"),
        ({"headers": {"X": "{{what}}"}}, r"headers\.X holds the placeholder {{what}}"),
        ({"stream": "websocket"}, "stream='websocket' is not known"),
        ({"delta": "a"}, 'it needs stream = "sse"'),
        ({"stream": "sse", "poll": {"url": "u", "done": "d"}}, "not both"),
        ({"poll": {"url": "u"}}, "poll has no done"),
        ({"poll": {"url": "u", "done": "d", "evry": 1}}, "poll has no option 'evry'; did you mean 'every'"),
        ({"poll": {"url": "/jobs/{{id}}", "done": "d"}}, r"poll\.url holds the placeholder {{id}}"),
        ({"poll": {"url": "u", "done": "d", "every": 0}}, r"poll\.every=0 is not usable"),
        ({"requests_per_minute": -1}, "requests_per_minute=-1 is not usable"),
        ({"concurrency": True}, "concurrency=True is not usable"),
        ({"proxy": "yes"}, "proxy='yes' is not usable; expected true or false"),
    ],
)
def test_a_wrong_option_is_said_before_the_first_question(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        load("//127.0.0.1/ask", options)


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("", "cannot be used"),
        ("///path", "names no host"),
        ("//user:hush@host/ask", "holds a user or password"),
        ("//host/ask?api_key=hush", "has 'api_key' in its query"),
        ("//host/ask?code=hush", "has 'code' in its query"),
        ("//{{question}}/ask", "a placeholder in its host"),
        ("//host/{{qestion}}", r"did you mean {{question}}\?"),
    ],
)
def test_a_wrong_address_is_said_before_the_first_question_and_shows_no_secret(rest: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        load(rest, {})
    assert "hush" not in str(caught.value)


# --- jobs --------------------------------------------------------------------------------------


def working(rounds: int, **first: Any) -> Callable[[web.Request], Any]:
    """Takes a job and has done it after so many looks."""
    looks = 0

    async def work(request: web.Request) -> web.Response:
        nonlocal looks
        if request.method == "POST":
            return web.json_response({"id": 7, "status": "queued", **first}, status=202)
        looks += 1
        done = looks >= rounds
        return web.json_response({"status": "done" if done else "running", "answer": "yes" if done else None})

    return work


@pytest.mark.parametrize(
    ("first", "poll"),
    [
        ({}, {"url": "/jobs/{{id}}", "id": "id"}),
        ({"links": {"self": "/jobs/7"}}, {"url": "links.self"}),
        ({}, {"url": "join('/', ['/jobs', to_string(id)])"}),
    ],
)
async def test_a_job_is_asked_after_until_it_is_done(first: dict[str, Any], poll: dict[str, Any]) -> None:
    poll = {**poll, "done": "status == 'done'", "every": 0.001}
    async with agent_at(working(3, **first), poll=poll, headers={"X-Key": "k"}) as (agent, server):
        assert (await agent.reply(ASKED)).text == "yes"
    assert server.requests == ["POST /ask", *["GET /jobs/7"] * 3]


async def test_a_job_that_is_done_at_once_is_not_asked_after() -> None:
    async with agent_at(answering({"done": True, "text": "yes"}), poll={"url": "url", "done": "done"}) as (
        agent,
        server,
    ):
        assert (await agent.reply(ASKED)).text == "yes"
    assert server.requests == ["POST /ask"]


@pytest.mark.parametrize(
    ("first", "poll", "fault", "words"),
    [
        ({"status": "broken"}, {"url": "/j", "failed": "status == 'broken'"}, AgentFault, "the job failed"),
        (
            {},
            {"url": "links.self"},
            AgentFault,
            r"nothing at poll\.url = 'links.self'; its keys are \['id', 'status'\]",
        ),
        ({}, {"url": "/jobs/{{id}}", "id": "job"}, AgentFault, r"nothing at poll\.id"),
        ({"u": "ftp://host/"}, {"url": "u"}, AgentFault, "no address that can be asked"),
        ({"u": "http://elsewhere.invalid/j"}, {"url": "u"}, Misconfigured, r"elsewhere\.invalid/j: requests meant"),
    ],
)
async def test_a_job_that_cannot_be_asked_after_says_why(
    first: dict[str, Any], poll: dict[str, Any], fault: type[CallError], words: str
) -> None:
    poll = {"done": "status == 'done'", "every": 0.001, **poll}
    async with agent_at(working(1, **first), poll=poll, headers={"X-Key": "hush"}) as (agent, _):
        with pytest.raises(fault, match=words):
            await agent.reply(ASKED)
