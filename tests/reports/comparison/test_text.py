from __future__ import annotations

import io
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from tests.made_runs import in_order, made, pair
from tests.reports.run.test_text import ANY_TEXT

from proctor.findings.comparison import Compared, compare_findings
from proctor.reports.comparison.text import draw_difference, render, ruler, scale_of
from proctor.statistics.estimate import Estimate


def printed(found: Compared, *, width: int = 80, terminal: bool = False) -> str:
    stream = io.StringIO()
    colours: Any = "standard" if terminal else None
    Console(file=stream, width=width, force_terminal=terminal, color_system=colours, highlight=False).print(
        render(found)
    )
    return stream.getvalue()


def test_the_page_tells_its_things_in_order() -> None:
    categories = {f"c{n}": ("search",) for n in range(100)}
    said = printed(compare_findings(*pair(8, 2, 90, categories=categories)))
    order = [
        "A difference is likely", "A  python:a:b on handbook", "B  python:a:b on handbook", "B − A", "Pass rate",
        "Mean score", "P(B better) 0.97", "100 cases counted in both", "In reach",
        "✗ 2 broken   ✓ 8 fixed", "Broken", "Fixed", "By category", "Holm", "proctor export b",
    ]  # fmt: skip
    places = [said.index(word) for word in order]
    assert places == sorted(places)


def test_long_names_leave_room_for_which_run_is_which() -> None:
    run = {"agent": "python:assistant:" + "very_" * 20, "benchmark": "handbook " * 9, "name": "nightly " * 9}
    a, b = (made(in_order("pass"), id=f"261115-000000-{name}", run=run) for name in ("aaaa", "bbbb"))
    said = printed(compare_findings(a, b)).splitlines()
    first, second = (line for line in said if line.startswith(("  A  ", "  B  ")))
    assert first.startswith("  A  python:assistant:very_")
    assert first.endswith("…  run 261115-000000-aaaa")
    assert second.startswith("  B  python:assistant:very_")


def test_the_difference_stands_with_its_interval_drawn() -> None:
    [line] = [line for line in printed(compare_findings(*pair(8, 2, 90))).splitlines() if "Pass rate" in line]
    assert line == "  Pass rate   92 %  98 %     +6  ··········├:───●────┤··  −1 to +13"


def test_broken_and_fixed_cases_are_listed_with_their_questions() -> None:
    said = printed(compare_findings(*pair(8, 2, 90)))
    assert re.search(r"✗  c8 +Question c8\? +1/1 +0/1 +1\.00 → 0\.00", said)
    assert re.search(r"✓  c0 +Question c0\? +0/1 +1/1 +0\.00 → 1\.00", said)


def test_long_lists_are_cut_and_say_so() -> None:
    assert "and 5 more: proctor compare " in printed(compare_findings(*pair(15, 0, 10)))


def test_warnings_stand_above_the_numbers() -> None:
    a = made(in_order("pass", "pass"), id="a")
    b = made(in_order("pass", "crash"), id="b", passing_score=0.9)
    said = " ".join(printed(compare_findings(a, b, force=True)).split())
    assert "! Forced: passing score differs (0.7 against 0.9). The scores do not mean the same." in said
    assert "! Failure rates differ: 0 of 2 attempts in A, 1 of 2 attempts (1 by the agent) in B" in said
    assert said.index("! Failure") < said.index("Pass rate")


def test_missing_attempts_are_bounded() -> None:
    a, b = made(in_order("pass", "fail", "pass"), id="a"), made(in_order("pass", "pass", "lost"), id="b")
    assert "1 attempt without a verdict: 0.0 points at worst, +33.3 at best" in printed(compare_findings(a, b))


def test_a_small_category_is_shown_without_a_verdict() -> None:
    [line] = [
        line
        for line in printed(compare_findings(*pair(1, 0, 2, categories={"c0": ("tiny",)}))).splitlines()
        if "tiny" in line
    ]
    assert "too few" in line
    assert "0 → 100 %" in line


def test_a_run_against_itself_draws_no_difference() -> None:
    a, _ = pair(1, 1, 3)
    said = printed(compare_findings(a, a))
    assert "✗ 0 broken   ✓ 0 fixed   · 5 unchanged" in said
    assert "Broken" not in said


def test_colour_stands_for_verdicts_alone() -> None:
    coloured = printed(
        compare_findings(*pair(15, 5, 180, categories={f"c{n}": ("x",) for n in range(200)})), terminal=True
    )
    codes = {code for found in re.findall(r"\x1b\[([0-9;]*)m", coloured) for code in found.split(";")}
    bold, dim, off = "1", "2", "0"
    red, green, yellow, magenta = "31", "32", "33", "35"
    assert codes <= {bold, dim, off, red, green, yellow, magenta}


@settings(deadline=None, max_examples=50)
@given(ANY_TEXT, ANY_TEXT, st.sampled_from([40, 60, 80, 200]))
def test_no_line_is_wider_than_the_terminal(text: str, other: str, width: int) -> None:
    names = {f"{text}{n}": ends for n, ends in enumerate([["pass"], ["fail"], ["crash"], ["lost"]])}
    ended = {f"{text}{n}": ends for n, ends in enumerate([["fail"], ["pass"], ["pass"], ["pass"]])}
    categories = dict.fromkeys(names, (other or "x", text or "y"))
    run = {"agent": other, "benchmark": text, "name": text}
    a = made(names, id="261115-000000-aaaa", categories=categories, run=run)
    b = made(ended, id="261115-000000-bbbb", categories=categories, run=run, passing_score=0.9)
    for line in printed(compare_findings(a, b, force=True), width=width).split("\n"):
        assert cell_len(line) <= width
        assert "\x1b" not in line


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_an_output_that_is_not_unicode_gets_stand_ins(encoding: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Console(file=stream, width=80).print(render(compare_findings(*pair(8, 2, 90))))
    stream.flush()
    assert "Pass rate" in stream.buffer.getvalue().decode(encoding)


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=9, method="paired-cases")


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((0.0, -0.5, 0.5), "··├──●──┤··"),
        ((0.6, 0.2, 1.0), "·····:├─●─┤"),
        ((-1.0, -1.0, 1.0), "●────:────┤"),
        ((0.0, 0.0, 0.0), "·····●·····"),
        ((0.3, 0.0, 0.6), "·····├●─┤··"),
    ],
)
def test_an_interval_is_drawn_around_zero(numbers: tuple[float, float, float], expected: str) -> None:
    assert draw_difference(estimate(*numbers), 11, 1.0).plain == expected


def test_the_scale_fits_the_widest_interval() -> None:
    assert scale_of([estimate(0.0, -0.01, 0.12), estimate(0.0, -0.02, 0.02)]) == 0.15
    assert scale_of([estimate(0.0, -1.0, 1.0)]) == 1.0
    assert ruler(0.15, 21) == "−15       0       +15"
