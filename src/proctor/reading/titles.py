"""Titles in a reply (`## Final answer`, `**Sources**`): they name what stands below, and are no answer themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.words import stem_set, words

ANSWER_MARK = "Answer: "
"""What stands in an undressed reply before what it marked as its answer."""
_TITLE = lazy(
    r"^[ \t]{0,3}(?:#{1,6}[ \t]+(?P<hashes>[^\n]{1,80})|(?:\*\*|__)(?P<strong>[^\n*_]{1,80})(?:\*\*|__):?"
    r"|(?P<under>[^\s#|>*_-][^\n|]{0,60})\n[ \t]{0,3}(?:={3,}|-{3,}))[ \t]*$",
    re.M,
)
_SENTENCE_END = lazy(r"[.!?]\s")
_SMALL = stem_set("the a an my our your and or of to in at it this that is")
_OF_ANSWERS = stem_set("answer result conclusion verdict solution outcome tldr tl dr")
_OF_SOURCES = stem_set("source reference citation bibliography link further reading")
_OF_SECTIONS = _OF_ANSWERS | stem_set(
    "final short quick brief direct key main bottom line important additional more further next full long response "
    "reply summary overview introduction intro background context detail explanation reasoning analysis note fact "
    "point takeaway why how step info information glance recommendation example caveat tip discussion finding "
    "rationale justification evidence question"
)


def without_titles(text: str) -> str:
    """The text without titles that only name a section, and without its sources; a short answer keeps its mark."""
    if "#" not in text and "**" not in text and "__" not in text and "\n==" not in text and "\n--" not in text:
        return text
    kept = "\n\n".join(_sections(text)).strip()
    return kept if any(letter.isalnum() for letter in kept) else text


def _sections(text: str) -> Iterator[str]:
    titles = [*filter(_is_title, _TITLE.finditer(text)), None]
    first = titles[0]
    yield text if first is None else text[: first.start()]
    for title, following in pairwise(titles):
        if title is not None:
            end = len(text) if following is None else following.start()
            yield _section(title, text[title.end() : end])


def _is_title(line: re.Match[str]) -> bool:
    """Whether it is one: strong words on a line of their own, or underlined ones, may be the answer itself."""
    return line["hashes"] is not None or _telling(line) <= _OF_SECTIONS | _OF_SOURCES


def _telling(title: re.Match[str]) -> set[str]:
    return set(words(fold(title["hashes"] or title["strong"] or title["under"]))) - _SMALL


def _section(title: re.Match[str], body: str) -> str:
    """What is left of a section: without its title where that only names it, nothing where it lists sources."""
    telling = _telling(title)
    if telling and telling <= _OF_SOURCES:
        return ""
    if not telling or not telling <= _OF_SECTIONS:
        return f"{title[0]}{body}"
    return f"{ANSWER_MARK}{body.strip()}" if telling & _OF_ANSWERS and _is_short(body.strip()) else body


def _is_short(body: str) -> bool:
    """Whether it is one sentence on one line."""
    return bool(body) and "\n" not in body and _SENTENCE_END.search(body) is None
