"""Parse what a yes-no question asks, for comparison with the clauses of a reply."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from proctor.reading.lexicon import concept
from proctor.reading.opposites import NEGATORS
from proctor.reading.question import Asked
from proctor.reading.signed_phrases import DENIED, marked_phrases
from proctor.reading.signs import WITHOUT, is_adverse, is_root, sign_of
from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import WORD, stem, stem_set, stems_of

_MAY = stem_set("can may could allowed possible right able ok okay fine safe legal permitted")
_ENDED = stem_set(
    "cancel withdraw delete remove stop refuse reject decline exclude lose replace postpone suspend disable terminate"
    " revoke avoid block ban dismiss"
)
"""Verbs that end or refuse something, although one may be free to do it."""
NEED = stem_set(
    "must need require required necessary mandatory compulsory obligatory obliged should duty supposed responsible"
    " obligation"
)
"""Words of necessity."""
MONEY = stem_set("pay charge fee cost price free")
"""Words of payment."""
ALL = stem_set("all every everyone everybody always each entire whole")
"""Words that mean all."""
_NOUNS = stem_set(
    "damage allergy penalty failure mistake shortage breach loss error waste trouble danger problem objection"
    " exemption exclusion deficit offence veto defeat crash shortage poison"
)
"""Adverse words that name a thing: a question about one is not negative."""
_CALLED_OFF = stem_set("cancel cancellation withdraw withdrawal terminate termination revoke dismiss dismissal sack")
"""Synonyms for ending a contract or an order."""
_DONE = lazy(
    r"^(?:has|have) (?!to\b)|\b(?:already|yet|finished|over|done|completed?|fixed|resolved|ready|final|settled)\b|^"
    r"(?:is|are|was|were|did)\b.*\b(?:confirmed|arrived?|delivered|approved|signed|sent|processed|shipped|dispatched"
    r"|published|come (?:through|in|back)|go through|paid off|issued|in force|landed|launched|released)\W*$"
)
_FAILS = stem_set(
    "break spoil fail lose expire lapse stop halt ban exclude refuse reject deny decline prevent forbid prohibit"
    " lack miss crash"
    " collapse vanish disappear avoid ruin destroy violate infringe remove delete kill die harm void cancel waive"
    " affect disrupt"
)
"""Negative verbs: a question whether something does it is negative."""
_CAN = stem_set("can may could")
_ALLOWED = stem_set("allowed permitted possible ok okay")
_PERSONS = stem_set("i we you one they he she anyone anybody people")
_PRONOUNS = stem_set("i we you he she it they there one anyone anybody someone this that these those")
_ISNT = lazy(r"^\W*\w+n't\b|^\W*cannot\b")
_AUXILIARY = "is"
"""Replacement of `isn't` and the like at the beginning of a question, which negate nothing."""
_BARE = stem_set("do does did can could will would may might must should shall need")
"""Words followed by a bare infinitive: a verb in another form belongs to a noun."""
_PARTICIPLE = lazy(r"\w{2,}(?:ed|en|torn|lost|stuck|sold)$")
_BE = stem_set("be been being is are was were get gets got have has had become left")
_FREE = lazy(r"\b\w+-free (?!of\b|in\b|on\b|for\b|at\b|to\b)\w")
_CONDITION = lazy(
    r"\b(?:if|when|unless|once|in case)\b|\b(?:after|before|while|until) (?:i|we|you|they|it|he|she|one)\b"
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A parsed yes-no question, for comparison with clauses."""

    stems: frozenset[str]
    known: frozenset[str]
    """Its stems, with synonyms for ending a contract or order."""
    content: frozenset[str]
    concepts: frozenset[str]
    neutral: frozenset[str]
    """Words that are usually negative, but here only name a thing: `water damage`, `unused days`, `without flash`."""
    positive: bool
    """Whether it asks without a negation."""
    subject: str
    """Its subject, by its first content word."""
    scope: frozenset[str]
    """The content word that it ends with."""
    need: bool
    """Whether it asks about duty, payment, or doing without something."""
    duty: bool
    """Whether it asks about a duty."""
    leave: bool
    """Whether it asks about permission or possibility."""
    lacking: frozenset[str]
    """What it asks to do without."""
    done: bool
    """Whether it asks if something has happened."""
    whole: bool
    """Whether it asks about all of something."""


