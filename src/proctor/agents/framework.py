"""Helpers shared by framework adapters: import objects, report missing packages, classify failures."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from proctor import codec
from proctor.agents.notes import Notes
from proctor.errors import AgentFault, InputError
from proctor.failures import chain, classify, short_message, with_spending
from proctor.plugins import import_attribute
from proctor.telemetry.capture import capturing
from proctor.transcript import Reply, Request
from proctor.usage import Usage


def require(package: str, *, extra: str) -> None:
    """Check that a framework is installed; raise InputError with the pip command if it is not."""
    try:
        importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise InputError(
            f"a {extra}: agent needs a package that is not installed: pip install 'proctor[{extra}]'"
        ) from error


def find(spec: str, kind: type[Any], *, expected: str) -> Any:
    """Return the object at `package.module:attribute`, or the one that the function there returns."""
    found = import_attribute(spec, what="agent")
    if isinstance(found, kind):
        return found
    made = _call_factory(found, spec) if callable(found) else found
    if isinstance(made, kind):
        return made
    if inspect.iscoroutine(made):
        made.close()
    hint = "; compile() it first" if callable(getattr(made, "compile", None)) else ""
    whose = "returned" if made is not found else "is"
    raise InputError(
        f"the agent {spec!r} {whose} an object of type {type(made).__name__}; "
        f"expected {expected}, or a function without parameters that returns one{hint}"
    )


def _call_factory(make: Callable[..., Any], spec: str) -> Any:
    try:
        inspect.signature(make).bind()
    except (TypeError, ValueError):
        return make  # requires arguments, so it is no factory; rejected later by its type
    try:
        return make()
    except Exception as error:
        raise InputError(f"cannot make the agent {spec!r}: {type(error).__name__}: {short_message(error)}") from error


async def ask(request: Request, run: Callable[[Notes], Awaitable[Reply]]) -> Reply:
    """Run the agent and return its reply with captured telemetry merged in; raise failures classified by cause."""
    notes = Notes()
    with capturing(request.conversation) as captured:
        try:
            reply = await run(notes)
        except Exception as error:
            fault = with_spending(classify(error), notes.used or Usage())
            if fault is error:
                raise
            if tool := notes.failing_tool(short_message(link) for link in chain(error)):
                fault.args = (f"the tool {tool!r} failed: {fault}",)
            raise fault from error
    return captured.merged_into(reply)


def answer_of(value: Any) -> Any:
    """Convert an agent's output for `to_reply`; objects without a `text` become JSON."""
    if not isinstance(value, (str, Reply, Mapping)):
        value = plain(value)
    if isinstance(value, (str, Reply)) or (isinstance(value, Mapping) and isinstance(value.get("text"), str)):
        return value
    if value is None:
        raise AgentFault("the agent returned None; expected an answer", kind="wrong_type")
    return codec.encode(value)


def summary(context: str | None) -> str | None:
    """Return the context as it is put to a model, or None if there is none."""
    return f"Summary of the conversation so far:\n{context}" if context else None


def load_factory(spec: str | None, *, option: str) -> Callable[[], Any]:
    """Return a factory for the object that an option names: functions and classes are called, other objects shared."""
    if spec is None:
        return lambda: None
    found = import_attribute(spec, what=option)
    return found if inspect.isroutine(found) or inspect.isclass(found) else lambda: found


def plain(value: Any) -> Any:
    """Convert a tool result, such as a model or dataclass, to plain data."""
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        return to_jsonable_python(value, fallback=str)
    except (PydanticSerializationError, ValueError, RecursionError):
        return value
