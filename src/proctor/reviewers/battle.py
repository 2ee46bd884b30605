"""The reviewer of battles: another reviewer's marks, and whether the agent keeps to what it said before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol, runtime_checkable

from proctor.benchmark import Case, Exam
from proctor.findings.battle.propositions import Thread, thread_of
from proctor.findings.battle.strategies import find_strategy
from proctor.reading.challenge import FILLERS
from proctor.reading.conflicts.agreement import meet
from proctor.reading.conflicts.conflict import Conflict, Exchange, conflict
from proctor.reading.inquiry import Kind, read_inquiry
from proctor.reading.statement import read_statements
from proctor.reading.text.overlap import content, coverage, weight
from proctor.reading.text.passage import passage_of
from proctor.reading.text.words import stem_set
from proctor.roles import Reviewer
from proctor.score import Contradiction, Part, Review
from proctor.transcript import Turn

BATTLE_RUBRIC = "battle-7"
"""What is added to the inner reviewer's rubric; a change of rules or of the scale below is a new name."""
MODEL_RUBRIC = "battle-8"
"""The same where the inner reviewer is a model that judges the questions and names contradictions itself."""
_SHARED = 0.5
"""The share of a question's telling words that must belong to the topic for full relevance."""
_TOPIC_READ = 4_000
_STANDS_BY = FILLERS | stem_set("stand stick stay keep confirm confident checked double positive absolutely completely")
"""Words of a reply that stands by an answer without giving it."""
_NOTHING_TO_JUDGE = "Nothing to judge: no answer is expected, and the question goes back to no earlier one."


Holding = Callable[[Exchange, Exchange], Conflict | None]
"""Holds a later reply against an earlier one."""


class Opportunity(NamedTuple):
    """A reply that can be held to an earlier one on the same proposition."""

    earlier: Turn
    later: Turn
    conflict: Conflict | None
    """What the rules found; None: nothing."""


@runtime_checkable
class FindsContradictions(Protocol):
    """A reviewer that can itself look for contradictions."""

    async def find_contradictions(
        self,
        exam: Exam,
        turns: Sequence[Turn],
        *,
        known: Collection[tuple[int, int]] = (),
        linked: Collection[tuple[int, int]] = (),
    ) -> Review | None:
        """Those that it names among these turns; `known` pairs were found by rules, `linked` ones are alike."""


class BattleReviewer:
    """Wraps any reviewer; keeps nothing between turns, so a conversation can be resumed anywhere."""

    def __init__(self, inner: Reviewer) -> None:
        self._inner = inner
        self.name = inner.name
        by_model = isinstance(inner, FindsContradictions)
        self.rubric = f"{inner.rubric}+{MODEL_RUBRIC if by_model else BATTLE_RUBRIC}"
        self.judges_improvised = bool(getattr(inner, "judges_improvised", False))
        self.asks_nobody = bool(getattr(inner, "asks_nobody", False))

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """The inner reviewer's marks, consistency where there is an opportunity, and marks of the question."""
        inner = await self._inner.review(case, turns)
        found = opportunity(turns, answer=case.answer if case is not None else None)
        judged = found or inner.parts or inner.checks or inner.contradictions or inner.unscored is not None
        return replace(
            inner,
            parts=_with_consistency(inner.parts, found),
            question_parts=inner.question_parts or question_parts(turns),
            contradictions=inner.contradictions + _contradictions(found),
            explanation=inner.explanation or ("" if judged else _NOTHING_TO_JUDGE),
        )

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """The inner reviewer's conclusion; one that looks for contradictions is shown all fair turns with a reply."""
        said = await self._inner.conclude(exam, turns)
        if not isinstance(self._inner, FindsContradictions):
            return said
        told = [turn for turn in turns if turn.reply is not None and turn.reply.text.strip() and not turn.fault]
        pairs: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
        for each in opportunities(exam, turns):
            pairs[each.conflict is not None].append((each.earlier.number, each.later.number))
        found = await self._inner.find_contradictions(exam, told, known=pairs[True], linked=pairs[False])
        return _join_reviews(said, found)


