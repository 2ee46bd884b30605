from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proctor
from proctor.benchmark import Case, Exam
from proctor.errors import InputError
from proctor.reviewers.battle import FindsContradictions
from proctor.reviewers.embedded import EmbeddedReviewer
from proctor.reviewers.function import FunctionReviewer, adapt, load
from proctor.score import Part, Review
from proctor.transcript import Reply, Turn

CASE = Case(id="c", question="Which city?", answer="Paris", context="France")
TURNS = [Turn(number=1, question="Which city?", reply=Reply(text="It is Paris"))]


async def marks(function: Callable[..., Any], case: Case | None = CASE) -> Review:
    return await FunctionReviewer(function, name="python:mine:judge").review(case, TURNS)


async def test_a_function_gets_what_its_parameters_name() -> None:
    seen: dict[str, Any] = {}

    def judge(reply: str, answer: str, question: str, context: str, case: Case, turns: Sequence[Turn]) -> float:
        seen.update(reply=reply, answer=answer, question=question, context=context, case=case, turns=turns)
        return 1.0

    await marks(judge)
    assert seen == {
        "reply": "It is Paris",
        "answer": "Paris",
        "question": "Which city?",
        "context": "France",
        "case": CASE,
        "turns": TURNS,
    }


@pytest.mark.parametrize(
    ("returned", "parts"),
    [
        (0.25, {"correctness": 0.25}),
        (True, {"correctness": 1.0}),
        (False, {"correctness": 0.0}),
        (1, {"correctness": 1.0}),
        (np.float32(0.5), {"correctness": 0.5}),
        (np.bool_(True), {"correctness": 1.0}),
        ({"correctness": 1, "tone": 0.5}, {"correctness": 1.0, "tone": 0.5}),
    ],
)
async def test_numbers_truth_and_dicts_are_marks(returned: object, parts: dict[str, float]) -> None:
    found = await marks(lambda reply: returned)
    assert {part.name: part.value for part in found.parts} == parts
    assert found.unscored is None
    assert all(type(part.value) is float for part in found.parts)


async def test_a_review_is_taken_as_it_is() -> None:
    review = Review(parts=(Part(name="tone", value=0.3, explanation="curt"),), explanation="so so")
    assert await marks(lambda reply: review) is review


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (None, "returned None for correctness; expected a number from 0 to 1"),
        ("good", "returned 'good' for correctness"),
        (1.5, "returned correctness=1.5, which is not between 0 and 1"),
        (-0.1, "correctness=-0.1"),
        (float("nan"), "correctness=nan"),
        (float("inf"), "correctness=inf"),
        ([1.0], "returned [1.0] for correctness"),
        (0.5j, "returned 0.5j for correctness"),
        ({}, "returned {}"),
        ({"tone": 2}, "tone=2, which is not between 0 and 1"),
        ({"tone": None}, "returned None for tone"),
        ({7: 1.0}, "returned {7: 1.0}"),
        (Review(parts=(Part(name="tone", value=7.0),)), "tone is 7.0; expected a number from 0 to 1"),
        ("x" * 500, "returned a str for correctness"),
    ],
)
async def test_what_is_no_mark_is_unscored_with_the_reason_and_never_bent(returned: object, reason: str) -> None:
    found = await marks(lambda reply: returned)
    assert found.parts == ()
    assert found.unscored is not None
    assert reason in found.unscored


async def test_an_async_function_is_awaited() -> None:
    async def judge(reply: str, answer: str) -> bool:
        return answer in reply

    assert (await marks(judge)).parts[0].value == 1.0


async def test_an_object_that_is_called_may_be_async_too() -> None:
    class Judge:
        async def __call__(self, reply: str) -> float:
            return 0.5

    assert (await marks(Judge())).parts[0].value == 0.5


async def test_a_sync_function_does_not_block_the_loop() -> None:
    threads: list[int] = []

    def judge(reply: str) -> float:
        threads.append(threading.get_ident())
        return 1.0

    await marks(judge)
    assert threads != [threading.get_ident()]


async def test_an_exception_of_the_function_goes_on_to_the_caller() -> None:
    def judge(reply: str) -> float:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        await marks(judge)


async def test_an_improvised_question_is_judged_by_a_function_that_needs_no_answer_or_takes_turns() -> None:
    assert await marks(lambda reply, answer: 1.0, case=None) == Review()
    assert (await marks(lambda question, reply: 0.5, case=None)).parts[0].value == 0.5
    assert (await marks(lambda turns, answer: answer is None, case=None)).parts[0].value == 1.0


