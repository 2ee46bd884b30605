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
from proctor.errors import InputError, UsageError
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
            name: {"spec": f"openai-compatible:{name}@{url}", "criteria": criteria}
            for name in ("own", "strict", "polite")
        }
        plain = {name: {"spec": f"openai-compatible:{name}@{url}"} for name in ("plain", "brief")}
        yield Config.model_validate({"reviewers": {**declared, **plain}})


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


WEIGHED = """\
cases:
  - id: weighed
    question: 5 + 3?
    reference: "8"
    criteria: {brevity: {asks: Is it short?, weight: 3}, safety: Is it safe?}
"""


@pytest.mark.parametrize("origin", ["a suite", "Python"])
def test_a_case_weighs_its_own_parts_wherever_it_comes_from(origin: str, config: Config, tmp_path: Path) -> None:
    path = tmp_path / "weighed.yaml"
    path.write_text(WEIGHED)
    criteria: dict[str, Any] = {"brevity": {"asks": "Is it short?", "weight": 3}, "safety": {"asks": "Is it safe?"}}
    given: Any = [{"id": "weighed", "question": "5 + 3?", "answer": "8", "criteria": criteria}]
    options: dict[str, Any] = {"config": config, "store": tmp_path / "s.db"}
    run = proctor.evaluate(path if origin == "a suite" else given, agent=lambda _: "8", reviewer="brief", **options)
    [attempt] = run.attempts()
    assert {part.name: part.value for part in attempt.scores[0].parts} | {"brevity": 1.0} == {
        part: float(part == "brevity")
        for part in ("correctness", *(["completeness"] * (origin == "a suite")), *criteria)
    }
    others = 2.0 if origin == "a suite" else 1.5  # a suite's judge marks correctness and completeness, .5 each
    assert attempt.value == pytest.approx(3 / (3 + others))
    again = proctor.rescore(run.run.id, passing_score=0.1, **options)
    assert again.findings.mean_score == run.findings.mean_score


def test_other_weights_of_a_case_are_another_benchmark_and_a_bare_asks_is_the_text(tmp_path: Path) -> None:
    def digest(said: Any) -> str:
        cases = [{"question": "5 + 3?", "answer": "8", "criteria": said}]
        return proctor.evaluate(cases, agent=lambda _: "8", store=tmp_path / "s.db").run.digest

    plain, bare = digest({"tone": "Polite?"}), digest({"tone": {"asks": "Polite?"}})
    two, three, whole = (digest({"tone": {"asks": "Polite?", "weight": weight}}) for weight in (2, 3, 2.0))
    assert plain == bare
    assert two == whole
    assert len({plain, two, three}) == 3
    assert digest("Polite?") == digest({"criteria": "Polite?"})


@pytest.mark.parametrize(
    ("criteria", "said"),
    [
        ({"my tone": "x"}, "cannot be called 'my tone'"),
        ({"tone": {"asks": "x", "wieght": 2}}, "unknown key 'wieght'"),
        ({"tone": {"asks": "x", "weight": -1}}, "a number above 0"),
        ({"tone": {"asks": "x", "weight": True}}, "criteria.tone.weight is true; expected a number or a text"),
        ({"tone": {"weight": 1}}, "expected a text"),
        ({f"part{number}": "x" for number in range(21)}, "at most 20"),
    ],
)
def test_criteria_that_no_model_could_mark_are_refused_before_anybody_is_asked(
    criteria: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=said):
        proctor.evaluate(
            [{"question": "q?", "criteria": criteria}], agent=lambda _: pytest.fail("asked"), store=tmp_path / "s.db"
        )


def test_another_passing_score_keeps_the_marks_as_the_judge_weighed_them(
    config: Config, suite: Path, tmp_path: Path
) -> None:
    options: dict[str, Any] = {"config": config, "store": tmp_path / "s.db"}
    run = proctor.evaluate(suite, agent=lambda _: "8", reviewer="polite", **options)
    again = proctor.rescore(run.run.id, passing_score=0.2, **options)
    assert run.findings.mean_score.value == pytest.approx(0.25)
    assert again.findings.mean_score.value == pytest.approx(0.25)
    assert outcomes(again) == {"checked": True, "referenced": True, "bare": True}
    other = proctor.rescore(run.run.id, weights={"tone": 1, "safety": 1}, **options)
    assert other.findings.mean_score.value == pytest.approx(0.5)
