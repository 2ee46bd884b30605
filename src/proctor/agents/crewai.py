"""CrewAI crews as agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import groupby
from typing import Any

from proctor import threads
from proctor.agents.framework import answer_of, plain
from proctor.agents.fresh import (
    PerConversationAgent,
    find_maker,
    import_framework,
    said_before,
    warn_of_sharing,
    with_history,
)
from proctor.agents.notes import Notes, Work
from proctor.agents.options import must_be_none
from proctor.errors import InputError
from proctor.roles import Agent
from proctor.telemetry.messages import arguments_in, reply_in
from proctor.transcript import Reply, Request
from proctor.usage import Usage

_CALLS = ("ToolUsageFinishedEvent", "ToolUsageErrorEvent", "ToolSelectionErrorEvent")
_TASKS = ("TaskStartedEvent", "TaskCompletedEvent")
_heard: ContextVar[list[Any] | None] = ContextVar("proctor_crewai_events", default=None)
"""Events of the reply in progress; the event bus copies the context into its threads."""


@contextmanager
def heard_events() -> Iterator[list[Any]]:
    """Collect the events of all crews that run in this block."""
    _listen()
    events: list[Any] = []
    token = _heard.set(events)
    try:
        yield events
    finally:
        _heard.reset(token)


def flush_events() -> None:
    """Block until all pending events are handled."""
    _events().crewai_event_bus.flush()


def note_tasks(tasks: Sequence[Any], outputs: Sequence[Any], events: Sequence[Any], notes: Notes) -> None:
    """Note the tool calls of each task; if there are several agents, each task counts as a sub-agent's work."""
    calls = [event for event in events if type(event).__name__ in _CALLS]
    roles = {output.agent for output in outputs} | {event.agent_role for event in calls if event.agent_role}
    parts = _work_by_task(tasks, outputs, events, notes) if len(roles) > 1 else {}
    ran: dict[str | None, list[Work]] = {}
    for event in sorted(calls, key=_start):
        work = _call(event, notes)
        work.parent = _work_of_event(event, parts, notes) if len(roles) > 1 else None
        ran.setdefault(event.task_id, []).append(work)
    for task, output in zip(tasks, outputs, strict=False):
        _note_requested_calls(output, ran.get(str(task.id), []), parts.get(str(task.id)), notes)


@cache
def _listen() -> None:
    """Register a handler for the relevant events on CrewAI's event bus, once per process."""
    for name in (*_CALLS, *_TASKS):
        _events().crewai_event_bus.register_handler(getattr(_events(), name), _record_event)


def _record_event(source: Any, event: Any) -> None:
    events = _heard.get()
    if events is not None:
        events.append(event)


def _events() -> Any:
    return import_framework("crewai.events", scheme="crewai", install="crewai")


def _work_by_task(tasks: Sequence[Any], outputs: Sequence[Any], events: Sequence[Any], notes: Notes) -> dict[str, Work]:
    """Return task id → the work of its agent, with start and end if they are known."""
    began, ended = (
        {event.task_id: event.timestamp.timestamp() for event in events if type(event).__name__ == name}
        for name in _TASKS
    )
    parts = {}
    for task, output in zip(tasks, outputs, strict=False):
        key = str(task.id)
        part = parts[key] = notes.begin("delegate", output.agent, detail=output.name or "")
        part.start, part.end = began.get(key, part.start), ended.get(key)
        part.timed = key in began and key in ended
    return parts


def _work_of_event(event: Any, parts: dict[str, Work], notes: Notes) -> Work:
    """Return the work that a call belongs to; a task that an agent delegated is not listed by the crew."""
    key = event.task_id if event.task_id in parts else f"role {event.agent_role}"
    if key not in parts:
        part = parts[key] = notes.begin("delegate", event.agent_role or "")
        part.start, part.timed = _start(event), False
    return parts[key]


