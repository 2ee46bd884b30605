"""Check who did it, and to whom: whether the expected name is on the side of the verb that the question asks for."""

from __future__ import annotations

import re
from typing import NamedTuple

from proctor.reading.expected import Answered, Expected
from proctor.reading.holders import holds_another
from proctor.reading.named import Aside, aside_of
from proctor.reading.names import TITLES, are_one
from proctor.reading.question import Asked
from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import PAST, stem, stem_set

_BEAT = (
    r"(?:beat(?:s|en)?|defeat(?:s|ed)|overc[ao]mes?|saw off|sees off|knock(?:s|ed) out|edg(?:es|ed)(?: out)?"
    r"|thrash(?:es|ed)"
    r"|out(?:plays|played|scored|classed|ran|did)|den(?:ies|ied)|eliminat(?:es|ed)|vanquish(?:es|ed)|rout(?:s|ed)"
    r"|trounc(?:es|ed)|oust(?:s|ed)|stunn?(?:s|ed)|crush(?:es|ed)|dispatch(?:es|ed)|top(?:s|ped)"
    r"|prevail(?:s|ed) (?:over|against))"
)
_LOSES = lazy(
    rf" (?:was|were|got|is|are|has been|had been|being) (?:\w+ly )?{_BEAT}\b"
    r"| (?:lost|loses|fell|succumbed|bowed|went down|surrendered|conceded|finished second|came second)\b"
)
_BEATEN = lazy(
    rf"(?<!by )\b{_BEAT} (?:\w+ ){{0,2}}?$|\b(?:won|victory|win|wins|triumph\w*) (?:over|against) (?:\w+ )?$"
)
_LOST_TO = lazy(r"\b(?:lost|loses|fell|succumbed|bowed|went down)(?: out)? to (?:\w+ )?$|\bby (?:\w+ )?$")
_ASKS_WINNER = lazy(r"\b(?:who|which \w+|what \w+) (?:\w+ )?(?:won|wins|win|beat|defeated)\b|\bwinner\b|\bchampion\b")
_ASKS_LOSER = lazy(
    r"\bdid\b[^?]*\b(?:beat|defeat)\b|\blost\b|\blose\b|\brunner\b|\bloser\b"
    r"|\b(?:was|were|is|got|been|be) (?:\w+ )?(?:beaten|defeated)\b"
)


def in_other_part(reply: Answered, asked: Asked, answer: Expected, first: int, last: int) -> str:
    """Explain that the expected answer is given another role than the question asks for; empty if it is not."""
    here = aside_of(reply, first, last)
    shown = repr(reply.passage.quote(first, last))
    if asked.kind not in ("person", "name", "place") or asked.negative:
        return ""
    if _ASKS_WINNER.search(asked.folded) and not _ASKS_LOSER.search(asked.folded):
        lost = _LOSES.match(here.after) or (_BEATEN.search(here.before) and not _LOST_TO.search(here.before))
        return f"says that {shown} lost" if lost else ""
    verb = asked_verb(asked)
    if verb is not None:
        party = _other_party(reply, asked, answer, verb, first, last) if verb.doer else ""
        party = party or _named_after(reply, asked, answer, verb, first)
        return party or _other_side(reply, here, verb, first, last, shown)
    if holds_another(reply, asked, last, here.after):
        return f"says that {shown} is something else"
    return _done_for(here, asked, shown)


class Verb(NamedTuple):
    """The verb of a question, and the role it asks for."""

    stem: str
    doer: bool
    """Whether the question asks for the doer, rather than the object of the action."""
    present: bool = False
    way: str = ""
    """Preposition after the verb: the `to` of `who reports to her`."""


_WHO_DID = lazy(r"^(?:and |so )?(?:who|which(?: [\w'-]+){1,3}?|what(?: [\w'-]+){1,2}?) (?P<verb>[a-z]+)\b")
_DONE_TO = lazy(
    r"\b(?:who|whom|what|which(?: [\w'-]+){1,2}) (?:did|does|do) .+? (?P<active>[a-z]+)(?: (?:to|for|after|with))?\W*$"
    r"|\b(?:who|whom|what|which [\w'-]+) (?:was|were|is|are) .+? (?P<passive>[a-z]+(?:ed|en)) (?:to|for|after)\W*$"
)
_NO_VERB = frozenset(
    ("is", "was", "are", "were", "has", "have", "had", "do", "does", "did", "can", "could", "will", "would", "should")
)
_OBJECT = lazy(r" (?:the|an?|it|this|that|his|her|their|its|our|my|your)\b")
_BOTH_WAYS = stem_set("marry married meet met wed date star feature join border resemble include")
"""Symmetric verbs, and verbs that apply to a work as well as to its participants."""


