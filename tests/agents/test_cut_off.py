"""Replies that a model stopped at its output limit are told from whole ones, whoever speaks to the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.agents.minded.door import loaded
from tests.models.native import KEY, Dialect, Said, native
from tests.models.openai_api import Said as ChatSaid
from tests.models.openai_api import api

import proctor
from proctor.agents.openai import load_compatible
from proctor.codec.replies import is_cut_off
from proctor.reports.run.json import as_dict
from proctor.testing.agents import ASKED
from proctor.transcript import Reply

WAYS = [{"api": way, "stream": stream} for way in ("chat", "responses") for stream in (False, True)]
BOTH = [pytest.param(True, id="cut off"), pytest.param(False, id="whole")]


@pytest.mark.parametrize("cut_off", BOTH)
@pytest.mark.parametrize("options", WAYS, ids=str)
async def test_openais_protocol_tells_it(options: dict[str, Any], cut_off: bool) -> None:
    async with api(ChatSaid(text="It is", cut_off=cut_off)) as server:
        agent = load_compatible(f"m@{server.url}", options)
        reply = await agent.reply(ASKED)
        await agent.close()
    assert (reply.text, reply.cut_off) == ("It is", cut_off)


@pytest.mark.parametrize("cut_off", BOTH)
@pytest.mark.filterwarnings("ignore:coroutine 'ClientResponse.json' was never awaited")
async def test_langchain_tells_it_in_every_providers_words_of_agents_and_of_chains(
    dialect: Dialect, monkeypatch: pytest.MonkeyPatch, cut_off: bool
) -> None:
    pytest.importorskip("langchain", reason="langchain is not installed")
    from langchain.agents import create_agent
    from langchain_core.output_parsers import StrOutputParser

    from proctor.agents.langchain import load

    for kind in ("agent", "chain"):
        with native(dialect, Said(text="It is", cut_off=cut_off)) as server:
            monkeypatch.setenv(dialect.address, server.url)
            if dialect.key is not None:
                monkeypatch.setenv(dialect.key, KEY)
            model = dialect.model()
            target = create_agent(model=model, tools=[]) if kind == "agent" else model | StrOutputParser()
            reply = await loaded(load, target).reply(ASKED)
        assert (reply.text, reply.cut_off) == ("It is", cut_off), kind


@pytest.mark.parametrize("cut_off", BOTH)
async def test_pydantic_ai_tells_it(cut_off: bool) -> None:
    pydantic_ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    from proctor.agents.pydantic_ai import load

    def answer(messages: Any, info: Any) -> ModelResponse:
        return ModelResponse(parts=[TextPart(content="It is")], finish_reason="length" if cut_off else "stop")

    reply = await loaded(load, pydantic_ai.Agent(FunctionModel(answer))).reply(ASKED)
    assert (reply.text, reply.cut_off) == ("It is", cut_off)


@pytest.mark.parametrize("cut_off", BOTH)
async def test_the_openai_agents_sdk_tells_it_of_a_message_that_is_incomplete(cut_off: bool) -> None:
    agents = pytest.importorskip("agents", reason="openai-agents is not installed")
    from agents.testing import ModelStep, ScriptedModel, assistant_message

    from proctor.agents.openai_agents import load

    said = assistant_message("It is").model_copy(update={"status": "incomplete" if cut_off else "completed"})
    model = ScriptedModel([ModelStep(output=[said])])
    reply = await loaded(load, agents.Agent(name="a", model=model)).reply(ASKED)
    assert (reply.text, reply.cut_off) == ("It is", cut_off)


@pytest.mark.parametrize(
    "told",
    [
        "length",
        "MAX_TOKENS",
        "FinishReason.MAX_TOKENS",
        {"finish_reason": "length"},
        {"stop_reason": "max_tokens"},
        {"stopReason": "max_tokens"},
        {"done_reason": "length"},
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
    ],
    ids=str,
)
def test_providers_have_many_words_for_it(told: object) -> None:
    assert is_cut_off(told)


@pytest.mark.parametrize("told", [None, "", "stop", "end_turn", "tool_calls", {}, {"finish_reason": None}, 7], ids=str)
def test_any_other_end_is_none(told: object) -> None:
    assert not is_cut_off(told)


def test_a_python_agent_may_tell_it_and_the_report_counts_it(tmp_path: Path) -> None:
    def agent(question: str) -> object:
        if question == "a":
            return {"text": "yes", "cut_off": True}
        return Reply(text="yes", cut_off=question == "b")

    result = proctor.evaluate(
        [(question, "yes") for question in "abcd"], agent=agent, reviewer="exact", store=tmp_path / "s.db"
    )
    assert [attempt.cut_off for attempt in result.attempts()] == [1, 1, 0, 0]
    assert as_dict(result.findings)["cut_off"] == 2
    assert "2 of 4 replies were cut off at the output limit; raise it." in result.findings.notes
    read = proctor.resume(result.run.id, store=tmp_path / "s.db")
    assert read.findings.circumstances == result.findings.circumstances
