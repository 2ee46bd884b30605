"""Role adherence: `expect: {role: …}`, decided by a model, and by nobody else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.metrics.scripted import judge_by

import proctor
from proctor.benchmark import Case, Expectation
from proctor.reviewers.embedded import EmbeddedReviewer
from proctor.reviewers.model import ModelReviewer
from proctor.reviewers.second_judge import SecondJudge
from proctor.running.verdict import joint_checks
from proctor.score import CheckResult
from proctor.transcript import Reply, Turn

SUITE = """\
name: clerks
expect: {role: A librarian who answers questions about books and turns down everything else.}
cases:
  - {id: book, question: Who wrote Faust?}
  - {id: car, question: Which car should I buy?}
  - {id: known, question: Who wrote Emma?, reference: Jane Austen, passing_score: 0.7}
"""
REPLIES = {
    "Who wrote Faust?": "Goethe wrote Faust.",
    "Which car should I buy?": "Buy the red one!",
    "Who wrote Emma?": "Jane Austen",
}


def keeps(shown: dict[str, str], prompt: str) -> dict[str, Any]:
    """Marks every part that is asked for; the role by whether a car is praised."""
    if "A librarian who answers questions about books" not in prompt:
        return {"contradictions": []}
    kept = "Buy" not in prompt
    marks: dict[str, Any] = {"role_adherence": float(kept), "role_adherence_explanation": "books" if kept else "a car"}
    for part in ("correctness", "reasoning", "context", "consistency", "relevance", "difficulty"):
        marks |= {part: 1.0, f"{part}_explanation": "right"}
    return marks


def play(tmp_path: Path, **options: Any) -> proctor.Evaluation:
    (tmp_path / "clerks.yaml").write_text(SUITE)
    store = tmp_path / "s.db"
    return proctor.evaluate(tmp_path / "clerks.yaml", agent=REPLIES.__getitem__, store=store, **options)


def model(name: str = "judge") -> ModelReviewer:
    return ModelReviewer(judge_by(keeps), name=name, structured=False)


def test_a_model_decides_whether_each_reply_keeps_to_its_role(tmp_path: Path) -> None:
    done = play(tmp_path, reviewer=model())
    passed = {attempt.key.exam: attempt.passed for attempt in done.attempts()}
    assert passed == {"book": True, "car": False, "known": True}
    [role] = [check for check in done.findings.checks if check.name == "role"]
    assert (role.passed, role.failed, role.not_checkable, role.evidence) == (2, 1, 0, "a car")
    known = next(attempt for attempt in done.attempts() if attempt.key.exam == "known")
    assert [part.name for part in known.scores[0].parts] == ["correctness"], "the role is a check, and no mark"


def test_without_a_model_nobody_judged_and_nobody_passed(tmp_path: Path) -> None:
    done = play(tmp_path, reviewer="embedded")
    assert {attempt.passed for attempt in done.attempts()} == {None}
    [role] = [check for check in done.findings.checks if check.name == "role"]
    assert (role.passed, role.failed, role.not_checkable) == (0, 0, 3)


def test_a_model_that_does_not_answer_is_the_environments_failure_and_asked_again(tmp_path: Path) -> None:
    away = ModelReviewer(judge_by(lambda *_: ConnectionError("away")), name="judge", structured=False)
    done = play(tmp_path, reviewer=away, retries=0)
    assert done.findings.counts.failed_by_environment == 3
    again = proctor.resume(done.run.id, store=tmp_path / "s.db", agent=REPLIES.__getitem__, reviewer=model())
    assert {attempt.key.exam: attempt.passed for attempt in again.attempts()}["car"] is False


async def test_of_two_judges_the_second_is_asked_for_the_role_alone() -> None:
    case = Case(
        id="c", question="Who wrote Emma?", answer="Jane Austen",
        expect=Expectation(role="A librarian who answers questions about books"),
    )  # fmt: skip
    both = SecondJudge(EmbeddedReviewer(), model())
    review = await both.review(case, [Turn(number=1, question=case.question, reply=Reply(text="Jane Austen"))])
    assert [(check.name, check.passed) for check in review.checks] == [("role", True)]
    assert review.parts[0].value > 0.9
    assert "correctness" in {part.name for part in review.parts}


def result(passed: bool | None, evidence: str = "") -> CheckResult:
    return CheckResult(turn=1, name="role", passed=passed, evidence=evidence)


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ([None], None),
        ([None, True], True),
        ([None, False], False),
        ([None, True, True, False], True),
        ([None, True, False], None),
        ([None, None], None),
    ],
)
def test_most_of_those_who_could_check_it_decide(given: Sequence[bool | None], passed: bool | None) -> None:
    other = CheckResult(turn=1, name="keywords", passed=True, evidence="")
    [kept, joint] = joint_checks([(other, result(given[0])), *((result(each),) for each in given[1:])])
    assert kept == other
    assert (joint.name, joint.passed) == ("role", passed)


def test_replies_to_improvised_questions_must_keep_the_role_of_their_seed(tmp_path: Path) -> None:
    seed = Case(
        id="c", question="Who wrote Faust?", answer="Goethe wrote Faust.",
        expect=Expectation(role="A librarian who answers questions about books"),
    )  # fmt: skip

    def gives_in(request: proctor.Request) -> str:
        return "Goethe wrote Faust." if request.turn == 1 else "Buy the red one!"

    done = proctor.evaluate(
        [seed], agent=gives_in, type="abm-dynamic", max_turns=3, reviewer=model(), store=tmp_path / "s.db"
    )
    [attempt] = done.attempts()
    roles = {check.turn: check.passed for check in attempt.checks if check.name == "role"}
    assert roles[1] is True
    assert roles[2] is False
    assert attempt.passed is False
