from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from tests.reports.suites import judged, suite

from proctor.reports.checks import failed_line
from proctor.reports.run.text import render
from proctor.score import CheckResult

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample


def printed(sample: Sample, *, width: int = 80) -> str:
    stream = io.StringIO()
    report = render(sample.findings)
    Console(file=stream, width=width, color_system=None).print(report)
    return stream.getvalue()


def line_with(said: str, start: str) -> str:
    [line] = [line for line in said.splitlines() if re.match(rf"\S?\s*{start} ", line)]
    return line


def table_by_check(said: str) -> str:
    return said.partition("By check")[2].partition("\n\n")[0]


def test_the_header_says_what_checks_alone_means(maker: Callable[..., Maker]) -> None:
    said = printed(suite(maker))
    assert "checks alone\nA case passes when all its checks do" in said
    assert said.index("A case passes") < said.index("Pass rate")


def test_each_check_has_its_rate_with_a_drawn_interval_and_what_could_not_be_checked_apart(
    maker: Callable[..., Maker],
) -> None:
    said = printed(suite(maker))
    assert re.search(r"By check +pass rate +passed +not checkable", said)
    keywords = line_with(table_by_check(said), "keywords")
    assert re.search(r"50 % +\S*├\S*●\S*┤\S* +\d+ – \d+ +5/10$", keywords)
    accuracy = line_with(table_by_check(said), "citation accuracy")
    assert re.search(r" 0 % .* 0/2 +2$", accuracy)


def test_the_check_that_failed_most_stands_first(maker: Callable[..., Maker]) -> None:
    below = table_by_check(printed(suite(maker)))
    assert below.index("keywords") < below.index("citation accuracy")


def test_the_worst_cases_say_which_checks_failed_and_what_they_saw(maker: Callable[..., Maker]) -> None:
    said = printed(suite(maker)).partition("Worst cases")[2]
    lines = said.splitlines()
    [place] = [number for number, line in enumerate(lines) if line.startswith("✗  worse ")]
    assert lines[place + 1].strip() == "keywords ✗ “28 days” is missing  citation accuracy ✗ hr/old.md…"
    assert "no error ✗ ValueError: no more" in said


def test_without_marks_there_is_no_column_for_them(maker: Callable[..., Maker]) -> None:
    said = printed(suite(maker))
    assert not re.search(r"^(By category|   Worst cases) .*score", said, re.MULTILINE)
    assert "Mean score" not in said


def test_the_judges_mean_stands_beside_the_checks(maker: Callable[..., Maker]) -> None:
    said = printed(judged(maker, passing_score=None))
    assert re.search(r"Mean score +0\.40 .* 1 case", said)
    assert re.search(r"By category .* score", said)
    assert "its score is shown as well" in " ".join(said.split())


def test_many_checks_are_cut_and_it_is_said(maker: Callable[..., Maker]) -> None:
    made = maker(reviewer=None)
    checks = tuple(CheckResult(turn=1, name=f"own {number}", passed=True, evidence="") for number in range(23))
    made.played(made.case("a"), checks=checks, passed=True, turn_passed=(True,))
    assert "and 3 more that failed less often: proctor show" in printed(made.sample())


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(maker: Callable[..., Maker], width: int) -> None:
    assert max(cell_len(line) for line in printed(suite(maker), width=width).splitlines()) <= width


NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=60)


@given(st.dictionaries(NAMES, st.text(max_size=300), min_size=1, max_size=3), st.integers(30, 120))
def test_evidence_takes_only_the_room_there_is(failed: dict[str, str], width: int) -> None:
    assert failed_line(failed, width).cell_len <= width


def test_names_come_before_evidence_where_room_is_short() -> None:
    failed = {"keywords": "“28 days” is missing", "limits": "tool_calls 5, more than 3"}
    assert failed_line(failed, 80).plain == "keywords ✗ “28 days” is missing  limits ✗ tool_calls 5, more than 3"
    assert failed_line(failed, 52).plain == "keywords ✗ “28 days” is missing  limits ✗ tool_call…"
    assert failed_line(failed, 46).plain == "keywords ✗ “28 days” is missing  limits ✗"
    assert failed_line(failed, 33).plain == "keywords ✗ “28 days”…  limits ✗"
    assert failed_line(failed, 20).plain == "keywords ✗  limits ✗"
    assert failed_line(failed, 15).plain == "keywords ✗  li…"


def test_only_the_name_of_a_failed_check_has_the_colour_of_failure() -> None:
    [span] = failed_line({"keywords": "“28 days” is missing"}, 80).spans
    assert (span.start, span.end) == (0, len("keywords ✗"))


def test_with_all_the_worst_cases_have_everything_that_a_check_saw(maker: Callable[..., Maker]) -> None:
    seen = "; ".join(f"“a{number}” is missing" for number in range(20))
    made = maker(reviewer=None)
    case = made.case("many")
    made.played(case, passed=False, checks=(CheckResult(turn=1, name="keywords", passed=False, evidence=seen),))
    findings = made.sample().findings
    stream = io.StringIO()
    console = Console(file=stream, width=80, color_system=None)
    console.print(render(findings))
    assert "keywords ✗ “a0” is missing; and 19 more" in stream.getvalue()
    console.print(render(findings, every=True))
    assert seen in " ".join(stream.getvalue().split())
