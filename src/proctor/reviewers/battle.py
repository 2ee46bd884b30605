"""Reviewer for battles: adds consistency with the agent's earlier replies to another reviewer's scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol, runtime_checkable

from proctor.benchmark import Case, Exam
from proctor.findings.battle.propositions import Thread, thread_of
from proctor.findings.battle.strategies import find_strategy
from proctor.reading.challenge import FILLERS
from proctor.reading.conflicts.agreement import may_agree
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
"""Rubric version appended to the inner reviewer's rubric; rename it whenever the rules or the scale below change."""
MODEL_RUBRIC = "battle-8"
"""Rubric version used instead if the inner reviewer is a model that judges questions and finds contradictions itself.
"""
_SHARED = 0.5
"""Share of a question's content words that must belong to the topic for full relevance."""
_TOPIC_READ = 4_000
_STANDS_BY = FILLERS | stem_set("stand stick stay keep confirm confident checked double positive absolutely completely")
"""Stems of words in replies that confirm an answer without repeating it."""
_NOTHING_TO_JUDGE = "Nothing to judge: no answer is expected, and the question goes back to no earlier one."


Holding = Callable[[Exchange, Exchange], Conflict | None]
"""Compare an earlier exchange with a later one, and return their conflict, if any."""


class Opportunity(NamedTuple):
    """A reply that can be checked for consistency against an earlier reply on the same proposition."""

    earlier: Turn
    later: Turn
    conflict: Conflict | None
    """Conflict found by the rules, if any."""


@runtime_checkable
class FindsContradictions(Protocol):
    """A reviewer that can find contradictions itself."""

    async def find_contradictions(
        self,
        exam: Exam,
        turns: Sequence[Turn],
        *,
        known: Collection[tuple[int, int]] = (),
        linked: Collection[tuple[int, int]] = (),
    ) -> Review | None:
        """Find contradictions among turns; `known` pairs were found by rules, `linked` ones share a proposition."""


class BattleReviewer:
    """Adds consistency and question scores to any reviewer; stateless, so a conversation can resume anywhere."""

    def __init__(self, inner: Reviewer) -> None:
        self._inner = inner
        self.name = inner.name
        by_model = isinstance(inner, FindsContradictions)
        self.rubric = f"{inner.rubric}+{MODEL_RUBRIC if by_model else BATTLE_RUBRIC}"
        self.judges_improvised = bool(getattr(inner, "judges_improvised", False))
        self.asks_nobody = bool(getattr(inner, "asks_nobody", False))

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """Return the inner reviewer's scores, scores of the question, and consistency if there is an opportunity."""
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
        """Return the inner reviewer's conclusion; one that finds contradictions gets all fair turns with a reply."""
        conclusion = await self._inner.conclude(exam, turns)
        if not isinstance(self._inner, FindsContradictions):
            return conclusion
        fair_turns = [turn for turn in turns if turn.reply is not None and turn.reply.text.strip() and not turn.fault]
        pairs: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
        for each in opportunities(exam, turns):
            pairs[each.conflict is not None].append((each.earlier.number, each.later.number))
        found = await self._inner.find_contradictions(exam, fair_turns, known=pairs[True], linked=pairs[False])
        return _join_reviews(conclusion, found)


def opportunities(exam: Exam, turns: Sequence[Turn]) -> list[Opportunity]:
    """Return all consistency opportunities of a conversation, in order."""
    answers = {case.id: case.answer for case in exam.cases}
    found = (
        opportunity(turns[:count], answer=answers.get(turns[count - 1].case or ""))
        for count in range(2, len(turns) + 1)
    )
    return [each for each in found if each is not None]


def opportunity(turns: Sequence[Turn], *, answer: str | None = None) -> Opportunity | None:
    """Compare the last turn with the nearest earlier turn on the same proposition, or return None if there is none.

    An earlier reply without content of its own (`Yes, I am sure.`) is skipped in favour of the one before it.
    """
    later = turns[-1] if turns else None
    if later is None or later.fault or later.reply is None or not later.reply.text.strip():
        return None
    thread = thread_of(turns)
    if thread is None:
        return None
    earlier = _nearest_answer(thread)
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
    """Whether a reply repeats every statement of an earlier one word for word, apart from a leading yes or no."""
    earlier_claims, later_claims = (
        {claim.body.folded for claim in read_statements(_exchange(turn).reply).claims} for turn in (earlier, later)
    )
    return bool(earlier_claims) and earlier_claims <= later_claims


def _departs(thread: Thread, first: Turn, earlier: Turn, known: Holding) -> bool:
    """Whether an intermediate reply answers the first question differently from the first reply."""
    if thread.first is not first or earlier is first or first.reply is None:
        return False
    first_exchange, earlier_exchange = _exchange(first), _exchange(earlier)
    return known(first_exchange, earlier_exchange) is not None or known(earlier_exchange, first_exchange) is not None


