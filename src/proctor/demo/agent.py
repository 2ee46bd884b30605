"""The demonstration agents: `demo:librarian` answers from the knowledge base, by rules alone."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proctor.demo.errand import Errand
from proctor.demo.library import Library, shelf
from proctor.errors import InputError
from proctor.transcript import Reply, Request

KNOWN = ("librarian",)
"""The agents that `load` can make."""


class Librarian:
    """Searches, reads, and answers with a sentence that it cites.

    It has no model and no memory: everything it knows of a conversation is in the request. Its weaknesses are those of
    its method. It answers with one sentence of one document, so it neither adds up nor compares; it overlooks a "not";
    it cannot tell a superseded policy from the one in force. Where two sections seem equally good, the trial decides.
    """

    name = "demo:librarian"
    takes_request = True

    def __init__(self, *, library: Library | None = None, delay: float = 0.0) -> None:
        self._library = library
        self._delay = delay

    async def reply(self, request: Request) -> Reply:
        """Answer from the knowledge base."""
        began = time.perf_counter()
        if self._delay:
            await asyncio.sleep(self._delay)
        reply = Errand(self._library or shelf(), request).run()
        return replace(reply, seconds=time.perf_counter() - began)

    async def forget(self, conversation: str) -> None:
        """Nothing is kept."""

    async def close(self) -> None:
        """Nothing is open."""


def load(spec: str, options: Mapping[str, Any]) -> Librarian:
    """The agent of that name; the option `delay` makes it wait so many seconds before each answer."""
    if spec not in KNOWN:
        names = ", ".join(f"demo:{name}" for name in KNOWN)
        raise InputError(f"there is no demonstration agent spec={spec!r}; expected one of: {names}")
    if unknown := sorted(set(options) - {"delay"}):
        raise InputError(f"demo:{spec} has no option {unknown[0]!r}; expected: delay")
    return Librarian(delay=_delay(options.get("delay", 0.0)))


def _delay(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf:
        return float(value)
    raise InputError(f"demo:librarian cannot wait delay={value!r}; expected seconds, 0 or more")
