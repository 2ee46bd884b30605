"""What is behind an exception: causes, contexts, members of groups, and what it keeps in its attributes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from proctor.errors import CallError

_LINKS = 1000
_MEMBERS = 100
_KEPT = (
    "args", "reason", "os_error", "inner_exception", "original_error", "original_exception", "last_exception", "error",
    "errors",
)  # fmt: skip
"""Where exceptions keep what they were raised for."""


def chain(error: BaseException, *, implicit: bool = True) -> Iterator[BaseException]:
    """The exception, what it was raised from or for, the members of groups, and all of theirs.

    `implicit`: what was being handled when it was raised belongs to it as well, also where that is suppressed: clients
    raise their own exceptions `from None`.
    """
    return islice(_links(error, implicit=implicit), _LINKS)


def _links(error: BaseException, *, implicit: bool) -> Iterator[BaseException]:
    seen: dict[int, BaseException] = {}  # kept, so that no other can get the same id
    waiting = [error]
    while waiting:
        link = waiting.pop()
        if id(link) in seen:
            continue
        seen[id(link)] = link
        yield link
        if not isinstance(link, CallError):  # whose it is has been settled
            waiting += reversed([each for each in _behind(link, implicit=implicit) if isinstance(each, BaseException)])


def _behind(link: BaseException, *, implicit: bool) -> Iterator[object]:
    if isinstance(link, BaseExceptionGroup):
        yield from link.exceptions
    yield read(link, "__cause__")
    for name in _KEPT:
        kept = read(link, name)
        for each in kept if isinstance(kept, (list, tuple)) else (kept,):
            yield from each if isinstance(each, (list, tuple)) else (each,)
    if implicit:
        yield read(link, "__context__")


def members_of(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    """What went wrong in it, groups within it taken apart; the first ones."""
    found: list[BaseException] = []
    waiting: list[BaseException] = [group]
    while waiting and len(found) < _MEMBERS:
        link = waiting.pop()
        if isinstance(link, BaseExceptionGroup):
            waiting += reversed(link.exceptions)
        else:
            found.append(link)
    return found


def read(holder: object, name: str) -> Any:
    """An attribute of somebody else's object, which may do anything when it is asked for; None: it has none."""
    try:
        return getattr(holder, name, None)
    except BaseException:
        return None


def names_of(link: BaseException) -> set[str]:
    """What an exception is called, and whatever it descends from."""
    return {kind.__name__ for kind in type(link).__mro__}
