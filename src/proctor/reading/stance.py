"""Check whether a reply asserts the words that match: they may be denied, left open, or about something else."""

from __future__ import annotations

from typing import NamedTuple

from proctor.reading.expected import Answered, Expected
from proctor.reading.match import taken_up
from proctor.reading.names import TITLES
from proctor.reading.question import Asked
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import NEGATORS, find_exception, find_hedge, find_negation, unsure
from proctor.reading.text.numbers import Quantity, compare
from proctor.reading.text.overlap import GENERIC, STOP
from proctor.reading.text.words import stem_set, words


class Stance(NamedTuple):
    """The stance of a reply towards a match, and the factor for its score."""

    factor: float
    does: str = ""
    sure: bool = False
    """Whether that alone makes the reply wrong."""


STANDS = Stance(1.0)
_RELATIONS = stem_set(
    "contemporary son daughter brother sister student pupil rival friend wife husband cousin neighbour colleague "
    "predecessor successor follower fan"
)
_COMPARISONS = stem_set("than against beating defeating versus unlike near succeeded replaced preceded")
_NO_CHOICE = stem_set("more less so later earlier older fewer higher lower about even simply just otherwise not")
_BE, _CLEFT = stem_set("is was are were"), stem_set("where who what which when that the")
_SMALL = stem_set("the a an in by of to at on and")
_OPEN, _OF_ANOTHER, _UNSURE, _MAYBE, _NOT_DENIED = 0.4, 0.3, 0.6, 0.8, 0.2
_CONDITIONS = stem_set("if when unless provided")
_REACH_OF_CONDITION = 9
_ACCOMPANIED = frozenset(("with", "without"))
_REACH_OF_OR = 6
_REACH_OF_COMPARISON = 3
_MOST_FILLING = 3
_TAKES_UP = 0.6
_FORMER = 0.2
_LOOK_BACK = 30
_SHORT_REPLY, _FEW_WORDS, _SHORT_ANSWER = 30, 16, 8
_FORMER_CUE = lazy(
    r"\b(?:used to be|(?<!\()formerly|previously|no longer(?: in| at| on)?|migrated (?:off|from|away from)"
    r"|moved (?:off|away from)"
    r"|switched (?:off|from|away from)|was once|once was|until \d{4} (?:it was )?)\s(?:\w+\s)?$"
)
_IN_ALL = lazy(r" ?(?:\w+ )?(?:in (?:total|all)|altogether|overall|all told)\b")
_BEYOND = lazy(r"\b(?:over|above|beyond|exceed\w*|more than|below|under|less than|fewer than) $")
"""Match a limit: denying what exceeds it does not deny the limit itself (`nothing over 500 kg`)."""
_FORMER_AFTER = lazy(r",? to \w+")
_MOVES = lazy(r"\b(?:moved?|relocated?|switched|migrated|changed|transferred|renamed)\b")
_OTHERS_SAY = lazy(
    r"\b(?:(?:many|most|some)(?: people)?|people|one|you|they|others|everyone|everybody) (?:\w+ )?(?:might |would "
    r"|may |could |often |usually |still )?"
    r"(?:say|think|guess|credit|believe|assume|expect|claim|name|call|attribute)\b|\b(?:often|usually|widely"
    r"|commonly|popularly|wrongly|mistakenly) (?:said|credited|thought|believed|attributed|assumed)\b"
)
_DOUBTS = lazy(
    r"\b(?:(?:i|we) (?:(?:very much|really|highly|strongly|do) )?doubt"
    r"|(?:i|we) (?:do not|don't|cannot|can't) (?:think|believe)"
    r"|(?:it is|it's|it seems) (?:\w+ )?(?:doubtful|unlikely|improbable))\b(?P<then>[^.;:!?]*)$"
)
_EXCEPTS = lazy(r"\b(?:any\w*|nobody|no one|but|except|other than|not|n't)\b")
_TAKEN_BACK = lazy(
    r"\b(?:wrongly|mistaken(?:ly)?|but|however|incorrectly|actually|in (?:fact|reality|truth)|though|yet)\b"
    r"|; it was\b"
)
_SETS_ASIDE = lazy(
    r"\b(?:not|n't|isn't|wasn't|but|however|mistaken|wrong|rather|instead|think|guess|say|no|never|although|though"
    r"|actually|so|therefore|thus|hence|namely|called|is|was|are|were|wrote|by|known|which)\b"
)


