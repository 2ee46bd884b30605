"""Detect near misses of a name: a namesake, another institute, another number or letter of a code."""

from __future__ import annotations

import re
from itertools import pairwise

from proctor.reading.expected import Answered, Expected
from proctor.reading.names import TITLES, are_one, codes
from proctor.reading.question import Asked
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import GENERIC, STOP
from proctor.reading.text.words import stem, stem_set
from proctor.reading.words import word_similarity

_NUMBERED = lazy(r"\b([A-Z][\w'-]+) ([IVX]+)\b(?=\s*(?:[^\w\s]|$)|\s+[a-z])")
_PAIRS = """
king queen | prince princess | duke duchess | count countess | lord lady | emperor empress | son daughter
brother sister | father mother | husband wife | uncle aunt | nephew niece | grandfather grandmother
"""
_GENDERED = {
    stem(one): stem(other)
    for pair in _PAIRS.strip().replace("\n", "|").split("|")
    for one, other in (pair.split(), pair.split()[::-1])
}
_BRACKETS = lazy(r"\([^()]*\)")
_JOINED = lazy(r"(?<![\w/.-])[A-Za-z]\w{1,40}(?:[-/_][A-Za-z]\w{0,40}){1,8}(?![\w/-])")
_JOINT = lazy(r"[-/_]")
_POSITIONS = stem_set(
    "first second third fourth fifth sixth seventh eighth ninth tenth last final penultimate next previous preceding"
    " following middle upper lower top bottom left inner outer front back rear"
)
_SAME_POSITION = {
    stem(other): stem(one)
    for one, other in (
        ("last", "final"),
        ("previous", "preceding"),
        ("next", "following"),
        ("back", "rear"),
        ("top", "upper"),
        ("bottom", "lower"),
    )
}
_FEW_WORDS, _SHORT_FORM = 3, 2


def near_name(reply: Answered, asked: Asked, answer: Expected) -> str:
    """Return the name in the reply that only resembles the expected one; empty if there is none."""
    return (
        _other_number(reply, answer)
        or _other_code(reply, asked, answer)
        or _other_title(reply, asked, answer)
        or _other_part(reply, asked, answer)
        or _other_position(reply, asked, answer)
        or _other_word(reply, asked, answer)
        or _other_order(reply, answer)
    )


def _other_number(reply: Answered, answer: Expected) -> str:
    """Find another number: Leopold I for Leopold II."""
    wanted = dict(_NUMBERED.findall(answer.text + " "))
    found = [pair for pair in _NUMBERED.findall(reply.passage.text + " ") if pair[0] in wanted]
    if not found or any(wanted[name] == number for name, number in found):
        return ""
    return " ".join(found[0])


def _other_code(reply: Answered, asked: Asked, answer: Expected) -> str:
    """Find another code: platform 4A for platform 4B; if both occur, the one given first in a short answer."""
    wanted = codes(answer.text)
    if len(wanted) != 1 or asked.kind in ("number", "quantity", "date", "time"):
        return ""
    found = [code for code in codes(reply.passage.text) if _shape(code) == _shape(wanted[0])]
    if not found or found[0] == wanted[0]:
        return ""
    opening = sum(sentence == 0 for sentence in reply.passage.sentences)
    return found[0] if wanted[0] not in found or opening <= _FEW_WORDS else ""


def _shape(code: str) -> str:
    return re.sub(r"[A-Z]+", "A", re.sub(r"\d+", "0", code))


def _other_part(reply: Answered, asked: Asked, answer: Expected) -> str:
    """Find a compound name that differs in a part: North-Office for North-Guest, `docs/api` for `docs/guides`."""
    wanted = [_name_parts(name) for name in _JOINED.findall(answer.text)]
    if not wanted or any(_stands(parts, reply.passage.stems) for parts in wanted):
        return ""
    for name in _JOINED.findall(reply.passage.text):
        if name.lower() not in asked.folded and any(_is_near(ours, _name_parts(name)) for ours in wanted):
            return str(name)
    return ""


def _is_near(ours: list[str], other_parts: list[str]) -> bool:
    return len(ours) == len(other_parts) and any(len(part) > 1 for part in set(ours) & set(other_parts))


def _stands(parts: list[str], stems: list[str]) -> bool:
    """Whether the parts occur in order, with at most one word between them."""
    for place in (at for at, word in enumerate(stems) if word == parts[0]):
        here = iter(stems[place : place + len(parts) + 1])
        if all(part in here for part in parts):
            return True
    return False


def _name_parts(name: str) -> list[str]:
    return [stem(part) for part in _JOINT.split(fold(name, accents=False)) if part]


