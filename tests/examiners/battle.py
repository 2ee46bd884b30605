"""A battle without an engine: an examiner asks, a function answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from proctor.benchmark import Case, Exam
from proctor.roles import Examiner
from proctor.transcript import Reply, Turn

Answers = Callable[[str, int], str]
HOLIDAY = Case(id="c1", question="How many days of paid holiday do full-time staff have?", answer="28 days")
DIRECTOR = Case(
    id="c2",
    question="Who is the managing director?",
    answer="Ingrid Halvorsen",
    context="The company has three directors.",
)


def exam_of(case: Case = HOLIDAY) -> Exam:
    return Exam(id=case.id, cases=(case,), open=True)


def turn(number: int, question: str, reply: str | None = "28 days.", **others: object) -> Turn:
    case = "c1" if number == 1 else None
    made = Turn(number=number, question=question, case=case, reply=None if reply is None else Reply(text=reply))
    return replace(made, **others)  # type: ignore[arg-type]


async def battle(examiner: Examiner, case: Case, answers: Answers, *, most: int = 50) -> list[Turn]:
    """All turns, the seed's first, as the engine plays them."""
    exam = exam_of(case)
    turns = [Turn(number=1, question=case.question, case=case.id, reply=Reply(text=answers(case.question, 1)))]
    while len(turns) < most and isinstance(asked := await examiner.ask(exam, tuple(turns)), Turn):
        number = len(turns) + 1
        turns.append(replace(asked, number=number, reply=Reply(text=answers(asked.question, number))))
    return turns


def by(turns: list[Turn], strategy: str) -> list[Turn]:
    return [turn for turn in turns if turn.strategy == strategy]