def stance(reply: Answered, asked: Asked, answer: Expected, first: int, last: int) -> Stance:
    """Return the stance of the reply towards its words `first` to `last`, which match the expected answer."""
    passage = reply.passage
    if len(passage) == last - first + 1:
        return STANDS
    denial = None if asked.negative else _denial(reply, answer, first, last)
    brief = len(passage) <= _SHORT_REPLY
    if denial is not None:
        return denial._replace(sure=brief and denial.factor == 0.0)
    apart = find_exception(passage, first)
    if apart is not None and passage.stems[apart] not in answer.passage.stems:
        return Stance(0.0, f"says {passage.quote(apart, last)!r}", brief)
    past = _is_former(reply, asked, first, last)
    if past:
        return Stance(_FORMER, f"says {past!r} of it", brief)
    if _is_owner(reply, asked, answer, last):
        return Stance(_OF_ANOTHER, f"names something of {passage.quote(first, last)!r}", brief)
    if _is_unlikely(reply, first):
        return Stance(_FORMER, f"doubts {passage.quote(first, last)!r}", brief)
    if _is_doubted(reply, asked, first):
        return Stance(_FORMER, f"names {passage.quote(first, last)!r} only as what others say", brief)
    if _is_second(reply, asked, answer, first):
        return Stance(_OF_ANOTHER, f"answers otherwise before it names {passage.quote(first, last)!r}", True)
    if _is_one_choice(reply, asked, answer, first, last):
        return Stance(_OPEN, "leaves it open between several answers")
    if _is_compared(reply, asked, answer, first):
        return Stance(_OF_ANOTHER, f"names {passage.quote(first, last)!r} only beside another answer", brief)
    if _is_elsewhere(reply, asked, answer, first, last):
        return Stance(
            _OF_ANOTHER, f"names {passage.quote(first, last)!r} and answers otherwise", len(passage) <= _FEW_WORDS
        )
    if unsure(passage.folded):
        return Stance(_UNSURE, "is not sure")
    maybe = find_hedge(passage, first)
    return STANDS if maybe is None else Stance(_MAYBE, f"only says {passage.quote(maybe, last)!r}")


def _denial(reply: Answered, answer: Expected, first: int, last: int) -> Stance | None:
    """Return the stance due to a negation; for a negative answer, due to a missing one."""
    if answer.negative:
        return Stance(_NOT_DENIED, "says so without the negation") if NEGATORS.isdisjoint(reply.stems) else None
    place = find_negation(reply.passage, first, last)
    if (
        place is None
        or _is_quoted(reply, place, first)
        or "until" in reply.passage.stems[min(place, first) : max(place, last)]
        or (answer.only_facts and _BEYOND.search(reply.passage.folded[: reply.passage.starts[first]]))
    ):
        return None
    return Stance(0.0, f"says {reply.passage.quote(min(place, first), max(place, last))!r}")


def _is_quoted(reply: Answered, place: int, first: int) -> bool:
    """Whether a negation is inside a quotation or title that ends before the match."""
    passage = reply.passage
    between = passage.folded[passage.ends[place] : passage.starts[first]] if place < first else ""
    return between.count('"') % 2 == 1


def _is_one_choice(reply: Answered, asked: Asked, answer: Expected, first: int, last: int) -> bool:
    """Whether the match is one of several alternatives joined by `or`."""
    if "or" not in reply.stems or "or" in answer.passage.stems or _restates(reply, answer):
        return False
    stems, sentences = reply.passage.stems, reply.passage.sentences
    for place in range(max(0, first - _REACH_OF_OR), min(len(stems), last + _REACH_OF_OR + 1)):
        if stems[place] != "or" or sentences[place] != sentences[first]:
            continue
        if place > last and _is_in_brackets(reply, last, place):
            continue  # ENOENT (no such file or directory)
        after = stems[place + 1 : place + _REACH_OF_OR]
        if after and after[0] in _NO_CHOICE:
            continue
        if place > last and not _CONDITIONS.isdisjoint(stems[place + 1 : place + _REACH_OF_CONDITION]):
            continue  # or €55 if you pay at once
        if place > last and not _ACCOMPANIED.isdisjoint(stems[last + 1 : place]):
            continue  # lentils, served with rice or bread
        others = after if place > last else stems[max(0, place - _REACH_OF_OR + 1) : place]
        if any(_is_new(word, asked, answer) and word not in GENERIC for word in others):
            return True
    return False


