"""Lay out a conversation for reading: its turns, and the lines that link contradicting ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from proctor.benchmark import Exam
from proctor.findings.battle.replies import judged_seed_alone
from proctor.reports.battle import words
from proctor.reports.battle.words import when_asked
from proctor.reports.numbers import plural, whole
from proctor.reports.turns import NO_TEST, JudgedTurn, count_unasked, judged_turns
from proctor.reports.words import clean, one_line
from proctor.run import Attempt
from proctor.score import Contradiction

_LANES = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnLink:
    """A line that links two contradicting turns."""

    found: Contradiction
    rows: tuple[int, int]
    """Positions of the two turns, from 1."""
    lane: int
    """Index of the lane in which the line is drawn, from 0."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationView:
    """A conversation with its layout."""

    name: str
    """Prefix of its anchors, unique on the page."""
    turns: list[JudgedTurn]
    bonds: list[TurnLink]
    lanes: int
    ended: str
    resumed: str
    unasked: int
    """Number of scripted questions not asked because the conversation failed."""
    is_no_test: bool = False
    """Whether nothing was judged but the reply to its seed question."""

    def anchor(self, turn: int) -> str:
        """Return the anchor of a turn."""
        return f"{self.name}-turn-{turn}"


def talk(attempt: Attempt, exam: Exam | None, *, name: str) -> ConversationView:
    """Lay out the conversation of an attempt."""
    turns = judged_turns(attempt, exam)
    bonds = _turn_links(attempt.contradictions, [each.turn.number for each in turns])
    return ConversationView(
        name=name,
        turns=turns,
        bonds=bonds,
        lanes=max((bond.lane + 1 for bond in bonds), default=0),
        ended=" ".join(filter(None, (words.ending_sentence(attempt), words.no_test_sentence(attempt)))),
        resumed=words.resumption_sentence(attempt),
        unasked=count_unasked(attempt, exam),
        is_no_test=judged_seed_alone(attempt),
    )


def _turn_links(contradictions: Iterable[Contradiction], numbers: Sequence[int]) -> list[TurnLink]:
    """Assign each link to the first free lane; when all are taken, links share the last one."""
    places = {number: place for place, number in enumerate(numbers, 1)}
    free_from: list[int] = []
    links = []
    for found in sorted(contradictions, key=lambda each: each.turns):
        first, second = (places.get(turn) for turn in found.turns)
        if first is None or second is None or first >= second:
            continue
        lane = next((lane for lane, free in enumerate(free_from) if free < first), len(free_from))
        if lane == len(free_from) and lane < _LANES:
            free_from.append(0)
        lane = min(lane, _LANES - 1)
        free_from[lane] = max(free_from[lane], second)
        links.append(TurnLink(found=found, rows=(first, second), lane=lane))
    return links


def quotes_in(each: JudgedTurn) -> list[str]:
    """Return the quotes of a turn's reply in contradictions."""
    return [pair.quotes[0] for pair in each.contradicted] + [pair.quotes[1] for pair in each.contradicts]


def pieces(text: str, quotes: Iterable[str]) -> list[tuple[str, bool]]:
    """Split a text at the bounds of verbatim quotes; each piece is flagged True if quoted."""
    found, done = [], 0
    for start, end in _spans(text, quotes):
        found += [(text[done:start], False), (text[max(done, start) : end], True)]
        done = max(done, end)
    found.append((text[done:], False))
    return [(piece, quoted) for piece, quoted in found if piece]


def _spans(text: str, quotes: Iterable[str]) -> list[tuple[int, int]]:
    """Return the span of the first occurrence of each quote."""
    quote_texts = {clean(quote).strip() for quote in quotes} - {""}
    return sorted((start, start + len(quote)) for quote in quote_texts if (start := text.find(quote)) >= 0)


_QUOTED = 120


def opening(held: ConversationView) -> list[str]:
    """Summarise whether the conversation held, which turn failed first, and contradictions; empty without turns."""
    judged = [each for each in held.turns if each.passed is not None]
    if not held.turns:
        return []
    if not judged:
        return ["No reply has a verdict, so this conversation says nothing about the agent."]
    if held.is_no_test:
        return [f"{NO_TEST[0].upper()}{NO_TEST[1:]}."]
    return [*_verdict(judged), *_contradictions(held.turns), *_missing(held.turns, len(judged))]


def telling_turn(held: ConversationView) -> int | None:
    """Return the number of the first turn that failed, or None."""
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
        earlier_turn, later_turn = pairs[0].turns
        more = f", and {plural(len(pairs) - 1, 'more such pair')}" if len(pairs) > 1 else ""
        yield f"What it says in turn {later_turn} contradicts what it said in turn {earlier_turn}{more}."


def _missing(turns: Sequence[JudgedTurn], judged: int) -> Iterator[str]:
    given = sum(each.turn.reply is not None for each in turns)
    if given > judged:
        count = given - judged
        yield f"{whole(count)} of {whole(given)} replies {'has' if count == 1 else 'have'} no verdict."
