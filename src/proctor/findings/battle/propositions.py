"""Which questions are about one proposition: by the examiner's record, or by what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from proctor.findings.battle.challenge import FILLERS, contests, goes_to_first, offers, own_words, rivals
from proctor.findings.battle.fault import read_fault
from proctor.text.claims import claims
from proctor.text.fold import fold
from proctor.text.negation import NEGATIONS
from proctor.text.words import stem, stem_set, words
from proctor.transcript import Turn

Kind = Literal["yes-no", "who", "when", "where", "amount", "choice", "how", "open"]
"""What a question asks for."""

_AUXILIARY = (
    r"(?:is|are|am|was|were|do|does|did|can|could|has|have|had|will|would|should|shall|may|might|must)(?:n't| not)?"
)
_ASKS_YES_NO = re.compile(rf"(?:so,? |and |but )?{_AUXILIARY}\b|.*, (?:right|correct|isn't it|is it)\?$")
_FALSE = r"(?:false|wrong|untrue|incorrect)"
_INVERTED = re.compile(
    rf"\b(?:is|was) (?:this|that|the following|it)(?: statement| claim| answer)? {_FALSE}\b"
    rf"|\bwould (?:it|that|this) be {_FALSE}\b|\bopposite of (?:this|that)\b"
    r"|\bis it (?:true|correct|right|the case|a fact) that\b[^?]*(?:\bnot\b|n't\b|\bcannot\b|\bnever\b)"
    r"|^so\b[^?]*(?:\bnot\b|n't\b|\bcannot\b|\bnever\b)[^?]*, (?:right|correct)\?$"
)
_DOUBTS = re.compile(
    r"\b(?:are|is) (?:you|that|this|it) (?:\w+ )?(?:sure|certain|positive)\b|^really\b|\bwould you answer the same\b"
    r"|\bdo you (?:really |still )?(?:think so|believe that|stand by)\b"
)
_ASKS_SOURCE = re.compile(
    r"\bsources?\b|\bwhere can i read\b|\bquote the passage\b|\bwhere did you (?:read|get|find)\b"
)
_KINDS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (
        re.compile(
            r"\bwhen\b|\b(?:what|which) (?:time|year|date|day|month|century)\b|\bhow (?:long ago|early|late|soon)\b"
        ),
        "when",
    ),
    (
        re.compile(
            r"\bhow (?:many|much|long|far|tall|high|big|large|old|deep|wide|heavy|fast|often)\b"
            r"|\b(?:price|cost|number|amount|share|percentage|weight|height|length|temperature|limit|maximum|minimum)\b"
        ),
        "amount",
    ),
    (re.compile(r"\b(?:who|whom|whose)\b"), "who"),
    (re.compile(r"\bwhere\b"), "where"),
    (re.compile(r"\b(?:how|why)\b"), "how"),
)
_OPENS = re.compile(rf"(?:what|who|whom|whose|which|when|where|why|how|{_AUXILIARY})\b")
_TELLING = stem_set(
    "before after above below over under without with only all any both each more most less few since until from to "
    "between during up down in out right wrong true false correct"
)
"""Small words that still tell one question from another: from Rome, to Rome."""
_ASKING = stem_set("time year date day name")
_TELL_NOTHING = FILLERS | NEGATIONS | _ASKING
_FRAME = re.compile(r"\bis it (?:true|correct|right|the case|a fact) that\b|^in (?=which|what)|^for (?=how)")
_ALIKE = """
begin start commence open | end finish close stop | author write writer | found establish | price cost | film movie
| big large | buy purchase | borrow loan lend | height tall high | length long | biggest largest | last duration
"""
_SAME_AS = {
    stem(word): stem(group.split()[0]) for group in _ALIKE.split("|") for word in group.split() if group.split()
}
_READ = 2_000
_KEPT = 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Inquiry:
    """A question, as far as two replies to it can be held against each other."""

    asked: str
    """The part that asks, folded: without a doubt or a frame before it."""
    kind: Kind
    stems: frozenset[str]
    """Every stem of the whole question."""
    content: frozenset[str]
    """The telling stems of the part that asks."""
    doubts: bool
    """Whether it doubts the earlier answer."""
    contests: bool
    """Whether it doubts or denies the earlier answer, or asks to look at it again."""
    offers: bool
    """Whether it puts an answer of its own forward to be granted."""
    own: frozenset[str]
    """Stems of the whole question beside those that only contest."""
    source: bool
    """Whether it asks where the answer comes from."""
    inverted: bool
    """Whether a yes to it denies the proposition."""
    negative: bool
    """Whether it holds a negation: then a bare no may mean either."""
    key: tuple[object, ...]
    """Equal for a question and its paraphrase."""


@lru_cache(maxsize=_KEPT)
def read_inquiry(question: str) -> Inquiry:
    """What a question asks."""
    folded = " ".join(fold(question[:_READ], accents=False).split())
    inverted = _INVERTED.search(folded) is not None
    asked = folded if inverted else _asking_part(folded)  # what a yes would deny may stand anywhere in it
    own = _stems(asked)
    stems = frozenset(own if asked == folded else words(folded))
    kind: Kind = "yes-no" if inverted else _kind(asked)
    negative = not NEGATIONS.isdisjoint(own)
    content = frozenset(own) - FILLERS - NEGATIONS
    return Inquiry(
        asked=asked,
        kind=kind,
        stems=stems,
        content=content,
        doubts=_DOUBTS.search(folded) is not None,
        contests=contests(folded),
        offers=offers(folded),
        own=own_words(folded) - NEGATIONS,
        source=_ASKS_SOURCE.search(folded) is not None,
        inverted=inverted,
        negative=negative,
        key=_key(words(_FRAME.sub(" ", asked)) if _FRAME.search(asked) else own, kind, negative),
    )


def _key(asked: Sequence[str], kind: Kind, negative: bool) -> tuple[object, ...]:
    """What makes two questions one: kind, telling words in one spelling, and which of them small words lead up to.

    A negation tells open questions apart; with one for yes or no the sides of the replies are told by it, but there
    the order of the words counts: who beat whom.
    """
    content: list[str] = []
    led: list[str] = []
    leading = ""
    for word in asked:
        if word in _TELLING:
            leading = word
        elif word not in _TELL_NOTHING:
            content.append(_SAME_AS.get(word, word))
            led.append(f"{leading} {content[-1]}")
            leading = ""
    small = frozenset([*led, leading])
    return (kind, small, tuple(content)) if kind in ("yes-no", "choice") else (kind, small, negative)


def _asking_part(folded: str) -> str:
    """The last sentence that asks something of its own; what a colon or `given that,` leads up to stands alone."""
    backwards = claims(folded)[::-1]
    asking = (sentence for sentence in backwards if sentence.endswith("?") and _tells(sentence))
    last = next(asking, None) or next(filter(_tells, backwards), folded)
    for mark in (": ", ", "):
        _, found, rest = last.rpartition(mark)
        if found and _OPENS.match(rest) and _tells(rest):
            return rest
    return last


def _tells(sentence: str) -> bool:
    """Whether it has a word that asks something by itself."""
    return not FILLERS.issuperset(_stems(sentence))


_stems = lru_cache(maxsize=_KEPT)(words)
"""A sentence's stems, which are looked at several times; nobody may change them."""