def asked_verb(asked: Asked) -> Verb | None:
    """Return the verb of a question like `who designed it` or `whom did she succeed`, or None for other questions."""
    to = _DONE_TO.search(asked.folded)
    if to is not None:
        return Verb(stem(to["active"] or to["passive"]), doer=False)
    match = _WHO_DID.match(asked.folded)
    if match is None or not _NO_VERB.isdisjoint(match[0].split()):
        return None
    verb = match["verb"]
    known = verb.endswith(("ed", "s")) or verb in PAST or _OBJECT.match(asked.folded, match.end())
    way = _WAY.match(asked.folded, match.end())
    return Verb(stem(verb), doer=True, present=verb.endswith("s"), way=way[1] if way else "") if known else None


_WAY = lazy(r" (to|for|with|from|after|on|at|over|under)\b")


_BE = stem_set("is was are were be been being")
_SMALL = stem_set("the a an her his its their one of king queen")


def _other_side(reply: Answered, here: Aside, verb: Verb, first: int, last: int, shown: str) -> str:
    """Explain that the name has the other role: `She succeeded Leopold` for `Who succeeded her?`"""
    stems, clauses = reply.passage.stems, reply.passage.clauses
    before = [place for place in range(first) if clauses[place] == clauses[first] and stems[place] not in _SMALL]
    if len(before) > 1 and stems[before[-1]] == verb.way and stems[before[-2]] == verb.stem:
        before.pop()  # Alice reports to Bob
    if verb.doer and before and stems[before[-1]] == verb.stem and verb.stem not in _BOTH_WAYS:
        passive = len(before) > 1 and stems[before[-2]] in _BE
        subject = len(before) > 1
        return f"says it of another, and {shown} is what it was done to" if subject and not passive else ""
    after = stems[last + 1] if last + 1 < len(stems) and clauses[last + 1] == clauses[last] else ""
    if not verb.doer and after == verb.stem and not here.before.rstrip().endswith(("to", "for", "by")):
        return f"says that {shown} did it"
    return _done_for(here, None, shown) if verb.doer else ""


_LED_BY = stem_set("after to for")


def _named_after(reply: Answered, asked: Asked, answer: Expected, verb: Verb, first: int) -> str:
    """Explain that it is named after another: `Named after Queen Ana` where another name is expected."""
    stems = reply.passage.stems
    for place, word in enumerate(stems[:-2]):
        if verb.doer or word != verb.stem or stems[place + 1] not in _LED_BY or first == place + 2:
            continue
        name = _name_at(reply, asked, answer, place + 2 + (stems[place + 2] in _SMALL or stems[place + 2] in TITLES))
        if name and first < place:
            return f"says it of {name!r}"
    return ""


_ASKS_MAKER = lazy(
    r"\b(?:author|writer|designer|composer|inventor|architect|founder|creator|painter|director|builder|maker|owner)\b"
)
_FOR = lazy(r"\b\w+(?:ed|en|t|d|n) (?:for|on behalf of|at the request of|in honou?r of) (?:the )?$")
_BY_ANOTHER = lazy(r"(?: [\w'-]+){0,3} by (?!the time|then|now|\d|\w+ing\b)")


def _done_for(here: Aside, asked: Asked | None, shown: str) -> str:
    """Explain that the name is the beneficiary: `It was written for the institute by Kern & Partner`."""
    if asked is not None and not _ASKS_MAKER.search(asked.folded):
        return ""
    if _FOR.search(here.before) and _BY_ANOTHER.match(here.after):
        return f"says that it was done for {shown}, by another"
    return ""


# Another clause that names somebody else

_SKIPPED = stem_set("who which that had has have then later finally actually also really himself herself in the end")
_SHORTEST_VERB = 3
_MOST_SUPERLATIVE = lazy(r"\b(?!for|inter|near|west|east|rest|best-)([a-z]{2,}est|most [a-z]+)\b")


_CONVERSE = {
    stem(word): stem_set(others)
    for one, other in (
        ("buy bought", "sell sold"), ("borrow", "lend lent loan"), ("receive get", "give gave award"),
        ("learn", "teach taught"), ("inherit", "bequeath leave left"), ("rent hire", "let"),
        ("follow succeed", "precede"),
    )
    for words, others in ((one, other), (other, one))
    for word in words.split()
}  # fmt: skip
"""Verb -> verbs that describe the same event from the other side."""
_RECIPIENT = lazy(r"\b(?:to|for|from|after) (?:the |mr |mrs |ms |dr |\w+ )?$")


