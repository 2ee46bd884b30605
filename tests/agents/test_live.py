"""Objects of frameworks, handed to `evaluate` as they are."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proctor import evaluate
from proctor.agents.function import adapt, adapt_object
from proctor.errors import InputError
from proctor.testing import minds
from proctor.testing.agents import ASKED

Make = Callable[[], Any]


def a_graph() -> Any:
    pytest.importorskip("langchain", reason="langchain is not installed")
    from tests.agents.minded.langchain import agent_with

    return agent_with(minds.adding)


def a_graph_of_ones_own() -> Any:
    pytest.importorskip("langgraph", reason="langgraph is not installed")
    from langgraph.graph import START, MessagesState, StateGraph
    from tests.agents.minded.langchain import agent_with

    graph = StateGraph(MessagesState)
    graph.add_node("adding", agent_with(minds.adding))
    graph.add_edge(START, "adding")
    return graph.compile()


def a_chain() -> Any:
    pytest.importorskip("langchain", reason="langchain is not installed")
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnableLambda
    from tests.agents.minded.langchain import agent_with

    prompt = ChatPromptTemplate.from_messages([("user", "{question}")])
    return (
        prompt
        | RunnableLambda(lambda given: {"messages": given.to_messages()})
        | agent_with(minds.adding)
        | RunnableLambda(lambda state: state["messages"][-1])
        | StrOutputParser()
    )


def an_agent_of_pydantic_ai() -> Any:
    pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
    from tests.agents.minded.pydantic_ai import agent_with

    return agent_with(minds.adding)


def an_agent_of_the_sdk() -> Any:
    pytest.importorskip("agents", reason="openai-agents is not installed")
    from tests.agents.minded.openai_agents import agent_with

    return agent_with(minds.adding)


@pytest.mark.parametrize(
    "make",
    [a_graph, a_graph_of_ones_own, a_chain, an_agent_of_pydantic_ai, an_agent_of_the_sdk],
    ids=lambda make: make.__name__,
)
def test_evaluate_takes_the_object_itself(make: Make, tmp_path: Path) -> None:
    question = ASKED.question
    done = evaluate([(question, f"{question} comes to 156")], agent=make(), reviewer="exact", store=tmp_path / "s.db")
    assert done.findings.counts.scored == 1
    assert done.findings.pass_rate.value == 1
    assert done.run.agent.startswith("object:")
    (attempt,) = done.attempts()
    reply = attempt.transcript.turns[0].reply
    assert reply is not None
    assert [call.name for call in reply.tool_calls] == ["add", "add", "multiply"]
    assert reply.usage is not None


def test_a_graph_that_is_not_compiled_is_told_to_be() -> None:
    graph = pytest.importorskip("langgraph.graph", reason="langgraph is not installed")
    with pytest.raises(InputError, match=r"of type StateGraph; .* or an agent of a framework; compile\(\) it first"):
        adapt(graph.StateGraph(graph.MessagesState), name="object:graph")


async def test_a_package_of_the_users_own_that_is_called_agents_is_not_taken_for_the_sdk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Agent:
        def __call__(self, question: str) -> str:
            return question.upper()

    own = types.ModuleType("agents")
    own.Agent = Agent  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "agents", own)
    assert adapt_object(Agent(), name="object:own") is None
    assert (await adapt(Agent(), name="object:own").reply(ASKED)).text == "WHAT IS IT?"


def test_an_object_that_can_answer_by_itself_is_left_to_do_so() -> None:
    runnables = pytest.importorskip("langchain_core.runnables", reason="langchain is not installed")

    class Answering(runnables.RunnableLambda):  # type: ignore[misc, name-defined]
        def reply(self, question: str) -> str:
            return "by itself"

    agent = adapt(Answering(lambda given: "by the framework"), name="object:both")
    assert asyncio.run(agent.reply(ASKED)).text == "by itself"


def test_no_framework_is_imported_to_find_out(tmp_path: Path) -> None:
    code = f"""
import sys, proctor
proctor.evaluate([("What?", "this")], agent=lambda question: "this", reviewer="exact", store={str(tmp_path / "s.db")!r})
print([name for name in ("langchain_core", "langgraph", "pydantic_ai", "agents") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr
