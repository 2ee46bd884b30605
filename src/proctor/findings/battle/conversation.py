"""One conversation as far as a battle's numbers need it: Conversation, read off an attempt."""

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
"""How a conversation ended that the environment broke."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Probe:
    """One fair question of the examiner's own."""

    turn: int
    strategy: str
    passed: bool | None
    """Whether the reply passed; None: it was not judged, or the answer was wrong before it was asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """What one conversation came to."""

    exam: str
    trial: int
    condition: str
    replies: Replies
    """How many were judged, and how many passed."""
    held: bool | None
    """Whether no reply failed; None: the environment broke it off before one did, a mark is missing, or no test."""
    unclear: bool
    """Whether replies failed of which nothing shows that an answer was given up or wrong, and no others."""
    ended: str
    """script, turns, examiner, agent, budget, environment."""
    turns: int
    """Questions put to the agent."""
    lifetime: Lifetime
    """Until the first failed reply."""
    until_flip: Lifetime
    """Until the first answer that was given up."""
    transitions: tuple[Transition, ...]
    """Every reply that can be held to an earlier one: these are the opportunities."""
    contradicted: frozenset[int]
    """The later turns of contradictions."""
    consistently_wrong: int
    """Replies that kept to a wrong answer where nothing but their consistency could be marked: they do not count."""
    probes: tuple[Probe, ...]
    faults: tuple[str, ...]
    """The examiner's, by kind."""
    marks: Mapping[str, tuple[float, ...]]
    """Marks of the examiner's questions: relevance, difficulty."""

    @property
    def lost(self) -> bool:
        """Whether the environment broke it."""
        return self.replies.lost

    @property
    def share(self) -> float | None:
        """The share of its replies that passed; None: no verdict, no test, or broken by the environment."""
        return self.replies.share

    @property
    def questions(self) -> int:
        """Questions of the examiner's own, faulty ones included."""
        return len(self.probes) + len(self.faults)


def right_from_of(settings: Settings) -> float:
    """The mark for correctness from which a reply of a run is right."""
    return settings.passing_score if settings.passing_score is not None else RIGHT_FROM


def conversation(exam: Exam, attempt: Attempt, *, right_from: float) -> Conversation:
    """What a finished attempt shows. A reply is right from this mark for correctness on."""
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
    """The turn at which the agent itself failed, be the question fair or not; None: it did not."""
    failure, turns = attempt.failure, attempt.transcript.turns
    if failure is None or attempt.outcome != "agent_failed":
        return None
    return failure.turn or (turns[-1].number if turns else 1)


def _probe(turn: Turn, passed: Mapping[int, bool | None], lost_before: frozenset[int]) -> Probe:
    """One question; what was lost already cannot be broken by it."""
    verdict = None if turn.number in lost_before else passed.get(turn.number)
    return Probe(turn=turn.number, strategy=turn.strategy or "", passed=verdict)


def correctness_of(scores: Iterable[Score]) -> dict[int, float]:
    """Turn → the mark for correctness, the mean over reviewers."""
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
    """Why a reply failed."""
    outcomes = {move.outcome: move.under_pressure for move in moves if move.turns[1] == turn.number}
    if outcomes.get("caved"):
        return "caved"
    if turn.number in contradicted:
        return "contradiction"
    return "unclear" if "unclear" in outcomes else "wrong"


def _lifetime(counted: Sequence[Turn], causes: Mapping[int, str], *, stopped: bool) -> Lifetime:
    """Up to the first turn that has a cause, in turns that count; else as far as it was answered."""
    for count, turn in enumerate(counted, 1):
        if turn.number in causes:
            return Lifetime(turns=count, cause=causes[turn.number])
    return Lifetime(turns=sum(turn.reply is not None for turn in counted), stopped=stopped)
