"""Checks of the reply's text: keywords and exclusions."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from proctor.benchmark import Expectation
from proctor.reading.text.fold import fold
from proctor.reading.text.patterns import Unsearchable, search
from proctor.reading.text.phrases import Span, find, find_inflected, prepare
from proctor.reviewers.checks.contract import Outcome, check
from proctor.reviewers.checks.sources import Sources
from proctor.transcript import Reply, Turn

folded = lru_cache(maxsize=64)(fold)
"""Cached `fold`, shared by the checks of a reply."""
_WORD = re.compile(r"\w+")
_AROUND = 32
"""Number of characters quoted on either side of a match."""
_ALIKE = 0.6
"""Minimum similarity of two words for one to be a near miss of the other."""
_COMPARED = 200
"""Maximum number of words compared for a near miss, so that a long reply takes no longer than a short one."""


def around(text: str, span: Span) -> str:
    """Quote a span of a text with a few words before and after it."""
    start, end = span
    left, right = max(0, start - _AROUND), min(len(text), end + _AROUND)
    if left:
        left = max(left, text.find(" ", left, start) + 1)
    if right < len(text) and (blank := text.rfind(" ", end, right)) >= 0:
        right = blank
    return f"“{'…' * (left > 0)}{text[left:right]}{'…' * (right < len(text))}”"


def quote_around(text: str, span: Span) -> str:
    """Quote a span of the folded text, in the original spelling if folding has not shifted positions."""
    read = folded(text)
    return around(text if len(read) == len(text) else read, span)


def near_miss(text: str, phrase: str) -> str:
    """Describe what in a folded text comes nearest to a missing phrase, or return an empty string."""
    inside = text.find(phrase)
    if inside >= 0:
        return f"it is only inside {around(text, (inside, inside + len(phrase)))}"
    words = _WORD.findall(phrase)
    seen = set(_WORD.findall(text))
    lacking = [word for word in words if word not in seen]
    if not lacking:
        return "all its words are there, but not together" if len(words) > 1 else ""
    nearest = [alike for word in lacking if (alike := _most_alike(word, seen))]
    nearest_text = f"the nearest is {_quote_words(nearest)}" if nearest else ""
    there = [word for word in words if word in seen]
    only = f"only {_quote_words(there)} {'is' if len(there) == 1 else 'are'} there" if there else ""
    return "; ".join(filter(None, [only, nearest_text]))


def _most_alike(word: str, words: set[str]) -> str | None:
    """Return the most similar word among those with the same beginning or ending, or None if none is similar enough."""
    begin, end = word[:2], word[-3:]
    near = sorted(other for other in words if other[:2] == begin or other[-3:] == end)[:_COMPARED]
    best = max(near, key=lambda other: _likeness(word, other), default=None)
    return best if best is not None and _likeness(word, best) >= _ALIKE else None


def _likeness(one: str, other: str) -> float:
    """Similarity of two words: the share of letters in their common prefix and suffix, which is high for typos."""
    shorter = min(len(one), len(other))
    begin = next((i for i in range(shorter) if one[i] != other[i]), shorter)
    end = next((i for i in range(shorter - begin) if one[-1 - i] != other[-1 - i]), shorter - begin)
    return 2 * (begin + end) / (len(one) + len(other))


def _quote_words(words: list[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)


PATTERN = "re:"
"""Prefix of a pattern."""
EXACT = "="
"""Prefix of a word or phrase that must occur in exactly this form."""
_EMPHASIS = re.compile(r"(?<!\w)[*`]+(?=\S)|(?<=\S)[*`]+(?!\w)")
"""Match Markdown emphasis at the edge of a word: “**28** days” reads 28 days; the asterisk in 5*3 stays."""


class _Seen(NamedTuple):
    """Whether a phrase or pattern occurs in the reply."""

    wanted: str
    found: bool | None
    said: str
    """Where it occurs, or why that cannot be determined; empty if it does not occur."""


@check("keywords")
def keywords(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Check that every keyword occurs in the reply."""
    if not expect.keywords:
        return None
    seen = [_look(wanted, reply.text) for wanted in expect.keywords]
    missing = [_missing(one.wanted, reply.text) for one in seen if one.found is False]
    found = sum(one.found is True for one in seen)
    passed = False if missing else found == len(seen) or None
    return Outcome(passed, "; ".join([*missing, *(one.said for one in seen if one.said)]), found / len(seen))


@check("exclusions")
def exclusions(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Check that no exclusion occurs in the reply."""
    if not expect.exclusions:
        return None
    seen = [_look(unwanted, reply.text) for unwanted in expect.exclusions]
    remarks = [one.said for one in seen if one.said]
    if not remarks:
        return Outcome(True, f"not in the reply: {', '.join(map(_in_quotes, expect.exclusions))}")
    return Outcome(False if any(one.found for one in seen) else None, "; ".join(remarks))


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
    """Return the words to look for; a `=` on its own is taken literally."""
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
