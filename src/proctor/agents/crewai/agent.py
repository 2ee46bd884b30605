"""CrewAI: a crew as an agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proctor import threads
from proctor.agents.crewai import events
from proctor.agents.framework import answer_of
from proctor.agents.fresh import (
    PerConversationAgent,
    find_maker,
    import_framework,
    said_before,
    warn_of_sharing,
    with_history,
)
from proctor.agents.notes import Notes
from proctor.agents.options import must_be_none
from proctor.errors import InputError
from proctor.roles import Agent
from proctor.transcript import Reply, Request
from proctor.usage import Usage

_NAMES = ("question", "input", "query", "topic")
"""What crews call the question."""


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """The crew that `package.module:attribute` names, or that the function of that name makes."""
    must_be_none(options, whose="a crewai: agent", instead="configure it in its own code")
    crew = import_framework("crewai", scheme="crewai", install="crewai").Crew
    make, shared = find_maker(rest, crew, expected="a crewai.Crew")
    return _fresh(make, name=f"crewai:{rest}", shared=shared)


def adapt(target: Any, *, name: str) -> Agent:
    """A crew as an agent; every question is asked of a copy."""
    return _fresh(lambda: target, name=name, shared=True)


def _fresh(make: Callable[[], Any], *, name: str, shared: bool) -> Agent:
    crew = make()
    place = _place_of_question(crew)
    if shared:
        memory = ", and its memory is on" if crew.memory else ""
        warn_of_sharing(name, f"its model counts the tokens of all of them together, so they are not known{memory}")
    return PerConversationAgent(lambda: _CrewDialogue(make(), place, shared=shared), name=name)


def _place_of_question(crew: Any) -> str:
    """The placeholder of the crew's tasks that is the question."""
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
        """Kick off a copy of the crew; it is told what was said before."""
        crew, wanted = self._crew.copy(), self._crew.fetch_inputs()
        apart = {"context": request.context or "", "history": said_before(request)}
        inputs = {name: told for name, told in apart.items() if name in wanted}
        with events.listening() as heard:
            output = await crew.akickoff(inputs={self._place: with_history(request, but=inputs), **inputs})
            await threads.call(events.flush)
        events.note(crew.tasks, output.tasks_output, heard, notes)
        if any(map(_hides_its_tools, (*crew.agents, crew.manager_agent))):
            notes.hide()
        used = None if self._shared else _usage(output)
        return notes.reply(answer_of(output.pydantic or output.json_dict or output.raw), usage=used)


def _hides_its_tools(agent: Any) -> bool:
    """Whether it is another framework's, or speaks to an agent elsewhere: then the bus does not hear of its tools."""
    own = import_framework("crewai", scheme="crewai", install="crewai").Agent
    return agent is not None and (not isinstance(agent, own) or getattr(agent, "a2a", None) is not None)


def _usage(output: Any) -> Usage | None:
    used = output.token_usage
    if not used.prompt_tokens and not used.completion_tokens:
        return None
    return Usage(input_tokens=used.prompt_tokens, output_tokens=used.completion_tokens, calls=used.successful_requests)
