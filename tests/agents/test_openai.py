"""`openai:` agents: what is sent, what is read, and what tools come to."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from tests.models.openai_api import TOKENS, Answer, Api, Refused, Said, api

from proctor import fault_injection as conditions
from proctor.agents.openai import load, load_anthropic, load_compatible, load_google, load_ollama
from proctor.errors import AgentFault, InputError
from proctor.roles import Agent
from proctor.spending.providers import COMPATIBLE_KEY
from proctor.transcript import Citation, Reply, Request, ToolCall, Turn
from proctor.usage import Usage

HERE = "python:tests.agents.test_openai:"
ASKED = Request(question="Which one?", conversation="run/exam/1")
WAYS = [
    pytest.param({"api": way, "stream": stream}, id=f"{way}{'-streamed' if stream else ''}")
    for way in ("chat", "responses")
    for stream in (False, True)
]
PRICES = {"m": {"input": 10.0, "output": 100.0, "cached_input": 1.0}}


# --- tools that the tests hand out --------------------------------------------------------------


def search(query: str, top_k: int = 3) -> list[str]:
    """Find passages.

    Args:
        query: what to look for,
            in plain words
        top_k (int): how many

    Returns:
        the passages
    """
    return [query] * top_k


async def clock() -> str:
    return "noon"


def fail(reason: str) -> None:
    raise LookupError(reason)


ran: list[str] = []
PAUSE = 0.03


def note() -> str:
    ran.append("note")
    return "noted"


async def pause() -> str:
    await asyncio.sleep(PAUSE)
    return "rested"


def thread() -> str:
    return threading.current_thread().name


@conditions.tool
def guarded(query: str) -> str:
    return query


# --- plumbing -----------------------------------------------------------------------------------


@asynccontextmanager
async def asking(*script: Answer, plays: Any = None, **options: Any) -> AsyncIterator[tuple[Agent, Api]]:
    """An agent that asks a scripted server."""
    async with api(*script, plays=plays) as server:
        agent = load("m", {"base_url": server.url, **options})
        try:
            yield agent, server
        finally:
            await agent.close()


async def reply_of(*script: Answer, request: Request = ASKED, **options: Any) -> tuple[Reply, Api]:
    async with asking(*script, **options) as (agent, server):
        return await agent.reply(request), server


def outcomes(body: dict[str, Any]) -> list[str]:
    """What a request tells the model of its tool calls, whichever way it is asked."""
    if "messages" in body:
        return [each["content"] for each in body["messages"] if each["role"] == "tool"]
    return [each["output"] for each in body["input"] if each.get("type") == "function_call_output"]


# --- what is sent -------------------------------------------------------------------------------


async def test_chat_sends_instructions_history_and_question_as_messages() -> None:
    request = Request(
        question="And now?",
        conversation="c",
        context="They spoke of Ada.",
        history=(Turn(number=1, question="Who?", reply=Reply(text="Ada")), Turn(number=2, question="")),
    )
    _, server = await reply_of(Said(text="x"), request=request, system="Be brief.")
    assert server.paths == ["/v1/chat/completions"]
    assert server.bodies == [
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": "Be brief.\n\nSummary of the conversation so far:\nThey spoke of Ada."},
                {"role": "user", "content": "Who?"},
                {"role": "assistant", "content": "Ada"},
                {"role": "user", "content": "And now?"},
            ],
        }
    ]


async def test_responses_sends_instructions_apart_and_leaves_nothing_with_the_provider() -> None:
    request = Request(
        question="And?", conversation="c", history=(Turn(number=1, question="Who?", reply=Reply(text="Ada")),)
    )
    _, server = await reply_of(Said(text="x"), request=request, system="Be brief.", api="responses")
    assert server.paths == ["/v1/responses"]
    assert server.bodies == [
        {
            "model": "m",
            "instructions": "Be brief.",
            "input": [
                {"role": "user", "content": "Who?"},
                {"role": "assistant", "content": "Ada"},
                {"role": "user", "content": "And?"},
            ],
            "store": False,
        }
    ]


@pytest.mark.parametrize("way", WAYS)
async def test_tool_calls_of_earlier_turns_are_part_of_the_history(way: dict[str, Any]) -> None:
    calls = (
        ToolCall(name="search", arguments={"query": "a"}, result=["a"], id="x", step=1),
        ToolCall(name="search", arguments={"query": "b"}, error="none", step=1),
        ToolCall(name="gone", arguments={}, step=2),
    )
    turn = Turn(number=1, question="Who?", reply=Reply(text="Ada", tool_calls=calls))
    request = Request(question="And?", conversation="c", history=(turn,))
    _, server = await reply_of(Said(text="x"), request=request, tools=[f"{HERE}search"], **way)
    sent = server.bodies[0]
    assert outcomes(sent) == ['["a"]', "Error: none"]
    items = sent.get("messages") or sent["input"]
    kinds = [item.get("type") or item["role"] for item in items]
    if way["api"] == "chat":
        assert kinds == ["user", "assistant", "tool", "tool", "assistant", "user"]
        assert [call["id"] for call in items[1]["tool_calls"]] == ["x", "call_2"]
    else:
        assert kinds == ["user", *["function_call"] * 2, *["function_call_output"] * 2, "assistant", "user"]


async def test_settings_and_other_parameters_are_sent() -> None:
    settings: dict[str, Any] = {"temperature": 0.5, "seed": 7, "max_output_tokens": 99, "parameters": {"top_p": 0.9}}
    _, server = await reply_of(Said(text="x"), **settings)
    sent = {name: value for name, value in server.bodies[0].items() if name not in ("model", "messages")}
    assert sent == {"temperature": 0.5, "seed": 7, "max_tokens": 99, "top_p": 0.9}


async def test_half_a_surrogate_pair_can_be_asked() -> None:
    _, server = await reply_of(Said(text="x"), request=Request(question="a\ud800b", conversation="c"))
    assert server.bodies[0]["messages"][0]["content"] == "a?b"


async def test_a_key_is_sent_and_openais_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv("MY_KEY", "of-mine-alone")
    monkeypatch.delenv(COMPATIBLE_KEY, raising=False)
    _, server = await reply_of(Said(text="x"))
    assert "Authorization" not in server.headers[0]
    _, server = await reply_of(Said(text="x"), key_env="MY_KEY", headers={"X-Team": "eval"})
    assert server.headers[0]["Authorization"] == "Bearer of-mine-alone"
    assert server.headers[0]["X-Team"] == "eval"
    monkeypatch.setenv(COMPATIBLE_KEY, "compatible-key")
    _, server = await reply_of(Said(text="x"))
    assert server.headers[0]["Authorization"] == "Bearer compatible-key"


async def test_other_servers_are_named_by_model_and_address() -> None:
    async with api(Said(text="x")) as server:
        agent = load_compatible(f"org/model:tag@{server.url}", {})
        assert (await agent.reply(ASKED)).text == "x"
        await agent.close()
    assert agent.name == f"openai-compatible:org/model:tag@{server.url}"
    assert server.bodies[0]["model"] == "org/model:tag"


@pytest.mark.parametrize(
    ("make", "name", "keys"),
    [
        (load_anthropic, "anthropic:m", ["ANTHROPIC_API_KEY"]),
        (load_google, "google:m", ["GOOGLE_API_KEY", "GEMINI_API_KEY"]),
        (load_ollama, "ollama:m", []),
    ],
)
async def test_providers_that_speak_the_protocol_are_named_by_their_model(
    make: Callable[..., Agent], name: str, keys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in [*keys, COMPATIBLE_KEY]:
        monkeypatch.delenv(key, raising=False)
    if keys:
        with pytest.raises(InputError, match=f"set the environment variable {' or '.join(keys)}"):
            make("m", {})
        monkeypatch.setenv(keys[-1], "the-key-of-it")
    assert make("m", {}).name == name
    async with api(Said(text="x")) as server:
        agent = make("m", {"base_url": server.url})
        assert (await agent.reply(ASKED)).text == "x"
        await agent.close()
    assert "Authorization" not in server.headers[0]


async def test_ollama_is_found_where_its_own_programs_find_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with api(Said(text="x"), Said(text="y")) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url.removesuffix("/v1"))
        agent = load_ollama("m", {})
        assert (await agent.reply(ASKED)).text == "x"
        await agent.close()
        monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
        agent = load_ollama("m", {"base_url": server.url})
        assert (await agent.reply(ASKED)).text == "y"
        await agent.close()


# --- what is read -------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
async def test_text_usage_and_price_come_back(way: dict[str, Any]) -> None:
    reply, _ = await reply_of(Said(text="It is Ada, of course."), prices=PRICES, **way)
    assert reply.text == "It is Ada, of course."
    assert reply.tool_calls == ()
    sent, received = TOKENS
    cost = (20 * 10 + 50 * 1 + 30 * 100) / 1e6
    assert reply.usage is not None
    assert replace(reply.usage, cost=None) == Usage(input_tokens=sent, output_tokens=received, calls=1)
    assert reply.usage.cost == pytest.approx(cost)
    assert (reply.first_token is not None) == way["stream"]
    assert reply.seconds is not None


@pytest.mark.parametrize("way", WAYS)
async def test_an_unknown_price_is_unknown_and_so_are_tokens_that_nobody_counted(way: dict[str, Any]) -> None:
    reply, _ = await reply_of(Said(text="x"), **way)
    assert reply.usage is not None
    assert reply.usage.cost is None
    reply, _ = await reply_of(Said(text="x", counted=False), prices=PRICES, **way)
    assert reply.usage == Usage(calls=1, cost=None)


@pytest.mark.parametrize("way", WAYS)
async def test_an_empty_reply_is_a_reply(way: dict[str, Any]) -> None:
    reply, _ = await reply_of(Said(text=""), **way)
    assert reply.text == ""


async def test_citations_are_read_either_way() -> None:
    url = "https://example.org/a"
    noted = {"type": "url_citation", "url_citation": {"url": url, "title": "A"}}
    reply, _ = await reply_of(Said(text="x", extra=[noted]))
    assert reply.citations == (Citation(source=url),)
    part = {"type": "output_text", "text": "y", "annotations": [{"type": "url_citation", "url": url}]}
    item = {"type": "message", "content": [part]}
    reply, _ = await reply_of(Said(text="x", extra=[item]), api="responses")
    assert (reply.text, reply.citations) == ("yx", (Citation(source=url),))


async def test_tools_that_the_server_runs_are_seen() -> None:
    searched = {"type": "web_search_call", "id": "w1", "action": {"type": "search", "query": "ada"}}
    asked = {"type": "mcp_call", "id": "m1", "name": "find", "arguments": '{"q": 1}', "output": "found"}
    declared = {"type": "web_search"}
    reply, server = await reply_of(Said(text="x", extra=[searched, asked]), api="responses", tools=[declared])
    assert server.bodies[0]["tools"] == [declared]
    assert reply.tool_calls == (
        ToolCall(name="web_search", arguments={"type": "search", "query": "ada"}, id="w1"),
        ToolCall(name="find", arguments={"q": 1}, result="found", id="m1"),
    )


# --- tools --------------------------------------------------------------------------------------


async def test_a_tool_is_described_by_signature_and_docstring() -> None:
    _, server = await reply_of(Said(text="x"), tools=[f"{HERE}search"])
    (declared,) = server.bodies[0]["tools"]
    assert declared == {
        "type": "function",
        "function": {
            "name": "search",
            "description": "Find passages.",
            "parameters": {
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "what to look for, in plain words"},
                    "top_k": {"type": "integer", "default": 3, "description": "how many"},
                },
                "required": ["query"],
                "additionalProperties": False,
            },
        },
    }
    _, server = await reply_of(Said(text="x"), tools=[f"{HERE}search"], api="responses")
    assert server.bodies[0]["tools"] == [{"type": "function", **declared["function"]}]


@pytest.mark.parametrize("way", WAYS)
async def test_tools_are_run_until_the_model_answers(way: dict[str, Any]) -> None:
    script = [
        Said(calls=(("search", {"query": "ada", "top_k": 1}), ("clock", {}))),
        Said(text="Let me see.", calls=(("search", {"query": "lovelace"}),)),
        Said(text="Ada."),
    ]
    reply, server = await reply_of(*script, tools=[f"{HERE}search", f"{HERE}clock"], prices=PRICES, **way)
    assert reply.text == "Ada."
    assert [(call.name, call.result, call.step) for call in reply.tool_calls] == [
        ("search", ["ada"], 1),
        ("clock", "noon", 1),
        ("search", ["lovelace"] * 3, 2),
    ]
    assert all(call.result_known and call.id and call.seconds is not None for call in reply.tool_calls)
    assert reply.usage is not None
    assert (reply.usage.calls, reply.usage.input_tokens) == (3, 3 * TOKENS[0])
    assert outcomes(server.bodies[2]) == ['["ada"]', "noon", '["lovelace","lovelace","lovelace"]']
    items = server.bodies[2].get("messages") or server.bodies[2]["input"]
    spoken = json.dumps(items)
    assert "Let me see." in spoken
    assert '"fc1"' not in spoken  # an id would be looked for in what the provider has not stored


@pytest.mark.parametrize("way", WAYS)
async def test_an_error_of_a_tool_is_handed_back_to_the_model(way: dict[str, Any]) -> None:
    wrong = [
        ("fail", {"reason": "not there"}, "LookupError: not there"),
        ("gone", {}, "there is no tool 'gone'; expected one of fail, search"),
        ("search", "{", "the arguments are not a JSON object: "),
        ("search", {"q": 1}, "query: Missing required argument; q: Unexpected keyword argument"),
        ("search", {"query": "x", "top_k": "many"}, "top_k: Input should be a valid integer"),
    ]
    script = [Said(calls=tuple((name, arguments) for name, arguments, _ in wrong)), Said(text="Sorry.")]
    reply, server = await reply_of(*script, tools=[f"{HERE}fail", f"{HERE}search"], **way)
    assert reply.text == "Sorry."
    told = outcomes(server.bodies[1])
    for call, heard, (name, _, error) in zip(reply.tool_calls, told, wrong, strict=True):
        assert call.name == name
        assert call.error is not None
        assert call.error.startswith(error)
        assert not call.result_known
        assert heard == f"Error: {call.error}"
    assert reply.tool_calls[2].arguments == {"arguments": "{"}


async def test_a_blocking_tool_does_not_hold_up_the_others() -> None:
    reply, _ = await reply_of(Said(calls=(("thread", {}),)), Said(text="x"), tools=[f"{HERE}thread"])
    assert reply.tool_calls[0].result == "proctor-call"


async def test_no_tool_is_run_after_the_last_round() -> None:
    ran.clear()
    async with asking(plays=lambda _: Said(calls=(("note", {}),)), tools=[f"{HERE}note"], max_tool_rounds=2) as (
        agent,
        _,
    ):
        with pytest.raises(AgentFault, match="after 2 rounds"):
            await agent.reply(ASKED)
    assert len(ran) == 2


async def test_the_first_token_of_an_answer_comes_after_its_tools() -> None:
    script = Said(calls=(("pause", {}),)), Said(text="So it is.")
    reply, _ = await reply_of(*script, tools=[f"{HERE}pause"], stream=True)
    assert reply.first_token is not None
    assert reply.seconds is not None
    assert PAUSE <= reply.first_token <= reply.seconds


async def test_a_model_that_never_stops_calling_tools_fails_and_what_it_spent_is_known() -> None:
    async with asking(
        plays=lambda _: Said(calls=(("clock", {}),)), tools=[f"{HERE}clock"], max_tool_rounds=2, prices=PRICES
    ) as (agent, server):
        with pytest.raises(AgentFault, match="after 2 rounds") as caught:
            await agent.reply(ASKED)
    assert len(server.bodies) == 3
    assert caught.value.spent.calls == 3  # type: ignore[attr-defined]


async def test_calls_get_ids_where_the_server_gives_none() -> None:
    message = {"content": None, "tool_calls": [{"function": {"name": "search", "arguments": {"query": "ada"}}}]}

    def plays(body: dict[str, Any]) -> Answer:
        if len(body["messages"]) > 1:
            return Said(text="done")
        return Refused(status=200, text=json.dumps({"choices": [{"message": message}]}))

    async with asking(plays=plays, tools=[f"{HERE}search"]) as (agent, server):
        reply = await agent.reply(ASKED)
    assert reply.tool_calls[0].result == ["ada"] * 3
    assert server.bodies[1]["messages"][2]["tool_call_id"] == "call_1"


async def test_a_condition_strikes_tools_by_name_and_counts_them_once() -> None:
    script = [Said(calls=(("search", {"query": "a"}),)), Said(text="x")]
    with conditions.in_force("broken", {"tool": "search", "fails": 1}):
        reply, _ = await reply_of(*script, tools=[f"{HERE}search"])
    assert reply.tool_calls[0].error == "ToolFailed: search does not work (failure 1 of 1)"
    script = [Said(calls=(("guarded", {"query": "a"}), ("guarded", {"query": "b"}))), Said(text="x")]
    tally = conditions.Tally()
    with conditions.in_force("small", {"budget": 2}, tally=tally):
        reply, _ = await reply_of(*script, tools=[f"{HERE}guarded"])
    assert (tally.calls, tally.refused) == (2, 0)


async def test_a_condition_can_allow_too_few_tokens() -> None:
    with conditions.in_force("small", {"tokens": 50}), pytest.raises(AgentFault, match="budget of 50 tokens") as caught:
        await reply_of(Said(text="x"))
    assert caught.value.spent.calls == 1  # type: ignore[attr-defined]


async def test_reasoning_goes_along_where_it_can_be_read_again() -> None:
    thought = {"type": "reasoning", "id": "rs1", "summary": [], "encrypted_content": "…"}
    script = [Said(calls=(("clock", {}),), extra=[thought]), Said(text="x")]
    _, server = await reply_of(*script, tools=[f"{HERE}clock"], api="responses")
    assert thought in server.bodies[1]["input"]
    bare = {name: value for name, value in thought.items() if name != "encrypted_content"}
    script = [Said(calls=(("clock", {}),), extra=[bare]), Said(text="x")]
    _, server = await reply_of(*script, tools=[f"{HERE}clock"], api="responses")
    assert [item.get("type") for item in server.bodies[1]["input"]] == [None, "function_call", "function_call_output"]


# --- what is refused before the first question --------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"temprature": 1}, "has no option 'temprature'; did you mean 'temperature'?"),
        (
            {"temperature": "hot"},
            "'openai:m' has an option that is not usable: temperature is a text; expected a number",
        ),
        ({"max_tool_rounds": 0}, "max_tool_rounds does not fit; expected a whole number of at least 1"),
        ({"api": "assistants"}, "api is 'assistants', which is not known here"),
        ({"tools": ["search"]}, "expected python:module:function"),
        ({"tools": ["python:tests.agents.test_openai:HERE"]}, "expected a function with a name"),
        ({"tools": ["python:nowhere:x"]}, "there is no module 'nowhere'"),
        ({"tools": [f"{HERE}search", f"{HERE}search"]}, "two tools named 'search'"),
        ({"tools": [{"name": "x"}]}, "has no type"),
        ({"tools": ["python:os:path.join"]}, "cannot be described to a model"),
        ({"base_url": "http://u:p@127.0.0.1/v1"}, "without user, password"),
        ({"base_url": "ftp://127.0.0.1/v1"}, "scheme is 'ftp'"),
        ({"base_url": "http://127.0.0.1:8000"}, "has no path"),
        ({"key_env": "NOT_SET_AT_ALL"}, "set the environment variable NOT_SET_AT_ALL"),
        ({"prices": {"m": {"input": 1}}}, "expected {input, output}"),
        ({"seed": 1, "api": "responses"}, "has a seed"),
    ],
)
def test_options_are_checked_before_the_first_question(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        load("m", {"base_url": "http://127.0.0.1:9/v1", **options})
    assert words in str(caught.value)
    assert "u:p" not in str(caught.value)


def test_openai_itself_needs_a_key_and_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match="needs a key: set the environment variable OPENAI_API_KEY"):
        load("gpt-5-mini", {})
    with pytest.raises(InputError, match="names no model"):
        load("", {})
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    agent = load("gpt-5-mini", {})
    assert (agent.name, agent.takes_request) == ("openai:gpt-5-mini", True)
