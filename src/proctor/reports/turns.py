"""A turn together with its verdict, scores, checks and contradictions: JudgedTurn."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.benchmark import Case, Exam
from proctor.findings.battle.replies import judged_seed_alone
from proctor.findings.run.deciders import why_undecided
from proctor.reports import outcomes
from proctor.run import Attempt, Failure
from proctor.score import CheckResult, Contradiction, Part, Score, Unscored
from proctor.transcript import Turn

NOT_COUNTED = outcomes.OutcomeLabel(name="not_counted", sign="·", word="not counted", style="pending")


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedTurn:
    """A turn together with its verdict, scores, checks and contradictions."""

    turn: Turn
    case: Case | None
    """Case whose expectations the turn is judged by, or None if the question was improvised."""
    passed: bool | None
    scores: tuple[Score, ...]
    """Scores of the reply."""
    question_scores: tuple[Score, ...]
    """Scores of the examiner's question."""
    unscored: tuple[Unscored, ...]
    checks: tuple[CheckResult, ...]
    contradicts: tuple[Contradiction, ...]
    """Contradictions in which this is the later turn."""
    contradicted: tuple[Contradiction, ...]
    """Contradictions in which this is the earlier turn."""
    failure: Failure | None
    """The attempt's failure, if it happened in this turn."""

    @property
    def value(self) -> float | None:
        """Mean score of the reply, or None if it has no score."""
        return sum(score.value for score in self.scores) / len(self.scores) if self.scores else None

    @property
    def why(self) -> str:
        """Name and explanation of the lowest-scoring part, or an empty string if no part below 1 has an explanation."""
        parts = [part for score in self.scores for part in score.parts if self.explain(part) and part.value < 1]
        lowest = min(parts, key=lambda part: part.value, default=None)
        return f"{lowest.name}: {lowest.explanation}" if lowest is not None else ""

    def explain(self, part: Part) -> str:
        """Return a part's explanation, or an empty string if the contradiction shown next to it already explains it."""
        return "" if part.name == "consistency" and self.contradicts else part.explanation

    @property
    def why_not_counted(self) -> str:
        """Why a reply does not count, or an empty string if it counts or the reason is shown elsewhere."""
        if self.outcome is not NOT_COUNTED or self.turn.fault:
            return ""
        if any(check.passed is None for check in self.checks):
            return "a check of it could not be decided"
        if self.case is None and not self.scores:
            return (
                "the question was improvised, and neither a known answer nor a right reply before tells what is right"
            )
        return "; ".join(why_undecided(self.case, self.scores, self.checks))

    @property
    def outcome(self) -> outcomes.OutcomeLabel:
        """Outcome of the turn, as shown to users."""
        if self.passed is not None:
            return outcomes.PASSED if self.passed else outcomes.NOT_PASSED
        if self.failure is not None:
            return outcomes.TROUBLES[self.failure.owner]
        if self.turn.reply is None:
            return outcomes.PENDING
        return outcomes.UNSCORED if self.unscored and not self.turn.fault else NOT_COUNTED


def beyond_parts(score: Score) -> str:
    """Return a score's explanation without the explanations of its parts."""
    remainder = score.explanation
    for part in sorted(score.parts, key=lambda part: -len(part.explanation)):
        remainder = remainder.replace(f"{part.name} {part.value:.2f}: {part.explanation}", "")
        remainder = remainder.replace(part.explanation, "") if part.explanation else remainder
    return remainder.strip() if any(character.isalnum() for character in remainder) else ""


def judged_turns(attempt: Attempt, exam: Exam | None) -> list[JudgedTurn]:
    """Return the turns of an attempt, each with its verdict, scores, checks and contradictions."""
    cases = {case.id: case for case in exam.cases} if exam is not None else {}
    return [_judged_turn(attempt, place, cases) for place in range(len(attempt.transcript.turns))]


def _judged_turn(attempt: Attempt, place: int, cases: dict[str, Case]) -> JudgedTurn:
    turn = attempt.transcript.turns[place]
    number, failure = turn.number, attempt.failure
    scores = [score for score in attempt.scores if score.turn == number]
    return JudgedTurn(
        turn=turn,
        case=cases.get(turn.case or ""),
        passed=attempt.turn_passed[place] if place < len(attempt.turn_passed) else None,
        scores=tuple(score for score in scores if score.of == "agent"),
        question_scores=tuple(score for score in scores if score.of == "examiner"),
        unscored=tuple(missing for missing in attempt.unscored if missing.turn == number),
        checks=tuple(check for check in attempt.checks if check.turn == number),
        contradicts=tuple(pair for pair in attempt.contradictions if pair.turns[1] == number),
        contradicted=tuple(pair for pair in attempt.contradictions if pair.turns[0] == number),
        failure=failure if failure is not None and failure.turn == number else None,
    )


NO_TEST = "only the reply to the seed question was judged, which is no test"


def why_no_verdict(attempt: Attempt, case: Case | None) -> list[str]:
    """Why an attempt that is over and broke nowhere has none; empty: it has one."""
    if attempt.passed is not None or attempt.failure is not None or not attempt.finished:
        return []
    if judged_seed_alone(attempt):
        return [NO_TEST]
    return [missing.reason for missing in attempt.unscored] or [*why_undecided(case, attempt.scores, attempt.checks)]


def count_unasked(attempt: Attempt, exam: Exam | None) -> int:
    """Count the scripted questions that were never asked because the attempt failed."""
    if exam is None or exam.open or attempt.failure is None:
        return 0
    return max(0, len(exam.cases) - len(attempt.transcript.turns))
