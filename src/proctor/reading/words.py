"""Match words: how much of the expected answer is in the reply, and how much else."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from proctor.reading.expected import Answered, Expected
from proctor.reading.match import Match, best_mention
from proctor.reading.names import TITLES, are_one
from proctor.reading.question import Asked
from proctor.reading.text.overlap import STOP, weight
from proctor.reading.text.passage import Passage
from proctor.reading.text.words import stem_set
from proctor.reading.thesaurus import likeness

_LONG = 5
"""Minimum number of content words of a statement, which is scored by the share found."""
_LEAST_PART = 0.3
_GIVEN_NAME = 0.55
"""Score of a given name alone."""
_HEAD = 0.8
"""Score of the part before the comma: Salzburg for Salzburg, Austria."""
_CONFLICT = 0.7
"""Factor if some words are found and others replace the rest: Louis Armstrong for Neil Armstrong."""
_FAMILY_NAME = 0.85
"""Score of a family name alone, if nothing indicates another person."""
_OTHER_NAME = 0.97
_OTHER_WORD, _LIKE = 0.95, 0.9
_SHORT_REPLY = 40
_LONGEST_WORD = 30
_LONG_WORD = 8
_SLIP = 0.85
_LONGER_FORM = 0.9
_INITIAL = 0.8
_FAR_OFF = 0.5


class _Place(NamedTuple):
    """Position of an expected word in the reply, and the certainty that it is the same word."""

    first: int
    last: int
    share: float = 1.0


def words_met(reply: Answered, asked: Asked, answer: Expected) -> Match:
    """Return how well the words of the reply match the expected ones."""
    found = _find_words(reply, asked, answer)
    if not found:
        return _sign_met(reply, answer)
    met = sum(answer.weights[word] * place.share for word, place in found.items())
    value = _value(reply, asked, answer, found, met)
    first, last = _span(reply, answer, found)
    return Match(value, _explain_match(reply, answer, found, first, last), first, last)


def _sign_met(reply: Answered, answer: Expected) -> Match:
    """Match an answer without words (`+`, `→`) verbatim."""
    sign = answer.passage.folded.strip()
    if answer.passage.stems or not sign or sign not in reply.passage.folded:
        return Match(0.0, f"expected {answer.text!r}, not found")
    return Match(1.0, f"expected {answer.text!r}, found")


def _value(reply: Answered, asked: Asked, answer: Expected, found: dict[str, _Place], met: float) -> float:
    share = met / answer.total
    if len(found) == len(answer.weights) or len(answer.weights) >= _LONG:
        return min(share, 1.0)
    if answer.head and all(word in found for word in answer.head) and not _other_place(reply, answer, found):
        return _HEAD
    if _is_family_name(reply, asked, answer, found):
        return _FAMILY_NAME
    if _says_more(reply, asked, answer, found):
        return _CONFLICT * share
    if asked.person and len(answer.weights) == len(answer.passage) and next(reversed(answer.weights)) not in found:
        return _GIVEN_NAME
    return _GIVEN_NAME + (1 - _GIVEN_NAME) * share if share >= _LEAST_PART else share


def _is_family_name(reply: Answered, asked: Asked, answer: Expected, found: dict[str, _Place]) -> bool:
    """Whether a person is named by the family name, with at most a title or an initial before it."""
    if asked.kind not in ("person", "name", "list") or not 1 < len(answer.passage) <= _LONG or "," in answer.text:
        return False
    family = answer.passage.stems[-1]
    if (
        family not in found
        or weight(family) < 1.0
        or not answer.text[:1].isupper()
        or not _is_capital(answer.passage, len(answer.passage) - 1)
    ):
        return False
    place = found[family].first
    before = reply.passage.stems[place - 1] if place else ""
    if (
        not place
        or before in answer.weights
        or before in TITLES
        or before in STOP
        or not _is_capital(reply.passage, place - 1)
    ):
        return True
    between = reply.passage.folded[reply.passage.ends[place - 1] : reply.passage.starts[place]]
    return (
        "&" in between
        or reply.passage.sentences[place - 1] != reply.passage.sentences[place]
        or _is_initial_of(reply.passage, place - 1, answer)
    )


def _is_capital(passage: Passage, place: int) -> bool:
    return passage.quote(place, place)[:1].isupper()


def _is_initial_of(passage: Passage, place: int, answer: Expected) -> bool:
    word = passage.stems[place]
    return len(word) <= 2 and any(other.startswith(word[0]) for other in answer.passage.stems[:-1])


def _says_more(reply: Answered, asked: Asked, answer: Expected, found: dict[str, _Place]) -> bool:
    """Whether the reply contains content words beyond those of answer and question."""
    stems = reply.passage.stems
    used = {stems[place] for spot in found.values() for place in range(spot.first, spot.last + 1)}
    known = used.union(answer.weights, asked.content)
    return any(weight(word) == 1.0 for word in reply.stems if word not in known)


def _other_place(reply: Answered, answer: Expected, found: dict[str, _Place]) -> bool:
    """Whether another place follows the comma: Portland, Maine for Portland, Oregon."""
    passage = reply.passage
    last = max(found[word].last for word in answer.head)
    if last + 1 == len(passage) or passage.folded[passage.ends[last] : passage.starts[last + 1]].strip() != ",":
        return False
    return weight(passage.stems[last + 1]) == 1.0 and passage.stems[last + 1] not in answer.weights


def _span(reply: Answered, answer: Expected, found: dict[str, _Place]) -> tuple[int, int]:
    """Return the position of the answer: its most important word, with adjacent words of the answer."""
    anchor = found[max(found, key=answer.weights.__getitem__)]
    first, last = anchor.first, anchor.last
    stems, own = reply.passage.stems, answer.passage.stems
    while first and stems[first - 1] in own:
        first -= 1
    while last + 1 < len(stems) and stems[last + 1] in own:
        last += 1
    return first, last


def _explain_match(reply: Answered, answer: Expected, found: dict[str, _Place], first: int, last: int) -> str:
    missing = [answer.word(word) for word in answer.weights if word not in found]
    if missing:
        return f"expected {answer.text!r}, missing {', '.join(missing[:_LONG])}"
    return f"expected {answer.text!r}, found {reply.passage.quote(first, last)!r}"


def _find_words(reply: Answered, asked: Asked, answer: Expected) -> dict[str, _Place]:
    """Map each expected stem to its position in the reply."""
    stems = reply.passage.stems
    found: dict[str, _Place] = {}
    for word in answer.weights:
        if word in reply.stems:
            places = [place for place, other in enumerate(stems) if other == word]
            place = best_mention(reply, asked, places)
            found[word] = _Place(place, place)
    if len(stems) > _SHORT_REPLY:
        return _near_each_other(found, reply, answer) if 1 < len(found) < _LONG else found
    if len(found) < len(answer.weights):
        _add_names(found, reply, answer)
        _add_superiors(found, reply, answer)
        _add_short_forms(found, reply, answer)
        _add_compounds(found, reply, answer)
        _add_slips(found, reply, answer)
        if not answer.statement and answer.text.rstrip().endswith("."):
            _add_synonyms(found, reply, answer)
    return found


def _add_synonyms(found: dict[str, _Place], reply: Answered, answer: Expected) -> None:
    """Add synonyms, for an answer that is a sentence and no name: `Shut the lid` for `Close the lid.`"""
    for word in answer.weights:
        places = enumerate(reply.passage.stems) if word not in found else ()
        place = next((at for at, other in places if other not in STOP and likeness(word, other) >= _LIKE), None)
        if place is not None:
            found[word] = _Place(place, place, _OTHER_WORD)


def _add_names(found: dict[str, _Place], reply: Answered, answer: Expected) -> None:
    """Add equivalent names: Jack for John, a Pole for Polish, Gent for Ghent."""
    for word in answer.weights:
        if word not in found:
            place = next((place for place, other in enumerate(reply.passage.stems) if are_one(word, other)), None)
            if place is not None:
                found[word] = _Place(place, place, _OTHER_NAME)


_DIRECT = stem_set("line direct immediate")


def _add_superiors(found: dict[str, _Place], reply: Answered, answer: Expected) -> None:
    """Add synonyms for superiors: the direct manager for the line manager."""
    for one, whom in pairwise(answer.passage.stems):
        if one not in _DIRECT or one in found or one not in answer.weights:
            continue
        pairs = enumerate(pairwise(reply.passage.stems))
        place = next((at for at, (word, after) in pairs if word in _DIRECT and after == whom), None)
        if place is not None:
            found[one] = _Place(place, place, _OTHER_NAME)


def _near_each_other(found: dict[str, _Place], reply: Answered, answer: Expected) -> dict[str, _Place]:
    """In a long reply, halve the score of words outside the sentence with most of the answer."""
    sentences: dict[str, set[int]] = {word: set() for word in found}
    for word, sentence in zip(reply.passage.stems, reply.passage.sentences, strict=True):
        if word in sentences:
            sentences[word].add(sentence)
    weights: dict[int, float] = {}
    for word, spots in sentences.items():
        for sentence in spots:
            weights[sentence] = weights.get(sentence, 0.0) + answer.weights[word]
    best = max(weights, key=weights.__getitem__)
    return {w: spot if best in sentences[w] else spot._replace(share=_FAR_OFF) for w, spot in found.items()}


def _add_short_forms(found: dict[str, _Place], reply: Answered, answer: Expected) -> None:
    """Add acronyms and initials of either side: NHS for National Health Service, J. R. R. for John Ronald Reuel."""
    reply_words = [(place, word) for place, word in enumerate(reply.passage.stems) if word not in STOP]
    answer_words = list(answer.weights)
    for place, word in reply_words:
        for name in () if word in answer.weights else _spelled_out(word, answer_words):
            found.setdefault(name, _Place(place, place))
    words = [word for _, word in reply_words]
    for word in answer_words:
        if word not in found and answer.word(word).isupper() and (out := _spelled_out(word, words)):
            at = words.index(out[0])
            found[word] = _Place(reply_words[at][0], reply_words[at + len(out) - 1][0])


def _spelled_out(short: str, words: list[str]) -> list[str]:
    """Return the words that an acronym stands for; two letters only count as initials before a family name."""
    if not 2 <= len(short) <= 5:
        return []
    at = "".join(word[0] for word in words).find(short)
    fits = at >= 0 and (len(short) > 2 or (at == 0 and len(words) == 3))
    return words[at : at + len(short)] if fits else []


def _add_compounds(found: dict[str, _Place], reply: Answered, answer: Expected) -> None:
    """Add compounds of either side: `steam ship` for `steamship`."""
    stems = reply.passage.stems
    for place, (one, other) in enumerate(pairwise(stems)):
        if len(one) > 1 and one + other in answer.weights:
            found.setdefault(one + other, _Place(place, place + 1))
    for one, other in pairwise(answer.weights):
        if len(one) > 1 and one + other in reply.stems:
            place = stems.index(one + other)
            found[one] = found[other] = _Place(place, place)


def _add_slips(found: dict[str, _Place], reply: Answered, answer: Expected) -> None:
    alone = len(answer.weights) == 1
    for word in answer.weights:
        if word in found or word in STOP:
            continue
        for place, other in enumerate(reply.passage.stems):
            if word[0] != other[0] or other in answer.weights or other in STOP:
                continue
            initial = not alone and (_is_initial(reply.passage, other) or _is_initial(answer.passage, word))
            share = _INITIAL if initial else word_similarity(word, other, alone=alone)
            if share > (found[word].share if word in found else 0.0):
                found[word] = _Place(place, place, share)


def _is_initial(passage: Passage, word: str) -> bool:
    """Whether a word is an initial, a letter with a full stop: the N. of N. Armstrong."""
    return len(word) == 1 and word.isalpha() and passage.folded.startswith(".", passage.ends[passage.stems.index(word)])


def word_similarity(word: str, other: str, *, alone: bool) -> float:
    """Return the certainty that two stems with the same first letter are one word: an inflected form or a typo.

    A word that is the whole answer needs a longer common beginning: Niger is not Nigeria.
    """
    shorter = min(len(word), len(other))
    if not word.isalpha():
        return 0.0
    if shorter < 5 or max(len(word), len(other)) > _LONGEST_WORD:
        return 0.0
    if shorter >= (_LONG_WORD if alone else 5) and (word.startswith(other) or other.startswith(word)):
        return _LONGER_FORM
    return _SLIP if _slips(word, other) <= (2 if shorter >= _LONG_WORD + 2 else 1) else 0.0


def _slips(one: str, other: str) -> int:
    """Count the letters that differ between the common prefix and suffix; a swap of two counts once."""
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return 1 if len(one) == 2 and one == other[::-1] else max(len(one), len(other))
