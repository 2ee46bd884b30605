from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.reports.battles import RIGHT, Fight
from tests.reports.pages import HOSTILE, assert_harmless, parsed, written
from tests.reports.suites import LACKING, judged, suite

from proctor.benchmark import Expectation
from proctor.reports.run.environment import environment
from proctor.reports.run.html import _FILTERS

if TYPE_CHECKING:
    from tests.reports.conftest import Maker


def row_of(text: str, case: str) -> str:
    [row] = re.findall(rf'<tr class="of-case[^"]*">(?:(?!</tr>).)*>{case}</a>.*?</tr>', text)
    return parsed(f"<table>{row}</table>").said


def section_of(text: str, case: str) -> str:
    [section] = re.findall(rf'<section class="case[^>]*>(?:(?!<section).)*?<bdi>{case}</bdi>.*?</section>', text, re.S)
    return parsed(section).said


def test_the_page_says_what_decides_and_has_a_table_by_check(maker: Callable[..., Maker]) -> None:
    page = parsed(written(suite(maker)))
    assert_harmless(page)
    assert "A case passes when all its checks do; no scores were asked for." in page.said
    assert re.search(r"keywords 50 % \d+ – \d+ 5/10 lacking", page.said)
    assert re.search(r"citation accuracy 0 % \d+ – \d+ 0/2 2 worse", page.said)
    assert ("svg", "aria-label", "5 passed, 5 failed, 0 not checkable") in page.attributes


def test_the_table_of_cases_has_the_checks_as_labels_with_signs(maker: Callable[..., Maker]) -> None:
    text = written(suite(maker))
    assert "keywords ✗ citation accuracy ✗ no error ✓ 0/2" in row_of(text, "worse")
    assert "keywords ≈ 1/2 no error ✓ 1/2" in row_of(text, "moody")
    assert "citation accuracy – keywords ✓ no error ✓ 2/2" in row_of(text, "unknown")


def test_cases_can_be_filtered_by_the_check_that_they_failed(maker: Callable[..., Maker]) -> None:
    text = written(suite(maker))
    assert "any check keywords ✗ 3 no error ✗ 1 citation accuracy ✗ 1" in parsed(text).said
    found = re.findall(r'<section class="case of-case is-\w+([^"]*)".*?<bdi>(.*?)</bdi>', text, re.S)
    filters = {case: classes.split() for classes, case in found}
    assert filters["worse"] == ["fails-0", "fails-2"]
    assert filters["lacking"] == filters["moody"] == ["fails-0"]
    assert filters["well"] == []
    for place in re.findall(r'id="check-(\d+)"', text):
        assert f"body:has(#check-{place}:checked) .of-case:not(.fails-{place}, :target)" in text


def test_there_is_a_rule_for_every_check_that_can_be_filtered_by() -> None:
    rules = environment().get_template("checks.css").render()
    assert [f"#check-{place}:checked" in rules for place in range(_FILTERS + 1)] == [True] * _FILTERS + [False]


def test_an_attempt_shows_what_was_expected_and_each_check_with_its_evidence(maker: Callable[..., Maker]) -> None:
    said = section_of(written(suite(maker)), "worse")
    assert 'Checked for tool calls search(query="holiday", limit=…) keywords 28 days re:paid|leave' in said
    assert "citations at least 1 quotes word for word sources hr/holidays.md" in said
    assert "limits tool_calls 10 cost 0.05 own checks polite" in said
    assert f"✗ keywords 0.50 {LACKING.evidence}" in said
    assert said.index("✗ citation accuracy") < said.index("✓ no error")


def test_what_could_not_be_checked_is_grey_with_the_reason(maker: Callable[..., Maker]) -> None:
    text = written(suite(maker))
    assert "– citation accuracy : not checkable hr/x.md cannot be read: no such file" in section_of(text, "unknown")
    assert '<li class="is-pending">' in text


def test_without_marks_there_is_no_column_for_them(maker: Callable[..., Maker]) -> None:
    assert "w-score" not in written(suite(maker)).partition("</style>")[2]
    assert "w-score" in written(judged(maker)).partition("</style>")[2]


def test_the_parts_of_a_mark_stand_beside_the_checks_as_bars(maker: Callable[..., Maker]) -> None:
    text = written(judged(maker, passing_score=None))
    assert "Score by embedded completeness 0.40 half of it is there" in section_of(text, "half")
    assert 'class="bar"' in text


def test_names_and_evidence_of_checks_can_do_no_harm(maker: Callable[..., Maker]) -> None:
    made = maker(reviewer=None)
    checks = tuple(replace(LACKING, name=HOSTILE, passed=passed, evidence=HOSTILE) for passed in (False, None, True))
    expect = Expectation(keywords=(HOSTILE,), steps=({HOSTILE: HOSTILE},), checks=(HOSTILE,))
    made.case("a", categories=(HOSTILE,), expect=expect)
    made.played("a", checks=checks, passed=False, turn_passed=(False,))
    page = parsed(written(made.sample()))
    assert_harmless(page)
    assert "<script>alert(1)</script>" in page.said


def test_a_run_without_checks_has_nothing_of_them(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a"), 0.9)
    text = written(made.sample())
    assert "By check" not in text
    assert "fails-0" not in text
    assert "w-checks" not in text


def test_the_checks_of_a_turn_stand_in_the_margin_of_a_battle() -> None:
    fight = Fight()
    fight.held(fight.seed("a"), [RIGHT, RIGHT], checks=(replace(LACKING, turn=2),))
    page = parsed(written(fight.battle()))
    assert f"✗ keywords 0.50 {LACKING.evidence}" in page.said
    assert_harmless(page)
