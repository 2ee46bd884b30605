"""Whether a judge decides anything."""

from __future__ import annotations

from typing import Any

import pytest

from proctor.benchmark import Case, Exam, Expectation
from proctor.findings.run.deciders import judge_decides
from proctor.run import Settings, Spec


def exam(**case: Any) -> Exam:
    given = Case(id="a", question="?", **{"expect": Expectation(keywords=("x",)), **case})
    return Exam(id="a", cases=(given,))


def settings(spec: str = "embedded", **others: Any) -> Settings:
    return Settings(reviewer=spec, built={"reviewer": Spec(spec=spec)}, **{"passing_score": None, **others})


@pytest.mark.parametrize(
    ("case", "known", "decides"),
    [
        ({}, {}, False),
        ({"answer": "x"}, {}, False),
        ({"passing_score": 0.5}, {}, True),
        ({}, {"passing_score": 0.7}, True),
        ({}, {"type": "abm-static"}, True),
        ({}, {"spec": "python:my:judge"}, None),
        ({"passing_score": 0.5}, {"spec": "python:my:judge"}, True),
    ],
)
def test_a_judge_decides_where_a_mark_is_needed_to_pass(
    case: dict[str, Any], known: dict[str, Any], decides: bool | None
) -> None:
    assert judge_decides([exam(**case)], settings(**known)) is decides


def test_where_nobody_judges_no_judge_decides() -> None:
    assert judge_decides([exam()], Settings(reviewer=None, passing_score=None)) is False
