from __future__ import annotations

import io
import re
from typing import Any

import pytest

from proctor.reports.progress import Progress


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def standing(done: int, **others: Any) -> dict[str, Any]:
    return {"done": done, "rate": 1.0, "failed": 0, "interval": (0.5, 0.9), **others}


def test_without_a_terminal_there_is_one_plain_line_for_every_tenth() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = Progress(stream, clock=clock)
    progress.start(1000)
    for done in range(1, 1001):
        clock.now += 0.001
        progress.update(**standing(done))
    progress.stop()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 10
    assert lines[0] == "100/1,000 10 %, pass rate 100 % (50 – 90), 0 errors, less than a second left"
    assert lines[-1] == "1,000/1,000 100 %, pass rate 100 % (50 – 90), 0 errors"
    assert "\x1b" not in stream.getvalue()


def test_a_slow_run_speaks_after_five_seconds_and_then_less_often() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = Progress(stream, clock=clock)
    progress.start(100_000)
    for second in range(1, 3601):
        clock.now = float(second)
        progress.update(**standing(second))
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("5/100,000")
    assert 30 < len(lines) < 80


def test_the_last_state_is_said_even_when_little_was_done() -> None:
    stream = io.StringIO()
    progress = Progress(stream, clock=Clock())
    progress.start(1000)
    progress.update(**standing(3, failed=2, tokens=12345))
    progress.stop()
    assert stream.getvalue() == (
        "3/1,000 0 %, pass rate 100 % (50 – 90), 2 errors, 12,345 tokens, cost unknown,\n  less than a second left\n"
    )


def test_time_left_counts_only_what_was_played_now() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = Progress(stream, clock=clock)
    progress.start(100, 80)
    clock.now = 10.0
    progress.update(**standing(90))
    assert "10 s left" in stream.getvalue()


def test_nothing_new_is_not_repeated() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = Progress(stream, clock=clock)
    progress.start(10, 10)
    progress.stop()
    assert stream.getvalue() == ""


def test_on_a_terminal_the_live_lines_show_all_and_vanish(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    stream = Terminal()
    progress = Progress(stream, clock=Clock())
    progress.start(1000)
    progress.update(**standing(500, failed=7, tokens=12345, cost=0.5))
    progress.stop()
    shown = stream.getvalue()
    for piece in ("500/1,000", "█", "50 %", "pass rate 100 % (50 – 90)", "7 errors", "12,345 tokens, cost 0.50"):
        assert piece in shown
    assert "\x1b[2K" in shown
    assert not re.search(r"\x1b\[[0-9;]*m", shown)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_the_live_lines_keep_their_width(width: int) -> None:
    clock = Clock()
    progress = Progress(io.StringIO(), clock=clock)
    progress.start(1000)
    shapes = set()
    for done in (1, 99, 999):
        clock.now += 40
        progress.update(**standing(done, failed=done))
        first, second = progress.lines(width).split("\n")
        assert max(len(first), len(second)) <= width
        if width >= 60:
            assert first.endswith("left")
            assert second.endswith(("error ", "errors"))
        shapes.add((len(first), len(second)))
    assert len(shapes) == 1


def test_an_ascii_stream_is_written_in_ascii() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    progress = Progress(stream, clock=Clock())
    progress.start(1)
    progress.update(**standing(1))
    progress.stop()
    assert b"(50 - 90)" in stream.buffer.getvalue()


def test_a_battle_moves_by_turns_before_any_conversation_is_over() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = Progress(stream, clock=clock)
    progress.start(3)
    for second in range(1, 301):
        clock.now = float(second)
        progress.update(done=0, failed=0, turns=second // 10)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "0/3 0 %, 1 turn, pass rate –, 0 errors"
    assert lines[-1].startswith("0/3 0 %, 2")
    assert len(lines) >= 5, "never silent for much more than a minute"
    assert "30 turns" in progress.lines(80)


def test_a_plain_line_that_does_not_fit_goes_on_in_another_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    stream, clock = io.StringIO(), Clock()
    progress = Progress(stream, clock=clock)
    progress.start(1000)
    clock.now = 6.0
    progress.update(**standing(500, tokens=123_456_789, cost=1234.5678, asked=1000, judged=900, turns=1000))
    said = stream.getvalue()
    first, *others = said.splitlines()
    assert max(map(len, said.splitlines())) <= 80
    assert (first[:12], first[-1]) == ("500/1,000 50", ",")
    assert {line[:2] for line in others} == {"  "}
    for piece in ("1,000 turns", "900 of 1,000 replies judged", "0 errors", "123,456,789 tokens", "6 s left"):
        assert piece in said


def test_the_share_and_the_bar_of_a_battle_move_by_turns() -> None:
    progress = Progress(io.StringIO(), clock=Clock())
    progress.start(2, 0, (0, 10))
    progress.update(done=0, failed=0, turns=5, steps=(5, 10))
    first = progress.lines(80).split("\n")[0]
    assert "0/2" in first
    assert " 50 %" in first
    assert first.count("█") == first.count("·")


def test_what_is_left_of_the_time_falls_on_the_live_lines_while_nothing_comes_back() -> None:
    clock = Clock()
    progress = Progress(io.StringIO(), clock=clock)
    progress.start(10)
    clock.now = 4.0
    progress.update(**standing(5))
    said = []
    for second in range(4, 9):
        clock.now = float(second)
        said.append(progress.lines(80).split("\n")[0].split("%")[-1].strip())
    assert said == ["4 s left", "3 s left", "2 s left", "1 s left", "less than a second left"]
