from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reports.suites import ANSWERED, LACKING, UNREADABLE, judged, suite

from proctor.reports import checks, outcomes
from proctor.reports.outcomes import FLAKY, PASSED

if TYPE_CHECKING:
    from tests.reports.conftest import Maker


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ("“28 days” is missing; “paid” in “…paid leave…”", "“28 days” is missing"),
        ("“a; b” is missing; “c” is missing", "“a; b” is missing; and 1 more"),
        ("tool_calls 5, more than 3; seconds 0.1, at most 30", "tool_calls 5, more than 3"),
        ("“never closed; and so on", "“never closed"),
        ("; odd", "odd"),
        ("", ""),
    ],
)
def test_the_short_form_of_evidence_is_the_first_thing_it_tells(evidence: str, said: str) -> None:
    assert checks.brief(evidence) == said


@given(st.text(), st.integers(10, 100))
def test_the_short_form_is_one_line_that_keeps_its_length(evidence: str, limit: int) -> None:
    said = checks.brief(evidence, limit)
    assert len(said) <= limit
    assert "\n" not in said


def test_a_check_over_trials_is_passed_failed_flaky_or_not_checkable() -> None:
    assert checks.of_tally(3, 0) is PASSED
    assert checks.of_tally(0, 3) is outcomes.FAILED
    assert checks.of_tally(1, 2) is FLAKY
    assert checks.of_tally(0, 0) is outcomes.NOT_CHECKABLE


def test_what_failed_is_read_first_and_what_passed_last() -> None:
    assert checks.worst_first([ANSWERED, UNREADABLE, LACKING]) == [LACKING, UNREADABLE, ANSWERED]


def test_it_is_said_what_decides_about_a_case(maker: Callable[..., Maker]) -> None:
    alone = checks.what_passes(suite(maker).findings)
    assert alone == "A case passes when all its checks do; no scores were asked for."
    beside = checks.what_passes(judged(maker, passing_score=None).findings)
    assert "its score is shown as well" in beside
    assert "reaches 0.60" in checks.what_passes(judged(maker, passing_score=0.6).findings)


def test_nothing_is_said_of_checks_where_there_are_none(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("plain"), 0.9)
    assert checks.what_passes(made.sample().findings) == ""
