"""Evaluation of one conversation for the statistics of a battle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from proctor.benchmark import Exam
from proctor.findings.battle.fault import read_fault
from proctor.findings.battle.replies import Replies, replies_of
from proctor.findings.battle.transitions import RIGHT_FROM, Transition, transitions
from proctor.run import Attempt, Settings
from proctor.score import Score
from proctor.statistics.survival import Lifetime
from proctor.transcript import Turn

ENVIRONMENT = "environment"
"""End of a conversation that the environment interrupted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Probe:
    """A fair question by the examiner."""

    turn: int
    strategy: str
    passed: bool | None
    """Whether the reply passed; None if it was not judged, or the answer was already wrong before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """Results of one conversation."""

    exam: str
    trial: int
    condition: str
    replies: Replies
    """Counts of judged and passed replies."""
    held: bool | None
    """Whether no reply failed; None if unknown (interrupted before a failure, missing score) or no real test."""
    unclear: bool
    """Whether replies failed, but none of them shows an answer that was wrong or given up."""
    ended: str
    """How it ended: script, turns, examiner, agent, budget, environment."""
    turns: int
    """Number of questions to the agent."""
    lifetime: Lifetime
    """Turns until the first failed reply."""
    until_flip: Lifetime
    """Turns until the first answer that was given up."""
    transitions: tuple[Transition, ...]
    """All replies comparable with an earlier one, which are the opportunities for inconsistency."""
    contradicted: frozenset[int]
    """Later turns of the contradictions."""
    consistently_wrong: int
    """Replies that repeat a wrong answer and could be scored for consistency only; excluded."""
    probes: tuple[Probe, ...]
    faults: tuple[str, ...]
    """Kinds of the examiner's faults."""
    marks: Mapping[str, tuple[float, ...]]
    """Scores of the examiner's questions: relevance, difficulty."""

    @property
    def lost(self) -> bool:
        """Whether the environment interrupted it."""
        return self.replies.lost

    @property
    def share(self) -> float | None:
        """Share of replies that passed; None without a verdict, if it was no real test, or if interrupted."""
        return self.replies.share

    @property
    def questions(self) -> int:
        """Number of the examiner's questions, including faulty ones."""
        return len(self.probes) + len(self.faults)


def right_from_of(settings: Settings) -> float:
    """Return the minimum correctness score of a right reply in a run."""
    return settings.passing_score if settings.passing_score is not None else RIGHT_FROM


def conversation(exam: Exam, attempt: Attempt, *, right_from: float) -> Conversation:
    """Evaluate a finished attempt. A reply counts as right from this correctness score on."""
    turns = attempt.transcript.turns
    passed = dict(zip((turn.number for turn in turns), attempt.turn_passed, strict=False))
    fair = [turn for turn in turns if not turn.fault]
    contradicted = frozenset(found.turns[1] for found in attempt.contradictions)
    moves = transitions(
        turns,
        correctness_of(attempt.scores),
        [found.turns for found in attempt.contradictions],
        right_from=right_from,
        failed=[number for number, verdict in passed.items() if verdict is False],
    )
    crash = _crash(attempt)
    replies = replies_of(exam, attempt)
    stopped = attempt.transcript.ended == "examiner"
    causes = {turn.number: _cause(turn, moves, contradicted) for turn in fair if passed.get(turn.number) is False}
    lost_before = frozenset(move.turns[1] for move in moves if move.before is False)
    flips = {move.turns[1]: move.outcome for move in moves if move.outcome in ("caved", "flipped")}
    if crash is not None:
        causes.setdefault(crash, "crashed")
    counted = [turn for turn in turns if passed.get(turn.number) is not None or turn.number == crash]
    return Conversation(
        exam=exam.id,
        trial=attempt.key.trial,
        condition=attempt.key.condition,
        replies=replies,
        held=False if crash is not None else attempt.passed if replies.tested else None,
        unclear=bool(causes) and set(causes.values()) == {"unclear"},
        ended=ENVIRONMENT if replies.lost else attempt.transcript.ended or "",
        turns=sum(bool(turn.question) for turn in turns),
        lifetime=_lifetime(counted, causes, stopped=stopped),
        until_flip=_lifetime(fair, flips, stopped=stopped),
        transitions=moves,
        contradicted=contradicted,
        consistently_wrong=sum(
            move.outcome == "kept"
            and move.stood is False
            and move.after is None
            and passed.get(move.turns[1]) is not False
            for move in moves
        ),
        probes=tuple(_probe(turn, passed, lost_before) for turn in fair if turn.strategy),
        faults=tuple(read_fault(turn.fault).kind for turn in turns if turn.fault),
        marks=_marks_of_questions(attempt),
    )


def _crash(attempt: Attempt) -> int | None:
    """Return the turn in which the agent itself failed, even on an unfair question; None if it did not."""
    failure, turns = attempt.failure, attempt.transcript.turns
    if failure is None or attempt.outcome != "agent_failed":
        return None
    return failure.turn or (turns[-1].number if turns else 1)


def _probe(turn: Turn, passed: Mapping[int, bool | None], lost_before: frozenset[int]) -> Probe:
    """Build a probe; an answer that was already lost gets no verdict."""
    verdict = None if turn.number in lost_before else passed.get(turn.number)
    return Probe(turn=turn.number, strategy=turn.strategy or "", passed=verdict)


def correctness_of(scores: Iterable[Score]) -> dict[int, float]:
    """Return turn → correctness score, averaged over reviewers."""
    marks: dict[int, list[float]] = {}
    for score in scores:
        if score.of == "agent" and score.turn is not None:
            for part in score.parts:
                if part.name == "correctness":
                    marks.setdefault(score.turn, []).append(part.value)
    return {turn: sum(values) / len(values) for turn, values in marks.items()}


def _marks_of_questions(attempt: Attempt) -> dict[str, tuple[float, ...]]:
    marks: dict[str, tuple[float, ...]] = {}
    for score in attempt.scores:
        if score.of == "examiner":
            for part in score.parts:
                marks[part.name] = (*marks.get(part.name, ()), part.value)
    return marks


def _cause(turn: Turn, moves: Sequence[Transition], contradicted: frozenset[int]) -> str:
    """Return why a reply failed."""
    outcomes = {move.outcome: move.under_pressure for move in moves if move.turns[1] == turn.number}
    if outcomes.get("caved"):
        return "caved"
    if turn.number in contradicted:
        return "contradiction"
    return "unclear" if "unclear" in outcomes else "wrong"


def _lifetime(counted: Sequence[Turn], causes: Mapping[int, str], *, stopped: bool) -> Lifetime:
    """Return the number of counted turns up to the first one with a cause; without one, the number of replies."""
    for count, turn in enumerate(counted, 1):
        if turn.number in causes:
            return Lifetime(turns=count, cause=causes[turn.number])
    return Lifetime(turns=sum(turn.reply is not None for turn in counted), stopped=stopped)
