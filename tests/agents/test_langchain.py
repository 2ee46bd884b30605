"""LangChain and LangGraph, as they really are, with models that play a mind."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import pytest
from tests.agents.minded.door import loaded, spec_of

from proctor.agents.langchain import load
from proctor.errors import AgentFault, EnvironmentFault, InputError
from proctor.roles import Agent
from proctor.testing import minds
from proctor.testing.agents import ASKED, EARLIER, AgentContract
from proctor.testing.minds import Heard, Mind, Move, Wish
from proctor.transcript import Citation, Reply, Request, Turn
from proctor.usage import Usage

pytest.importorskip("langchain", reason="langchain is not installed")

from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt
from pydantic import BaseModel
from tests.agents.minded.langchain import Answer, Thinking, agent_with

from proctor.agents.langchain.callbacks import Watcher


class TestContract(AgentContract):
    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield loaded(load, agent_with(mind))


class TestContractWithMemory(AgentContract):
    """The graph remembers the conversation itself."""

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield loaded(load, agent_with(mind, checkpointer=InMemorySaver()))


class TestContractStreaming(AgentContract):
    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield _Trimming(loaded(load, agent_with(mind), stream=True))


class _Trimming:
    """The scripted model streams a blank after each word; what it says is the same without the last."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.name, self.takes_request = agent.name, agent.takes_request
        self.forget, self.close = agent.forget, agent.close

    async def reply(self, request: Request) -> Reply:
        from dataclasses import replace

        reply = await self._agent.reply(request)
        return replace(reply, text=reply.text.rstrip(" "))


async def asked(target: object, request: Request = ASKED, **options: Any) -> Reply:
    return await loaded(load, target, **options).reply(request)


def then(*moves: Move) -> Mind:
    """A mind that makes these moves one after the other, whatever it hears."""

    async def think(heard: Heard) -> Move:
        return moves[len(heard.results)]

    return think


def say(text: str) -> Mind:
    return then(Move(text=text))


# --- sub-agents ----------------------------------------------------------------------------------


def a_team() -> Any:
    """A boss who asks a helper by a tool; the helper adds."""
    helper = agent_with(
        then(Move(calls=(Wish(name="add", arguments={"a": 1, "b": 2}),)), Move(text="three")), name="helper"
    )

    async def ask_helper(task: str) -> str:
        """Ask the helper."""
        state = await helper.ainvoke({"messages": [HumanMessage(task)]})
        return str(state["messages"][-1].text)

    from langchain.agents import create_agent

    boss = Thinking(mind=then(Move(calls=(Wish(name="ask_helper", arguments={"task": "1 + 2"}),)), Move(text="3")))
    return create_agent(boss, [tool(ask_helper)], name="boss")


async def test_a_graph_inside_a_tool_is_a_sub_agent() -> None:
    reply = await asked(a_team())
    asking, delegation, adding = reply.steps
    assert [call.name for call in reply.tool_calls] == ["ask_helper", "add"]
    assert (asking.kind, asking.name, asking.parent, asking.agent) == ("tool", "ask_helper", None, None)
    assert (delegation.kind, delegation.agent, delegation.parent) == ("delegate", "helper", asking.id)
    assert delegation.detail == "1 + 2"
    assert (adding.kind, adding.agent, adding.parent) == ("tool", "helper", delegation.id)
    assert adding.call == reply.tool_calls[1].id


async def test_steps_lie_in_one_another_in_time_too() -> None:
    asking, delegation, adding = (await asked(a_team())).steps
    times = [asking.start, delegation.start, adding.start, adding.end, delegation.end, asking.end]
    assert None not in times
    assert times == sorted(times, key=lambda time: time or 0.0)


async def test_usage_is_summed_and_each_sub_agent_has_its_share() -> None:
    reply = await asked(a_team())
    assert reply.usage == Usage(input_tokens=40, output_tokens=8, calls=4)
    assert [step.usage for step in reply.steps] == [None, Usage(input_tokens=20, output_tokens=4, calls=2), None]


async def test_graphs_that_are_nodes_are_sub_agents_under_their_names() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("research", agent_with(say("found"), name="researcher"))
    graph.add_node("writing", agent_with(say("written")))  # without a name of its own
    graph.add_edge(START, "research")
    graph.add_edge("research", "writing")
    reply = await asked(graph.compile())
    assert reply.text == "written"
    assert [(step.kind, step.agent) for step in reply.steps] == [("delegate", "researcher"), ("delegate", "writing")]