def _is_in_brackets(reply: Answered, last: int, place: int) -> bool:
    """Whether a word is in brackets that open after the match, and begin with something other than `or`."""
    passage = reply.passage
    between = passage.folded[passage.ends[last] : passage.starts[place]]
    return between.count("(") > between.count(")") and between[between.rindex("(") + 1 :].strip() not in ("", "either")


def _restates(reply: Answered, answer: Expected) -> bool:
    """Whether all numbers equal the expected one: `One kilogram, or 1000 g`."""
    wanted = answer.facts.quantities
    if not answer.only_facts or len(wanted) != 1:
        return False
    return all(
        compare(wanted[0]._replace(about=_per_unit(other) != _per_unit(wanted[0])), other) in ("same", "rounded")
        for other in reply.facts.quantities
    )


def _per_unit(number: Quantity) -> float:
    """Return the amount of one unit, to distinguish units."""
    return round(number.readings[0].amount / number.value, 9) if number.value else 1.0


def _is_new(word: str, asked: Asked, answer: Expected) -> bool:
    return word not in STOP and word not in answer.weights and word not in asked.words


def _is_former(reply: Answered, asked: Asked, first: int, last: int) -> str:
    """Return the cue that the match is former: `used to be Astana`, `moved from Ghent to`, `migrated off
    PostgreSQL`."""
    passage = reply.passage
    around = passage.folded[max(0, passage.starts[first] - _LOOK_BACK) : passage.starts[first]]
    cue = _FORMER_CUE.search(around)
    if cue is not None and asked.words.isdisjoint(words(cue[0])):
        return cue[0].strip()
    after = _FORMER_AFTER.match(passage.folded, passage.ends[last])
    moved = around.endswith("from ") and after is not None and _MOVES.search(passage.folded) is not None
    return "from" if moved and "from" not in asked.words else ""


def _is_owner(reply: Answered, asked: Asked, answer: Expected, last: int) -> bool:
    """Whether the match is only a possessor: `the finance director's assistant`."""
    passage = reply.passage
    if last + 1 >= len(passage) or passage.clauses[last + 1] != passage.clauses[last]:
        return False
    if "'s" in answer.passage.folded or not passage.folded[passage.starts[last] : passage.ends[last]].endswith("'s"):
        return False
    after = passage.stems[last + 1]
    return after not in asked.words and after not in STOP and after not in answer.passage.stems


def _is_unlikely(reply: Answered, first: int) -> bool:
    """Whether the match is doubted: `I doubt that Jane Roe wrote it`, not `I doubt that anybody but Jane Roe did`."""
    found = _DOUBTS.search(_before(reply, first))
    return found is not None and _EXCEPTS.search(found["then"]) is None


def _before(reply: Answered, first: int) -> str:
    """Return the text of the sentence before the match."""
    passage = reply.passage
    begin = passage.sentences.index(passage.sentences[first])
    return passage.folded[passage.starts[begin] : passage.starts[first]]


def _is_doubted(reply: Answered, asked: Asked, first: int) -> bool:
    """Whether the match is reported and then rejected: `Most people credit Fleming, wrongly; …`"""
    if _OTHERS_SAY.search(_before(reply, first)) is None:
        return False
    return _TAKEN_BACK.search(reply.passage.folded, reply.passage.starts[first]) is not None


def _is_second(reply: Answered, asked: Asked, answer: Expected, first: int) -> bool:
    """Whether another name answers first, and is not set aside: `Phosphorus; potassium's symbol is …`"""
    passage = reply.passage
    if (
        asked.kind not in ("person", "place", "name", "date")
        or len(passage) > _SHORT_REPLY
        or not passage.sentences[first]
    ):
        return False
    opens = next((place for place in range(len(passage)) if not _is_title(reply, place)), 0)  # St. David; …
    opening = [place for place, number in enumerate(passage.sentences) if number <= passage.sentences[opens]]
    folded = passage.folded[: passage.ends[opening[-1]]]
    if _SETS_ASIDE.search(folded) or _SETS_ASIDE.search(
        passage.folded, passage.ends[opening[-1]], passage.starts[first]
    ):
        return False
    if first in opening or _GONE.search(folded):
        return False
    new = [
        place
        for place in opening
        if _is_new(passage.stems[place], asked, answer) and passage.stems[place] not in GENERIC
    ]
    return bool(new) and len(opening) <= _SHORT_ANSWER and _is_name(reply, new[0]) and new[0] <= 2


