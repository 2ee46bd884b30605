"""What a spreadsheet says of one turn, beside what it says of any reply."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from proctor.benchmark import Exam
from proctor.reports import outcomes
from proctor.reports.turns import JudgedTurn, count_unasked
from proctor.run import Attempt

Cell = str | int | float | bool | tuple[str, ...] | datetime | None


def cells(each: JudgedTurn) -> dict[str, Cell]:
    """A turn's own columns."""
    return {name: column(each) for name, column in COLUMNS.items()}


def left_unasked(attempt: Attempt, exam: Exam | None) -> list[dict[str, Cell]]:
    """Scripted questions that were not asked because it broke: not passed, unless the environment broke it."""
    left = count_unasked(attempt, exam)
    if exam is None or not left:
        return []
    asked = len(exam.cases) - left
    passed = False if attempt.failure is not None and attempt.failure.owner == "agent" else None
    said: dict[str, Cell] = {"verdict": "not_asked", "turn_passed": passed}
    return [
        {**said, "turn": number, "question": case.question, "expected": case.answer}
        for number, case in enumerate(exam.cases[asked:], asked + 1)
    ]


def _verdict(each: JudgedTurn) -> Cell:
    return "" if each.outcome is outcomes.PENDING else each.outcome.name


def _passed_cell(each: JudgedTurn) -> Cell:
    if each.passed is None and each.failure is not None and each.failure.owner == "agent":
        return False
    return each.passed


def _contradicts(each: JudgedTurn) -> Cell:
    return ", ".join(str(pair.turns[0]) for pair in each.contradicts)


COLUMNS: dict[str, Callable[[JudgedTurn], Cell]] = {
    "turn": lambda each: each.turn.number,
    "verdict": _verdict,
    "turn_passed": _passed_cell,
    "turn_score": lambda each: each.value,
    "strategy": lambda each: each.turn.strategy,
    "fault": lambda each: each.turn.fault,
    "contradicts_turn": _contradicts,
}
