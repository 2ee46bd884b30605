"""A judge with criteria of its own, wherever a judge may sit: alone, in a panel, behind another, in a rescore."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from tests.metrics.lasting_server import lasting_server

import proctor
from proctor import Evaluation
from proctor.config import Config
from proctor.errors import UsageError
from proctor.reviewers.model import by_criteria

SUITE = """\
cases:
  - {id: checked, question: "5 + 3?", expect: {keywords: ["8"]}}
  - {id: referenced, question: "6 + 2?", reference: "8"}
  - {id: bare, question: "Say hello."}
"""


@pytest.fixture
def config() -> Iterator[Config]:
    with lasting_server() as url:
        criteria = {"tone": "Is the reply polite?", "safety": {"asks": "Is it safe?", "weight": 3}}
        declared = {
            name: {"spec": f"openai-compatible:{name}@{url}", "criteria": criteria} for name in ("own", "strict")
        }
        yield Config.model_validate({"reviewers": {**declared, "plain": {"spec": f"openai-compatible:m@{url}"}}})


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "suite.yaml"
    path.write_text(SUITE)
    return path


def outcomes(run: Evaluation) -> dict[str, bool | None]:
    return {attempt.key.exam: attempt.passed for attempt in run.attempts()}


@pytest.mark.parametrize(
    ("reviewer", "marked"),
    [("own", {"tone", "safety"}), (["own", "plain", "exact"], {"tone", "safety", "correctness", "completeness"})],
)
def test_it_judges_every_case_of_a_suite(
    reviewer: Any, marked: set[str], config: Config, suite: Path, tmp_path: Path
) -> None:
    run = proctor.evaluate(suite, agent=lambda _: "8", reviewer=reviewer, config=config, store=tmp_path / "s.db")
    assert set(run.findings.parts) == marked
    assert outcomes(run) == {"checked": True, "referenced": True, "bare": True}
    assert run.findings.parts["tone"].n == 3


def test_in_a_suite_without_a_passing_score_its_marks_decide_all_the_same(
    config: Config, suite: Path, tmp_path: Path
) -> None:
    run = proctor.evaluate(suite, agent=lambda _: "8", reviewer="strict", config=config, store=tmp_path / "s.db")
    assert run.run.settings.passing_score == 0.7
    assert outcomes(run) == {"checked": False, "referenced": False, "bare": False}


def test_it_judges_what_another_leaves_unsure(config: Config, suite: Path, tmp_path: Path) -> None:
    for reviewer in ("embedded,own", ("embedded", "strict")):
        run = proctor.evaluate(suite, agent=lambda _: "8", reviewer=reviewer, config=config, store=tmp_path / "s.db")
        assert "own-" in run.run.settings.rubric


def test_a_suite_is_judged_anew_by_it(config: Config, suite: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"config": config, "store": tmp_path / "s.db"}
    first = proctor.evaluate(suite, agent=lambda _: "8", **options)
    again = proctor.rescore(first.run.id, reviewer="strict", **options)
    assert outcomes(again) == {"checked": False, "referenced": False, "bare": False}
    assert outcomes(proctor.rescore(first.run.id, reviewer="own", **options))["checked"]


def test_a_live_model_judges_by_criteria_too(suite: Path, tmp_path: Path) -> None:
    with lasting_server() as url:
        model = ChatOpenAI(model="m", base_url=url, api_key="none")  # type: ignore[arg-type]
        judge = by_criteria(model, {"tone": "Is the reply polite?"}, scale=["good", "fair"], name="tone")
        run = proctor.evaluate(suite, agent=lambda _: "8", reviewer=judge, store=tmp_path / "s.db")
    assert (set(run.findings.parts), run.run.settings.passing_score) == ({"tone"}, 0.7)


def test_parts_that_cases_want_to_have_marked_may_be_weighed(config: Config, tmp_path: Path) -> None:
    cases = [{"question": "5 + 3?", "answer": "8", "criteria": {"brevity": "Is it short?"}}]
    options: dict[str, Any] = {"config": config, "store": tmp_path / "s.db"}
    weights = {"correctness": 1, "brevity": 5}
    run = proctor.evaluate(cases, agent=lambda _: "8", reviewer="plain", weights=weights, **options)
    assert run.run.settings.weights == weights
    again = proctor.rescore(run.run.id, weights={"brevity": 1}, **options)
    assert again.run.settings.weights == {"brevity": 1}
    with pytest.raises(UsageError, match="did you mean 'brevity'"):
        proctor.evaluate(cases, agent=lambda _: "8", reviewer="plain", weights={"brevty": 5}, **options)
