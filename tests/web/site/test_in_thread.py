"""What takes long, made in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from proctor.web.site.in_thread import InThread, TooBusy

SOON = 60.0


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


class Maker:
    """Makes one more each time, once it may."""

    def __init__(self, gate: threading.Event | None = None) -> None:
        self.times = 0
        self._gate = gate

    def __call__(self) -> int:
        self.times += 1
        assert self._gate is None or self._gate.wait(SOON)
        return self.times


def fail() -> int:
    raise OSError("the disk is away")


def test_what_is_being_made_is_not_begun_twice_whatever_else_is_asked_for(gate: threading.Event) -> None:
    made = InThread[int]("test", kept=1, most=8, at_once=8)
    slow = Maker(gate)
    assert made.ask("slow", slow, 0) is None
    for key in range(5):
        assert made.ask(key, Maker(), SOON) == 1
    assert made.ask("slow", slow, 0) is None
    gate.set()
    assert made.ask("slow", slow, SOON) == 1


def test_of_what_is_done_only_the_last_ones_are_kept() -> None:
    made = InThread[int]("test", kept=2, most=8, at_once=1)
    first = Maker()
    for key, maker in (("first", first), ("a", Maker()), ("b", Maker()), ("c", Maker()), ("first", first)):
        made.ask(key, maker, SOON)
    assert first.times == 2


def test_more_than_there_is_room_for_is_refused_and_begins_no_thread(gate: threading.Event) -> None:
    made = InThread[int]("bounded", kept=2, most=3, at_once=1)
    for key in range(3):
        assert made.ask(key, Maker(gate), 0) is None
    with pytest.raises(TooBusy, match="try again in a moment"):
        made.ask("one more", Maker(), 0)
    assert sum(thread.name == "proctor-bounded" for thread in threading.enumerate()) <= 3
    gate.set()
    assert made.ask(2, Maker(), SOON) == 1
    assert made.ask("one more", Maker(), SOON) == 1


def test_a_failure_is_told_until_it_was_shown_and_then_tried_again() -> None:
    now = 0.0
    made = InThread[int]("test", kept=4, most=8, at_once=1, clock=lambda: now)
    made.ask("other", other := Maker(), SOON)
    for make in (fail, Maker()):
        with pytest.raises(OSError, match="the disk is away"):
            made.ask("failed", make, SOON)
        assert made.ask("other", other, SOON) == 1, "nothing else is forgotten"
    now = 60.0
    assert made.ask("failed", Maker(), SOON) == 1


def test_a_failure_that_nobody_was_told_of_is_kept(gate: threading.Event) -> None:
    now = 0.0

    def fail_later() -> int:
        assert gate.wait(SOON)
        raise TimeoutError("too slow")  # its own, not that of whoever waits

    made = InThread[int]("test", kept=4, most=8, at_once=1, clock=lambda: now)
    assert made.ask("failed", fail_later, 0) is None
    gate.set()
    now = 1000.0
    with pytest.raises(TimeoutError, match="too slow"):
        made.ask("failed", Maker(), SOON)
