"""One event loop for a whole test session, in a thread of its own.

An agent's connections belong to the loop they were made on, so all cases are asked on the same one. Tests may have
loops of their own, running or not.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
_FAREWELL = 10.0
"""Seconds that the loop may take to end."""


class Loop:
    """An event loop that starts when it is first needed."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin something there."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="proctor-pytest", daemon=True)
            self._thread.start()
        loop, _ = self._running.result()
        return asyncio.run_coroutine_threadsafe(work, loop)

    def run(self, work: Coroutine[Any, Any, T], *, within: float | None = None) -> T:
        """Do something there and wait for it, so many seconds at most; who stops waiting ends it too."""
        future = self.submit(work)
        try:
            return future.result(within)
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """End whatever still runs there, and the loop."""
        if self._thread is not None:
            loop, ended = self._running.result()
            loop.call_soon_threadsafe(ended.set)
            self._thread.join(_FAREWELL)

    def _serve(self) -> None:
        asyncio.run(self._until_ended())

    async def _until_ended(self) -> None:
        ended = asyncio.Event()
        self._running.set_result((asyncio.get_running_loop(), ended))
        await ended.wait()
