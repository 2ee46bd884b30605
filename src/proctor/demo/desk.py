"""Where the library's tools are used, and every use is recorded."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from proctor.errors import InputError
from proctor.transcript import ToolCall

P = ParamSpec("P")
T = TypeVar("T")


class Desk:
    """The tool calls of one reply, in order."""

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []

    def use(self, tool: Callable[P, T], *none: P.args, **arguments: P.kwargs) -> T:
        """Use a tool, whose arguments all have names, and keep the record of it, also when it refuses."""
        began = time.perf_counter()
        try:
            result = tool(*none, **arguments)
        except InputError as error:
            self._record(tool, arguments, began, error=str(error))
            raise
        self._record(tool, arguments, began, result=result, result_known=True)
        return result

    def _record(self, tool: Callable[..., Any], arguments: dict[str, Any], began: float, **outcome: Any) -> None:
        number = len(self.calls) + 1
        seconds = time.perf_counter() - began
        name = tool.__name__
        self.calls.append(
            ToolCall(name=name, arguments=arguments, id=f"call-{number}", step=number, seconds=seconds, **outcome)
        )
