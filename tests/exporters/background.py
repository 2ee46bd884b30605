"""A server for callers that block: it runs in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.net.serving import Handler, Server, serving


@contextmanager
def in_background(handler: Handler) -> Iterator[Server]:
    """The server, as long as it is wanted."""
    running: list[Server] = []
    ready, ended = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        async with serving(handler) as server:
            running.append(server)
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield running[0]
    finally:
        loops[0].call_soon_threadsafe(ended.set)
        thread.join(10)