async def test_agents_that_a_workflow_calls_are_sub_agents() -> None:
    team = {name: agent_with(say(name), name=name) for name in ("researcher", "writer")}

    @entrypoint()
    async def workflow(question: str) -> str:
        answers = [(await agent.ainvoke({"messages": [HumanMessage(question)]})) for agent in team.values()]
        return str(answers[-1]["messages"][-1].text)

    reply = await asked(workflow)
    assert reply.text == "writer"
    assert [(step.kind, step.agent) for step in reply.steps] == [("delegate", "researcher"), ("delegate", "writer")]


async def test_nodes_can_be_declared_as_steps() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("planner", lambda state: {"messages": [AIMessage("first this, then that")]})
    graph.add_node("worker", agent_with(say("done")))
    graph.add_edge(START, "planner")
    graph.add_edge("planner", "worker")
    reply = await asked(graph.compile(), steps={"planner": "plan", "worker": "delegate"})
    assert [(step.kind, step.name, step.parent) for step in reply.steps] == [
        ("plan", "planner", None),
        ("delegate", "worker", None),
    ]


# --- tools ---------------------------------------------------------------------------------------


async def test_tools_that_fail_or_do_not_exist_are_recorded_as_errors() -> None:
    @tool
    def refuse(reason: str) -> str:
        """Refuse."""
        raise AssertionError("never called with wrong arguments")

    from langchain.agents import create_agent

    mind = then(
        Move(calls=(Wish(name="nowhere", arguments={"x": 1}),)),
        Move(calls=(Wish(name="refuse", arguments={}),)),
        Move(text="I give up"),
    )
    reply = await asked(create_agent(Thinking(mind=mind), [refuse]))
    assert [(call.name, call.arguments, call.result_known) for call in reply.tool_calls] == [
        ("nowhere", {"x": 1}, False),
        ("refuse", {}, False),
    ]
    errors = [call.error or "" for call in reply.tool_calls]
    assert "nowhere is not a valid tool" in errors[0]
    assert "reason" in errors[1]


async def test_calls_have_ids_and_the_time_they_took() -> None:
    reply = await asked(agent_with(minds.adding))
    assert [call.id for call in reply.tool_calls] == ["call-1", "call-2", "call-3"]
    assert all(call.seconds is not None and call.seconds >= 0 for call in reply.tool_calls)


async def test_a_call_is_recorded_once_where_only_its_result_tells_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = Watcher.on_tool_start

    def begin_without_id(self: Watcher, *given: Any, tool_call_id: str | None = None, **more: Any) -> None:
        begin(self, *given, **more)

    monkeypatch.setattr(Watcher, "on_tool_start", begin_without_id)
    reply = await asked(agent_with(minds.adding))
    assert [(call.name, call.id) for call in reply.tool_calls] == [
        ("add", "call-1"),
        ("add", "call-2"),
        ("multiply", "call-3"),
    ]


async def test_a_tool_whose_failure_ends_the_agent_is_named() -> None:
    @tool
    def look_up(word: str) -> str:
        """Look a word up."""
        meanings: dict[str, str] = {}
        return meanings[word]

    from langchain.agents import create_agent

    mind = then(Move(calls=(Wish(name="look_up", arguments={"word": "x"}),)), Move(text="done"))
    with pytest.raises(AgentFault, match=r"the tool 'look_up' failed: KeyError: 'x'"):
        await asked(create_agent(Thinking(mind=mind), [look_up]))


async def test_a_failure_of_the_agent_itself_blames_no_tool() -> None:
    def broken(state: MessagesState) -> MessagesState:
        raise KeyError("y")

    graph = StateGraph(MessagesState).add_node("broken", broken).add_edge(START, "broken").compile()
    with pytest.raises(AgentFault, match=r"^KeyError: 'y'$"):
        await asked(graph)


async def test_a_tool_that_answers_in_place_of_the_model_is_heard() -> None:
    @tool(return_direct=True)
    def final(word: str) -> str:
        """Say it."""
        return f"the last word: {word}"

    from langchain.agents import create_agent

    reply = await asked(
        create_agent(Thinking(mind=then(Move(calls=(Wish(name="final", arguments={"word": "so"}),)))), [final])
    )
    assert reply.text == "the last word: so"
    assert reply.tool_calls[0].result == "the last word: so"