@lru_cache(maxsize=256)
def wanted_by(asked: Asked) -> Wanted:
    """Parse a yes-no question."""
    marked = marked_phrases(_ISNT.sub(_AUXILIARY, asked.folded))
    content = asked.content - NEGATORS
    words = WORD.findall(marked)
    stems = tuple(map(stem, words))
    neutral = frozenset(word for place, word in enumerate(stems) if _is_thing(stems, words, place))
    neutral |= {word for word in stems_of(marked[len(_main(marked)) :]) if is_adverse(word)}
    if _FREE.search(asked.folded):
        neutral |= {DENIED}
    if "non-" in asked.folded:
        neutral |= {"non", *(word for before, word in pairwise(stems) if before == "non")}
    if not _CALLED_OFF.isdisjoint(neutral):
        neutral |= _CALLED_OFF
    return Wanted(
        stems=frozenset(stems),
        known=frozenset(stems) | (neutral - {WITHOUT}),
        content=content,
        concepts=frozenset(map(concept, content)),
        neutral=neutral,
        positive=sign_of(stems_of(_main(marked)), frozenset(), neutral, plain=True) > 0,
        subject=_subject(stems, content),
        scope=_scope(stems, content),
        need=not (NEED | MONEY | {WITHOUT}).isdisjoint(stems),
        duty=not NEED.isdisjoint(stems),
        leave=(stems[:1] != () and stems[0] in _CAN) or not _ALLOWED.isdisjoint(stems),
        lacking=_lacking(stems, content),
        done=_DONE.search(asked.folded) is not None and "still" not in stems and "ever" not in stems,
        whole=not ALL.isdisjoint(stems),
    )


def _main(marked: str) -> str:
    """Return a question without a condition at its end."""
    main = _CONDITION.split(marked, maxsplit=1)[0]
    return main if main.strip() else marked


def _subject(stems: tuple[str, ...], content: frozenset[str]) -> str:
    """Return the first content word; empty if the subject is a pronoun: `Can I cancel …?`"""
    if len(stems) > 1 and stems[1] in _PRONOUNS:
        return ""
    return next((word for word in stems if word in content), "")


def _lacking(stems: tuple[str, ...], content: frozenset[str]) -> frozenset[str]:
    place = stems.index(WITHOUT) if WITHOUT in stems else len(stems)
    return content.intersection(stems[place + 1 : place + 4])


def _is_thing(stems: tuple[str, ...], words: list[str], place: int) -> bool:
    """Whether a usually negative word modifies a noun here, or is one."""
    word = stems[place]
    if word == WITHOUT:
        return True
    if is_adverse(word) and place and _is_asked_for(stems, words, place):
        return True
    after = stems[place + 1] if place + 1 < len(stems) else ""
    named = place > 0 and stems[place - 1] in ("a", "an")
    if not is_adverse(word) or (named and (stems[0] in _BE or not after or after in STOP)):
        return False
    if word == "stop" and after in ("at", "in", "here", "there", "on"):
        return True
    if stems[0] in _BARE - _CAN and stem(words[place]) == word and word in _FAILS and stems[place - 1] not in STOP:
        return False
    if word in _ENDED and not _MAY.isdisjoint(stems[:place]):
        return True
    return word in _NOUNS or (bool(after) and after not in STOP and not is_adverse(after))


def _is_asked_for(stems: tuple[str, ...], words: list[str], place: int) -> bool:
    """Whether a negative word is the action asked about (`can I dispute it`), or an attribute (`stolen there`)."""
    before = stems[place - 1]
    if before in _PERSONS and not _MAY.isdisjoint(stems[: place - 1]):
        return True
    if before == "to" and not _MAY.isdisjoint(stems[:place]):
        return True
    if stems[place] in _NOUNS and before in ("a", "an") and _BE.isdisjoint((stems[0], stems[place - 2])):
        return True
    return stems[0] in _BARE and before not in _BE and _PARTICIPLE.match(words[place]) is not None


def _scope(stems: tuple[str, ...], content: frozenset[str]) -> frozenset[str]:
    """Return the last content word of a question."""
    place = next((place for place in range(len(stems) - 1, -1, -1) if stems[place] in content), None)
    return frozenset() if place is None else frozenset((stems[place],))


def takes_up(word: str, wanted: Wanted) -> bool:
    """Whether a word occurs in the question, or has the same root: registration, register."""
    if word in wanted.content or concept(word) in wanted.concepts or (word in wanted.known and word not in STOP):
        return True
    return any(is_root(word, other) for other in wanted.content)


def is_subject(word: str, wanted: Wanted) -> bool:
    """Whether a word only names the subject of the question."""
    return len(wanted.content) > 1 and (is_root(word, wanted.subject) or concept(word) == concept(wanted.subject))
