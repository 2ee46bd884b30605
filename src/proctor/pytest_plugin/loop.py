"""One event loop per test session, in its own thread.

An agent's connections belong to the loop they were opened on, so all cases are asked on the same one. Tests may use
event loops of their own.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from proctor.threads import Stage, with_growing_executor

T = TypeVar("T")
_FAREWELL = 10.0
"""Maximum seconds for the loop to end."""
_HELD = 1.0
"""Seconds without a response after which the loop is considered blocked."""


class Loop:
    """An event loop that starts on first use."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    def stage(self) -> Stage:
        """Return the loop as a Stage for other threads, starting it if necessary."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="proctor-pytest", daemon=True)
            self._thread.start()
        loop, _ = self._running.result()
        return Stage(loop)

    def run(self, make: Callable[[], Coroutine[Any, Any, T]], *, within: float | None = None) -> T:
        """Run a coroutine on the loop and wait for it, up to this many seconds; it is cancelled on timeout."""
        return self.stage().run(make, timeout=within)

    def leave_if_held(self) -> None:
        """Abandon the loop if it is blocked; the next case starts a new one."""
        if not self.stage().responds(within=_HELD):
            self._thread, self._running = None, Future()

    def close(self) -> None:
        """Stop everything on the loop, and the loop itself."""
        if self._thread is not None:
            loop, ended = self._running.result()
            loop.call_soon_threadsafe(ended.set)
            self._thread.join(_FAREWELL)

    def _serve(self) -> None:
        asyncio.run(self._until_ended(self._running))

    async def _until_ended(self, running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
        ended = asyncio.Event()
        with_growing_executor(asyncio.get_running_loop())
        running.set_result((asyncio.get_running_loop(), ended))
        await ended.wait()
