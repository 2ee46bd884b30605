"""Checks of what the reply says: keywords and exclusions."""

from __future__ import annotations

import re
from typing import NamedTuple

from proctor.benchmark import Expectation
from proctor.reading.text.patterns import Unsearchable, search
from proctor.reading.text.phrases import find, find_inflected, prepare
from proctor.reviewers.checks.contract import Outcome, check
from proctor.reviewers.checks.phrases import around, folded, near_miss, quote_around
from proctor.reviewers.checks.sources import Sources
from proctor.transcript import Reply, Turn

PATTERN = "re:"
"""What a pattern begins with."""
EXACT = "="
"""What a word or phrase begins with that is meant in this very form."""
_EMPHASIS = re.compile(r"(?<!\w)[*`]+(?=\S)|(?<=\S)[*`]+(?!\w)")
"""Marks of emphasis at the edge of a word: “**28** days” says 28 days; those of 5*3 stay."""


class _Seen(NamedTuple):
    """Whether one phrase or pattern stands in the reply."""

    wanted: str
    found: bool | None
    said: str
    """Where, or why that cannot be told; empty: it does not stand there."""


@check("keywords")
def keywords(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Every keyword stands in the reply."""
    if not expect.keywords:
        return None
    seen = [_look(wanted, reply.text) for wanted in expect.keywords]
    missing = [_missing(one.wanted, reply.text) for one in seen if one.found is False]
    found = sum(one.found is True for one in seen)
    passed = False if missing else found == len(seen) or None
    return Outcome(passed, "; ".join([*missing, *(one.said for one in seen if one.said)]), found / len(seen))


@check("exclusions")
def exclusions(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """No exclusion stands in the reply."""
    if not expect.exclusions:
        return None
    seen = [_look(unwanted, reply.text) for unwanted in expect.exclusions]
    said = [one.said for one in seen if one.said]
    if not said:
        return Outcome(True, f"not in the reply: {', '.join(map(_in_quotes, expect.exclusions))}")
    return Outcome(False if any(one.found for one in seen) else None, "; ".join(said))


def _look(wanted: str, text: str) -> _Seen:
    if wanted.startswith(PATTERN):
        return _look_for_pattern(wanted, text)
    phrase = _phrase(wanted)
    if not phrase:
        return _Seen(wanted, None, f"{_in_quotes(wanted)} cannot be looked for: it is empty")
    seen = _look_for_phrase(wanted, phrase, text)
    plain = text if seen.found else _EMPHASIS.sub("", text)
    return seen if plain == text else _look_for_phrase(wanted, phrase, plain)


def _look_for_phrase(wanted: str, phrase: str, text: str) -> _Seen:
    read = folded(text)
    if span := find(read, phrase):
        return _Seen(wanted, True, f"{_in_quotes(wanted)} in {quote_around(text, span)}")
    span = None if wanted.startswith(EXACT) else find_inflected(read, phrase)
    if span is None:
        return _Seen(wanted, False, "")
    form = " ".join(read[slice(*span)].split())
    return _Seen(wanted, True, f"{_in_quotes(wanted)} as {_in_quotes(form)} in {quote_around(text, span)}")


def _phrase(wanted: str) -> str:
    """The words that are looked for; a `=` that stands alone is meant itself."""
    return prepare(wanted.removeprefix(EXACT)) or prepare(wanted)


def _look_for_pattern(wanted: str, text: str) -> _Seen:
    pattern = wanted.removeprefix(PATTERN).strip()
    if not pattern:
        return _Seen(wanted, None, f"{_in_quotes(wanted)} cannot be looked for: it is empty")
    try:
        span = search(pattern, text)
    except Unsearchable as error:
        return _Seen(wanted, None, f"{_in_quotes(wanted)} cannot be looked for: {error}")
    return _Seen(wanted, True, f"{_in_quotes(wanted)} in {around(text, span)}") if span else _Seen(wanted, False, "")


def _missing(wanted: str, text: str) -> str:
    nearest = "" if wanted.startswith(PATTERN) else near_miss(folded(text), _phrase(wanted))
    return f"{_in_quotes(wanted)} is missing{': ' * bool(nearest)}{nearest}"


def _in_quotes(wanted: str) -> str:
    return f"“{wanted}”"
