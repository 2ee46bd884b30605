"""Traverse what is behind an exception: causes, contexts, group members and wrapped exceptions."""

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
"""Attributes in which exceptions keep the original exception."""


def chain(error: BaseException, *, implicit: bool = True) -> Iterator[BaseException]:
    """Yield the exception, its causes and group members, and recursively all of theirs.

    If `implicit`, also the exceptions being handled when it was raised, even if suppressed: clients raise their own
    exceptions `from None`.
    """
    return islice(_links(error, implicit=implicit), _LINKS)


def _links(error: BaseException, *, implicit: bool) -> Iterator[BaseException]:
    seen: dict[int, BaseException] = {}  # keeps references, so that ids are not reused
    waiting = [error]
    while waiting:
        link = waiting.pop()
        if id(link) in seen:
            continue
        seen[id(link)] = link
        yield link
        if not isinstance(link, CallError):  # already attributed
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
    """Return the first exceptions in a group, with nested groups flattened."""
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
    """Read an attribute of a foreign object, whose getter may raise anything; None if there is none."""
    try:
        return getattr(holder, name, None)
    except BaseException:
        return None


def names_of(link: BaseException) -> set[str]:
    """Return the class names of an exception and its bases."""
    return {kind.__name__ for kind in type(link).__mro__}
