"""The demonstration librarian as a mind: its rules decide, somebody else runs its tools."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from proctor.demo.agent import find
from proctor.demo.desk import Desk
from proctor.demo.library import shelf
from proctor.demo.passage import Finding
from proctor.errors import InputError
from proctor.testing.minds import Heard, Move, Tools, Wish
from proctor.transcript import Reply, Request, Turn

P = ParamSpec("P")
T = TypeVar("T")
NAMES = ("search_knowledge", "search_keyword", "list_contents", "find", "read", "read_around", "get_info")


def _tool(name: str) -> Callable[..., Any]:
    """A tool of the library as a function; what it returns is nothing that every framework could describe."""
    method = getattr(shelf(), name)

    def run(**arguments: Any) -> Any:
        return method(**arguments)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = method.__doc__
    plain = inspect.signature(method, eval_str=True).replace(return_annotation=Any)
    run.__signature__ = plain  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in plain.parameters.values()}
    return run


TOOLS: Tools = {name: _tool(name) for name in NAMES}
Shelf = type("Shelf", (), {name: staticmethod(tool) for name, tool in TOOLS.items()})
"""The tools, where each can be named."""


class _Wanted(Exception):
    """The next tool call, whose result is not known yet."""

    def __init__(self, wish: Wish) -> None:
        super().__init__(wish.name)
        self.wish = wish


class _Remembering(Desk):
    """A desk on which lies what was fetched already; whoever wants more has to ask for it."""

    def __init__(self, results: tuple[Any, ...]) -> None:
        super().__init__()
        self._results = list(results)

    async def use(self, tool: Callable[P, T], *none: P.args, **arguments: P.kwargs) -> T:
        if not self._results:
            raise _Wanted(Wish(name=tool.__name__, arguments=dict(arguments)))
        result = self._results.pop(0)
        if isinstance(result, Exception):
            raise InputError(str(result))
        return cast("T", result)


async def librarian(heard: Heard) -> Move:
    """Think it through from the start with what is known, as far as that leads."""
    pairs = zip(heard.history[::2], heard.history[1::2], strict=True)
    history = tuple(Turn(number=n, question=asked, reply=Reply(text=said)) for n, (asked, said) in enumerate(pairs, 1))
    request = Request(
        question=heard.question, conversation="", context=heard.context or None, history=history, turn=len(history) + 1
    )
    try:
        finding = await find(shelf(), request, _Remembering(heard.results))
    except _Wanted as wanted:
        return Move(calls=(wanted.wish,))
    except InputError as error:
        finding = Finding(text=f"I could not look that up: {error}.")
    return Move(
        text=finding.text, citations=tuple({"source": each.source, "quote": each.quote} for each in finding.citations)
    )
