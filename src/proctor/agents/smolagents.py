"""smolagents agents."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import Any

from proctor import threads
from proctor.agents.framework import answer_of, plain
from proctor.agents.fresh import PerConversationAgent, find_maker, import_framework, warn_of_sharing, with_history
from proctor.agents.notes import Notes, Work
from proctor.agents.options import must_be_none
from proctor.errors import AgentFault
from proctor.failures import short_message
from proctor.net.limits import Throttle
from proctor.roles import Agent
from proctor.telemetry.messages import arguments_in
from proctor.transcript import Reply, Request, ToolCall
from proctor.usage import Usage

_ANSWER = "final_answer"
"""The pseudo tool with which a model gives its answer."""
_CODE = "python_interpreter"
"""Name of the code that a CodeAgent writes; noted as a tool only if it runs remotely, where its calls are unseen."""
_INTERNAL = "sanitize_inputs_outputs"


class Watch:
    """Observes an agent and its managed agents during one reply."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._used: list[tuple[Usage | None, Work | None]] = []

    def over(self, agent: Any, by: Work | None = None) -> Any:
        """Return an observed shallow copy of the agent; the original, which others may use, is unchanged."""
        ran: list[Work] = []
        watched = copy.copy(agent)
        watched.tools = {
            name: tool if name == _ANSWER else _Between(tool, partial(self._use, by, ran))
            for name, tool in agent.tools.items()
        }
        helpers = agent.managed_agents or {}
        watched.managed_agents = {name: _Between(each, partial(self._delegate, by)) for name, each in helpers.items()}
        watched.step_callbacks = _Steps(agent.step_callbacks, partial(self._note_step, by, ran, {_ANSWER, *helpers}))
        executor = getattr(agent, "python_executor", None)
        if executor is not None and not isinstance(executor, _local_executor()):
            watched.python_executor = _Between(executor, partial(self._run_elsewhere, by))
        return watched

    def settle(self) -> None:
        """Add up the tokens, if every model call reported them."""
        used, self._used = self._used, []
        for usage, by in used if all(usage for usage, _ in used) else ():
            self._notes.spend(usage or Usage(), by=by)

    def _use(self, by: Work | None, ran: list[Work], tool: Any, *args: Any, **given: Any) -> Any:
        work = self._notes.begin("tool", tool.name, parent=by, arguments=_arguments(tool, args, given))
        ran.append(work)
        return self._finish(work, lambda: tool(*args, **given))

    def _delegate(self, by: Work | None, agent: Any, *args: Any, **given: Any) -> Any:
        task = given.get("task", next(iter(args), ""))
        work = self._notes.begin("delegate", agent.name, parent=by, detail=str(task))
        return self._finish(work, lambda: self.over(agent, by=work)(*args, **given))

    def _run_elsewhere(self, by: Work | None, executor: Any, code: str) -> Any:
        self._notes.hide()
        return self._finish(
            self._notes.begin("tool", _CODE, parent=by, arguments={"code": code}), lambda: executor(code)
        )

    def _finish(self, work: Work, run: Callable[[], Any]) -> Any:
        try:
            result = run()
        except Exception as error:
            work.error = short_message(error)
            raise
        finally:
            self._notes.end(work)
        work.result = plain(getattr(result, "output", result) if work.name == _CODE else result)
        return result

    def _note_step(self, by: Work | None, ran: list[Work], others: set[str], step: Any) -> None:
        """Note a finished step: the calls its model requested and its tokens; `others` are names that are no tools."""
        if not hasattr(step, "token_usage"):
            return  # the final answer step has no model call
        message = getattr(step, "model_output_message", None)
        if message is not None:
            calls = [_call_of(call, step.error) for call in message.tool_calls or ()]
            asked = [call for call in calls if call.name not in others]
            self._notes.asked_at_once(asked, ran, by=by, start=step.timing.start_time)
            ran.clear()
        self._used.append((_usage(step.token_usage), by))


