"""One case in two runs, turn by turn, with differences highlighted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from proctor.reports import outcomes
from proctor.reports.turns import JudgedTurn, judged_turns
from proctor.reports.words import clean
from proctor.run import Attempt

LONGEST = 20_000
"""Maximum number of characters compared per text."""
_WORDS = re.compile(r"\w+|[^\w\s]|\s+")

Piece = tuple[str, bool]
"""A piece of text, and whether it occurs only on its side."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """Both texts, split into common and differing pieces."""

    a: tuple[Piece, ...]
    b: tuple[Piece, ...]
    same: bool
    """Whether they are equal, ignoring white space."""
    cut: bool
    """Whether they are truncated."""


def difference(a: str, b: str) -> Difference:
    """Compare two texts; differences in white space are ignored."""
    left, right = (_WORDS.findall(clean(text[:LONGEST])) for text in (a, b))
    words = [[place for place, word in enumerate(side) if not word.isspace()] for side in (left, right)]
    matcher = SequenceMatcher(None, [left[at] for at in words[0]], [right[at] for at in words[1]])
    only: tuple[set[int], set[int]] = set(), set()
    for kind, from_a, to_a, from_b, to_b in matcher.get_opcodes():
        if kind != "equal":
            only[0].update(_with_gaps(words[0][from_a:to_a]))
            only[1].update(_with_gaps(words[1][from_b:to_b]))
    return Difference(
        a=_pieces(left, only[0]),
        b=_pieces(right, only[1]),
        same=not only[0] and not only[1],
        cut=max(len(a), len(b)) > LONGEST,
    )


def _with_gaps(places: list[int]) -> Iterable[int]:
    """Yield the indices of consecutive words and of the white space between them."""
    return range(places[0], places[-1] + 1) if places else ()


def _pieces(words: list[str], only: set[int]) -> tuple[Piece, ...]:
    flagged_words = ((word, place in only) for place, word in enumerate(words))
    return tuple(
        ("".join(word for word, _ in run), alone) for alone, run in groupby(flagged_words, key=lambda each: each[1])
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnPair:
    """One turn in both runs; a side is None if its run did not reach the turn."""

    number: int
    a: JudgedTurn | None
    b: JudgedTurn | None
    asked: Difference | None
    """Difference of the questions, or None if they are the same."""
    said: Difference


def exchanges(before: Attempt, after: Attempt, case: str) -> Iterator[TurnPair]:
    """Yield the turns of both attempts; in a script, only the turn of the requested case."""
    sides = [{each.turn.number: each for each in judged_turns(attempt, None)} for attempt in (before, after)]
    for number in sorted(sides[0].keys() | sides[1].keys()):
        a, b = sides[0].get(number), sides[1].get(number)
        asked = [each.turn for each in (a, b) if each is not None]
        if before.key.exam == case or any(turn.case == case for turn in asked):
            yield TurnPair(
                number=number, a=a, b=b, asked=_question_difference(a, b), said=difference(_reply(a), _reply(b))
            )


def _question_difference(a: JudgedTurn | None, b: JudgedTurn | None) -> Difference | None:
    if a is None or b is None or a.turn.question == b.turn.question:
        return None
    return difference(a.turn.question, b.turn.question)


def _reply(each: JudgedTurn | None) -> str:
    return "" if each is None or each.turn.reply is None else each.turn.reply.text


def worth_reading(attempts: Sequence[Attempt]) -> Attempt:
    """Return the first attempt that did not pass, else the first."""
    return next((each for each in attempts if outcomes.of_attempt(each) is not outcomes.PASSED), attempts[0])


def telling_trial(before: Sequence[Attempt], after: Sequence[Attempt]) -> int:
    """Return the first trial with different outcomes; else the one of B most worth reading."""
    known = {each.key.trial: outcomes.of_attempt(each) for each in before}
    both = [each for each in after if each.key.trial in known]
    unlike = (each for each in both if known[each.key.trial] != outcomes.of_attempt(each))
    return next(unlike, worth_reading(both or after)).key.trial