def _other_party(reply: Answered, asked: Asked, answer: Expected, verb: Verb, first: int, last: int) -> str:
    """Explain that the name is the other party: `Noris sold it to Falken` for `Who bought it?`"""
    stems, clauses = reply.passage.stems, reply.passage.clauses
    after = stems[last + 1] if last + 1 < len(stems) and clauses[last + 1] == clauses[last] else ""
    if after and after in _CONVERSE.get(verb.stem, ()):
        return "does the reverse"
    here = [place for place in range(first) if clauses[place] == clauses[first]]
    verbs = [place for place in here if stems[place] == verb.stem]
    if not verbs or not _RECIPIENT.search(reply.passage.folded[: reply.passage.starts[first]]):
        return ""
    doer = _doer_at(reply, asked, answer, verbs[-1])
    return f"says it of {doer!r}" if doer and stems[verbs[-1] - 1] not in _BE else ""


def _made_by(reply: Answered, asked: Asked, answer: Expected, verb: Verb, first: int, last: int) -> str:
    """Return the name after `by`, directly after the verb or the thing asked about: `found by Reyes`."""
    passage, stems = reply.passage, reply.passage.stems
    for place, word in enumerate(stems[:-2]):
        thing = word in asked.content and not passage.quote(place, place)[:1].isupper()
        led = stems[place + 1] == "by" or stems[place + 1 : place + 3] == ["is", "by"]
        if not led or not (thing or word == verb.stem):
            continue
        at = stems.index("by", place) + 1
        name = _name_at(reply, asked, answer, at + (stems[at] in _SMALL or stems[at] in TITLES))
        if name and _is_said_apart(reply, at, first, last):
            return name
    return ""


def _is_said_apart(reply: Answered, at: int, first: int, last: int) -> bool:
    """Whether the name at `first` has a verb of its own, separate from the position `at`."""
    stems = reply.passage.stems
    if first < at:
        return "by" not in stems[max(0, first - 2) : first] and _does_something(reply, last, present=False)
    between = stems[at:first]
    return "by" not in between and not _BE.isdisjoint(between) and "who" not in between


def answers_otherwise(reply: Answered, asked: Asked, answer: Expected, first: int, last: int) -> str:
    """Return another name with the property asked for: `X paid for it and Y designed it`; empty if none."""
    if asked.negative or _IT_IS.search(reply.passage.folded[: reply.passage.starts[first]]):
        return ""
    if opened := _opening(reply, asked, answer, first):
        return opened
    verb, parts = asked_verb(asked), _clause_numbers(reply)
    if named := _told_apart(reply, asked, answer, first) or _on_other_way(reply, asked, answer, first):
        return named
    here = [word for word, part in zip(reply.passage.stems, parts, strict=True) if part == parts[first]]
    if verb is not None and verb.doer and (made := _made_by(reply, asked, answer, verb, first, last)):
        return made
    if verb is not None and verb.doer and verb.stem not in here:
        stems = reply.passage.stems
        busy = _does_something(reply, last, present=verb.present)
        places = [place for place, word in enumerate(stems) if word == verb.stem]
        places = [place for place in places if busy or stems[place + 1 : place + 2] in (["it"], ["them"])]
        return next((name for place in places if (name := _doer_at(reply, asked, answer, place))), "")
    if verb is not None and verb.doer and (named := _did_another(reply, asked, answer, verb, parts, first)):
        return named
    return _other_most(reply, asked, answer, here)


def _did_another(reply: Answered, asked: Asked, answer: Expected, verb: Verb, parts: list[int], first: int) -> str:
    """Return the name that shares the verb, if the expected name has another object: `X wrote it; Y wrote Emma`."""
    passage, stems = reply.passage, reply.passage.stems
    own = next((at for at, word in enumerate(stems) if word == verb.stem and parts[at] == parts[first]), -1)
    after = [at for at in range(own + 1, len(stems)) if parts[at] == parts[own] and stems[at] not in STOP]
    if (
        own < first
        or not after
        or stems[after[0]] in asked.words
        or not passage.quote(after[0], after[0])[:1].isupper()
    ):
        return ""
    for at, word in enumerate(stems[:-1]):
        taken = stems[at + 1] in _IT or stems[at + 1] in asked.content
        if word == verb.stem and parts[at] != parts[first] and taken and (name := _doer_at(reply, asked, answer, at)):
            return name
    return ""


