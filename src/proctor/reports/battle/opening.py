"""One conversation in two or three sentences, and the turn to read first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.reports.battle.conversation import ConversationView
from proctor.reports.battle.words import when_asked
from proctor.reports.numbers import plural, whole
from proctor.reports.turns import JudgedTurn
from proctor.reports.words import one_line

_QUOTED = 120


def opening(held: ConversationView) -> list[str]:
    """Whether it held, where it did not first, what contradicts what; nothing where nothing was said."""
    judged = [each for each in held.turns if each.passed is not None]
    if not held.turns:
        return []
    if not judged:
        return ["No reply has a verdict, so this conversation says nothing about the agent."]
    return [*_verdict(judged), *_contradictions(held.turns), *_missing(held.turns, len(judged))]


def telling_turn(held: ConversationView) -> int | None:
    """The first turn that did not pass; None: there is none."""
    return next((each.turn.number for each in held.turns if each.passed is False), None)


def _verdict(judged: Sequence[JudgedTurn]) -> Iterator[str]:
    failed = [each for each in judged if not each.passed]
    if not failed:
        yield f"Held: {'the only reply' if len(judged) == 1 else f'all of {whole(len(judged))} replies'} judged passed."
        return
    first = failed[0].turn
    how = when_asked(first.strategy) if first.strategy else ""
    quoted = f"“{one_line(first.question, _QUOTED)}”"
    yield f"Did not hold: turn {first.number} is the first that did not pass, {how or 'when asked'}: {quoted}"
    if len(failed) > 1:
        yield f"In all, {whole(len(failed))} of {whole(len(judged))} judged replies did not pass."


def _contradictions(turns: Sequence[JudgedTurn]) -> Iterator[str]:
    pairs = [pair for each in turns for pair in each.contradicts]
    if pairs:
        said, taken_back = pairs[0].turns
        more = f", and {plural(len(pairs) - 1, 'more such pair')}" if len(pairs) > 1 else ""
        yield f"What it says in turn {taken_back} contradicts what it said in turn {said}{more}."


def _missing(turns: Sequence[JudgedTurn], judged: int) -> Iterator[str]:
    given = sum(each.turn.reply is not None for each in turns)
    if given > judged:
        count = given - judged
        yield f"{whole(count)} of {whole(given)} replies {'has' if count == 1 else 'have'} no verdict."
