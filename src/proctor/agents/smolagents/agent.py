"""smolagents: an agent of it, as an agent."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from proctor import threads
from proctor.agents.framework import answer_of
from proctor.agents.fresh import PerConversationAgent, find_maker, import_framework, warn_of_sharing, with_history
from proctor.agents.notes import Notes
from proctor.agents.options import must_be_none
from proctor.agents.smolagents.watch import Watch
from proctor.errors import AgentFault
from proctor.net.limits import Throttle
from proctor.roles import Agent
from proctor.transcript import Reply, Request


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """The agent that `package.module:attribute` names, or that the function of that name makes."""
    must_be_none(options, whose="a smolagents: agent", instead="configure it in its own code")
    kind = import_framework("smolagents", scheme="smolagents", install="smolagents").MultiStepAgent
    make, shared = find_maker(rest, kind, expected="a smolagents agent")
    return _fresh(make, name=f"smolagents:{rest}", shared=shared or _shares_agents(make))


def adapt(target: Any, *, name: str) -> Agent:
    """An agent of smolagents as an agent; it has one memory, so conversations take turns."""
    return _fresh(lambda: target, name=name, shared=True)


def _fresh(make: Callable[[], Any], *, name: str, shared: bool) -> Agent:
    if shared:
        warn_of_sharing(name, "it remembers its last run: questions are asked one at a time, each from the beginning")
    turn = _TakingTurns() if shared else None
    return PerConversationAgent(lambda: _SmolDialogue(make(), turn), name=name)


def _shares_agents(make: Callable[[], Any]) -> bool:
    """Whether two that are made have an agent in common, such as a managed one that the module keeps."""
    one = make()
    if not one.managed_agents:
        return False
    other = make()
    return not {id(agent) for agent in _team(one)}.isdisjoint(id(agent) for agent in _team(other))


def _team(agent: Any) -> Iterator[Any]:
    yield agent
    for helper in (agent.managed_agents or {}).values():
        yield from _team(helper)


class _TakingTurns:
    """Who may use an object that all conversations share."""

    def __init__(self) -> None:
        self.queue = Throttle(concurrency=1)
        """Waiting in it is not the agent's time."""
        self.busy = threading.Lock()
        """Held by the thread that runs it, also where nobody waits for that any more; waiting for it is the agent's."""


class _SmolDialogue:
    """One conversation. An agent of its own remembers it; a shared one is told it each time."""

    def __init__(self, target: Any, turn: _TakingTurns | None) -> None:
        self._target = target
        self._turn = turn
        self._asked = False

    async def reply(self, request: Request, notes: Notes) -> Reply:
        """Run the agent in a thread, for it cannot be awaited."""
        watch, left = Watch(notes), threading.Event()
        async with AsyncExitStack() as waiting:
            if self._turn is not None:
                await waiting.enter_async_context(self._turn.queue.slot())
            waiting.callback(left.set)
            waiting.callback(watch.settle)
            began = time.perf_counter()
            result = await threads.call(self._run, watch.over(self._target), request, left)
            took = time.perf_counter() - began
        if result.state != "success":
            raise AgentFault("the agent took all its steps without an answer")
        return replace(notes.reply(answer_of(result.output)), seconds=took)

    def _run(self, target: Any, request: Request, left: threading.Event) -> Any:
        if self._turn is not None:
            with self._turn.busy:
                if left.is_set():
                    raise AgentFault("nothing waits for the answer any more")
                return target.run(with_history(request), reset=True, return_full_result=True)
        first, self._asked = not self._asked, True
        task = with_history(request) if first else request.question
        return target.run(task, reset=first, return_full_result=True)
