from __future__ import annotations

import json
from pathlib import Path

import pytest

from proctor.reading.answer import judge
from proctor.reading.final_answer import final_answer
from proctor.reading.question import understand

GSM8K = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "gsm8k_dev.jsonl"


@pytest.mark.parametrize(
    ("reply", "final"),
    [
        ("16 - 7 = 9. Therefore the answer is 12.", "12."),
        ("First 5, then 6.\nAnswer: 11", "11"),
        ("3 + 4 = 7\nA: 7", "7"),
        ("$204 + $160 + $330 = $694.", "$694."),
        ("It is 5. Wait, let me redo that: 6", "6"),
        ("The result is below zero.\nFinal answer: -3", "-3"),
    ],
)
def test_the_final_answer_is_what_the_reply_ends_with(reply: str, final: str) -> None:
    assert final_answer(reply, numeric=True)[0] == final


@pytest.mark.skipif(not GSM8K.exists(), reason="../shared/data/gsm8k_dev.jsonl is not beside the project")
def test_worked_solutions_are_judged_by_the_answer_they_state() -> None:
    rows = [json.loads(line) for line in GSM8K.read_text(encoding="utf-8").splitlines()][::7]
    right = sum((judge(row["question"], row["answer"], row["reply"]).value >= 0.7) == row["correct"] for row in rows)
    assert right >= 0.98 * len(rows)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Is the pool open?", "yes_no"), ("How many days are there?", "number"), ("How much does it cost?", "quantity"),
        ("When was it signed?", "date"), ("What time does it open?", "time"), ("Who wrote it?", "person"),
        ("Where is it?", "place"), ("Which metal is it?", "name"), ("Why is the sky blue?", "explanation"),
    ],
)  # fmt: skip
def test_a_question_asks_for_something_of_a_kind(question: str, kind: str) -> None:
    assert understand(question).kind == kind


def test_a_negation_inside_a_quotation_does_not_make_a_question_negative() -> None:
    assert understand('Which play is "To be, or not to be" from?').polarity
    assert not understand("Which of them is not a planet?").polarity
