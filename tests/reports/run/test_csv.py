from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.reports.run.csv import write_csv
from proctor.reports.words import cell_text
from proctor.transcript import Reply

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample


def rows_of(sample: Sample) -> list[dict[str, str]]:
    stream = io.StringIO(newline="")
    write_csv(sample.findings, sample.exams, sample.attempts, stream)
    text = stream.getvalue()
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_there_is_one_row_per_attempt(sample: Sample) -> None:
    rows = rows_of(sample)
    assert [(row["case"], row["trial"]) for row in rows] == [
        (attempt.key.exam, str(attempt.key.trial)) for attempt in sample.attempts
    ]


def test_a_failure_and_an_unscored_reply_have_an_empty_score_and_a_reason(sample: Sample) -> None:
    rows = {(row["case"], row["trial"]): row for row in rows_of(sample)}
    crashed, offline, odd = rows["crashing", "1"], rows["offline", "1"], rows["odd", "1"]
    assert (crashed["outcome"], crashed["score"], crashed["passed"]) == ("agent_failed", "", "false")
    assert crashed["failure_reason"] == "the agent did not answer within 60 s"
    assert (offline["outcome"], offline["score"], offline["passed"]) == ("environment_failed", "", "")
    assert (odd["outcome"], odd["score"], odd["unscored_reason"]) == ("unscored", "", "the answer had no number")


def test_parts_have_their_own_columns_and_unknown_usage_is_empty(sample: Sample) -> None:
    rows = {(row["case"], row["trial"]): row for row in rows_of(sample)}
    assert rows["good", "1"]["correctness"] == "0.93"
    assert (rows["good", "1"]["input_tokens"], rows["good", "1"]["cost"]) == ("812", "0.0013")
    assert (rows["odd", "1"]["input_tokens"], rows["odd", "1"]["cost"]) == ("", "")


def test_the_time_to_the_first_token_is_told_where_it_was_measured(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("streamed"), 0.9, first_token=0.25)
    made.marked(made.case("whole"), 0.9)
    assert [row["first_token"] for row in rows_of(made.sample())] == ["0.25", ""]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_that_looks_like_a_formula_is_made_safe(maker: Callable[..., Maker], start: str) -> None:
    made = maker()
    made.marked(made.case(f"{start}case", question=f"{start}q"), 0.9, reply=Reply(text=f'{start}HYPERLINK("x")'))
    [row] = rows_of(made.sample())
    assert all(row[column].startswith("'") for column in ("case", "question", "reply"))


@given(st.text(st.characters(exclude_categories=[])))
def test_no_text_is_ever_taken_for_a_formula(text: str) -> None:
    assert not cell_text(text).startswith(("=", "+", "-", "@", "\t", "\r"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=[])))
def test_any_reply_stays_in_its_cell(maker: Callable[..., Maker], text: str) -> None:
    made = maker()
    made.marked(made.case("a"), 0.9, reply=Reply(text=text))
    [row] = rows_of(made.sample())
    assert row["reply"] == cell_text(text)
    assert row["outcome"] == "passed"


def test_a_cell_never_holds_more_than_a_spreadsheet_takes(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a"), 0.9, reply=Reply(text="x" * 100_000))
    [row] = rows_of(made.sample())
    assert len(row["reply"]) <= 32_767
    assert row["reply"].endswith("…")
