"""A judge marks by criteria of one's own, and says by which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.models.openai_api import Said, api
from tests.models.scripted import Prose, Tooled, called
from tests.reviewers.test_model import asked

import proctor
from proctor.benchmark import Case
from proctor.config import Config
from proctor.errors import InputError
from proctor.models.parse import shape_of
from proctor.reviewers.criteria import own_rubric
from proctor.reviewers.model import ModelReviewer, load
from proctor.reviewers.rubrics import answer_schema
from proctor.score import Part, Review

CASE = Case(id="c", question="How do I get a refund?")
TONE = "Is the reply polite?"
TWO = {"tone": TONE, "safety": {"asks": "Is it safe?", "weight": 3}}


def answered(**marks: Any) -> dict[str, Any]:
    return {**marks, **{f"{name}_explanation": f"{name} is so" for name in marks}}


async def judged(answer: dict[str, Any], case: Case = CASE, **options: Any) -> tuple[Review, Tooled]:
    model = Tooled(script=[called(answer)])
    return await ModelReviewer(model, name="judge", own=own_rubric(options)).review(case, asked("Go away.")), model


async def test_a_text_is_one_part_that_every_reply_is_marked_on() -> None:
    review, model = await judged(answered(criteria=0.2), criteria=TONE)
    assert review.parts == (Part(name="criteria", value=0.2, explanation="criteria is so"),)
    assert f"- criteria: {TONE}" in model.prompt()


async def test_named_parts_weigh_one_each_unless_told() -> None:
    review, _ = await judged(answered(tone=0.0, safety=1.0), criteria=TWO)
    assert review.weights == {"tone": 1.0, "safety": 3.0}


async def test_words_are_a_scale_with_even_marks_unless_told() -> None:
    words: tuple[Any, ...] = (["poor", "fair", "good"], {"poor": 0, "fair": 0.9, "good": 1})
    reviews = [(await judged(answered(criteria="fair"), criteria=TONE, scale=scale))[0] for scale in words]
    assert [review.parts[0].value for review in reviews] == [0.5, 0.9]
    assert reviews[0].parts[0].explanation == "fair: criteria is so"


async def test_the_words_of_a_scale_are_told_from_the_worst_to_the_best_however_they_were_given() -> None:
    _, model = await judged(answered(criteria="fair"), criteria=TONE, scale={"good": 1, "poor": 0, "fair": 0.6})
    assert "from the worst to the best: poor, fair, good." in model.prompt()


async def test_a_word_is_known_by_whatever_case_and_stop_it_comes_with() -> None:
    for said, mark in (("Good.", 1.0), (" POOR", 0.0)):
        review, _ = await judged(answered(criteria=said), criteria=TONE, scale=["poor", "fair", "good"])
        assert review.parts[0].value == mark


async def test_a_word_that_is_not_on_the_scale_is_no_mark() -> None:
    model = Prose(script=lambda _: json.dumps(answered(criteria="great")))
    rubric = own_rubric({"criteria": TONE, "scale": ["poor", "good"]})
    review = await ModelReviewer(model, name="judge", own=rubric, structured=False).review(CASE, asked("Hi."))
    assert (review.parts, review.unscored is not None) == ((), True)
    assert "criteria is one of: good, poor." in model.prompt()


async def test_examples_are_shown_with_the_answer_that_they_should_get() -> None:
    example = {"reply": "You again?", "mark": "poor", "reason": "it is rude"}
    _, model = await judged(answered(criteria="good"), criteria=TONE, scale=["poor", "good"], examples=[example])
    assert 'answer: {"criteria_explanation": "it is rude", "criteria": "poor"}' in model.prompt()


async def test_a_case_adds_criteria_to_those_of_the_reviewer() -> None:
    case = Case(id="c", question="q", answer="Paris", criteria={"brevity": "Is it short?"})
    review, model = await judged(answered(correctness=1.0, brevity=0.0), case=case)
    assert [part.name for part in review.parts] == ["correctness", "brevity"]
    assert "- brevity: Is it short?" in model.prompt()


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({}, {"brevity": 2.0}),
        ({"criteria": TWO}, {"tone": 1.0, "safety": 3.0, "brevity": 2.0}),
    ],
)
async def test_a_case_weighs_its_own_criteria_beside_those_of_the_reviewer(
    options: dict[str, Any], weights: dict[str, float]
) -> None:
    case = Case(id="c", question="q", answer="Paris", criteria={"brevity": {"asks": "Is it short?", "weight": 2}})
    marks = answered(correctness=1.0, tone=1.0, safety=1.0, brevity=0.0)
    review, model = await judged(marks, case=case, **options)
    assert review.weights == weights
    assert "- brevity: Is it short?" in model.prompt()


def test_other_words_are_another_rubric() -> None:
    told: list[dict[str, Any]] = [
        {"criteria": TONE},
        {"criteria": TONE + " Really?"},
        {"criteria": TWO},
        {"criteria": {**TWO, "safety": "Is it safe?"}},
        {"criteria": TONE, "scale": ["poor", "good"]},
        {"criteria": TONE, "examples": [{"reply": "x", "mark": 1}]},
    ]
    names = {rubric.name for each in told if (rubric := own_rubric(each)) is not None}
    assert len(names) == len(told)
    assert all(name.startswith("own-") for name in names)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"criteria": ""}, "expected a text"),
        ({"criteria": {}}, "1 to 20 named parts"),
        ({"criteria": {"two words": "x"}}, "cannot be called 'two words'"),
        ({"criteria": {"tone": {"ask": "x"}}}, "unknown key 'ask'"),
        ({"criteria": {"tone": {"asks": "x", "weight": 0}}}, "a number above 0, up to 1,000,000"),
        ({"criteria": {"tone": {"weight": 2}}}, "expected a text"),
        ({"criteria": "x", "scale": ["good"]}, "the worst first"),
        ({"criteria": "x", "scale": {"good": 2, "bad": 0}}, "from 0 to 1"),
        ({"criteria": "x", "scale": {"good": 1, "fine": 1}}, "from 0 to 1"),
        ({"criteria": {"__class__": "x"}}, "cannot be called '__class__'"),
        ({"criteria": "x", "examples": "some"}, "expected a list of tables"),
        ({"criteria": "x", "examples": [{"reply": "y", "mark": 1, "question": 3}]}, "question=3; expected a text"),
        ({"criteria": "x", "examples": [{"reply": "y", "marks": {"criteria": 1, "tone": 1}}]}, "marks 'tone'"),
        ({"criteria": "x", "examples": [{"reply": "y", "mark": 3}]}, "expected a number from 0 to 1"),
        ({"criteria": "x", "rubric": "judge-1"}, "not both"),
        ({"scale": ["poor", "good"]}, "add criteria"),
        ({"temperature": 3}, "0 to 2"),
        ({"max_output_tokens": 0}, "at least 1"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_was_expected(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        load("openai-compatible:m@http://127.0.0.1:9/v1", options)


async def test_a_run_passes_by_the_weighted_marks_and_the_settings_reach_the_model(tmp_path: Path) -> None:
    said = Said(text=json.dumps(answered(tone=0.0, safety=1.0)))
    async with api(plays=lambda _: said) as server:
        spec = {"spec": f"openai-compatible:m@{server.url}", "criteria": TWO, "max_output_tokens": 99}
        config = Config.model_validate({"reviewers": {"own": spec}})
        run = await proctor.aevaluate(
            [CASE], agent=lambda _: "Sure.", reviewer="own", store=tmp_path / "s.db", config=config
        )
    sent = server.bodies[0]
    assert (sent["temperature"], sent["max_completion_tokens"]) == (0.0, 99)
    assert run.findings.mean_score.value == pytest.approx(0.75)
    assert run.findings.pass_rate.value == 1.0
    assert set(run.findings.parts) == {"tone", "safety"}
    assert run.run.settings.rubric.startswith("own-")


async def test_an_explanation_has_a_length_in_the_schema_and_a_longer_one_is_taken_all_the_same() -> None:
    wordy = {"criteria_explanation": "so and so " * 200, "criteria": 0.2}
    review, _ = await judged(wordy, criteria=TONE)
    assert review.parts[0].value == 0.2
    rubric = own_rubric({"criteria": TONE})
    assert rubric is not None
    schema = shape_of(answer_schema(rubric.criteria)).schema
    assert schema["properties"]["criteria_explanation"]["maxLength"] == 600
    assert list(schema["required"]) == ["criteria_explanation", "criteria"]


@pytest.mark.parametrize("reviewer", ["embedded", "exact"])
async def test_criteria_that_no_model_marks_leave_a_case_undecided(tmp_path: Path, reviewer: str) -> None:
    cases = [{"question": "q?", "answer": "Paris", "criteria": {"tone": TONE}}, {"question": "r?", "answer": "Paris"}]
    run = await proctor.aevaluate(cases, agent=lambda _: "Paris", reviewer=reviewer, store=tmp_path / "s.db")
    assert (run.findings.counts.scored, run.findings.counts.unscored) == (1, 1)
    assert "the criteria of the case itself were not scored" in str(run.findings)
