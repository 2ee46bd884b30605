"""A function of somebody's own: what its parameters ask for, and how it wants to be called."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from proctor import threads
from proctor.errors import InputError

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def asked_for(function: Callable[..., Any], offered: Sequence[str], *, who: str) -> tuple[str, ...]:
    """The names among those offered that the function asks for; raises InputError where it asks for others, or none.

    `who` is what an error calls it, such as `the check 'short'`.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise InputError(f"{who} has no signature to read; wrap it in a plain function") from error
    named = [parameter for parameter in parameters if parameter.kind not in _VARIADIC]
    wanted = tuple(p.name for p in named if p.name in offered and p.kind is not inspect.Parameter.POSITIONAL_ONLY)
    unknown = [p.name for p in named if p.name not in wanted and p.default is inspect.Parameter.empty]
    if unknown or not wanted:
        asked = f"asks for {', '.join(unknown)}" if unknown else "asks for nothing"
        raise InputError(f"{who} {asked}; its parameters have to be named among {', '.join(offered)}")
    return wanted


def caller(function: Callable[..., Any]) -> Callable[[dict[str, Any]], Awaitable[Any]]:
    """An async function that calls this one the way it wants to be called: one that blocks, in a thread."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(vars(type(function)).get("__call__")):
        return lambda given: function(**given)

    async def call_in_thread(given: dict[str, Any]) -> Any:
        returned = await threads.call(lambda: function(**given))
        return await returned if inspect.isawaitable(returned) else returned

    return call_in_thread
