"""Python agents: a function (sync, async or streaming), an object, or a class instantiated per conversation."""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from proctor import threads
from proctor.agents.options import must_be_known, truth
from proctor.codec.replies import to_reply
from proctor.errors import InputError
from proctor.net.limits import wait_outside_time_limit
from proctor.plugins import import_attribute
from proctor.roles import Agent
from proctor.telemetry.capture import capturing
from proctor.telemetry.messages import reply_in
from proctor.transcript import Reply, Request


class _Kind(NamedTuple):
    """How to recognise the objects of a framework."""

    adapter: str
    """Module of the adapter for them."""
    module: str
    name: str
    """Class that they are instances of."""
    beside: str
    """Another name that the module must have: `agents`, for one, may be another package."""


_KINDS = (
    _Kind("proctor.agents.langchain", "langchain_core.runnables", "Runnable", beside="RunnableLambda"),
    _Kind("proctor.agents.pydantic_ai", "pydantic_ai.agent", "AbstractAgent", beside="AgentRunResult"),
    _Kind("proctor.agents.openai_agents", "agents", "Agent", beside="RunHooks"),
    _Kind("proctor.agents.crewai", "crewai", "Crew", beside="Task"),
    _Kind("proctor.agents.llama_index", "llama_index.core.agent.workflow", "AgentWorkflow", beside="FunctionAgent"),
    _Kind("proctor.agents.llama_index", "llama_index.core.agent.workflow", "BaseWorkflowAgent", beside="FunctionAgent"),
    _Kind("proctor.agents.google_adk", "google.adk.agents", "BaseAgent", beside="LlmAgent"),
    _Kind("proctor.agents.smolagents", "smolagents", "MultiStepAgent", beside="ToolCallingAgent"),
)


_BY_FUNCTION = ("strands", "agno", "dspy", "autogen_agentchat")
"""Frameworks whose objects are supported only when wrapped in a function."""


def adapt_object(target: object, *, name: str) -> Agent | None:
    """Wrap an object of a known framework as an agent; None if it belongs to no known one."""
    for kind in _KINDS:
        framework = sys.modules.get(kind.module)
        if framework is not None and _is_one(target, framework, kind):
            adapter: Any = import_module(kind.adapter)
            agent: Agent = adapter.adapt(target, name=name)
            return agent
    return None


def _is_one(target: object, framework: ModuleType, kind: _Kind) -> bool:
    known = getattr(framework, kind.name, None)
    return isinstance(known, type) and hasattr(framework, kind.beside) and isinstance(target, known)