def _start(event: Any) -> float:
    began = getattr(event, "started_at", event.timestamp)
    return float(began.timestamp())


def _call(event: Any, notes: Notes) -> Work:
    work = notes.add_unseen_call(
        event.tool_name, call=None, arguments=arguments_in(event.tool_args), start=_start(event)
    )
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


def _note_requested_calls(output: Any, ran: list[Work], part: Work | None, notes: Notes) -> None:
    """Add what the messages of a task tell: the ids of calls, and which were requested in parallel."""
    reply = reply_in(list(output.messages))
    for _, calls in groupby(reply.tool_calls if reply is not None else (), key=lambda call: call.step):
        notes.asked_at_once(calls, ran, by=part)
    notes.asked(())


_NAMES = ("question", "input", "query", "topic")
"""Common names of the placeholder for the question."""


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the crew at `package.module:attribute`, or the one that the function there returns."""
    must_be_none(options, whose="a crewai: agent", instead="configure it in its own code")
    crew = import_framework("crewai", scheme="crewai", install="crewai").Crew
    make, shared = find_maker(rest, crew, expected="a crewai.Crew")
    return _fresh(make, name=f"crewai:{rest}", shared=shared)


def adapt(target: Any, *, name: str) -> Agent:
    """Wrap a crew as an agent; each question is sent to a copy of the crew."""
    return _fresh(lambda: target, name=name, shared=True)


def _fresh(make: Callable[[], Any], *, name: str, shared: bool) -> Agent:
    crew = make()
    place = _place_of_question(crew)
    if shared:
        memory = ", and its memory is on" if crew.memory else ""
        warn_of_sharing(name, f"its model counts the tokens of all of them together, so they are not known{memory}")
    return PerConversationAgent(lambda: _CrewDialogue(make(), place, shared=shared), name=name)


def _place_of_question(crew: Any) -> str:
    """Return the name of the placeholder in the crew's tasks that takes the question."""
    wanted = crew.fetch_inputs()
    known = [name for name in _NAMES if name in wanted] or sorted(wanted - {"context", "history"})[:2]
    if len(known) == 1 or (known and known[0] in _NAMES):
        return str(known[0])
    found = ", ".join(sorted(wanted)) or "none"
    raise InputError(f"the crew's tasks have no place for the question: expected {{question}}, found {found}")


class _CrewDialogue:
    """One conversation with a crew."""

    def __init__(self, crew: Any, place: str, *, shared: bool) -> None:
        self._crew = crew
        self._shared = shared
        self._place = place

    async def reply(self, request: Request, notes: Notes) -> Reply:
        """Kick off a copy of the crew with the question and the earlier conversation."""
        crew, wanted = self._crew.copy(), self._crew.fetch_inputs()
        apart = {"context": request.context or "", "history": said_before(request)}
        inputs = {name: text for name, text in apart.items() if name in wanted}
        with heard_events() as events:
            output = await crew.akickoff(inputs={self._place: with_history(request, but=inputs), **inputs})
            await threads.call(flush_events)
        note_tasks(crew.tasks, output.tasks_output, events, notes)
        if any(map(_hides_its_tools, (*crew.agents, crew.manager_agent))):
            notes.hide()
        used = None if self._shared else _usage(output)
        return notes.reply(answer_of(output.pydantic or output.json_dict or output.raw), usage=used)


def _hides_its_tools(agent: Any) -> bool:
    """Whether the event bus misses the agent's tool calls, because it is of another framework or remote."""
    own = import_framework("crewai", scheme="crewai", install="crewai").Agent
    return agent is not None and (not isinstance(agent, own) or getattr(agent, "a2a", None) is not None)


def _usage(output: Any) -> Usage | None:
    used = output.token_usage
    if not used.prompt_tokens and not used.completion_tokens:
        return None
    return Usage(input_tokens=used.prompt_tokens, output_tokens=used.completion_tokens, calls=used.successful_requests)