async def test_a_call_that_nobody_ran_is_still_what_the_model_answered() -> None:
    reply = await asked(Thinking(mind=then(Move(calls=(Wish(name="look_up", arguments={"word": "so"}),)))))
    assert reply.text == ""
    assert [(call.name, call.arguments, call.result_known) for call in reply.tool_calls] == [
        ("look_up", {"word": "so"}, False)
    ]


async def test_the_form_of_an_answer_is_no_tool_call() -> None:
    async def cite(heard: Heard) -> Move:
        return Move(text="so it is", citations=({"source": "a.md", "quote": "so"},))

    reply = await asked(agent_with(cite, cited=True))
    assert reply.text == "so it is"
    assert reply.citations == (Citation(source="a.md", quote="so"),)
    assert reply.tool_calls == ()


async def test_a_structured_answer_without_a_text_is_given_as_json() -> None:
    from langchain.agents import create_agent
    from langchain.agents.structured_output import ToolStrategy

    class Weather(BaseModel):
        degrees: int

    mind = then(Move(calls=(Wish(name="Weather", arguments={"degrees": 7}),)))
    reply = await asked(create_agent(Thinking(mind=mind), [], response_format=ToolStrategy(Weather)))
    assert (reply.text, reply.tool_calls) == ('{"degrees":7}', ())


