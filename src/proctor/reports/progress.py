"""Show progress on standard error: two live lines on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from proctor.reports import numbers
from proctor.reports.terminal import HarmlessConsole, Page, writable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

_STRETCH = 0.5
"""Seconds within which answers count as one wave: calls started together return almost together."""
_OVERDUE = 1.0
"""Seconds after which an expired estimate is hidden, since the cause of the delay is unknown."""


class TimeLeft:
    """Estimates the time left, updated when a unit is done; in between it only counts down, so it never grows.

    The rate is measured from the first wave of answers to the current one, so that neither the start-up time nor the
    waves distort it.
    """

    def __init__(self, now: float, *, done: int, planned: int) -> None:
        self._began, self._done_before = now, done
        self._done, self._planned = done, planned
        self._stretch: float | None = None
        self._first = self._last = now
        self._pace = 0.0
        self._ends_at: float | None = None

    def count(self, now: float, done: int, planned: int) -> None:
        """Update the counts; unchanged ones have no effect."""
        if (done, planned) == (self._done, self._planned):
            return
        if done > self._done:
            self._advance(now, done, planned)
        else:
            self._ends_at = None
            if done < self._done:  # conversations are being replayed
                self._began, self._done_before, self._stretch = now, done, None
        self._done, self._planned, self._last = done, planned, now

    def seconds(self, now: float) -> float | None:
        """Return the seconds left, or None if unknown or nothing is left."""
        if self._ends_at is None or self._done >= self._planned or now > self._ends_at + _OVERDUE:
            return None
        return max(0.0, self._ends_at - now)

    def _advance(self, now: float, done: int, planned: int) -> None:
        if self._stretch is None:
            self._stretch = self._first = now
        if self._first == self._stretch and now - self._first < _STRETCH:
            self._pace = (done - self._done_before) / max(now - self._began, 1e-9)
            self._ends_at = now + (planned - done) / self._pace
        elif now - self._stretch >= _STRETCH:
            self._pace = (self._done - self._done_before) / (now - self._first)
            self._ends_at = self._last + (planned - self._done) / self._pace
            self._stretch = now
        elif self._ends_at is not None:
            self._ends_at = min(self._ends_at, now + (planned - done) / self._pace)


def say_time_left(seconds: float | None) -> str:
    """Format the time left: `less than a second left`, `4 s left`, `1 min 05 s left`, without noisy decimals."""
    if seconds is None:
        return ""
    whole_seconds = math.ceil(seconds)
    if seconds < 1:
        return "less than a second left"
    return f"{whole_seconds} s left" if whole_seconds < 60 else f"{numbers.duration(float(whole_seconds))} left"


_FIRST_PAUSE, _LONGEST_PAUSE = 5.0, 60.0
_STEP = 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgressCounts:
    """The state of a run."""

    done: int = 0
    failed: int = 0
    rate: float | None = None
    tokens: int = 0
    cost: float | None = None
    interval: tuple[float, float] | None = None
    asked: int = 0
    """In a battle, the number of questions asked in finished conversations."""
    judged: int = 0
    """Number of them whose reply was judged."""
    no_test: bool = False
    """Whether nothing was judged beyond the seed questions."""
    turns: int = 0
    """In a battle, the number of questions answered so far, including unfinished conversations."""
    ahead: str = ""
    """For a run that may stop early: the next look, and what would end the run there."""
    steps: tuple[int, int] | None = None
    """Steps done and planned, or None if attempts are counted instead."""


def in_notebook() -> bool:
    """Whether this is a notebook kernel that can display output, unlike an IPython terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def _in_lines(pieces: list[str], width: int) -> str:
    """Join pieces with commas, wrapping to indented lines where needed."""
    lines = [pieces[0]]
    for more, piece in enumerate(pieces[1:], 2 - len(pieces)):
        if len(lines[-1]) + len(piece) + 2 + bool(more) <= width:  # all but the last are followed by a comma
            lines[-1] += f", {piece}"
        else:
            lines[-1] += ","
            lines.append(f"  {piece}")
    return "\n".join(lines)