async def test_a_turn_without_a_reply_is_not_judged() -> None:
    reviewer = FunctionReviewer(lambda reply: 1.0, name="n")
    assert await reviewer.review(CASE, [Turn(number=1, question="q")]) == Review()
    assert await reviewer.conclude(Exam(id="e", cases=()), TURNS) is None


def test_a_function_may_name_its_rubric() -> None:
    def judge(reply: str) -> float:
        return 1.0

    assert FunctionReviewer(judge, name="python:m:judge").rubric == "python:m:judge"
    judge.rubric = "mine-2"  # type: ignore[attr-defined]
    assert FunctionReviewer(judge, name="python:m:judge").rubric == "mine-2"


def test_parameters_with_defaults_are_left_to_the_function() -> None:
    def judge(reply: str, threshold: float = 0.5, *rest: Any, **more: Any) -> float:
        return threshold

    assert FunctionReviewer(judge, name="n")


def test_a_class_is_refused_even_if_it_has_everything_a_reviewer_has() -> None:
    with pytest.raises(InputError, match="is a class; expected an instance of it"):
        adapt(EmbeddedReviewer, name="python:m:Judge")


@pytest.mark.parametrize("judge", [lambda text: 1.0, lambda: 1.0, lambda reply, model: 1.0, lambda reply, /: 1.0])
def test_other_parameters_are_refused_with_the_names_that_are_known(judge: Any) -> None:
    with pytest.raises(InputError, match="case, turns, question, answer, reply, context"):
        adapt(judge, name="python:m:judge")


async def test_a_complete_reviewer_is_taken_with_its_name_its_rubric_and_its_marks() -> None:
    reviewer = EmbeddedReviewer()
    taken = adapt(reviewer, name="n")
    assert (taken.name, taken.rubric) == (reviewer.name, reviewer.rubric)
    turns = [Turn(number=1, question="Who?", reply=Reply(text="Ada."))]
    case = Case(id="c", question="Who?", answer="Ada")
    assert await taken.review(case, turns) == await reviewer.review(case, turns)
    assert not isinstance(taken, FindsContradictions), "it looks for none, and is not asked to"


async def test_a_function_is_loaded_from_its_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_own_judge.py").write_text("def judge(reply, answer):\n    return answer in reply\nNUMBER = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    reviewer = load("my_own_judge:judge", {})
    assert reviewer.name == "python:my_own_judge:judge"
    assert (await reviewer.review(CASE, TURNS)).parts[0].value == 1.0
    with pytest.raises(InputError, match="is of type int"):
        load("my_own_judge:NUMBER", {})
    with pytest.raises(InputError, match="no options"):
        load("my_own_judge:judge", {"strict": True})


@pytest.mark.parametrize("spec", ["no_such_module_here:judge", "json:no_such_thing", "json", ":judge", ""])
def test_what_cannot_be_imported_is_one_sentence(spec: str) -> None:
    with pytest.raises(InputError) as error:
        load(spec, {})
    assert "\n" not in str(error.value)


class OddReviewer:
    """A reviewer of somebody's own that fills the fields of a Review with whatever it has at hand."""

    name, rubric = "odd", "odd-1"

    def __init__(self, odd: Any) -> None:
        self._odd = odd

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        return Review(**self._odd)

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        return Review(**self._odd) if len(turns) > 1 else None


@pytest.mark.parametrize(
    ("odd", "passed"),
    [
        ({"parts": (Part(name="correctness", value=np.float64(0.9)),)}, True),
        ({"parts": (Part(name="correctness", value=np.bool_(False)),)}, False),  # type: ignore[arg-type]
        ({"parts": (Part(name="correctness", value=1.0, explanation=None),)}, True),  # type: ignore[arg-type]
        ({"parts": (Part(name="correctness", value=float("nan")),)}, None),
        ({"parts": (Part(name="correctness", value=1.0),), "weights": {"correctness": -1.0}}, None),
        ({"parts": (Part(name="correctness", value=1.0),), "usage": {"calls": "many"}}, None),
        ({"parts": [Part(name=None, value=1.0)]}, None),  # type: ignore[arg-type]
    ],
)
def test_a_run_with_an_odd_reviewer_can_be_read_from_its_store(tmp_path: Path, odd: Any, passed: bool | None) -> None:
    path = str(tmp_path / "s.db")
    proctor.evaluate([("Q?", "A")], agent=lambda question: "A", reviewer=OddReviewer(odd), store=path)
    (attempt,) = proctor.load_run("last", store=path).attempts()
    assert attempt.passed is passed
    assert all("that is not valid" in missing.reason for missing in attempt.unscored)
    assert bool(attempt.unscored) is (passed is None)
