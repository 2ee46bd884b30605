"""Requests that leave at once, also on Python 3.11.

From 3.12 on, aiohttp writes a body while it makes the request. Before, it leaves that to a task, which gets its turn
only after everybody who is ready. When a hundred answers arrive together, they are then all worked through before the
first of the next hundred questions leaves: the server waits for us, and we wait for the server.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Coroutine, Generator
from contextvars import ContextVar
from functools import partial
from types import coroutine
from typing import Any

import aiohttp
from aiohttp.abc import AbstractStreamWriter
from aiohttp.connector import Connection

SENT_OVER_KEPT: ContextVar[float | None] = ContextVar("proctor_sent_over_kept", default=None)
"""When this task has sent its last request, if over a connection that had carried one before."""


class _Noting(aiohttp.ClientRequest):
    """A request that notes whether its connection is new: the server may just be closing one that was idle."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        """Send it."""
        carried = vars(conn.protocol)
        SENT_OVER_KEPT.set(time.monotonic() if "proctor_used" in carried else None)
        carried["proctor_used"] = True
        return await super().send(conn)


class _Prompt(_Noting):
    """A request that is written as far as it can be before anybody waits."""

    def write_bytes(
        self, writer: AbstractStreamWriter, conn: Connection, content_length: int | None = None
    ) -> Coroutine[Any, Any, None]:
        """Write; what is returned writes the rest, of which there is hardly ever any."""
        writing = super().write_bytes(writer, conn, content_length)
        try:
            waits_for = writing.send(None)
        except StopIteration:
            return _nothing()
        return _rest(writing, waits_for)


async def _nothing() -> None:
    pass


@coroutine
def _rest(writing: Coroutine[Any, Any, None], waits_for: Any) -> Generator[Any, Any, None]:
    """A coroutine from its first wait on."""
    while True:
        try:
            sent = yield waits_for
        except BaseException as thrown:
            step = partial(writing.throw, thrown)
        else:
            step = partial(writing.send, sent)
        try:
            waits_for = step()
        except StopIteration:
            return


REQUEST = _Noting if sys.version_info >= (3, 12) else _Prompt
"""What a session makes its requests with."""
