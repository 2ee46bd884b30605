"""Runs that differ in a judge which decides nothing are compared by their verdicts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor import Part, Review
from proctor.benchmark import Case, Exam, Expectation
from proctor.findings.run.deciders import is_custom, judge_decides, may_decide
from proctor.run import SECOND, Settings, Spec
from proctor.score import CheckResult
from proctor.workflows.compare import compare

SUITE = """
name: kw
cases:
  - {id: a, question: What is 1 plus 1?, expect: {keywords: ["2"]}}
  - {id: b, question: What is 1 plus 2?, expect: {keywords: ["3"]}}
"""


def marks_alone(question: str, answer: str, reply: str) -> Review:
    return Review(parts=(Part(name="correctness", value=0.2, explanation="It is wrong."),))


def checks_too(question: str, answer: str, reply: str) -> Review:
    return Review(checks=(CheckResult(turn=1, name="polite", passed=False, evidence="rude"),))


def asked(tmp_path: Path, reviewer: Any) -> str:
    suite = tmp_path / "kw.yaml"
    suite.write_text(SUITE)
    result = proctor.evaluate(suite, agent=lambda question: "2 3", reviewer=reviewer, store=tmp_path / "s.db")
    return result.run.id


def test_a_judge_of_ones_own_that_gives_marks_alone_decides_nothing(tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    found = compare(asked(tmp_path, "none"), asked(tmp_path, marks_alone), store=store)
    assert found.pass_rate.difference.value == 0
    assert found.mean_score.difference.value is None


def test_a_judge_of_ones_own_that_gives_checks_decides(tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    alone, judged = asked(tmp_path, "none"), asked(tmp_path, checks_too)
    with pytest.raises(proctor.errors.UsageError, match="reviewer differs"):
        compare(alone, judged, store=store)


@pytest.mark.parametrize(
    ("built", "passing", "decides"),
    [
        ({"reviewer": "openai:gpt"}, None, None),
        ({"reviewer": "embedded"}, None, False),
        ({"reviewer": "acme:four"}, None, True),
        ({"reviewer": "embedded", "second": "python:m:r"}, None, True),
        ({"reviewer": "exact"}, 0.7, True),
        ({}, None, True),
    ],
)
def test_of_older_runs_a_judge_that_may_judge_more_than_scores_may_decide(
    built: dict[str, str], passing: float | None, decides: bool | None
) -> None:
    specs = {SECOND if role == "second" else role: Spec(spec=spec) for role, spec in built.items()}
    settings = Settings(reviewer="judge", passing_score=passing, own_scores=False, built=specs)
    assert may_decide(settings) is (True if decides is None else decides)
    assert is_custom(settings) is (decides is True and passing is None)


def test_a_role_that_only_a_judge_can_judge_is_decided_by_it() -> None:
    case = Case(id="c", question="q", expect=Expectation(role="a pirate", keywords=("four",)))
    settings = Settings(reviewer="m", passing_score=None, built={"reviewer": Spec(spec="openai:gpt")})
    assert judge_decides([Exam(id="c", cases=(case,))], settings) is True
    plain = replace(case, expect=Expectation(keywords=("four",)))
    assert judge_decides([Exam(id="c", cases=(plain,))], settings) is False
