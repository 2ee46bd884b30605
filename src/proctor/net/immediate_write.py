"""Write requests immediately, also on Python 3.11.

From 3.12 on, aiohttp writes the body while creating the request. Before that, it uses a task, which runs only after all
other ready tasks. When a hundred responses arrive together, all of them would be processed before the first of the next
hundred requests is sent, while the server sits idle.
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
"""Assumed round-trip time in seconds if the system does not report it."""
_RTT_IN_TCP_INFO = 68
"""Offset of the smoothed round-trip time, in microseconds, in Linux's `struct tcp_info`."""


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
    """A request that records whether its connection is reused, since the server may just be closing an idle one."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        """Send the request."""
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
        tcp_info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RTT_IN_TCP_INFO + 4)
        return float(struct.unpack_from("I", tcp_info, _RTT_IN_TCP_INFO)[0]) / 1e6
    except (OSError, struct.error):
        return _FAR


class _Prompt(_Noting):
    """A request that writes as much of its body as possible before the first wait."""

    def write_bytes(
        self, writer: AbstractStreamWriter, conn: Connection, content_length: int | None = None
    ) -> Coroutine[Any, Any, None]:
        """Write the body; the returned coroutine writes the rest, if any."""
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
    """Continue a coroutine after its first wait."""
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
"""Request class for client sessions."""
