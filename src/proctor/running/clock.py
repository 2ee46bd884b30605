"""Whose time it is: how long the event loop was held up, and by whom.

    clock.start(loop)            a beat every 50 ms on the loop, and a thread that listens to it
    CHARGED.set(charged)         what is done from here, in tasks that are started here too, is this attempt's doing
    clock.held(now)              seconds so far in which nobody could go on

A beat that comes late tells how long the loop was held up. Who did it is told by the steps of the coroutine that took
so long, and of tasks that it started by what the listening thread saw: the handle that the loop was running knows its
context. Several may have held it up one after the other before the next beat: each is charged the share of looks that
found it there, and nobody is given up who gave the loop on to another.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from asyncio.events import Handle
from collections.abc import Callable
from contextvars import Context, ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from proctor.run import Key

BEAT = 0.05
"""Seconds between two beats."""
_TOLERANCE = 0.02
"""Seconds that a beat may be late on a busy machine without anybody having held up the loop."""
LONG_STEP = 0.05
"""Seconds that one step of a coroutine may take without holding up the others."""
_HANDLE_RUN: CodeType = Handle._run.__code__


class ChargedAttempt:
    """One attempt as far as the clock is concerned."""

    __slots__ = ("held", "key", "task")

    def __init__(self, key: Key) -> None:
        self.key = key
        self.held = 0.0
        """Seconds in which tasks and callbacks that it started held up the loop."""
        self.task: asyncio.Task[Any] | None = None
        """The one that its calls are made in, whose own steps are timed one by one."""

    def __str__(self) -> str:
        """Who it is, in words."""
        return f"the agent in case {self.key.exam}, trial {self.key.trial}"


CHARGED: ContextVar[ChargedAttempt | None] = ContextVar("proctor_charged", default=None)
"""The attempt that is played in this context."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Holder:
    """Who holds the loop at the moment."""

    charged: ChargedAttempt | None
    """None: none of the attempts."""
    where: str
    """File, line and function of what runs."""
    handle: object = None
    """What the loop runs; None: it cannot be seen."""

    @property
    def other_than_own_steps(self) -> ChargedAttempt | None:
        """Whom to charge: not where the attempt's own task runs, whose steps are timed."""
        running = getattr(getattr(self.handle, "_callback", None), "__self__", None)
        own = self.charged is not None and running is not None and running is self.charged.task
        return None if own else self.charged

    def __str__(self) -> str:
        """In words: the attempt, and what it is at."""
        return f"{self.charged} in {self.where}" if self.charged is not None else self.where


class LoopClock:
    """Listens to one loop while a run is played on it."""

    def __init__(self, *, patience: float, give_up: Callable[[str], None]) -> None:
        """Seconds after which a loop that is never given back is given up, by telling who holds it."""
        self._patience = patience
        self._give_up = give_up
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread_id = 0
        self._last = time.monotonic()
        self._held = 0.0
        self._suspect: Holder | None = None
        self._looks: list[ChargedAttempt | None] = []
        self._over = threading.Event()
        self._timer: asyncio.TimerHandle | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to beat; called on the loop."""
        self._loop, self._thread_id = loop, threading.get_ident()
        self._last = time.monotonic()
        self._timer = loop.call_later(BEAT, self._beat, context=Context())
        threading.Thread(target=self._listen, name="proctor-clock", daemon=True).start()

    def stop(self) -> None:
        """Stop listening; from any thread."""
        self._over.set()

    def held(self, now: float) -> float:
        """Seconds up to now in which nobody could go on, charged to who held the loop; asked on the loop alone."""
        late = now - self._last - BEAT
        if late > _TOLERANCE:
            self._held += late
            looks, self._looks = self._looks, []
            for charged in looks:
                if charged is not None:
                    charged.held += late / len(looks)
            self._last, self._suspect = now - BEAT, None
        return self._held

    def _beat(self) -> None:
        now = time.monotonic()
        self.held(now)
        self._last, self._suspect, self._looks = now, None, []
        if not self._over.is_set() and self._loop is not None:
            self._timer = self._loop.call_later(BEAT, self._beat)

    def _listen(self) -> None:
        silent, heard = 0.0, self._last
        while not self._over.wait(BEAT):
            if self._last != heard:
                silent, heard = 0.0, self._last
            silent += BEAT  # by this thread's own count: when the whole process stood still, nobody held the loop
            if silent > BEAT and (seen := self._look()) is not None:
                if self._suspect is not None and seen.handle is not self._suspect.handle:
                    silent = 2 * BEAT  # it was given on to another
                self._suspect = seen
                self._looks.append(seen.other_than_own_steps)
            if silent > self._patience:
                self._over.set()
                self._give_up(self._told(silent))

    def _told(self, silent: float) -> str:
        who = str(self._suspect) if self._suspect is not None else "something that cannot be seen"
        return f"the event loop was held for {silent:.1f} s and not given back by {who}"

    def _look(self) -> Holder | None:
        """Who holds the loop, from outside: the innermost frame, and the context of the handle that is being run."""
        frame = sys._current_frames().get(self._thread_id)
        if frame is None:
            return None
        handle = _handle_of(frame)
        context = getattr(handle, "_context", None)
        charged = context.get(CHARGED) if isinstance(context, Context) else None
        return Holder(charged=charged, where=where(frame), handle=handle)


def _handle_of(frame: FrameType | None) -> object:
    """What the loop runs, found from the innermost frame outwards; None: nothing of the loop's."""
    while frame is not None:
        if frame.f_code is _HANDLE_RUN:
            return frame.f_locals.get("self")
        frame = frame.f_back
    return None


def where(frame: FrameType) -> str:
    """Where a frame stands: `agent.py:12 (answer)`."""
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} ({frame.f_code.co_name})"