class _Between:
    """Proxy for a tool, managed agent or executor that routes calls through a function."""

    def __init__(self, inner: Any, call: Callable[..., Any]) -> None:
        self._inner = inner
        self._call = call

    def __getattr__(self, name: str) -> Any:
        if name in ("_inner", "_call"):
            raise AttributeError(name)  # while a copy is being made
        return getattr(self._inner, name)

    def __call__(self, *args: Any, **given: Any) -> Any:
        return self._call(self._inner, *args, **given)


class _Steps:
    """Proxy for an agent's step callbacks that observes each step first."""

    def __init__(self, inner: Any, hear: Callable[[Any], None]) -> None:
        self._inner = inner
        self._note_step = hear

    def callback(self, step: Any, **more: Any) -> None:
        """Observe a finished step, then run the original callbacks."""
        self._note_step(step)
        self._inner.callback(step, **more)


def _local_executor() -> type[Any]:
    kind: type[Any] = import_framework("smolagents", scheme="smolagents", install="smolagents").LocalPythonExecutor
    return kind


def _usage(token_usage: Any) -> Usage | None:
    return (
        Usage(input_tokens=token_usage.input_tokens, output_tokens=token_usage.output_tokens, calls=1)
        if token_usage
        else None
    )


def _call_of(call: Any, error: object) -> ToolCall:
    """Convert a call as requested by the model, with the step's error if it was not made."""
    why = f"not called: {error}" if error is not None else None
    return ToolCall(name=call.function.name, arguments=arguments_in(call.function.arguments), id=call.id, error=why)


def _arguments(tool: Any, args: Iterable[Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return a tool's arguments by name; code may pass them by position, or all in one dict."""
    placed = list(args)
    if len(placed) == 1 and isinstance(placed[0], dict) and placed[0].keys() <= tool.inputs.keys():
        placed, given = [], {**given, **placed[0]}
    named = {**dict(zip(tool.inputs, placed, strict=False)), **given}
    return {name: plain(value) for name, value in named.items() if name != _INTERNAL}


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent at `package.module:attribute`, or the one that the function there returns."""
    must_be_none(options, whose="a smolagents: agent", instead="configure it in its own code")
    kind = import_framework("smolagents", scheme="smolagents", install="smolagents").MultiStepAgent
    make, shared = find_maker(rest, kind, expected="a smolagents agent")
    return _fresh(make, name=f"smolagents:{rest}", shared=shared or _shares_agents(make))


def adapt(target: Any, *, name: str) -> Agent:
    """Wrap a smolagents agent; it has a single memory, so conversations take turns."""
    return _fresh(lambda: target, name=name, shared=True)


def _fresh(make: Callable[[], Any], *, name: str, shared: bool) -> Agent:
    if shared:
        warn_of_sharing(name, "it remembers its last run: questions are asked one at a time, each from the beginning")
    turn = _TakingTurns() if shared else None
    return PerConversationAgent(lambda: _SmolDialogue(make(), turn), name=name)


def _shares_agents(make: Callable[[], Any]) -> bool:
    """Whether two agents made by the factory share an agent, such as a module-level managed agent."""
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
    """Serializes the use of an object that all conversations share."""

    def __init__(self) -> None:
        self.queue = Throttle(concurrency=1)
        """Queue of waiting questions; time in it does not count as agent time."""
        self.busy = threading.Lock()
        """Held by the thread running the agent, even after a timeout; waiting for it counts as agent time."""


class _SmolDialogue:
    """One conversation. An unshared agent remembers it; a shared one is given the history each time."""

    def __init__(self, target: Any, turn: _TakingTurns | None) -> None:
        self._target = target
        self._turn = turn
        self._asked = False

    async def reply(self, request: Request, notes: Notes) -> Reply:
        """Run the agent in a thread, since it is synchronous."""
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