class Progress:
    """Shows the progress of a run. `update` takes plain numbers and may be called often."""

    def __init__(self, stream: TextIO | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._total = 0
        self._time_left: TimeLeft | None = None
        self._now = ProgressCounts()
        self._live: Live | None = None
        self._console: Console | None = None
        self._said_at, self._said_done, self._said_turns, self._pause = 0.0, 0, 0, _FIRST_PAUSE

    def start(self, total: int, done: int = 0, steps: tuple[int, int] | None = None) -> None:
        """Start with the number of attempts planned and already done; `steps` as in ProgressCounts."""
        self._total, self._now = total, ProgressCounts(done=done, steps=steps)
        began = self._clock()
        self._time_left = TimeLeft(began, done=self._steps[0], planned=self._steps[1])
        self._said_at, self._said_done, self._said_turns, self._pause = began, done, 0, _FIRST_PAUSE
        self._console = HarmlessConsole(file=self._stream)  # agents print to it too
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._begin_live(self._console)

    def _begin_live(self, console: Console) -> None:
        from rich.live import Live
        from rich.text import Text

        page = Page(lambda width: [Text(self.lines(width))])
        self._live = Live(console=console, get_renderable=lambda: page, refresh_per_second=4, transient=True)
        self._live.start()

    def update(
        self,
        *,
        done: int,
        failed: int,
        rate: float | None = None,
        tokens: int = 0,
        cost: float | None = None,
        interval: tuple[float, float] | None = None,
        asked: int = 0,
        judged: int = 0,
        no_test: bool = False,
        turns: int = 0,
        ahead: str = "",
        steps: tuple[int, int] | None = None,
    ) -> None:
        """Update the numbers; the live lines show them within a quarter of a second."""
        self._now = ProgressCounts(
            done=done, failed=failed, rate=rate, tokens=tokens, cost=cost, interval=interval,
            asked=asked, judged=judged, no_test=no_test, turns=turns, ahead=ahead, steps=steps,
        )  # fmt: skip
        if self._time_left is not None:
            self._time_left.count(self._clock(), *self._steps)
        if self._live is None and self._due():
            self._show()

    def stop(self) -> None:
        """Finish: remove the live lines, or print the final state."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        elif self._now.done != self._said_done:
            self._show()

    def _due(self) -> bool:
        advanced = self._now.done - self._said_done
        waited = self._clock() - self._said_at
        if (advanced or self._now.turns > self._said_turns) and waited >= self._pause:
            # Rarely enough that a run of hours does not flood the log.
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
            return True
        return advanced >= max(1, _STEP * self._total)

    def _show(self) -> None:
        self._said_at, self._said_done, self._said_turns = self._clock(), self._now.done, self._now.turns
        failures = numbers.plural(self._now.failed, "error")
        pieces = [
            f"{self._counts()} {self._share()}", self._turns(), self._rate(), self._judged_text(), failures,
            self._spent(), self._time_left_text(), self._now.ahead,
        ]  # fmt: skip
        line = _in_lines([piece for piece in pieces if piece], shutil.get_terminal_size().columns)
        self._stream.write(writable(line, self._stream.encoding or "utf-8") + "\n")
        self._stream.flush()

    def lines(self, width: int) -> str:
        """Return the live lines; every piece has a fixed width, so that nothing jumps."""
        digits = len(numbers.whole(self._total))
        left = f"{self._time_left_text():>23}"
        room = width - (2 * digits + 1) - len(left) - 11
        bar = f"{self._bar(min(room, 40))}  " if room >= 8 else ""
        first = f"{self._counts():>{2 * digits + 1}}  {bar}{self._share():>5}  {left}"
        failures = f"{numbers.whole(self._now.failed):>{digits}} {'errors' if self._now.failed != 1 else 'error '}"
        second = f"{self._rate():<{31 if width >= 60 else 26}}  {failures}"
        for more in (self._turns(), self._judged_text(), self._spent()):
            if more and len(second) + len(more) + 2 <= width:
                second = f"{second}  {more}"
        third = f"\n{self._now.ahead[:width]}" if self._now.ahead else ""
        return f"{first[:width]}\n{second[:width]}{third}"

    def _counts(self) -> str:
        return f"{numbers.whole(self._now.done)}/{numbers.whole(self._total)}"

    def _share(self) -> str:
        done, planned = self._steps
        return f"{100 * done // planned if planned else 100} %"

    @property
    def _steps(self) -> tuple[int, int]:
        return self._now.steps or (self._now.done, self._total)

    def _bar(self, width: int) -> str:
        done, planned = self._steps
        halves = 2 * width * done // planned if planned else 2 * width
        return ("█" * (halves // 2) + "▌" * (halves % 2)).ljust(width, "·")

    def _rate(self) -> str:
        now = self._now
        if now.no_test:
            return "no test"
        if now.rate is None or now.interval is None:
            return "pass rate –"
        return f"pass rate {numbers.percent(now.rate)} ({numbers.interval(*now.interval)})"

    def _turns(self) -> str:
        return numbers.plural(self._now.turns, "turn") if self._now.turns else ""

    def _judged_text(self) -> str:
        return numbers.say_judged(self._now.judged, self._now.asked) if self._now.asked else ""

    def _spent(self) -> str:
        if not self._now.tokens and self._now.cost is None:
            return ""
        return f"{numbers.whole(self._now.tokens)} tokens, cost {numbers.cost(self._now.cost)}"

    def _time_left_text(self) -> str:
        return "" if self._time_left is None else say_time_left(self._time_left.seconds(self._clock()))