def _says_again(first: Turn, later: Turn, known: Holding) -> bool:
    """Whether a reply repeats the content of the first one.

    An apparent contradiction then concerns a calculation or another question.
    """
    if first.reply is None or not first.reply.text.strip() or known(_exchange(first), _exchange(later)) is not None:
        return False
    first_statements, later_statements = read_statements(first.reply.text), read_statements(_exchange(later).reply)
    texts = (first.reply.text, first.question, _exchange(later).reply)
    first_stems, asked, repeated = (set(passage_of(text).stems) for text in texts)
    if any(not name.stems <= first_stems for name in later_statements.names):
        return False
    if any(
        may_agree(one.fact, other.fact)
        for one in first_statements.facts
        for other in later_statements.facts
        if not other.denied
    ):
        return True
    words = {word for word in first_stems - asked if weight(word) == 1.0 and not word.isdigit()}
    return bool(words) and words <= repeated


def _exchange(turn: Turn) -> Exchange:
    assert turn.reply is not None
    return Exchange(turn.question, turn.reply.text)


def _nearest_answer(thread: Thread) -> Turn:
    """Return the nearest earlier turn whose reply has content of its own, or the nearest of all if none has."""
    answered = ((turn, turn.reply.text) for turn in thread.earlier() if turn.reply is not None)
    kind = read_inquiry(thread.first.question).kind
    return next((turn for turn, reply in answered if _answers(kind, turn.question, reply)), thread.nearest)


def _answers(kind: Kind, question: str, reply: str) -> bool:
    """Whether a reply gives an answer of its own, rather than merely confirming one or naming its source."""
    asked, statements = read_inquiry(question), read_statements(reply)
    if asked.source:
        return False
    if statements.facts or statements.names or not (asked.doubts or asked.inverted):
        return True
    if statements.word is None:
        return any(not claim.stems <= _STANDS_BY for claim in statements.claims)
    return kind == "yes-no" and not (statements.word and asked.doubts and len(statements.claims) == 1)


def _with_consistency(parts: tuple[Part, ...], found: Opportunity | None) -> tuple[Part, ...]:
    """Add the rule-based consistency score; if the inner reviewer scored it too, keep the lower score."""
    if found is None:
        return parts
    ours = _consistency(found)
    inner_parts = [part for part in parts if part.name == ours.name]
    others = tuple(part for part in parts if part.name != ours.name)
    return (*others, min((*inner_parts, ours), key=lambda part: part.value))


def _consistency(found: Opportunity) -> Part:
    earlier = found.earlier.number
    if found.conflict is None:
        explanation = f"nothing in it contradicts the reply of turn {earlier}"
        return Part(name="consistency", value=1.0, explanation=explanation)
    explanation = f"contradicts the reply of turn {earlier}: {found.conflict.reason}"
    return Part(name="consistency", value=0.0, explanation=explanation)


def _contradictions(found: Opportunity | None) -> tuple[Contradiction, ...]:
    if found is None or found.conflict is None:
        return ()
    kind, quotes, reason = found.conflict
    turns = found.earlier.number, found.later.number
    return (Contradiction(turns=turns, quotes=quotes, kind=kind, reason=reason),)


def question_parts(turns: Sequence[Turn]) -> tuple[Part, ...]:
    """Score relevance and difficulty of the last question; scripted questions and seeds, without strategy, get none."""
    turn = turns[-1] if turns else None
    if turn is None or turn.strategy is None:
        return ()
    hard = find_strategy(turn.strategy).difficulty
    return _relevance(turns), Part(name="difficulty", value=hard, explanation=f"strategy {turn.strategy}")


def _relevance(turns: Sequence[Turn]) -> Part:
    """Score relevance: 1 for a question that refers to an earlier turn, else by the share of its words on the topic."""
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
    """Return the words of the topic: those of the opening question and of the previous turn with its reply.

    The previous turn counts only if it is on topic itself; otherwise, an examiner that has left the topic would get
    back to it just by staying off it.
    """
    first, before = turns[0], turns[-2:-1]
    topic = _spoken(first) if first is not turns[-1] else set(passage_of(first.question[:_TOPIC_READ]).stems)
    for turn in before if before and before[0] is not first else ():
        if not turn.fault and (turn.refers_to is not None or _stays(turns[:-1])):
            topic |= _spoken(turn)
    return topic


def _stays(turns: Sequence[Turn]) -> bool:
    """Whether the last question shares a word with the topic, which the turn before it may have widened."""
    asked = content(passage_of(turns[-1].question[:_TOPIC_READ]).folded)
    return coverage(asked, _topic(turns)) > 0


def _spoken(turn: Turn) -> set[str]:
    """Return the word stems of a question and its reply."""
    texts = (turn.question, turn.reply.text if turn.reply is not None else "")
    return {word for text in texts for word in passage_of(text[:_TOPIC_READ]).stems}


def _join_reviews(one: Review | None, other: Review | None) -> Review | None:
    """Merge two reviews of a conversation."""
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