def _other_position(reply: Answered, asked: Asked, answer: Expected) -> str:
    """Find another position: the second Sunday for the last Sunday."""
    reply_positions = _positions(reply.passage.stems)
    for word, wanted in _positions(answer.passage.stems).items():
        found = reply_positions.get(word, {})
        if found and wanted.keys().isdisjoint(found) and asked.words.isdisjoint(found):
            place = min(found.values())
            return reply.passage.quote(place, place + 1)
    return ""


def _positions(stems: list[str]) -> dict[str, dict[str, int]]:
    """Map each word to the position words before it (`first`, `last`) and where they stand."""
    found: dict[str, dict[str, int]] = {}
    for place, (before, word) in enumerate(pairwise(stems)):
        if before in _POSITIONS and word not in STOP and word not in _POSITIONS:
            found.setdefault(word, {}).setdefault(_SAME_POSITION.get(before, before), place)
    return found


def _other_title(reply: Answered, asked: Asked, answer: Expected) -> str:
    """Find a title of the other gender: the count for the countess."""
    for word in answer.passage.stems:
        other = _GENDERED.get(word)
        if other and word not in reply.stems and other in reply.stems and other not in asked.words:
            return reply.passage.quote(*(2 * [reply.passage.stems.index(other)]))
    return ""


def _other_word(reply: Answered, asked: Asked, answer: Expected) -> str:
    """Find the expected name with one capitalised word replaced: Road Safety for Rail Safety."""
    named = stem_set(_BRACKETS.sub(" ", answer.passage.folded))
    wanted = [word for word in answer.weights if word in named and word not in TITLES and word not in GENERIC]
    if (
        len(wanted) < 2
        or codes(answer.text)
        or len(reply.passage.text) != len(reply.passage.folded)
        or not answer.text[:1].isalpha()
    ):
        return ""
    places = [place for place, word in enumerate(reply.passage.stems) if word not in STOP and word not in TITLES]
    for start in range(len(places) - len(wanted) + 1):
        window = places[start : start + len(wanted)]
        differ = [
            (place, word) for place, word in zip(window, wanted, strict=True) if reply.passage.stems[place] != word
        ]
        if len(differ) == 1 and _is_another(reply, asked, answer, window, *differ[0]):
            return reply.passage.quote(window[0], window[-1])
    return ""


def _is_another(reply: Answered, asked: Asked, answer: Expected, window: list[int], place: int, word: str) -> bool:
    """Whether a word in the reply is a different name, and not a variant or an initial of the expected one."""
    passage = reply.passage
    other = passage.stems[place]
    if word in reply.stems or other in asked.words or other in answer.passage.stems or are_one(word, other):
        return False
    if passage.clauses[window[0]] != passage.clauses[window[-1]] or window[-1] - window[0] > 2 * len(window):
        return False
    opens = not place or passage.sentences[place - 1] != passage.sentences[place]
    if (opens and window[:2] != [place, place + 1]) or _is_form(
        word, other, answer.word(word), passage.quote(place, place)
    ):
        return False
    return passage.quote(place, place)[:1].isupper() and answer.word(word)[:1].isupper() and len(other) > 1


def _is_form(word: str, other: str, written: str, found: str) -> bool:
    """Whether two words are variants: an initial, a short form, a typo; Mario is not Maria."""
    if written.isupper() or "." in written:
        return True
    if written[:-1].lower() == found[:-1].lower() and {written[-1], found[-1]} == {"a", "o"}:
        return False
    if other[0] == word[0] and (min(len(other), len(word)) <= _SHORT_FORM or other[:3] == word[:3]):
        return True
    return word_similarity(word, other, alone=False) > 0


def _other_order(reply: Answered, answer: Expected) -> str:
    """Find the parts of a name in another order: `Roe, John` for Jane Roe, `da Costa Silva` for da Silva Costa."""
    stems, wanted = reply.passage.stems, [word for word in answer.weights if word not in TITLES]
    if len(wanted) < 2 or not answer.text[:1].isupper() or wanted[-1] not in stems:
        return ""
    place = stems.index(wanted[-1])
    if place + 1 >= len(stems):
        return ""
    comma = reply.passage.folded[reply.passage.ends[place] : reply.passage.starts[place + 1]].startswith(",")
    after = stems[place + 1]
    if (
        comma
        and len(stems) == len(wanted) == 2
        and not _is_form(wanted[0], after, answer.word(wanted[0]), reply.passage.quote(place + 1, place + 1))
    ):
        return reply.passage.quote(place, place + 1)
    swapped = not comma and len(wanted) > 2 and after == wanted[-2] and place + 2 == len(stems)
    return reply.passage.quote(place, place + 1) if swapped else ""
