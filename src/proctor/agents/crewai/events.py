"""What a crew does, as CrewAI's event bus tells it: also where a model asks for tools in text, or work is handed on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import groupby
from typing import Any

from proctor.agents.framework import plain
from proctor.agents.fresh import import_framework
from proctor.agents.notes import Notes, Work
from proctor.telemetry.messages import arguments_in, reply_in

_CALLS = ("ToolUsageFinishedEvent", "ToolUsageErrorEvent", "ToolSelectionErrorEvent")
_TASKS = ("TaskStartedEvent", "TaskCompletedEvent")
_heard: ContextVar[list[Any] | None] = ContextVar("proctor_crewai_events", default=None)
"""The events of the reply under way; the bus takes the context along into its threads."""


@contextmanager
def listening() -> Iterator[list[Any]]:
    """The events of whatever a crew does in this block."""
    _listen()
    heard: list[Any] = []
    token = _heard.set(heard)
    try:
        yield heard
    finally:
        _heard.reset(token)


def flush() -> None:
    """Wait for events that are still under way; blocks."""
    _events().crewai_event_bus.flush()


def note(tasks: Sequence[Any], outputs: Sequence[Any], heard: Sequence[Any], notes: Notes) -> None:
    """Each task's tool calls; with several agents, each task is a sub-agent's."""
    calls = [event for event in heard if type(event).__name__ in _CALLS]
    roles = {output.agent for output in outputs} | {event.agent_role for event in calls if event.agent_role}
    parts = _parts(tasks, outputs, heard, notes) if len(roles) > 1 else {}
    ran: dict[str | None, list[Work]] = {}
    for event in sorted(calls, key=_start):
        work = _call(event, notes)
        work.parent = _part(event, parts, notes) if len(roles) > 1 else None
        ran.setdefault(event.task_id, []).append(work)
    for task, output in zip(tasks, outputs, strict=False):
        _place(output, ran.get(str(task.id), []), parts.get(str(task.id)), notes)


@cache
def _listen() -> None:
    """Have the bus tell us of all events that are noted, once in a process."""
    for name in (*_CALLS, *_TASKS):
        _events().crewai_event_bus.register_handler(getattr(_events(), name), _hear)


def _hear(source: Any, event: Any) -> None:
    heard = _heard.get()
    if heard is not None:
        heard.append(event)


def _events() -> Any:
    return import_framework("crewai.events", scheme="crewai", install="crewai")


def _parts(tasks: Sequence[Any], outputs: Sequence[Any], heard: Sequence[Any], notes: Notes) -> dict[str, Work]:
    """The id of each task → the work of the agent that had it, with its times where they were told."""
    began, ended = (
        {event.task_id: event.timestamp.timestamp() for event in heard if type(event).__name__ == name}
        for name in _TASKS
    )
    parts = {}
    for task, output in zip(tasks, outputs, strict=False):
        key = str(task.id)
        part = parts[key] = notes.begin("delegate", output.agent, detail=output.name or "")
        part.start, part.end = began.get(key, part.start), ended.get(key)
        part.timed = key in began and key in ended
    return parts


def _part(event: Any, parts: dict[str, Work], notes: Notes) -> Work:
    """The work that a call belongs to; what an agent of the crew handed on has a task that the crew does not list."""
    key = event.task_id if event.task_id in parts else f"role {event.agent_role}"
    if key not in parts:
        part = parts[key] = notes.begin("delegate", event.agent_role or "")
        part.start, part.timed = _start(event), False
    return parts[key]


def _start(event: Any) -> float:
    began = getattr(event, "started_at", event.timestamp)
    return float(began.timestamp())


def _call(event: Any, notes: Notes) -> Work:
    work = notes.told(event.tool_name, call=None, arguments=arguments_in(event.tool_args), start=_start(event))
    failure: Any = getattr(event, "failure", None)
    if hasattr(event, "error"):
        work.error = str(event.error)
    elif failure is not None:
        work.error = str(failure.message)
    else:
        work.result = plain(event.output)
    if hasattr(event, "finished_at"):
        work.timed, work.end = True, float(event.finished_at.timestamp())
    return work


def _place(output: Any, ran: list[Work], part: Work | None, notes: Notes) -> None:
    """What the messages of a task add: the ids of calls, and which were asked for at once."""
    told = reply_in(list(output.messages))
    for _, calls in groupby(told.tool_calls if told is not None else (), key=lambda call: call.step):
        notes.asked_at_once(calls, ran, by=part)
    notes.asked(())