_IT = frozenset(("it", "this", "that", "them"))
_IS = lazy(
    r"\b(?:the|their|its|his|her|our|your|my) (?P<key>[a-z]+)(?:'s name)?(?: of [\w ]{2,20}?)? (?:is|was)"
    r" (?:the |mr |mrs |ms |dr )*(?=\w)"
)
_LETTERS = 5


def _told_apart(reply: Answered, asked: Asked, answer: Expected, first: int) -> str:
    """Return the name that another clause identifies explicitly: `X is their aunt; their mother is Y`."""
    passage, parts = reply.passage, _clause_numbers(reply)
    for match in _IS.finditer(passage.folded):
        key = stem(match["key"])
        known = any(key == word or key[:_LETTERS] == word[:_LETTERS] != key[:_SHORTEST_VERB] for word in asked.content)
        place = next((at for at, start in enumerate(passage.starts) if start >= match.end()), -1)
        here = [word for word, part in zip(passage.stems, parts, strict=True) if part == parts[first]]
        apart = known and place >= 0 and parts[place] != parts[first] and key not in here
        if apart and (name := _name_at(reply, asked, answer, place)):
            return name
    return _is_the(reply, asked, answer, parts, first)


def _is_the(reply: Answered, asked: Asked, answer: Expected, parts: list[int], first: int) -> str:
    """Return the name of another clause with the role asked for: `Lyon is the capital, and Paris is the largest
    city`."""
    stems = reply.passage.stems
    here = {word for word, part in zip(stems, parts, strict=True) if part == parts[first]}
    for at in range(1, len(stems) - 2):
        key = stems[at + 2]
        if stems[at] not in _BE or stems[at + 1] not in _THE or key not in asked.content or key in here:
            continue
        named = _name_at(reply, asked, answer, at - 1)
        if named and parts[at] != parts[first] and not _BE.isdisjoint(here):
            return named
    return ""


_THE = frozenset(("the", "it", "their", "our", "your"))


_ENDS_IN = lazy(r"\b(from|to|into)\W*$")
_OTHER_WAY = {"from": ("to", "into"), "to": ("from",), "into": ("from", "out")}


def _on_other_way(reply: Answered, asked: Asked, answer: Expected, first: int) -> str:
    """Return the other end: `From Danish into Swedish` for `Which language is it translated from?`"""
    asks, stems = _ENDS_IN.search(asked.folded), reply.passage.stems
    if asks is None or not first or stems[first - 1] not in _OTHER_WAY[asks[1]]:
        return ""
    places = [place + 1 for place, word in enumerate(stems[:-1]) if word == stem(asks[1])]
    return next((name for place in places if (name := _name_at(reply, asked, answer, place))), "")


def _clause_numbers(reply: Answered) -> list[int]:
    """Number the clauses word by word; `and` starts a new one too."""
    parts, number = [], 0
    for place, word in enumerate(reply.passage.stems):
        changed = place and reply.passage.clauses[place] != reply.passage.clauses[place - 1]
        number += bool(changed) or word == "and"
        parts.append(number)
    return parts


_IT_IS = lazy(r"(?:\b(?:it|that|this)(?: is| was|'s|'d be| would be)|\bthe answer is) (?:the )?$")
_UNSAID = lazy(r"\b(?:doubt|not|never|wrong\w*|mistak\w+|myth|might|may|some|many|people)\b|n't\b")


def _does_something(reply: Answered, last: int, *, present: bool) -> bool:
    """Whether a verb follows the name directly."""
    passage = reply.passage
    if last + 1 >= len(passage) or passage.clauses[last + 1] != passage.clauses[last]:
        return False
    after = passage.folded[passage.starts[last + 1] : passage.ends[last + 1]]
    past = (after in PAST and stem(after) not in _BE) or (after.endswith("ed") and len(after) > _SHORTEST_VERB)
    return past or (present and after.endswith("s") and len(after) > _SHORTEST_VERB)


