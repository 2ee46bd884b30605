"""Calls the library's tools and records each call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from typing import Any, ParamSpec, TypeVar

from proctor import fault_injection as conditions
from proctor.errors import InputError
from proctor.fault_injection import InjectedFault
from proctor.transcript import ToolCall

P = ParamSpec("P")
T = TypeVar("T")
_Waits = Callable[[Callable[..., Any], dict[str, Any], float | None], Awaitable[Any]]


class Desk:
    """The tool calls of one reply, in order."""

    def __init__(self, *, calls: list[ToolCall] | None = None, delay: float | None = None) -> None:
        self.calls: list[ToolCall] = [] if calls is None else calls
        self._delay = delay
        """Simulated duration of a tool call in seconds; None for none."""

    async def use(self, tool: Callable[P, T], *none: P.args, **arguments: P.kwargs) -> T:
        """Call a tool with keyword arguments and record the call, even if it fails."""
        number = len(self.calls) + 1
        call = ToolCall(name=tool.__name__, arguments=arguments, id=f"call-{number}", step=number)
        self.calls.append(call)  # reserves its place, so that overlapping calls are recorded by start time
        clock = time.perf_counter()
        try:
            result: T = await _strikable(tool.__name__)(tool, arguments, self._delay)
            _must_be_result(tool.__name__, result)
            call = replace(call, result=result)
            return result
        except (InputError, InjectedFault) as error:
            call = replace(call, error=str(error))
            raise
        finally:
            self.calls[number - 1] = replace(call, seconds=time.perf_counter() - clock)


@cache
def _strikable(name: str) -> _Waits:
    """Return a wrapper for calls of this tool, in which conditions can inject faults."""

    async def run(tool: Callable[..., Any], arguments: dict[str, Any], delay: float | None) -> Any:
        if delay is not None:
            await asyncio.sleep(delay)
        return tool(**arguments)

    return conditions.tool(run, name=name)


def _must_be_result(name: str, result: object) -> None:
    """Refuse a result that no tool of the library returns, as an injected one may be."""
    if not isinstance(result, list | dict):
        raise InputError(f"{name} answered {result!r}; expected a list or a table")
