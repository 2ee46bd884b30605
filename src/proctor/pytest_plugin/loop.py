"""One event loop for a whole test session, in a thread of its own.

An agent's connections belong to the loop they were made on, so all cases are asked on the same one. Tests may have
loops of their own, running or not.
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
"""Seconds that the loop may take to end."""
_HELD = 1.0
"""Seconds after which a loop that does not answer is taken to be held for good."""


class Loop:
    """An event loop that starts when it is first needed."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    def stage(self) -> Stage:
        """The loop, as seen from a thread that plays on it."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="proctor-pytest", daemon=True)
            self._thread.start()
        loop, _ = self._running.result()
        return Stage(loop)

    def run(self, make: Callable[[], Coroutine[Any, Any, T]], *, within: float | None = None) -> T:
        """Do something there and wait for it, so many seconds at most; who stops waiting ends it too."""
        return self.stage().run(make, timeout=within)

    def leave_if_held(self) -> None:
        """Leave it behind where somebody has taken it for good: the next case is asked on a new one."""
        if not self.stage().responds(within=_HELD):
            self._thread, self._running = None, Future()

    def close(self) -> None:
        """End whatever still runs there, and the loop."""
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
