"""What stands beside the estimates: medians that fit what is drawn, and categories of which nothing was judged."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console
from tests.made_runs import in_order, made

from proctor.findings.history.series import Entry
from proctor.findings.run import Findings
from proctor.reports import numbers
from proctor.reports.headline import headline, median_scores
from proctor.reports.history.words import basis
from proctor.reports.run import text
from proctor.reports.run.json import as_dict
from proctor.reports.run.markdown import render as markdown

if TYPE_CHECKING:
    from tests.reports.conftest import Sample


def printed(findings: Findings) -> str:
    stream = io.StringIO()
    Console(file=stream, width=100).print(text.render(findings))
    return " ".join(stream.getvalue().split())


def test_the_median_is_that_of_the_cases_and_of_the_attempts_where_they_differ() -> None:
    found = made({"a": [1.0, 0.2, 0.0], "b": [1.0, 0.1, 0.0], "c": [1.0, 1.0, 0.0]})
    assert median_scores(found) == "0.40 of a case, 0.20 of an attempt"
    assert "Median score 0.40 of a case, 0.20 of an attempt" in printed(found)
    told = as_dict(found)
    assert (told["median_score"], round(told["median_case_score"], 6)) == (0.2, 0.4)
    assert median_scores(made(in_order(1.0, 0.2, 0.4))) == "0.40"
    assert median_scores(made(in_order("unscored"))) == ""


def test_cases_that_nobody_could_judge_are_not_told_as_failed_in_their_category() -> None:
    kinds = {"c0": ("judged",), "c1": ("judged",), "c2": ("judged", "unjudged"), "c3": ("unjudged",)}
    found = made(in_order("pass", "fail", "unscored", "unscored"), categories=kinds)
    told = {name: numbers.passed_of(category) for name, category in found.categories.items()}
    assert told == {"judged": "1/2", "unjudged": "–"}
    assert {name: each["counted"] for name, each in as_dict(found)["categories"].items()} == {
        "judged": 2,
        "unjudged": 0,
    }
    assert "0/2" not in printed(found) + markdown(found)


def test_a_history_tells_how_often_cases_were_played_and_not_how_often_they_were_to_be() -> None:
    whole, stopped = made({"a": ["pass"] * 4}), made({"a": ["pass", "pending"], "b": ["pass", "pending"]})
    uneven = made({"a": ["pass"] * 2, "b": ["pass", "pending"]})

    def told(found: Findings) -> str:
        return basis(Entry(run=found.run, when=0.0, rate=found.pass_rate, left_out="", relabelled={}))

    assert [told(found) for found in (whole, stopped, uneven)] == ["1 × 4", "2", "2 × up to 2"]


def test_a_k_of_one_trial_adds_no_rows_that_are_the_pass_rate(sample: Sample) -> None:
    labels = [line.label for line in headline(sample.findings, k=1)]
    assert not any(label.startswith(("pass@", "pass^")) for label in labels)
