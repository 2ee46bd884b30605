"""A crew, stood in for by an object with the same parts; tests/frameworks tries the real one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from proctor.agents import crewai
from proctor.agents.notes import Notes
from proctor.transcript import Reply, Request, Turn


class Event:
    """What CrewAI's bus tells, by the name of its type."""

    def __init__(self, **told: Any) -> None:
        self.timestamp = datetime.now(UTC)
        self.task_id: str | None = None
        self.agent_role: str | None = "clerk"
        vars(self).update(told)


class ToolUsageFinishedEvent(Event):
    pass


class ToolUsageErrorEvent(Event):
    pass


class Bus:
    """Calls each handler at once."""

    def __init__(self) -> None:
        self.handlers: dict[type[Any], Callable[[Any, Any], None]] = {}

    def register_handler(self, kind: type[Any], handler: Callable[[Any, Any], None]) -> None:
        self.handlers[kind] = handler

    def flush(self) -> None:
        pass


class Crew:
    """A crew of one clerk; `wanted` are the placeholders of its tasks."""

    memory = False
    manager_agent = None

    def __init__(self, *wanted: str, agent: Any, act: Callable[[], None] = lambda: None) -> None:
        self.wanted, self.agents, self.act = set(wanted), [agent], act
        self.tasks = [SimpleNamespace(id="t1")]
        self.inputs: list[dict[str, str]] = []

    def copy(self) -> Crew:
        return self

    def fetch_inputs(self) -> set[str]:
        return self.wanted

    async def akickoff(self, inputs: dict[str, str]) -> Any:
        self.inputs.append(inputs)
        self.act()
        task = SimpleNamespace(agent="clerk", name="", messages=[])
        used = SimpleNamespace(prompt_tokens=0, completion_tokens=0)
        return SimpleNamespace(tasks_output=[task], pydantic=None, json_dict=None, raw="30 days", token_usage=used)


class Clerk:
    a2a = None


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Bus:
    made = Bus()
    kinds = {name: type(name, (Event,), {}) for name in (*crewai._CALLS, *crewai._TASKS)}
    monkeypatch.setitem(sys.modules, "crewai", SimpleNamespace(Agent=Clerk, Crew=Crew))
    monkeypatch.setitem(sys.modules, "crewai.events", SimpleNamespace(crewai_event_bus=made, **kinds))
    crewai._listen.cache_clear()
    return made


def _request() -> Request:
    said = Turn(number=1, question="And pay?", reply=Reply(text="Monthly."))
    return Request(question="How many days?", conversation="c", context="It is May.", history=(said,))


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (("question",), ["It is May.", "And pay?", "Monthly."]),
        (("question", "context"), ["And pay?", "Monthly."]),
        (("question", "history"), ["It is May."]),
        (("question", "context", "history"), []),
    ],
)
async def test_what_has_no_place_of_its_own_stands_in_front_of_the_question(
    bus: Bus, wanted: tuple[str, ...], told: list[str]
) -> None:
    crew = Crew(*wanted, agent=Clerk())
    await crewai.adapt(crew, name="crew").reply(_request())
    (given,) = crew.inputs
    assert given.keys() == set(wanted)
    assert given["question"].endswith("How many days?")
    assert [text for text in ("It is May.", "And pay?", "Monthly.") if text in given["question"]] == told
    assert given.get("context", "It is May.") == "It is May."
    assert "How many days?" not in given.get("history", "")


async def test_calls_that_only_the_bus_tells_of_are_told(bus: Bus) -> None:
    def act() -> None:
        for handler in set(bus.handlers.values()):
            handler(None, _finished("find_policy", task_id="t1"))

    crew = Crew("question", agent=Clerk(), act=act)
    reply = await crewai.adapt(crew, name="crew").reply(_request())
    assert [(call.name, call.arguments, call.result) for call in reply.tool_calls] == [
        ("find_policy", {"topic": "leave"}, "30 days")
    ]
    assert reply.tools_known


async def test_a_crew_without_calls_has_made_none_unless_an_agent_hides_them(bus: Bus) -> None:
    for clerk, known in ((Clerk(), True), (object(), False), (SimpleNamespace(a2a="elsewhere"), False)):
        reply = await crewai.adapt(Crew("question", agent=clerk), name="crew").reply(_request())
        assert (reply.tool_calls, reply.tools_known) == ((), known)


def test_work_that_is_handed_on_within_the_crew_is_a_sub_agent_s() -> None:
    notes = Notes()
    failed = ToolUsageErrorEvent(tool_name="ask", tool_args="{}", error=OSError("away"), task_id="t1")
    inner = _finished("find_policy", task_id="unlisted", agent_role="expert")
    output = SimpleNamespace(agent="clerk", name="answer", messages=[])
    crewai.note_tasks([SimpleNamespace(id="t1")], [output], [failed, inner], notes)
    reply = notes.reply("30 days")
    assert {(step.kind, step.name, step.agent) for step in reply.steps} == {
        ("delegate", "clerk", "clerk"),
        ("tool", "ask", "clerk"),
        ("delegate", "expert", "expert"),
        ("tool", "find_policy", "expert"),
    }
    assert {call.name: call.error for call in reply.tool_calls} == {"ask": "away", "find_policy": None}


def _finished(name: str, **told: Any) -> Event:
    now = datetime.now()
    return ToolUsageFinishedEvent(
        tool_name=name, tool_args={"topic": "leave"}, output="30 days", started_at=now, finished_at=now, **told
    )
