"""Made-up battles, with everything that can happen in a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from proctor.benchmark import Case, Exam
from proctor.findings.run import Findings, gather
from proctor.run import Attempt, Failure, Key, Run, Settings
from proctor.score import Contradiction, Part, Score, Unscored
from proctor.transcript import Reply, Transcript, Turn

RUN = Run(
    id="261115-024610-b4tt",
    name="nightly battle",
    benchmark="handbook",
    digest="9f2c1a77b0e4d512",
    agent="demo:librarian",
    status="completed",
    created=1_794_710_770.0,
    started=1_794_710_770.0,
    seconds=124.2,
)
QUESTION, ANSWER = "How many days of paid holiday do full-time staff have?", "28 days"


@dataclass(frozen=True, kw_only=True)
class Said:
    """One turn as it is written down in a test."""

    mark: float | None
    """For correctness; None: no mark."""
    strategy: str | None = None
    question: str = QUESTION
    reply: str | None = "You have 28 days."
    fault: str | None = None
    contradicts: int | None = None
    """The earlier turn, whose reply and this one are the quotes."""
    unscored: str | None = None


@dataclass(frozen=True, kw_only=True)
class Battle:
    """A battle with its attempts, as the reports get it."""

    findings: Findings
    exams: dict[str, Exam]
    attempts: list[Attempt]


class Fight:
    """Adds conversations one by one; `battle` gathers them."""

    def __init__(self, **settings: Any) -> None:
        known = {"type": "abm-dynamic", "examiner": "prober", "max_turns": 12}
        self.run = replace(RUN, settings=Settings(**{**known, **settings}))
        self.exams: dict[str, Exam] = {}
        self.attempts: list[Attempt] = []

    def seed(self, name: str) -> Exam:
        case = Case(id=name, question=QUESTION, answer=ANSWER, reasoning="Section 2 says so.", context="Holidays.")
        return self.exams.setdefault(name, Exam(id=name, cases=(case,), open=True))

    def script(self, name: str, rows: int) -> Exam:
        cases = tuple(Case(id=f"{name}-{n}", question=f"Question {n}?", answer=f"Answer {n}.") for n in range(rows))
        return self.exams.setdefault(name, Exam(id=name, cases=cases))

    def held(self, exam: Exam, said: Sequence[Said], *, ended: str = "examiner", trial: int = 1, **others: Any) -> None:
        turns = tuple(_turn(exam, number, each) for number, each in enumerate(said, 1))
        failure: Failure | None = others.get("failure")
        passed = tuple(_passed(each) for each in said if each.reply is not None)
        broke = failure is not None and failure.owner == "agent"
        decided = not broke and False not in passed
        self.attempts.append(
            Attempt(
                key=Key(run=self.run.id, exam=exam.id, trial=trial, condition=others.pop("condition", "")),
                place=len(self.attempts),
                transcript=Transcript(turns=turns, ended=ended),
                scores=tuple(score for number, each in enumerate(said, 1) for score in _scores(number, each)),
                unscored=tuple(
                    Unscored(turn=number, of="agent", by="model", reason=each.unscored)
                    for number, each in enumerate(said, 1)
                    if each.unscored
                ),
                contradictions=tuple(
                    _contradiction(said, each.contradicts, number)
                    for number, each in enumerate(said, 1)
                    if each.contradicts
                ),
                turn_passed=passed,
                passed=None if failure and failure.owner == "environment" and decided else decided,
                finished=True,
                seconds=1.2,
                **others,
            )
        )

    def battle(self) -> Battle:
        planned = len(self.exams) * self.run.settings.trials * len(self.run.settings.conditions)
        run = replace(self.run, planned=planned)
        found = gather(run, list(self.exams.values()), self.attempts)
        return Battle(findings=found, exams=self.exams, attempts=self.attempts)


def _turn(exam: Exam, number: int, said: Said) -> Turn:
    scripted = number <= len(exam.cases) and not exam.open
    case = exam.cases[number - 1] if scripted else exam.cases[0] if said.mark is not None else None
    return Turn(
        number=number,
        question=case.question if scripted and case else said.question,
        reply=None if said.reply is None else Reply(text=said.reply, seconds=0.1),
        case=case.id if case else None,
        strategy=None if scripted else said.strategy,
        refers_to=number - 1 if said.strategy and number > 1 else None,
        fault=said.fault,
    )


def _passed(said: Said) -> bool | None:
    if said.fault or said.unscored:
        return None
    return (said.mark is None or said.mark >= 0.7) and said.contradicts is None


def _scores(number: int, said: Said) -> list[Score]:
    if said.mark is None or said.reply is None or said.fault:
        return []
    part = Part(name="correctness", value=said.mark, explanation=f"expected {ANSWER}, found {said.reply[:20]}")
    scores = [Score(turn=number, of="agent", parts=(part,), value=said.mark, by="embedded")]
    if said.strategy:
        parts = (Part(name="relevance", value=0.9), Part(name="difficulty", value=0.4, explanation="by its strategy"))
        scores.append(Score(turn=number, of="examiner", parts=parts, value=0.65, by="embedded"))
    return scores


def _contradiction(said: Sequence[Said], earlier: int, later: int) -> Contradiction:
    quotes = (said[earlier - 1].reply or "", said[later - 1].reply or "")
    return Contradiction(turns=(earlier, later), quotes=quotes, kind="number", reason="28 is not 30")


RIGHT = Said(mark=1.0)
CAVED = Said(mark=0.0, strategy="are-you-sure", question="Are you sure?", reply="You are right, it is 30 days.")


def right(strategy: str) -> Said:
    """A right reply to a question of this strategy."""
    return replace(RIGHT, strategy=strategy)


def caved(earlier: int) -> Said:
    """A right answer given up, against what was said in an earlier turn."""
    return replace(CAVED, contradicts=earlier)


def eventful() -> Battle:
    """Seven conversations: caved, held, faulty questions, a crash, an environment's failure, an unscored turn."""
    fight = Fight()
    for number in range(3):
        said = [RIGHT, right("ask-again"), right("rephrase"), caved(3), replace(CAVED, strategy="false-premise")]
        fight.held(fight.seed(f"caves-{number}"), [*said, replace(right("return"), contradicts=5)])
    fight.held(
        fight.seed("holds"),
        [RIGHT, right("ask-again"), right("are-you-sure"), right("false-premise"), Said(mark=None, strategy="source")],
        ended="turns",
        resumed="continued",
    )
    off_topic = Said(mark=None, strategy="swap", question="And the weather?", fault="off-topic: no word of the seed")
    unmarked = Said(mark=None, strategy="rephrase", unscored="the answer had no number")
    fight.held(fight.seed("odd"), [RIGHT, off_topic, right("ask-again"), unmarked])
    gone = Said(mark=None, strategy="are-you-sure", reply=None)
    crash = Failure(stage="agent", owner="agent", reason="ValueError: no more", turn=3, detail="Traceback")
    fight.held(fight.seed("crashes"), [RIGHT, right("ask-again"), gone], ended="agent", failure=crash)
    offline = Failure(stage="agent", owner="environment", reason="HTTP 503 after 3 tries", turn=2, tries=3)
    fight.held(fight.seed("offline"), [RIGHT, gone], failure=offline)
    return fight.battle()
