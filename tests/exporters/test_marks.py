"""Marks: what was thought of an attempt and of a run, in a form that any backend keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.exporters.shipped import RUN_OF_THREE, THREE, broken, played
from tests.made_runs import made

from proctor.exporters.marks import marks_of, outcome_of, run_marks
from proctor.findings.run import gather


def test_ids_are_the_same_twice_and_differ_between_marks_attempts_and_runs() -> None:
    first = [mark.id for mark in marks_of(played(1).attempt)]
    assert first == [mark.id for mark in marks_of(played(1, value=0.2).attempt)]
    other = replace(played(1).attempt, key=replace(played(1).attempt.key, trial=2))
    assert len({*first, *(mark.id for mark in marks_of(other))}) == 2 * len(first)


@pytest.mark.parametrize(
    ("by", "code"), [("checks", True), ("embedded", True), ("exact", True), ("openai:gpt", False), ("judge", False)]
)
def test_who_is_code_and_who_may_be_a_model(by: str, code: bool) -> None:
    one = played(1).attempt
    marks = marks_of(replace(one, scores=(replace(one.scores[0], by=by),), checks=()))
    assert next(mark for mark in marks if mark.name == "correctness").by_code is code


def test_a_check_keeps_its_own_score_beside_its_verdict() -> None:
    one = played(1).attempt
    check = replace(one.checks[0], passed=False, value=0.8)
    (mark,) = [mark for mark in marks_of(replace(one, checks=(check,))) if mark.by == "checks"]
    assert (mark.value, mark.form, mark.share) == (False, "boolean", 0.8)


def test_every_attempt_has_an_outcome() -> None:
    undecided = played(1, scores=(), checks=(), passed=None).attempt
    ends = [*(each.attempt for each in THREE), broken(1, owner="agent").attempt, broken(1).attempt, undecided]
    assert [outcome_of(attempt) for attempt in ends] == [
        "passed", "passed", "failed", "agent failure", "environment failure", "undecided",
    ]  # fmt: skip


def test_numbers_of_a_run_that_cannot_be_had_are_left_out() -> None:
    nothing = made({"a": ["lost"]})
    assert run_marks(nothing) == ()


def test_missing_attempts_are_told_beside_the_number() -> None:
    findings = gather(RUN_OF_THREE, [each.exam for each in THREE], [THREE[0].attempt, broken(2).attempt])
    rate = next(mark for mark in run_marks(findings) if mark.name == "pass_rate")
    assert rate.value == 1.0
    assert "2 missing, with them 0.333 to 1.000" in rate.explanation