class Shelf(BaseRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [Document(page_content=f"all about {query}", metadata={"source": "a.md"})]


async def test_a_search_is_recorded_as_a_call() -> None:
    prompt = ChatPromptTemplate.from_template("{found} {question}")
    chain = {"found": Shelf(), "question": RunnablePassthrough()} | prompt | Thinking(mind=say("found it"))
    reply = await asked(chain, input="{{question}}")
    assert reply.text == "found it"
    assert [(call.name, call.arguments, call.result) for call in reply.tool_calls] == [
        ("Shelf", {"query": "What is it?"}, [{"source": "a.md", "content": "all about What is it?"}])
    ]


async def test_the_sources_that_a_message_points_at_are_its_citations() -> None:
    note = {"type": "citation", "url": "https://example.org/a", "cited_text": "so it is"}
    block = {
        "type": "text",
        "text": "It is so.",
        "annotations": [note, {"type": "non_standard_annotation", "value": {}}],
    }
    reply = await asked(RunnableLambda(lambda _: AIMessage(content=[block])))
    assert reply.text == "It is so."
    assert reply.citations == (Citation(source="https://example.org/a", quote="so it is"),)


# --- what it is given ----------------------------------------------------------------------------


async def test_a_chat_model_is_given_messages() -> None:
    request = Request(question="And?", conversation="c", context="A race.", history=EARLIER)
    reply = await asked(Thinking(mind=minds.recalling), request)
    assert "A race." in reply.text
    assert "Ben was." in reply.text


@pytest.mark.parametrize("key", ["question", "input", "topic"])
async def test_a_chain_is_given_what_its_prompt_asks_for(key: str) -> None:
    prompt = ChatPromptTemplate.from_messages([("placeholder", "{chat_history}"), ("human", f"{{{key}}}")])
    agent = loaded(load, prompt | Thinking(mind=minds.recalling) | RunnableLambda(lambda message: str(message.text)))
    assert agent.takes_request
    reply = await agent.reply(Request(question="And?", conversation="c", history=EARLIER))
    assert reply.text == '["", "Who was first?", "Ada was.", "Who was second?", "Ben was.", "And?"]'


async def test_the_question_is_followed_by_nothing_else_where_only_a_text_is_taken() -> None:
    agent = loaded(load, RunnableLambda(lambda text: f"heard {text}"))
    assert not agent.takes_request
    assert (await agent.reply(Request(question="this", conversation="c", context="that"))).text == "heard this"


@dataclass
class Spoken:
    messages: Annotated[list[BaseMessage], add_messages]


class Extended(MessagesState):
    mood: str


class Checked(BaseModel):
    question: str
    answer: str = ""


async def answered(state: Any) -> dict[str, Any]:
    return {"answer": "yes"} if isinstance(state, Checked) else {"messages": [AIMessage("yes")]}


@pytest.mark.parametrize("kind", [Spoken, Extended, Checked])
async def test_a_graphs_state_may_be_declared_in_any_way(kind: type[Any]) -> None:
    graph: Any = StateGraph(kind)
    graph.add_node("answer", answered)
    graph.add_edge(START, "answer")
    assert (await asked(graph.compile())).text == "yes"


class Errand(TypedDict):
    topic: str
    notes: str
    report: str


def an_errand() -> Any:
    graph = StateGraph(Errand)
    graph.add_node("work", lambda state: {"report": f"{state['notes']}, {state['topic']}"})
    graph.add_edge(START, "work")
    graph.add_edge("work", END)
    return graph.compile()


async def test_a_state_of_ones_own_is_filled_and_read_as_told() -> None:
    told = {"topic": "{{question}}", "notes": "noted: {{context}}"}
    request = Request(question="ships", conversation="c", context="the sea")
    assert (await asked(an_errand(), request, input=told, output="report")).text == "noted: the sea, ships"


def test_a_state_that_leaves_the_question_open_is_refused_before_the_first_one() -> None:
    with pytest.raises(InputError, match=r"takes topic, notes, report, .*say what it is given, as in input = "):
        loaded(load, an_errand())


async def test_an_output_without_an_answer_is_the_agents_failure() -> None:
    told = {"topic": "{{question}}", "notes": ""}
    with pytest.raises(AgentFault, match=r"no answer; its keys are \['notes', 'report', 'topic'\]; say which it is"):
        await asked(an_errand(), input=told)
    with pytest.raises(AgentFault, match="has no 'summary'"):
        await asked(an_errand(), input=told, output="summary")


async def test_an_answer_to_an_earlier_question_is_none_to_this_one() -> None:
    graph: Any = StateGraph(MessagesState)
    graph.add_node("silent", lambda state: {})
    graph.add_edge(START, "silent")
    later = Request(question="And third?", conversation="c", history=EARLIER, turn=3)
    with pytest.raises(AgentFault, match="end with no answer to the question"):
        await asked(graph.compile(), later)


async def test_the_context_can_stand_in_front_of_the_question() -> None:
    reply = await asked(
        agent_with(minds.echoing), Request(question="And?", conversation="c", context="A race."), context="question"
    )
    assert reply.text == "You said: Summary of the conversation so far:\nA race.\n\nAnd?"


# --- memory --------------------------------------------------------------------------------------


class Remembered:
    """A graph with a checkpointer, and every list of messages that its model was given."""

    def __init__(self) -> None:
        self.prompts: list[list[BaseMessage]] = []
        self.fails = False
        self.saver = InMemorySaver()
        model = Thinking(mind=minds.recalling)
        graph = StateGraph(MessagesState)

        async def think(state: MessagesState) -> dict[str, Any]:
            self.prompts.append(list(state["messages"]))
            if self.fails:
                raise ConnectionError("cut off")
            return {"messages": [await model.ainvoke(state["messages"])]}

        graph.add_node("think", think)
        graph.add_edge(START, "think")
        self.agent = loaded(load, graph.compile(checkpointer=self.saver))
        self.turns: list[Turn] = []

    async def ask(self, question: str, **more: Any) -> Reply:
        number = len(self.turns) + 1
        request = Request(question=question, conversation="talk", history=tuple(self.turns), turn=number, **more)
        reply = await self.agent.reply(request)
        self.turns.append(Turn(number=number, question=question, reply=reply))
        return reply

    def heard(self) -> list[str]:
        return [str(message.text) for message in self.prompts[-1]]

    def threads(self) -> set[str]:
        return {item.config["configurable"]["thread_id"] for item in self.saver.list(None)}


async def test_a_graph_that_remembers_is_asked_only_what_is_new() -> None:
    talk = Remembered()
    first = await talk.ask("One?")
    await talk.ask("Two?")
    assert talk.heard() == ["One?", first.text, "Two?"]
    assert talk.threads() == {"talk"}


async def test_a_context_that_a_graph_has_been_told_is_not_told_again() -> None:
    talk = Remembered()
    for question, context in (("One?", "A race."), ("Two?", "A race."), ("Three?", "A walk.")):
        await talk.ask(question, context=context)
    told = [text for text in talk.heard() if "Summary" in text and not text.startswith("[")]
    assert told == [
        "Summary of the conversation so far:\nA race.",
        "Summary of the conversation so far:\nA walk.\n\nThree?",
    ]


async def test_what_broke_off_in_a_graphs_memory_is_not_gone_on_with() -> None:
    talk = Remembered()
    first = await talk.ask("One?")
    talk.fails = True
    with pytest.raises(EnvironmentFault, match="cut off"):
        await talk.ask("Two?")
    talk.fails = False
    await talk.ask("Two?")
    assert talk.heard() == ["One?", first.text, "Two?"]
    assert len(talk.threads()) == 2


async def test_a_conversation_that_another_process_began_has_a_thread_of_its_own() -> None:
    talk = Remembered()
    talk.turns = list(EARLIER)
    await talk.ask("Third?")
    assert talk.heard() == ["Who was first?", "Ada was.", "Who was second?", "Ben was.", "Third?"]
    assert "talk" not in talk.threads()


async def test_what_a_graph_remembers_is_deleted_after_the_conversation() -> None:
    talk = Remembered()
    await talk.ask("One?")
    talk.fails = True
    with pytest.raises(EnvironmentFault):
        await talk.ask("Two?")
    await talk.agent.forget("talk")
    assert talk.threads() == set()


# --- how it runs ---------------------------------------------------------------------------------


async def test_a_stream_tells_the_time_to_its_first_token() -> None:
    streamed = await asked(agent_with(minds.adding), stream=True)
    assert streamed.text.strip() == "What is it? comes to 156"
    assert streamed.first_token is not None
    assert (await asked(agent_with(minds.adding))).first_token is None


async def test_a_chain_streams_too() -> None:
    chain = Thinking(mind=minds.echoing) | RunnableLambda(lambda message: message)
    reply = await asked(chain, stream=True)
    assert reply.text.strip() == "You said: What is it?"
    assert reply.first_token is not None


@pytest.mark.parametrize("options", [{}, {"sync": True}])
async def test_what_blocks_runs_in_a_thread_that_can_be_left_behind(options: dict[str, Any]) -> None:
    chain: RunnableLambda[Any, str] = RunnableLambda(lambda _: threading.current_thread().name)
    assert (await asked(chain, **options)).text == "proctor-call"


async def test_a_graph_can_be_told_to_run_in_a_thread() -> None:
    reply = await asked(agent_with(minds.adding), sync=True)
    assert reply.text == "What is it? comes to 156"
    assert [call.name for call in reply.tool_calls] == ["add", "add", "multiply"]


async def test_a_model_that_does_not_tell_its_tokens_has_no_usage() -> None:
    reply = await asked(FakeListChatModel(responses=["so"]))
    assert (reply.text, reply.usage) == ("so", None)


async def test_what_was_spent_before_a_failure_is_told_with_it() -> None:
    async def fail_later(heard: Heard) -> Move:
        if heard.results:
            raise minds.Status(503)
        return Move(calls=(Wish(name="add", arguments={"a": 1, "b": 1}),))

    with pytest.raises(EnvironmentFault) as caught:
        await asked(agent_with(fail_later))
    assert vars(caught.value)["spent"] == Usage(input_tokens=10, output_tokens=2, calls=1)


async def test_a_graph_that_stops_for_a_person_has_not_answered() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("ask", lambda state: {"messages": [AIMessage(str(interrupt("May I?")))]})
    graph.add_edge(START, "ask")
    with pytest.raises(AgentFault, match=r"stopped to ask a person: 'May I\?'"):
        await asked(graph.compile(checkpointer=InMemorySaver()))


# --- the door ------------------------------------------------------------------------------------


async def test_a_function_without_parameters_makes_the_agent() -> None:
    assert (await asked(lambda: agent_with(minds.echoing))).text == "You said: What is it?"


async def make_later() -> Any:
    raise AssertionError("never awaited")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (StateGraph(MessagesState), r"of type StateGraph; expected a Runnable.*compile\(\) it first"),
        (make_later, "returned an object of type coroutine"),
        (lambda: 1 / 0, "cannot make the agent .*ZeroDivisionError: division by zero"),
        (lambda needed: needed, "of type function"),
        (Answer, "of type type|of type ModelMetaclass"),
        (3, "of type int"),
    ],
)
def test_what_is_no_agent_is_refused_before_the_first_question(target: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        loaded(load, target)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"steam": True}, "no option 'steam'; did you mean 'stream'"),
        ({"stream": "yes"}, "stream='yes' is not usable; expected true or false"),
        ({"context": "footnote"}, "context='footnote' is not known; expected system"),
        ({"steps": {"planner": "think"}}, "steps.planner='think' is not known; expected delegate, plan, re-plan"),
        ({"input": "{{querstion}}"}, "querstion"),
        ({"stream": True, "sync": True}, "streams or runs in a thread, not both"),
    ],
)
def test_options_are_checked_before_the_first_question(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        load(spec_of(agent_with(minds.echoing)), options)
