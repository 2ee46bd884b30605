from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.reports.markup import plain
from proctor.reports.run.markdown import render

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample


def test_the_summary_says_verdict_estimates_categories_worst_cases_and_troubles(sample: Sample) -> None:
    said = render(sample.findings)
    assert said.startswith("### demo:librarian on handbook: ! incomplete\n")
    assert re.search(r"\| Pass rate \| \*\*41.7 %\*\* \| \d+ – \d+ \| `·*├─*●─*┤·*` \| 4 cases × 3;", said)
    assert "| search | 55.6 % |" in said
    assert "| ✗ | bad | Which policy covers remote work? | keywords ✗ 'policy' not found | 0/3 | 0.31 |" in said
    assert "| ✗ | crashing | Which policy covers remote work? |  | 0/3 | – |" in said
    assert "- ! environment failed, 3 × (calling the reviewer): HTTP 503 after 3 tries" in said
    assert "- ? unscored, 3 × (reviewer): the answer had no number" in said
    assert "embedded reviewer" in said


def test_a_complete_run_is_said_to_be_completed(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a"), 0.9)
    assert "✓ completed" in render(made.sample().findings)


def test_the_time_to_the_first_token_is_said_where_it_was_measured(maker: Callable[..., Maker], sample: Sample) -> None:
    made = maker()
    made.marked(made.case("a"), 0.9, first_token=0.25, seconds=2.0)
    assert "Time: median 2.0 s, longest 2.0 s; to the first token median 250 ms, " in render(made.sample().findings)
    assert "first token" not in render(sample.findings)


def test_why_a_run_stopped_is_said(sample: Sample) -> None:
    run = replace(sample.findings.run, status="failed", reason="20 environment failures in a row")
    assert "Stopped: 20 environment failures in a row" in render(replace(sample.findings, run=run))


def test_hostile_text_mentions_nobody_and_opens_no_markup() -> None:
    said = plain("@octocat <img src=x> [a](http://b.c) | **b** `c`\n# d")
    assert "@octocat" not in said
    assert "<" not in said
    assert "http://" not in said
    assert not re.search(r"(?<!\\)[|*`\[\]#]", said)
    assert "\n" not in said


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=[])))
def test_any_question_keeps_its_table_row(maker: Callable[..., Maker], text: str) -> None:
    made = maker()
    made.marked(made.case("a", question=text), 0.1)
    rows = [line for line in render(made.sample().findings).splitlines() if line.startswith("| ✗ |")]
    assert len(rows) == 1
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 6