def _doer_at(reply: Answered, asked: Asked, answer: Expected, place: int) -> str:
    """Return the name that is the doer of the verb at a position: directly before it, or after `by`."""
    passage = reply.passage
    parts = _clause_numbers(reply)
    here = [at for at, part in enumerate(parts) if part == parts[place]]
    if _UNSAID.search(passage.folded[passage.starts[here[0]] : passage.ends[here[-1]]]):
        return ""
    if place and passage.stems[place - 1] in _BE:
        by = place + 1
        found = by + 1 if by + 1 < len(passage) and passage.stems[by] == "by" else -1
    else:
        found = place - 1
        while found >= 0 and passage.stems[found] in _SKIPPED:
            found -= 1
    return _name_at(reply, asked, answer, found) or _person_at(reply, asked, answer, found)


def _person_at(reply: Answered, asked: Asked, answer: Expected, place: int) -> str:
    """Return a person or body without a proper name: `her husband`, `the board`."""
    stems = reply.passage.stems
    if place < 1 or reply.passage.quote(place - 1, place - 1).lower() not in _DETERMINERS or stems[place] in STOP:
        return ""
    known = stems[place] in asked.words or stems[place] in answer.passage.stems
    return "" if known else reply.passage.quote(place - 1, place)


_DETERMINERS = frozenset(("the", "her", "his", "their", "its", "a", "an", "my", "our"))


def _other_most(reply: Answered, asked: Asked, answer: Expected, here: list[str]) -> str:
    """Return the name with the superlative asked for: `X is the capital, but the largest is Y`."""
    most = _MOST_SUPERLATIVE.search(asked.folded)
    if most is None or not stem_set(most[1]).isdisjoint(here):
        return ""
    match = re.search(rf"\b{most[1]}\b(?: \w+){{0,3}}? (?:is|was|are|were) (?:the )?", reply.passage.folded)
    if match is None:
        return ""
    found = next((place for place, start in enumerate(reply.passage.starts) if start >= match.end()), -1)
    return _name_at(reply, asked, answer, found)


def _name_at(reply: Answered, asked: Asked, answer: Expected, place: int) -> str:
    if not 0 <= place < len(reply.passage):
        return ""
    word = reply.passage.quote(place, place)
    known = reply.passage.stems[place] in asked.words or reply.passage.stems[place] in answer.passage.stems
    return word if word[:1].isupper() and not known and reply.passage.stems[place] not in STOP else ""


_OPENING = lazy(
    r"\W*(?:(?:it|that|this|he|she)(?:'s| is| was| would be)|you (?:want|need)|the answer is|use|try|go for) "
    r"(?:the |an? )?(?P<name>[\w'-]+(?: [\w'-]+)?)(?P<then>[.,;(]|$)"
)
_DOES = lazy(r"\W*(?P<name>[\w'-]+(?: [\w'-]+)?) (?:does|did|do|is|was|has|can|will)(?P<then>[.;!])")
_INSTEAD = lazy(r"\b(?:go for|choose|take|pick|use|order|try|have) (?:the |an? )?(?P<name>[\w'-]+)[^.;!?]*? instead\b")
_NO_NAME = lazy(r"\b(?:\w+(?:ed|ing|ly)|not|no|so|in|on|at|by|from|to|called|known|named|also|one|very|true|both)\b")


def _opening(reply: Answered, asked: Asked, answer: Expected, first: int) -> str:
    """Return another name that a reply opens with or recommends instead: `It's turmeric, sometimes sold as saffron`."""
    passage = reply.passage
    if any(
        name in passage.folded
        for name in (" namely", "i.e", " or rather", "in other words", "aka", "a.k.a", " called ")
    ):
        return ""
    instead = _INSTEAD.search(passage.folded)
    found = instead or _OPENING.match(passage.folded) or _DOES.match(passage.folded)
    stems, own = passage.stems, answer.passage.stems[-1]
    first = len(stems) - 1 - stems[::-1].index(own) if own in stems else first
    if found is None or (instead is None and found.end("name") > passage.starts[first]):
        return ""
    if instead is None and (
        " a " in found[0] or " an " in found[0] or (asked.kind != "name" and not _is_written(reply, found))
    ):
        return ""
    name_stems = stem_set(found["name"])
    other = name_stems - asked.words - frozenset(answer.passage.stems) - STOP
    if (
        not other
        or name_stems.issuperset(answer.weights)
        or any(are_one(one, word) for one in other for word in answer.weights)
    ):
        return ""
    return "" if _NO_NAME.search(found["name"]) else found["name"]


def _is_written(reply: Answered, found: re.Match[str]) -> bool:
    """Whether a match is capitalised like a name."""
    passage = reply.passage
    return len(passage.text) == len(passage.folded) and passage.text[found.start("name")].isupper()
