"""Parse two exchanges of one conversation, and relate the later question to the earlier one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from proctor.reading.challenge import CONTESTING
from proctor.reading.inquiry import Inquiry, is_light, plain_words
from proctor.reading.lexicon import akin, concept
from proctor.reading.link import kinds_meet, missing, one_question
from proctor.reading.opposites import ADVERSE
from proctor.reading.relations import OPPOSITE_CONCEPTS, are_opposed
from proctor.reading.statement import Statements
from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import STOP
from proctor.reading.text.units import units_named
from proctor.reading.text.words import stem_set, words

Relation = Literal["same", "offer", "near", "other"]
"""How a later question relates to the topic.

`same`: both replies answer one question. `offer`: it proposes an answer to the topic. `near`: it asks nothing new about
the same subject. `other`: anything else.
"""

_MANY = 3
_OF_IT = lazy(
    r"(?:so |but |and )?(?:(?:it|that|he|she|they)(?:'s| is| was| are| were)|(?:is|was|isn't|wasn't) (?:it"
    r"|that|he|she))\b"
)
_PERIODS = frozenset(("hour", "day", "week", "month", "year", "night"))
_MEASURES = frozenset(
    map(
        concept,
        stem_set("age height length weight price speed depth width distance size temperature duration many much"),
    )
)
"""Measures that an answer by number need not name."""
TIMES = stem_set(
    "monday tuesday wednesday thursday friday saturday sunday weekday weekend january february march april "
    "may june july "
    "august september october november december spring summer autumn winter christmas easter morning afternoon evening "
    "night noon midnight today tomorrow holiday bank week month year"
)
"""Stems of time expressions."""
_OF_ALL = lazy(
    r"\b(?:every|all|always|any ?time|never|none|nobody|no one|everyone|everybody|everywhere|without exception)\b"
)


_CONVERTS = lazy(
    r"\b(?:can|could|would) you (?:please )?(?:say|give|tell|convert|put|express|write|repeat)\b[^?]*"
    r"\b(?:that|it|this)\b[^?]*\b(?:in|to|into) ([a-z]+)\W*$"
    r"|\b(?:what|how (?:much|many|far|long|tall|high|heavy))(?:'s| is| are| would)? (?:that|it|this)(?: be)?"
    r" in ([a-z]+)\W*$|^(?:and |so )?in ([a-z]+)\W*$"
)
_AGAIN = lazy(r"\bagain\W*$|\bdid you say\W*$|\bonce more\W*$|\bone (?:last|more) time\b")
_PRONOUN = lazy(r"\b(?:it|its|they|their|he|his|she|her|we|our|you)\b")
_CALLED_IT = lazy(r"\b(?:it|its|they|them|he|him|she|there)\b")
_TURNING = ADVERSE - stem_set("fine")  # `fined` is adverse, but its stem is that of `fine`


class Exchange(NamedTuple):
    """A question and the reply to it."""

    question: str
    reply: str


class Found(NamedTuple):
    """A conflict found by a rule, before the quotes are mapped to the raw replies."""

    kind: str
    earlier: str
    """The sentence in the earlier reply."""
    later: str
    """The sentence in the later reply."""
    reason: str


class Pair(NamedTuple):
    """Two parsed exchanges."""

    said: tuple[Exchange, Exchange]
    topic: Inquiry
    """The question that opened the thread."""
    asked: tuple[Inquiry, Inquiry]
    statements: tuple[Statements, Statements]
    relation: Relation
    linked: bool = False
    """Whether both exchanges are known to answer the same question."""

    @property
    def known(self) -> frozenset[str]:
        """Stems of all questions, which cannot be an answer."""
        return self.topic.stems.union(self.asked[0].stems, self.asked[1].stems)

    @property
    def before(self) -> frozenset[str]:
        """Stems of everything said before the later question."""
        return self.topic.stems.union(self.asked[0].stems, _words_of(self.statements[0]))

    @property
    def answers_one_question(self) -> bool:
        """Whether both replies answer the same question, so that their values are comparable."""
        return self.relation == "same"


def relate(topic: Inquiry, earlier: Statements, asked: Inquiry, later: Statements, *, linked: bool) -> Relation:
    """Classify how a later question relates to the topic, given the replies to both."""
    if linked or one_question(topic, asked) or _points_back(topic, earlier, asked) or _asks_once_more(topic, asked):
        return "same"
    if asked.others:
        return "other"
    if _restates(topic, earlier, asked, later) or _is_instance(topic, earlier, asked):
        return "same"
    if is_reverse(topic, asked):
        return "near"
    times = asked.times - topic.times - (_PERIODS if topic.kind == "amount" else frozenset())
    if times or not asked.numbers <= topic.numbers | _words_of(earlier):
        return "offer" if _offers(topic, asked) and not times else "other"
    if _offers(topic, asked):
        return "offer"
    new = _new(topic, earlier, asked)
    if new:
        return "other"
    shared = any(not is_light(word) for word in asked.telling)
    if not shared:
        return "same"
    return "same" if kinds_meet(topic, asked) and not asked.of_object else "near"


def _asks_once_more(topic: Inquiry, asked: Inquiry) -> bool:
    """Whether the later question repeats the topic or asks to convert the answer: `can you say that in miles?`"""
    unit = _CONVERTS.search(asked.asked)
    if unit is not None and topic.kind == "amount":
        return bool(units_named(next(filter(None, unit.groups()))))
    shared = any(not is_light(word) and any(akin(word, own) for own in topic.telling) for word in asked.telling)
    return _AGAIN.search(asked.asked) is not None and shared and kinds_meet(topic, asked)


def _restates(topic: Inquiry, earlier: Statements, asked: Inquiry, later: Statements) -> bool:
    """Whether a sentence of the later reply restates the topic, whatever was asked.

    The words of the later question count as well, unless it sets bounds of its own.
    """
    wanted = [word for word in topic.telling if not is_light(word)]
    bounded = any(word in asked.bounds for word in _new(topic, earlier, asked))
    for claim in later.claims:
        own = claim.stems | _plain_stems(claim.passage.folded)
        met = [word for word in wanted if _is_met(word, own, turned=topic.kind == "yes-no")]
        if claim.open or claim.mentions or not met:
            continue
        left = [word for word in wanted if not _is_met(word, own | asked.stems, turned=topic.kind == "yes-no")]
        if len(met) == len(wanted) or (not bounded and (not left or _is_trifle(left, wanted, met))):
            return True
    return False


def _is_trifle(left: list[str], wanted: list[str], met: list[str]) -> bool:
    """Whether a restatement omits only a minor word (`statistically`) and includes the last one."""
    return len(left) == 1 and len(wanted) >= _MANY and wanted[-1] in met


def _is_instance(topic: Inquiry, earlier: Statements, asked: Inquiry) -> bool:
    """Whether the later question asks about one case of a general statement: free every day, free on weekdays."""
    if topic.kind != "yes-no" or asked.kind != "yes-no" or missing(topic, asked.telling):
        return False
    if not TIMES.issuperset(missing(asked, topic.telling)):
        return False
    return any(_OF_ALL.search(claim.passage.folded) for claim in earlier.claims if not claim.open)


def is_reverse(topic: Inquiry, asked: Inquiry) -> bool:
    """Whether a yes to the later question means no to the earlier one: open to cyclists, cyclists are excluded."""
    if topic.kind != "yes-no" or asked.kind != "yes-no":
        return False
    new = missing(asked, topic.telling)
    turned = all(_is_adverse(word) or any(are_opposed(word, own) for own in topic.telling) for word in new)
    return bool(new) and turned and _same_subject(topic, asked)


def _is_adverse(word: str) -> bool:
    """Whether a stem negates any statement; a word with an opposite of its own only negates that."""
    return word in _TURNING and not OPPOSITE_CONCEPTS.get(concept(word))


def _same_subject(topic: Inquiry, asked: Inquiry) -> bool:
    """Whether the later question mentions the subject of the earlier one, or refers to it by a pronoun."""
    shared = any(not is_light(word) and any(akin(word, own) for own in topic.telling) for word in asked.telling)
    return shared or _CALLED_IT.search(asked.asked) is not None


def says_all(topic: Inquiry, folded: str) -> bool:
    """Whether a text covers all of a question except its bounds; a pronoun may stand for its subject."""
    stems = words(plain_words(folded))
    telling = [word for word in dict.fromkeys(topic.telling) if not is_light(word)]
    left = [word for word in telling if word not in topic.bounds and not _is_met(word, stems, turned=True)]
    return not left or (left == telling[:1] and len(telling) > 1 and _PRONOUN.search(folded) is not None)


@lru_cache(maxsize=1024)
def _plain_stems(folded: str) -> frozenset[str]:
    return frozenset(words(plain_words(folded)))


def _is_met(word: str, others: Iterable[str], *, turned: bool) -> bool:
    """Whether a stem has a counterpart among others; with `turned`, its opposite counts too."""
    return any(akin(word, other) or (turned and are_opposed(word, other)) for other in others)


def _points_back(topic: Inquiry, earlier: Statements, asked: Inquiry) -> bool:
    """Whether a question only challenges the answer, or proposes another one: `Are you sure? My boss says 9.`"""
    if not (asked.contests or asked.source):
        return False
    own = {word for word in asked.own if not is_light(concept(word))}
    return own - asked.rivals <= topic.stems | _words_of(earlier) | CONTESTING


def _words_of(earlier: Statements) -> frozenset[str]:
    return frozenset().union(*(claim.stems for claim in earlier.claims))


def _new(topic: Inquiry, earlier: Statements, asked: Inquiry) -> list[str]:
    """Return the words of the later question that are new; for a yes-no question opposites are not."""
    before = (*topic.telling, *_words_of(earlier))
    turned = "yes-no" in (topic.kind, asked.kind)
    return [
        word for word in missing(asked, before) if not (turned and any(are_opposed(word, other) for other in before))
    ]


def _offers(topic: Inquiry, asked: Inquiry) -> bool:
    """Whether a yes-no question fills in an answer in place of the earlier question word."""
    if asked.kind != "yes-no" or topic.kind in ("yes-no", "choice", "why", "how"):
        return False
    own = [word for word in asked.telling if not is_light(word)]
    if own and (all(word[:1].isdigit() for word in own) or (_OF_IT.match(asked.asked) and len(own) <= _MANY)):
        return True
    left = [word for word in missing(topic, asked.telling) if word not in STOP]
    if asked.numbers:
        left = [word for word in left if word not in _MEASURES]
    return not left and any(not is_light(word) for word in topic.telling)
