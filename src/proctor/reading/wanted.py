"""What a question for yes or no wants: how the clauses of a reply are held against it."""

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
"""What one may be free to do, though it ends or refuses something."""
NEED = stem_set(
    "must need require required necessary mandatory compulsory obligatory obliged should duty supposed responsible"
    " obligation"
)
"""Words of what must be done."""
MONEY = stem_set("pay charge fee cost price free")
"""Words of what must be paid."""
ALL = stem_set("all every everyone everybody always each entire whole")
"""Words of all."""
_NOUNS = stem_set(
    "damage allergy penalty failure mistake shortage breach loss error waste trouble danger problem objection"
    " exemption exclusion deficit offence veto defeat crash shortage poison"
)
"""Adverse words that name a thing: to ask about one is not to ask with a denial."""
_CALLED_OFF = stem_set("cancel cancellation withdraw withdrawal terminate termination revoke dismiss dismissal sack")
"""What means the same of a contract or an order."""
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
"""Verbs that deny: where a question asks whether something does it, it asks with a denial."""
_CAN = stem_set("can may could")
_ALLOWED = stem_set("allowed permitted possible ok okay")
_PERSONS = stem_set("i we you one they he she anyone anybody people")
_PRONOUNS = stem_set("i we you he she it they there one anyone anybody someone this that these those")
_ISNT = lazy(r"^\W*\w+n't\b|^\W*cannot\b")
_AUXILIARY = "is"
"""What stands for `isn't` and its like at the beginning of a question, which deny nothing."""
_BARE = stem_set("do does did can could will would may might must should shall need")
"""After these a verb stands in its bare form: what has another goes with a noun."""
_PARTICIPLE = lazy(r"\w{2,}(?:ed|en|torn|lost|stuck|sold)$")
_BE = stem_set("be been being is are was were get gets got have has had become left")
_FREE = lazy(r"\b\w+-free (?!of\b|in\b|on\b|for\b|at\b|to\b)\w")
_CONDITION = lazy(
    r"\b(?:if|when|unless|once|in case)\b|\b(?:after|before|while|until) (?:i|we|you|they|it|he|she|one)\b"
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question for yes or no, as its clauses are held against it."""

    stems: frozenset[str]
    known: frozenset[str]
    """These, and those that mean the same of an order or a contract."""
    content: frozenset[str]
    concepts: frozenset[str]
    neutral: frozenset[str]
    """Its words that deny elsewhere, and here only name a thing: `water damage`, `unused days`, `without flash`."""
    positive: bool
    """Whether it asks without a denial."""
    subject: str
    """What it is about, by its first telling word."""
    scope: frozenset[str]
    """What it ends with."""
    need: bool
    """Whether it asks what must be done or paid, or what can be done without."""
    duty: bool
    """Whether it asks what must be done."""
    leave: bool
    """Whether it asks what may or can be done."""
    lacking: frozenset[str]
    """What it asks to do without."""
    done: bool
    """Whether it asks if something has happened."""
    whole: bool
    """Whether it asks of all."""


@lru_cache(maxsize=256)
def wanted_by(asked: Asked) -> Wanted:
    """What a question wants of the clauses of a reply."""
    marked = marked_phrases(_ISNT.sub(_AUXILIARY, asked.folded))
    content = asked.content - NEGATORS
    said = WORD.findall(marked)
    stems = tuple(map(stem, said))
    neutral = frozenset(word for place, word in enumerate(stems) if _is_thing(stems, said, place))
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
    """A question without the condition that it ends with."""
    main = _CONDITION.split(marked, maxsplit=1)[0]
    return main if main.strip() else marked


def _subject(stems: tuple[str, ...], content: frozenset[str]) -> str:
    """Empty where a pronoun is: `Can I cancel …?`."""
    if len(stems) > 1 and stems[1] in _PRONOUNS:
        return ""
    return next((word for word in stems if word in content), "")


def _lacking(stems: tuple[str, ...], content: frozenset[str]) -> frozenset[str]:
    place = stems.index(WITHOUT) if WITHOUT in stems else len(stems)
    return content.intersection(stems[place + 1 : place + 4])


def _is_thing(stems: tuple[str, ...], said: list[str], place: int) -> bool:
    """Whether a word that denies elsewhere goes with a noun here, or is one."""
    word = stems[place]
    if word == WITHOUT:
        return True
    if is_adverse(word) and place and _is_asked_for(stems, said, place):
        return True
    after = stems[place + 1] if place + 1 < len(stems) else ""
    named = place > 0 and stems[place - 1] in ("a", "an")
    if not is_adverse(word) or (named and (stems[0] in _BE or not after or after in STOP)):
        return False
    if word == "stop" and after in ("at", "in", "here", "there", "on"):
        return True
    if stems[0] in _BARE - _CAN and stem(said[place]) == word and word in _FAILS and stems[place - 1] not in STOP:
        return False
    if word in _ENDED and not _MAY.isdisjoint(stems[:place]):
        return True
    return word in _NOUNS or (bool(after) and after not in STOP and not is_adverse(after))


def _is_asked_for(stems: tuple[str, ...], said: list[str], place: int) -> bool:
    """Whether somebody asks to do it (`can I dispute it`), or it only tells which one (`a bicycle stolen there`)."""
    before = stems[place - 1]
    if before in _PERSONS and not _MAY.isdisjoint(stems[: place - 1]):
        return True
    if before == "to" and not _MAY.isdisjoint(stems[:place]):
        return True
    if stems[place] in _NOUNS and before in ("a", "an") and _BE.isdisjoint((stems[0], stems[place - 2])):
        return True
    return stems[0] in _BARE and before not in _BE and _PARTICIPLE.match(said[place]) is not None


def _scope(stems: tuple[str, ...], content: frozenset[str]) -> frozenset[str]:
    """The last telling word of a question."""
    place = next((place for place in range(len(stems) - 1, -1, -1) if stems[place] in content), None)
    return frozenset() if place is None else frozenset((stems[place],))


def takes_up(word: str, wanted: Wanted) -> bool:
    """Whether a word is one of the question's, or of one root with it: registration, register."""
    if word in wanted.content or concept(word) in wanted.concepts or (word in wanted.known and word not in STOP):
        return True
    return any(is_root(word, other) for other in wanted.content)


def is_subject(word: str, wanted: Wanted) -> bool:
    """Whether a word only names what the question is about."""
    return len(wanted.content) > 1 and (is_root(word, wanted.subject) or concept(word) == concept(wanted.subject))