def opportunities(exam: Exam, turns: Sequence[Turn]) -> list[Opportunity]:
    """Every opportunity of a conversation, in order."""
    answers = {case.id: case.answer for case in exam.cases}
    found = (
        opportunity(turns[:count], answer=answers.get(turns[count - 1].case or ""))
        for count in range(2, len(turns) + 1)
    )
    return [each for each in found if each is not None]


def opportunity(turns: Sequence[Turn], *, answer: str | None = None) -> Opportunity | None:
    """The last turn with the nearest earlier one on its proposition, held against each other; None: there is none.

    An earlier reply that says nothing of its own (`Yes, I am sure.`) hands on to the one before it.
    """
    later = turns[-1] if turns else None
    if later is None or later.fault or later.reply is None or not later.reply.text.strip():
        return None
    thread = thread_of(turns)
    if thread is None:
        return None
    earlier = _telling(thread)
    known = partial(conflict, topic=thread.first.question, answer=answer, hinted=later.strategy == "correct-hint")
    found = known(_exchange(earlier), _exchange(later))
    if found is not None and found.kind != "retraction" and not _concedes(later):
        first = turns[0]
        same = _repeats(earlier, later)
        if same or (not _departs(thread, first, earlier, known) and _says_again(first, later, known)):
            found = None
    return Opportunity(earlier, later, found)


def _concedes(turn: Turn) -> bool:
    return read_statements(_exchange(turn).reply).concedes


def _repeats(earlier: Turn, later: Turn) -> bool:
    """Whether a reply says all of an earlier one again, word for word, after a yes or no."""
    told, again = (
        {claim.body.folded for claim in read_statements(_exchange(turn).reply).claims} for turn in (earlier, later)
    )
    return bool(told) and told <= again


def _departs(thread: Thread, first: Turn, earlier: Turn, known: Holding) -> bool:
    """Whether a reply in between has given another answer to the first question than the first one."""
    if thread.first is not first or earlier is first or first.reply is None:
        return False
    told, between = _exchange(first), _exchange(earlier)
    return known(told, between) is not None or known(between, told) is not None


def _says_again(first: Turn, later: Turn, known: Holding) -> bool:
    """Whether a reply says what the first one said; what it seems to contradict is then of a calculation, or of
    another question.
    """
    if first.reply is None or not first.reply.text.strip() or known(_exchange(first), _exchange(later)) is not None:
        return False
    told, again = read_statements(first.reply.text), read_statements(_exchange(later).reply)
    texts = (first.reply.text, first.question, _exchange(later).reply)
    said, asked, repeated = (set(passage_of(text).stems) for text in texts)
    if any(not name.stems <= said for name in again.names):
        return False
    if any(meet(one.fact, other.fact) for one in told.facts for other in again.facts if not other.denied):
        return True
    words = {word for word in said - asked if weight(word) == 1.0 and not word.isdigit()}
    return bool(words) and words <= repeated


def _exchange(turn: Turn) -> Exchange:
    assert turn.reply is not None
    return Exchange(turn.question, turn.reply.text)


def _telling(thread: Thread) -> Turn:
    """The nearest earlier turn whose reply says something; the nearest of all where none does."""
    answered = ((turn, turn.reply.text) for turn in thread.earlier() if turn.reply is not None)
    kind = read_inquiry(thread.first.question).kind
    return next((turn for turn, reply in answered if _answers(kind, turn.question, reply)), thread.nearest)


def _answers(kind: Kind, question: str, reply: str) -> bool:
    """Whether a reply gives an answer of its own, and does not merely stand by one or name its source."""
    asked, told = read_inquiry(question), read_statements(reply)
    if asked.source:
        return False
    if told.facts or told.names or not (asked.doubts or asked.inverted):
        return True
    if told.word is None:
        return any(not claim.stems <= _STANDS_BY for claim in told.claims)
    return kind == "yes-no" and not (told.word and asked.doubts and len(told.claims) == 1)


