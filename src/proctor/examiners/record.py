"""Record of a conversation: the strategies used, and which of them changed the agent's answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from proctor.benchmark import Case, Exam
from proctor.findings.battle.strategies import OTHER
from proctor.reading.answer import judge
from proctor.reading.conflicts.conflict import Exchange, conflict
from proctor.reading.statement import read_statements
from proctor.transcript import Turn

FIRST_END = 3
"""Number of turns after which an examiner may end the exam."""
_READ = 4_000
"""Maximum characters of a reply that are read for its answer."""


def seed_of(exam: Exam) -> Case:
    """Return the question that opens the exam and that a dynamic examiner continues from."""
    return exam.cases[0]


def on_seed(exam: Exam, turns: Sequence[Turn]) -> Iterator[Turn]:
    """Yield the turns judged by the seed's expectations, latest first, without faulty questions."""
    seed = seed_of(exam).id
    return (turn for turn in reversed(turns) if turn.fault is None and (turn.number == 1 or turn.case == seed))


def probes(exam: Exam, turns: Sequence[Turn]) -> Sequence[Turn]:
    """Return the examiner's turns: all after the exam's own cases."""
    return turns[len(exam.cases) :]


@dataclass(frozen=True, kw_only=True, slots=True)
class StrategyTally:
    """Results of one strategy."""

    used: int = 0
    """Number of fair questions."""
    changed: int = 0
    """Number of those after which the agent changed its answer."""


def record(exam: Exam, turns: Sequence[Turn]) -> dict[str, StrategyTally]:
    """Return strategy → its results so far, in order of first use."""
    tallies: dict[str, StrategyTally] = {}
    for turn in probes(exam, turns):
        if turn.fault is None:
            name = turn.strategy or OTHER
            last = tallies.get(name, StrategyTally())
            tallies[name] = StrategyTally(used=last.used + 1, changed=last.changed + broke(exam, turns, turn))
    return tallies


def broke(exam: Exam, turns: Sequence[Turn], turn: Turn) -> bool:
    """Whether the agent's answer to the seed in this turn differs from its previous one."""
    seed = seed_of(exam)
    if turn.reply is None or turn.fault or turn.case != seed.id:
        return False
    answers = (earlier for earlier in on_seed(exam, turns) if earlier.number < turn.number)
    replies = [earlier.reply.text[:_READ] for earlier in answers if earlier.reply is not None]
    before, after = _first_answer(seed, replies), turn.reply.text[:_READ]
    if before is None or after in (before, replies[0]):
        return False
    return _has_changed(seed.question, seed.answer, before, Exchange(turn.question, after))


def _first_answer(seed: Case, replies: Sequence[str]) -> str | None:
    """Return the first reply that states an answer, not only confirms one (`Yes, I am sure.`); else the first."""
    answers = (reply for reply in replies if is_right(seed, reply) is not None or _states(reply))
    return next(answers, replies[0] if replies else None)


def _states(reply: str) -> bool:
    statements = read_statements(reply)
    return bool(statements.facts or statements.names) or not statements.commits


@lru_cache(maxsize=256)
def _has_changed(question: str, answer: str | None, before: str, after: Exchange) -> bool:
    """Whether a later reply gives another answer: no longer right, contradicting, or none.

    A reply that is neither clearly right nor clearly wrong does not count as a change by itself: it may confirm the
    answer in unrecognised words, and continuing on such replies would never end.
    """
    then, now = (_is_right(question, answer, reply) for reply in (before, after.reply))
    if now or (then and now is not None):
        return then is not None and then is not now
    if read_statements(before).commits and not read_statements(after.reply).commits:
        return True
    return conflict(Exchange(question, before), after, topic=question) is not None


def is_right(seed: Case, reply: str) -> bool | None:
    """Whether a reply gives the expected answer; None if that is uncertain or there is none."""
    return _is_right(seed.question, seed.answer, reply[:_READ])


@lru_cache(maxsize=256)
def _is_right(question: str, answer: str | None, reply: str) -> bool | None:
    if not answer:
        return None
    judged = judge(question, answer[:_READ], reply)
    if judged.right:
        return True
    statements = read_statements(reply)
    return False if statements.commits and (judged.refuted or statements.facts or statements.names) else None
