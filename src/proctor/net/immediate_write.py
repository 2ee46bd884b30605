"""Requests that leave at once, also on Python 3.11.

From 3.12 on, aiohttp writes a body while it makes the request. Before, it leaves that to a task, which gets its turn
only after everybody who is ready. When a hundred answers arrive together, they are then all worked through before the
first of the next hundred questions leaves: the server waits for us, and we wait for the server.
"""

from __future__ import annotations

import socket
import struct
import sys
import time
from collections.abc import Coroutine, Generator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from types import coroutine
from typing import Any

import aiohttp
from aiohttp.abc import AbstractStreamWriter
from aiohttp.connector import Connection

_IDLE_SINCE = "proctor_idle_since"
_FAR = 0.3
"""Seconds of a round trip where the system does not tell it."""
_RTT_IN_TCP_INFO = 68
"""Bytes before the smoothed round trip, in microseconds, in Linux's `struct tcp_info`."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request for which there was a connection."""

    at: float
    idle: float | None
    """Seconds in which nobody used the connection; None: it is new."""
    round_trip: float


LAST_SENT: ContextVar[SentRequest | None] = ContextVar("proctor_last_sent", default=None)
"""The last request of this task; None: there is no connection yet."""


class _Noting(aiohttp.ClientRequest):
    """A request that notes whether its connection is new: the server may just be closing one that was idle."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        """Send it."""
        carried, now = vars(conn.protocol), time.monotonic()
        idle_since = carried.get(_IDLE_SINCE)
        LAST_SENT.set(SentRequest(now, None if idle_since is None else now - idle_since, _round_trip(conn)))
        conn.add_callback(lambda: carried.update({_IDLE_SINCE: time.monotonic()}))
        return await super().send(conn)


def _round_trip(conn: Connection) -> float:
    sock = conn.transport.get_extra_info("socket") if conn.transport is not None else None
    if sock is None or not hasattr(socket, "TCP_INFO") or sys.platform != "linux":
        return _FAR
    try:
        told = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RTT_IN_TCP_INFO + 4)
        return float(struct.unpack_from("I", told, _RTT_IN_TCP_INFO)[0]) / 1e6
    except (OSError, struct.error):
        return _FAR


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