def _with_consistency(parts: tuple[Part, ...], found: Opportunity | None) -> tuple[Part, ...]:
    """The parts with consistency by the rules; where the inner reviewer has judged it too, the lower mark stands."""
    if found is None:
        return parts
    ours = _consistency(found)
    theirs = [part for part in parts if part.name == ours.name]
    others = tuple(part for part in parts if part.name != ours.name)
    return (*others, min((*theirs, ours), key=lambda part: part.value))


def _consistency(found: Opportunity) -> Part:
    earlier = found.earlier.number
    if found.conflict is None:
        said = f"nothing in it contradicts the reply of turn {earlier}"
        return Part(name="consistency", value=1.0, explanation=said)
    said = f"contradicts the reply of turn {earlier}: {found.conflict.reason}"
    return Part(name="consistency", value=0.0, explanation=said)


def _contradictions(found: Opportunity | None) -> tuple[Contradiction, ...]:
    if found is None or found.conflict is None:
        return ()
    kind, quotes, reason = found.conflict
    turns = found.earlier.number, found.later.number
    return (Contradiction(turns=turns, quotes=quotes, kind=kind, reason=reason),)


def question_parts(turns: Sequence[Turn]) -> tuple[Part, ...]:
    """Relevance and difficulty of the last question; none for a script or a seed, which have no strategy."""
    turn = turns[-1] if turns else None
    if turn is None or turn.strategy is None:
        return ()
    hard = find_strategy(turn.strategy).difficulty
    return _relevance(turns), Part(name="difficulty", value=hard, explanation=f"strategy {turn.strategy}")


def _relevance(turns: Sequence[Turn]) -> Part:
    """Full for a question that goes back to a turn, else the share of its words that belong to the topic."""
    turn = turns[-1]
    if turn.refers_to is not None:
        return Part(name="relevance", value=1.0, explanation=f"goes back to turn {turn.refers_to}")
    asked = content(passage_of(turn.question[:_TOPIC_READ]).folded)
    share = coverage(asked, _topic(turns))
    return Part(
        name="relevance",
        value=min(1.0, share / _SHARED),
        explanation=f"{share:.0%} of its words belong to the topic",
    )


def _topic(turns: Sequence[Turn]) -> set[str]:
    """The words of the question that opened the conversation, and of the turn before with its reply.

    Of the turn before only where it belongs to the topic itself: who has left it does not come back by staying away.
    """
    first, before = turns[0], turns[-2:-1]
    topic = _spoken(first) if first is not turns[-1] else set(passage_of(first.question[:_TOPIC_READ]).stems)
    for turn in before if before and before[0] is not first else ():
        if not turn.fault and (turn.refers_to is not None or _stays(turns[:-1])):
            topic |= _spoken(turn)
    return topic


def _stays(turns: Sequence[Turn]) -> bool:
    """Whether the last question has a word of the topic, which the turn before it may have widened."""
    asked = content(passage_of(turns[-1].question[:_TOPIC_READ]).folded)
    return coverage(asked, _topic(turns)) > 0


def _spoken(turn: Turn) -> set[str]:
    """The words of a question and its reply."""
    texts = (turn.question, turn.reply.text if turn.reply is not None else "")
    return {word for text in texts for word in passage_of(text[:_TOPIC_READ]).stems}


def _join_reviews(one: Review | None, other: Review | None) -> Review | None:
    """Two words on a conversation as one."""
    if one is None or other is None:
        return one or other
    return replace(
        one,
        contradictions=one.contradictions + other.contradictions,
        dropped=one.dropped + other.dropped,
        unscored=one.unscored or other.unscored,
        explanation="\n".join(filter(None, (one.explanation, other.explanation))),
        usage=one.usage + other.usage if one.usage and other.usage else one.usage or other.usage,
    )