def _kind(asked: str) -> Kind:
    if _ASKS_YES_NO.match(asked):
        return "choice" if " or " in asked and " or not" not in asked else "yes-no"
    return next((kind for pattern, kind in _KINDS if pattern.search(asked)), "open")


class Thread(NamedTuple):
    """The turns before one that are about its proposition."""

    same: Sequence[Turn]
    """All of them, the one that opened it first; at least one has a reply to be held to."""

    @property
    def first(self) -> Turn:
        """The one that opened it."""
        return self.same[0]

    @property
    def nearest(self) -> Turn:
        """The last one with a reply to be held to."""
        return next(self.earlier())

    def earlier(self) -> Iterator[Turn]:
        """Those with a reply to be held to, the nearest first."""
        return filter(_is_answered, reversed(self.same))


def thread_of(turns: Sequence[Turn]) -> Thread | None:
    """What the last turn goes back to; None: it is the first on its proposition.

    The examiner's record of what a question goes back to comes first; without one, a question goes back to the
    earlier one that it repeats or paraphrases, and one that asks nothing of its own to the one before it.
    """
    topics = _topics(turns)
    if not topics or topics[-1] == turns[-1].number:
        return None
    return _thread([turn for turn, topic in zip(turns, topics, strict=True) if topic == topics[-1]][:-1])


def threads(turns: Sequence[Turn]) -> Iterator[Thread | None]:
    """The same for each turn of a conversation, in one pass."""
    earlier: dict[int, list[Turn]] = {}
    for turn, topic in zip(turns, _topics(turns), strict=True):
        same = earlier.setdefault(topic, [])
        yield _thread(tuple(same))
        same.append(turn)


def _thread(same: Sequence[Turn]) -> Thread | None:
    return Thread(same) if any(map(_is_answered, reversed(same))) else None


def _is_answered(turn: Turn) -> bool:
    """Whether it has a reply that says anything, to a fair question."""
    return turn.reply is not None and not turn.fault and bool(turn.reply.text) and not turn.reply.text.isspace()


def _topics(turns: Sequence[Turn]) -> list[int]:
    """Turn by turn, the number of the first turn on its proposition."""
    by_number: dict[int, int] = {}
    by_key: dict[tuple[object, ...], int] = {}
    before: Turn | None = None
    for turn in turns:
        topic = by_number.get(turn.refers_to) if turn.refers_to is not None else None
        if topic is None:
            inquiry = read_inquiry(turn.question)
            topic = by_key.get(inquiry.key) if inquiry.content else None
            if topic is None and before is not None and points_back(turns[0], before, turn.question):
                to_first = goes_to_first(fold(turn.question[:_READ], accents=False))
                topic = by_number[turns[0].number if to_first else before.number]
            if topic is None:
                topic = turn.number
            if inquiry.content:
                by_key.setdefault(inquiry.key, topic)
        by_number[turn.number] = topic
        if not turn.fault or read_fault(turn.fault).kind == "off-topic":
            before = turn
    return list(by_number.values())


def points_back(first: Turn, before: Turn, question: str) -> bool:
    """Whether a question goes on about what was said, and asks nothing of its own: `My boss says 9. Are you sure?`

    It contests the answer, asks for its source, or offers another; it may name that one, and take up what was said.
    """
    inquiry = read_inquiry(question)
    against = rivals(question)
    if not (inquiry.contests or inquiry.source or (inquiry.offers and against)):
        return False
    return inquiry.own - against <= _said(first) | _said(before)


def _said(turn: Turn) -> frozenset[str]:
    """The stems of a question and its reply."""
    reply = turn.reply.text if turn.reply is not None else ""
    return _words_of(turn.question[:_READ]) | _words_of(reply[:_READ])


@lru_cache(maxsize=_KEPT)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(words(fold(text, accents=False)))
