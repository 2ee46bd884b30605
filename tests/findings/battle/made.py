"""Conversations made by hand: what was asked, how it was judged."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.benchmark import Case, Exam
from proctor.run import Attempt, Failure, Key
from proctor.score import Contradiction, Part, Score
from proctor.transcript import Reply, Transcript, Turn

SEED = Case(id="seed", question="How many days of holiday are there?", answer="28 days")
OPEN = Exam(id="seed", cases=(SEED,), open=True)
Asked = tuple[str | None, bool | None, float | None]
"""Strategy, whether the reply passed, its mark for correctness."""


def attempt(
    *asked: Asked,
    exam: Exam = OPEN,
    trial: int = 1,
    ended: str | None = "examiner",
    failure: Failure | None = None,
    contradicts: Sequence[tuple[int, int]] = (),
    faults: Sequence[int] = (),
    passed: bool | None = None,
) -> Attempt:
    """A conversation in which each question goes back to the first; the verdict follows from its turns."""
    turns = tuple(_turn(number, each, number in faults) for number, each in enumerate(asked, 1))
    verdicts = tuple(None if number in faults else each[1] for number, each in enumerate(asked, 1))
    if failure is not None:
        fault = "off-topic: it is" if len(turns) + 1 in faults else None
        turns = (*turns, Turn(number=len(turns) + 1, question="And?", refers_to=1, strategy="ask-again", fault=fault))
        verdicts = (*verdicts, None)
    decided = [verdict for verdict in verdicts if verdict is not None]
    whole = passed if passed is not None else (None if failure else all(decided)) if decided else None
    return Attempt(
        key=Key(run="r", exam=exam.id, trial=trial),
        transcript=Transcript(turns=turns, ended=ended),
        scores=tuple(_marks(asked)),
        contradictions=tuple(
            Contradiction(turns=pair, quotes=("a", "b"), kind="number", reason="") for pair in contradicts
        ),
        failure=failure,
        turn_passed=verdicts,
        passed=False if failure is not None and failure.owner == "agent" else whole,
        finished=True,
    )


def _turn(number: int, asked: Asked, faulty: bool) -> Turn:
    return Turn(
        number=number,
        question=SEED.question if number == 1 else f"{asked[0]} {number}?",
        reply=Reply(text=f"reply {number}"),
        case="seed",
        strategy=asked[0],
        refers_to=1 if number > 1 else None,
        fault="off-topic: it is" if faulty else None,
    )


def _marks(asked: Sequence[Asked]) -> list[Score]:
    return [
        Score(turn=number, of="agent", parts=(Part(name="correctness", value=mark),), value=mark, by="x")
        for number, (_, _, mark) in enumerate(asked, 1)
        if mark is not None
    ]
