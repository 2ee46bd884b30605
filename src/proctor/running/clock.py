"""Measure how long the event loop was blocked, and by which attempt.

    clock.start(loop)            start a beat every 50 ms on the loop, and a thread that monitors it
    CHARGED.set(charged)         attribute this task, and tasks started from it, to this attempt
    clock.held(now)              seconds so far for which the loop was blocked

A late beat shows how long the loop was blocked. Long steps of the attempt's own coroutine are timed directly. For tasks
that it started, the monitoring thread inspects the handle that the loop is running, whose context names the attempt. If
several blocked the loop between two beats, each is charged its share of the samples, and an attempt that gave the loop
back to others is not given up for blocking it.
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
"""Delay of a beat in seconds that is tolerated on a busy machine before the loop counts as blocked."""
LONG_STEP = 0.05
"""Duration in seconds above which a single step of a coroutine counts as blocking the loop."""
_HANDLE_RUN: CodeType = Handle._run.__code__


class ChargedAttempt:
    """An attempt to which blocked time is charged."""

    __slots__ = ("held", "key", "task")

    def __init__(self, key: Key) -> None:
        self.key = key
        self.held = 0.0
        """Seconds for which tasks and callbacks that it started blocked the loop."""
        self.task: asyncio.Task[Any] | None = None
        """Task that makes its calls, whose own steps are timed one by one."""

    def __str__(self) -> str:
        """Describe the attempt for messages."""
        return f"the agent in case {self.key.exam}, trial {self.key.trial}"


CHARGED: ContextVar[ChargedAttempt | None] = ContextVar("proctor_charged", default=None)
"""The attempt played in this context."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Holder:
    """What currently blocks the loop."""

    charged: ChargedAttempt | None
    """The attempt to charge, or None if it is none of the attempts."""
    where: str
    """File, line and function of the running code."""
    handle: object = None
    """Handle that the loop is running, or None if it cannot be determined."""

    @property
    def other_than_own_steps(self) -> ChargedAttempt | None:
        """The attempt to charge, or None if its own task is running, whose steps are timed elsewhere."""
        running = getattr(getattr(self.handle, "_callback", None), "__self__", None)
        own = self.charged is not None and running is not None and running is self.charged.task
        return None if own else self.charged

    def __str__(self) -> str:
        """Describe the attempt and the running code."""
        return f"{self.charged} in {self.where}" if self.charged is not None else self.where


class LoopClock:
    """Monitors one event loop during a run."""

    def __init__(self, *, patience: float, give_up: Callable[[str], None]) -> None:
        """`give_up` is called with a description of what blocks the loop for longer than `patience` seconds."""
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
        """Start beating; must be called on the loop."""
        self._loop, self._thread_id = loop, threading.get_ident()
        self._last = time.monotonic()
        self._timer = loop.call_later(BEAT, self._beat, context=Context())
        threading.Thread(target=self._listen, name="proctor-clock", daemon=True).start()

    def stop(self) -> None:
        """Stop monitoring; thread-safe."""
        self._over.set()

    def held(self, now: float) -> float:
        """Return the seconds for which the loop was blocked until now, and charge them; must be called on the loop."""
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
        silent, last_beat = 0.0, self._last
        while not self._over.wait(BEAT):
            if self._last != last_beat:
                silent, last_beat = 0.0, self._last
            silent += BEAT  # not wall-clock time: while the process is suspended, nothing blocks the loop
            if silent > BEAT and (seen := self._look()) is not None:
                if self._suspect is not None and seen.handle is not self._suspect.handle:
                    silent = 2 * BEAT  # another handle runs now, so the loop was given back in between
                self._suspect = seen
                self._looks.append(seen.other_than_own_steps)
            if silent > self._patience:
                self._over.set()
                self._give_up(self._describe_hold(silent))

    def _describe_hold(self, silent: float) -> str:
        who = str(self._suspect) if self._suspect is not None else "something that cannot be seen"
        return f"the event loop was held for {silent:.1f} s and not given back by {who}"

    def _look(self) -> Holder | None:
        """Inspect the loop's thread from outside: its innermost frame, and the context of the handle being run."""
        frame = sys._current_frames().get(self._thread_id)
        if frame is None:
            return None
        handle = _handle_of(frame)
        context = getattr(handle, "_context", None)
        charged = context.get(CHARGED) if isinstance(context, Context) else None
        return Holder(charged=charged, where=where(frame), handle=handle)


def _handle_of(frame: FrameType | None) -> object:
    """Find the handle that the loop is running, searching from the innermost frame outwards; None if there is none."""
    while frame is not None:
        if frame.f_code is _HANDLE_RUN:
            return frame.f_locals.get("self")
        frame = frame.f_back
    return None


def where(frame: FrameType) -> str:
    """Format a frame's location: `agent.py:12 (answer)`."""
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} ({frame.f_code.co_name})"