_GONE = lazy(r"\b(?:left|resigned|retired|quit|died|stepped down|gone|moved on)\W*$")
"""Match a departure: `Julia Stein left; Omar Haddad runs it now`."""


def _is_title(reply: Answered, place: int) -> bool:
    """Whether a word is only a title before a name: Gen., Sta., B.R."""
    word = reply.passage.stems[place]
    return word in TITLES or word == "sta" or "." in reply.passage.quote(place, place)


def _is_name(reply: Answered, place: int) -> bool:
    return reply.passage.quote(place, place)[:1].isupper()


def _is_compared(reply: Answered, asked: Asked, answer: Expected, first: int) -> bool:
    """Whether the match only describes another answer: `larger than Ankara`, `a contemporary of Shakespeare`."""
    stems = reply.passage.stems
    start = max(0, first - _REACH_OF_COMPARISON)
    before = stems[start:first]
    cues = [word for word in before if word in _COMPARISONS or (word in _RELATIONS and before[-1] in ("of", "to"))]
    if not cues or answer.only_facts or cues[0] in asked.words or cues[0] in answer.passage.stems:
        return False
    others = range(stems.index(cues[0], start))
    return any(_is_new(stems[place], asked, answer) or _is_option(reply, asked, answer, place) for place in others)


def _is_option(reply: Answered, asked: Asked, answer: Expected, place: int) -> bool:
    """Whether a word is an option in the question: `which is cheaper, A100 or H100`."""
    word = reply.passage.stems[place]
    known = word in answer.weights or word in STOP or word not in asked.words
    return not known and " or " in asked.folded and _is_name(reply, place)


def _is_elsewhere(reply: Answered, asked: Asked, answer: Expected, first: int, last: int) -> bool:
    """Whether another clause repeats the words of the question with another answer."""
    stems, clauses = reply.passage.stems, reply.passage.clauses
    if len(asked.content) < 2 or clauses[0] == clauses[-1] or len(stems) > _SHORT_REPLY:
        return False
    shared = taken_up(reply, asked)
    most = max(map(len, shared.values()), default=0)
    cleft = last + 2 < len(stems) and stems[last + 1] in _BE and stems[last + 2] in _CLEFT
    if cleft and shared.get(clauses[last + 2]):
        return False  # `Ghent is where the head office stands`
    if answer.only_facts and _IN_ALL.match(reply.passage.folded, reply.passage.ends[last]):
        return False  # `23 pairs, 46 in total`
    here = range(clauses[first], clauses[last] + 1)
    if most < max(2, _TAKES_UP * len(asked.content)) or any(len(shared.get(clause, ())) >= most for clause in here):
        return False
    answering = next(clause for clause, found in shared.items() if len(found) == most)
    there = [word for word, clause in zip(stems, clauses, strict=True) if clause == answering]
    around = [word for word, clause in zip(stems, clauses, strict=True) if clause in here]
    named = not answer.text[:1].isupper() or _brings_name(reply, asked, answer, answering)
    return named and not _is_only(around, answer) and _is_filled(there, asked, answer)


def _is_only(clause: list[str], answer: Expected) -> bool:
    """Whether a clause contains only the answer: `Timmy Smith (…)`."""
    return all(word in answer.passage.stems or word in _SMALL for word in clause)


def _brings_name(reply: Answered, asked: Asked, answer: Expected, clause: int) -> bool:
    """Whether a clause contains a name that neither question nor expected answer contain."""
    stems, clauses = reply.passage.stems, reply.passage.clauses
    places = (
        place for place, number in enumerate(clauses) if number == clause and _is_new(stems[place], asked, answer)
    )
    return any(_is_name(reply, place) for place in places)


def _is_filled(clause: list[str], asked: Asked, answer: Expected) -> bool:
    """Whether a clause gives another answer of the expected kind."""
    if not NEGATORS.isdisjoint(clause):
        return False
    others = {word for word in clause if _is_new(word, asked, answer)}
    if answer.only_facts:
        return any(word[0].isdecimal() for word in others)
    return 0 < len(others) <= _MOST_FILLING
