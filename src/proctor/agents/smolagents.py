"""smolagents: an agent of it, as an agent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from proctor import threads
from proctor.agents.framework import answer_of
from proctor.agents.fresh import FreshAgent, find_maker, import_framework, warn_of_sharing, with_history
from proctor.agents.notes import Notes
from proctor.agents.options import must_be_none
from proctor.errors import AgentFault
from proctor.roles import Agent
from proctor.telemetry.messages import arguments_in
from proctor.transcript import Reply, Request
from proctor.usage import Usage

_ANSWER = "final_answer"
"""How a model gives its answer, and no tool."""
_OBSERVED = "Observation:\n"


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """The agent that `package.module:attribute` names, or that the function of that name makes."""
    must_be_none(options, whose="a smolagents: agent", instead="configure it in its own code")
    kind = import_framework("smolagents", scheme="smolagents", install="smolagents").MultiStepAgent
    make, shared = find_maker(rest, kind, expected="a smolagents agent")
    return _fresh(make, name=f"smolagents:{rest}", shared=shared)


def adapt(target: Any, *, name: str) -> Agent:
    """An agent of smolagents as an agent; it has one memory, so conversations take turns."""
    return _fresh(lambda: target, name=name, shared=True)


def _fresh(make: Callable[[], Any], *, name: str, shared: bool) -> Agent:
    if shared:
        warn_of_sharing(name, "it remembers its last run: questions are asked one at a time, each from the beginning")
    turn = threading.Lock() if shared else None
    return FreshAgent(lambda: _SmolDialogue(make(), turn), name=name)


class _SmolDialogue:
    """One conversation. An agent of its own remembers it; a shared one is told it each time."""

    def __init__(self, target: Any, turn: threading.Lock | None) -> None:
        self._target = target
        self._turn = turn
        self._asked = False

    async def reply(self, request: Request, notes: Notes) -> Reply:
        """Run the agent in a thread, for it cannot be awaited."""
        result = await threads.call(self._run, request)
        if result.state != "success":
            raise AgentFault("the agent took all its steps without an answer")
        _note(result.steps, self._target.managed_agents or {}, notes)
        return notes.reply(answer_of(result.output), usage=_usage(result.token_usage, result.steps))

    def _run(self, request: Request) -> Any:
        if self._turn is not None:
            with self._turn:
                return self._target.run(with_history(request), reset=True, return_full_result=True)
        first, self._asked = not self._asked, True
        task = with_history(request) if first else request.question
        return self._target.run(task, reset=first, return_full_result=True)


def _note(steps: list[dict[str, Any]], helpers: Mapping[str, Any], notes: Notes) -> None:
    for step in steps:
        calls = [call for call in step.get("tool_calls") or () if call["function"]["name"] != _ANSWER]
        notes.asked(call["id"] for call in calls)
        for call in calls:
            name, given = call["function"]["name"], arguments_in(call["function"]["arguments"])
            if name in helpers:
                notes.begin("delegate", name, call=call["id"], detail=str(given.get("task", ""))).timed = False
                continue
            work = notes.told(name, call=call["id"], arguments=given)
            if step.get("error"):
                work.error = str(step["error"].get("message", step["error"]))
            elif len(calls) == 1 and step.get("observations") is not None:
                work.result = str(step["observations"]).removeprefix(_OBSERVED)


def _usage(told: Any, steps: list[dict[str, Any]]) -> Usage | None:
    if told is None:
        return None
    calls = sum(step.get("token_usage") is not None for step in steps)
    return Usage(input_tokens=told.input_tokens, output_tokens=told.output_tokens, calls=calls)
