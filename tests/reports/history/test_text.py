"""The history in a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.made_histories import a_run, counts, story, told
from tests.reports.history.printing import printed

from proctor.findings.history import Counts
from proctor.reports.history.json import as_list
from proctor.reports.history.panel import Scale
from proctor.reports.history.text import draw_rate
from proctor.run import Run


@pytest.mark.parametrize("width", [50, 64, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for history in (told(), told(by="model")):
        assert max(cell_len(line) for line in printed(history, width=width).splitlines()) <= width


def test_the_sentence_comes_first_with_its_sign() -> None:
    assert printed(told()).startswith("✓ handbook: 95.6 % now (88 – 98), up 18.3 points since 11 Nov (6 to 29), real\n")
    assert printed(told(by="model")).startswith("handbook, model large: 95.6 % now (88 – 98), no real change")


def test_marks_stand_before_their_runs() -> None:
    marked = [line[:8] for line in printed(told()).splitlines() if line[:1] in "✓✗·" and "Nov" in line[:8]]
    assert marked == ["·  6 Nov", "✓  9 Nov", "✗ 11 Nov", "✓ 12 Nov"]


def test_intervals_stand_on_one_scale_below_each_other() -> None:
    lines = [line for line in printed(told()).splitlines() if "●" in line]
    assert len(lines) == 9
    assert len({line.index("  30") for line in lines if "  30" in line} | {len(line) for line in lines}) == 1
    assert len({min(line.index(sign) for sign in "·├" if sign in line[20:]) for line in lines if line[0] != "·"}) == 1


def test_the_heading_of_the_cases_is_whole_where_few_are_counted() -> None:
    history = told([(a_run(1), counts()), (a_run(2), counts())])
    heading = next(line for line in printed(history).splitlines() if "rate" in line)
    assert heading.endswith(" cases")


def test_the_baseline_is_drawn_where_its_rate_lies() -> None:
    scale = Scale(low=0.0, high=1.0)
    first, second = told([(a_run(1), counts(range(30))), (a_run(2), counts())]).entries
    assert ":" not in draw_rate(first, scale, 41).plain
    line = draw_rate(second, scale, 41).plain
    assert (line.index(":"), line.index("●")) == (20, 40)


def test_what_cannot_be_drawn_is_dots() -> None:
    (entry,) = told([(a_run(1, planned=0, status="failed"), {})]).entries
    assert draw_rate(entry, Scale(low=0.0, high=1.0), 9).plain == "·" * 9


def test_ascii_terminals_can_show_it() -> None:
    said = printed(told(), encoding="ascii")
    assert "up 18.3 points" in said
    assert "|----o-|" in said


def test_nothing_stored_says_what_to_try() -> None:
    assert printed(None) == "No runs yet. Try: proctor demo\n"


def test_the_next_command_compares_with_the_baseline() -> None:
    assert "proctor compare 261111-020000-000b 261112-020000-000c" in printed(told())


@settings(max_examples=30, deadline=None)
@given(name=st.text(min_size=1), value=st.text(min_size=1), width=st.integers(50, 120))
def test_any_name_and_label_keeps_to_its_place(name: str, value: str, width: int) -> None:
    known = [*story()[:2], (a_run(20, name=name, labels={"prompt": value}), counts())]
    said = printed(told(known), width=width)
    assert max(cell_len(line) for line in said.splitlines()) <= width
    assert "\x1b" not in said


def in_turns() -> list[tuple[Run, Counts]]:
    return [(a_run(number, reviewer="embedded" if number % 2 else "exact"), counts()) for number in range(1, 6)]


def test_runs_examined_differently_in_turns_stand_in_time_order_with_the_letter_of_their_kind() -> None:
    text = printed(told(in_turns()))
    lines = [line.split() for line in text.splitlines() if "●" in line]
    assert [(line[0], line[2]) for line in lines] == [("1", "b"), ("2", "a"), ("3", "b"), ("4", "a"), ("5", "b")]
    said = " ".join(text.split())
    assert "a and b were examined differently; only runs of one letter are compared." in said
    assert "b: reviewer exact → embedded" in said
    assert "Not comparable with the runs above" not in said


def test_one_kind_after_the_other_needs_no_letters() -> None:
    known = [(a_run(number, reviewer="embedded" if number < 3 else "exact"), counts()) for number in range(1, 5)]
    text = printed(told(known))
    assert "only runs of one letter" not in text
    assert "Not comparable with the runs above: reviewer embedded → exact." in " ".join(text.split())


def test_the_json_is_in_time_order_too() -> None:
    rows = as_list(told(in_turns()))
    assert [row["when"] for row in rows] == sorted(row["when"] for row in rows)
    assert [row["segment"] for row in rows] == [2, 1, 2, 1, 2]