def load(spec: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent at `package.module:attribute`."""
    must_be_known(options, ["per_worker"], whose="a python: agent")
    target = import_attribute(spec, what="agent")
    if truth(options, "per_worker") and inspect.isclass(target):
        return _OneObject(target, f"python:{spec}")
    return adapt(target, name=f"python:{spec}")


def adapt(target: Any, *, name: str) -> Agent:
    """Wrap anything that can answer questions as an Agent."""
    if inspect.isclass(target):
        return _Class(target, name)
    if all(hasattr(target, member) for member in ("reply", "forget", "close", "takes_request", "name")):
        complete: Agent = target
        return complete
    if not hasattr(target, "reply") and (framed := adapt_object(target, name=name)) is not None:
        return framed
    _refuse_framework(target, name)
    return _Shared(target, name)


def _refuse_framework(target: Any, name: str) -> None:
    """Refuse a stateful framework object whose output is not text, before any call is paid for in vain."""
    package = type(target).__module__.partition(".")[0]
    if package in _BY_FUNCTION:
        raise InputError(
            f"the agent {name!r} is an object of {package} ({type(target).__name__}), which cannot be asked as it is; "
            "expected a function that makes one and returns its text; the page “Connect an agent of any framework” has "
            f"that of {package}"
        )


class _Shared:
    """A function or object that serves every conversation."""

    forgets_nothing = True

    def __init__(self, target: Any, name: str) -> None:
        self.name = name
        answer = _answer_of(target, name)
        _must_take_one(answer, name)
        self.takes_request = _wants_request(answer)
        self._ask = _caller(answer)

    async def reply(self, request: Request) -> Reply:
        with capturing(request.conversation) as captured:
            reply: Reply = await self._ask(request if self.takes_request else request.question)
        return captured.merged_into(reply)

    async def forget(self, conversation: str) -> None:
        pass

    async def close(self) -> None:
        pass


class _Class:
    """A class that is instantiated once per conversation, so that conversations cannot mix."""

    def __init__(self, target: type[Any], name: str) -> None:
        self.name = name
        self._make = target
        self._living: dict[str, Callable[[Any], Any]] = {}
        method = _method(target, "reply") or _method(target, "__call__")
        if method is None or not _makeable(target):
            raise InputError(
                f"the agent {name!r} is a class that needs a reply(question) method and no arguments to make"
            )
        answer = getattr(method, "__func__", method)  # of a static or class method
        skip = 0 if isinstance(method, staticmethod) else 1
        _must_take_one(answer, name, skip=skip)
        self.takes_request = _wants_request(answer, skip=skip)

    async def reply(self, request: Request) -> Reply:
        ask = self._living.get(request.conversation)
        if ask is None:
            instance = await threads.call(self._make)
            ask = self._living[request.conversation] = _caller(_answer_of(instance, self.name))
        with capturing(request.conversation) as captured:
            reply: Reply = await ask(request if self.takes_request else request.question)
        return captured.merged_into(reply)

    async def forget(self, conversation: str) -> None:
        self._living.pop(conversation, None)

    async def close(self) -> None:
        self._living.clear()


class _OneObject(_Class):
    """A heavy class of which one instance per process serves all conversations."""

    forgets_nothing = True

    def __init__(self, target: type[Any], name: str) -> None:
        super().__init__(target, name)
        self._making: asyncio.Task[Callable[[Any], Any]] | None = None
        self._close: Callable[[], Any] | None = None

    async def open(self) -> Callable[[Any], Any]:
        """Create the object once and return the function that asks it. Creating it does not count as call time."""
        making = self._making = self._making or asyncio.create_task(self._make_object())

        async def until_made() -> None:
            await asyncio.wait({making})

        if not making.done():
            await wait_outside_time_limit(until_made)
        return making.result()

    async def reply(self, request: Request) -> Reply:
        ask = await self.open()
        with capturing(request.conversation) as captured:
            reply: Reply = await ask(request if self.takes_request else request.question)
        return captured.merged_into(reply)

    async def close(self) -> None:
        close, self._close = self._close, None
        if close is not None:
            closed = await threads.call(close)
            if inspect.isawaitable(closed):
                await closed

    async def _make_object(self) -> Callable[[Any], Any]:
        target = await threads.call(self._make)
        close = getattr(target, "close", None)
        self._close = close if callable(close) else None
        return _caller(_answer_of(target, self.name))


def _answer_of(target: Any, name: str) -> Callable[[Any], Any]:
    method = getattr(target, "reply", None)
    if callable(method):
        answer: Callable[[Any], Any] = method
        return answer
    if callable(target):
        called: Callable[[Any], Any] = target
        return called
    hint = "; compile() it first" if callable(getattr(target, "compile", None)) else ""
    raise InputError(
        f"the agent {name!r} is of type {type(target).__name__}; expected a function, an object with reply(), "
        f"or an agent of a framework{hint}"
    )


def _method(target: type[Any], name: str) -> Any:
    """Return a method defined by the class or its bases; getattr would also find the metaclass's `__call__`."""
    return next((vars(kind)[name] for kind in target.__mro__ if name in vars(kind)), None)


def _makeable(target: type[Any]) -> bool:
    try:
        inspect.signature(target).bind()
    except TypeError:
        return False
    except ValueError:
        return True  # built-in without a signature
    return True


def _must_take_one(answer: Callable[..., Any], name: str, *, skip: int = 0) -> None:
    """Refuse, before the first question, a callable that does not take one argument."""
    try:
        inspect.signature(answer).bind(*[None] * (skip + 1))
    except TypeError as error:
        raise InputError(
            f"the agent {name!r} cannot be asked ({error}); expected one parameter: the question, or a proctor.Request"
        ) from error
    except ValueError:
        return  # built-in without a signature


def _wants_request(answer: Callable[..., Any], *, skip: int = 0) -> bool:
    """Whether the first parameter is annotated `Request` or named `request`."""
    parameters = list(_signature(answer).parameters.values())[skip:]
    if not parameters:
        return False
    annotation = parameters[0].annotation
    return parameters[0].name == "request" or annotation is Request or str(annotation).rpartition(".")[2] == "Request"


def _signature(answer: Callable[..., Any]) -> inspect.Signature:
    """Return the signature, with annotations evaluated if possible."""
    try:
        return inspect.signature(answer, eval_str=True)
    except (NameError, AttributeError, SyntaxError):
        return inspect.signature(answer)
    except (TypeError, ValueError):
        return inspect.Signature()


def _caller(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return an async function that calls `answer`, be it sync, async or streaming."""
    inner = answer if inspect.isroutine(answer) else _method(type(answer), "__call__")
    if inspect.iscoroutinefunction(answer) or inspect.iscoroutinefunction(inner):

        async def call_async(argument: Any) -> Reply:
            return _reply(await answer(argument), argument)

        return call_async
    if inspect.isasyncgenfunction(answer) or inspect.isasyncgenfunction(inner):

        async def call_stream(argument: Any) -> Reply:
            return await _gather(answer(argument), argument)

        return call_stream

    async def call_sync(argument: Any) -> Reply:
        result = await threads.call(answer, argument)
        return _reply(await result if inspect.isawaitable(result) else result, argument)

    return call_sync


def _reply(value: object, asked: Request | str) -> Reply:
    """Convert the returned value to a Reply; from a list of messages, take the answer to the question."""
    if isinstance(value, (str, Reply)):
        return to_reply(value)
    question = asked.question if isinstance(asked, Request) else asked
    return to_reply(reply_in(value, question) or value)


async def _gather(stream: AsyncIterator[Any], asked: Request | str) -> Reply:
    """Join a streamed reply: pieces of text, and at most one dict or Reply with everything else."""
    started = time.perf_counter()
    first: float | None = None
    pieces: list[str] = []
    final_reply: Reply | None = None
    async for piece in stream:
        first = first if first is not None else time.perf_counter() - started
        if isinstance(piece, str):
            pieces.append(piece)
        else:
            final_reply = _reply(piece, asked)
    text = "".join(pieces)
    final_reply = final_reply or to_reply(text)
    return replace(final_reply, text=final_reply.text or text, first_token=first)
