"""What a reply states: numbers, dates, times, names, yes or no; each with the sentence it stands in."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from proctor.findings.battle.challenge import FILLERS
from proctor.reviewers.embedded.reading import Fact, read_facts
from proctor.text.claims import claims
from proctor.text.fold import fold
from proctor.text.negation import NEGATIONS, NEGATORS, declines, excepted, hedged, negated, polarity, unsure
from proctor.text.overlap import GENERIC, STOP
from proctor.text.passage import Passage, passage_of
from proctor.text.places import without_places
from proctor.text.words import PAST, stem_set, words

_READ = 4_000
"""Characters read of a reply: what stands further down is seldom its answer."""
_KEPT = 512
_SUPPOSES = re.compile(r"(?:even )?(?:if|suppose|supposing|assuming|imagine|had)\b|.*\bit were\b")
_REPORTS = re.compile(
    r"\byou (?:say|said|mention|mentioned|claim|claimed|wrote|told|suggest|suggested|ask|asked|state|stated)\b"
    r"|\b(?:many|some|most|people|others|they|colleagues?)(?: people)? (?:think|thinks|say|says|believe|claim|assume)\b"
    r"|(?<!as )\bi (?:\w+ )?(?:said|told|stated|claimed|wrote|answered|gave)\b|\bwrong to (?:say|state|claim)\b"
)
_CONCEDES = re.compile(
    r"\byou(?: are|'re) (?:\w+ )?(?:right|correct)\b[,.:;!]*|\b(?:i'm |i am )?(?:so |very |deeply )?sorry\b"
    r"(?: (?:for|about) [^,.:;]*)?[,.:;!]*"
    r"|\b(?:i |my )?apolog(?:ise|ize|ies|y)\b(?: for [^,.:;]*)?[,.:;!]*|\bmy (?:mistake|bad|error)\b[,.:;!]*"
    r"|\bi was (?:wrong|mistaken|incorrect)\b(?: about [^,.:;]*)?[,.:;!]*|\bi (?:misspoke|stand corrected)\b[,.:;!]*"
    r"|\bi made (?:a|an) (?:mistake|error)\b[,.:;!]*|\bcorrection\b[,.:;!]*"
    r"|\bi (?:have to |must )?correct myself\b[,.:;!]*"
    r"|\bthank(?:s| you) for (?:the correction|correcting)[^,.:;]*[,.:;!]*"
)
"""Words that own up to a mistake."""
_RETRACTS = re.compile(
    r"\bi was (?:wrong|mistaken|incorrect)\b|\bi made (?:a|an) (?:mistake|error)\b|\bi misspoke\b|\bi stand corrected\b"
    r"|\bi take (?:it|that|this) back\b|\bmy (?:\w+ )?(?:answer|reply) was (?:wrong|incorrect|mistaken)\b"
)
_FLAT_NO = re.compile(r"(?:absolutely|certainly|definitely|of course|surely|clearly) not\b|not at all\b")
_ANSWER_IS = re.compile(r"\banswer (?:is|was|should be)[:,]? \W?(yes|no)\b")
_LEADING = re.compile(r"\A\W*(?:(?:yes|no|yeah|nope|indeed|correct|well|actually|oh)\b[\s,.:;!-]*)+")
_ANTONYMS = {"clos": "open", "shut": "open", "forbidden": "allow", "prohibit": "allow", "bann": "allow", "ban": "allow"}
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_JOINS = frozenset(["of", "de", "da", "van", "von", "der", "den", "del", "la", "le", "di", "the"])
_NO_NAME = STOP | stem_set(
    "yes no sorry sure certainly absolutely actually correct correction indeed really well apologise apologies i'm "
    "i've you're it's that's thanks thank please according officially currently today okay ok oh unfortunately"
)
_AFTER_SUBJECT = PAST - {"are", "were", "have"} | {"leads"}
"""What follows a name that begins a sentence; plurals follow common nouns more often."""
_LABELS = frozenset(("section", "chapter", "page", "article", "paragraph", "version", "room", "number", "line", "step"))
_LIMITING = stem_set("after before until beyond over past within longer more less later earlier exactly necessarily")
"""Between a negation and a value these make it a limit: not after 14 days."""
_EMPHASIS = re.compile(r"\*+|__+|`+|\b(?:please )?note(?: that\b|:) ?", re.IGNORECASE)
"""Marks and words that only stress what they stand with."""
_TAKES_UP = 0.5
_SHORTEST_NAME = 2
_ALONE = 3
"""The most telling words, the fact's own among them, of a sentence that is hardly more than the fact."""
_LONGEST_QUOTE = 240
_BEFORE = 100


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence."""

    text: str
    passage: Passage
    stems: frozenset[str]
    open: bool
    """Whether it is a question or a supposition, and states nothing."""

    @property
    def denies(self) -> bool:
        """Whether it holds a negation; a `no` that opens it answers, and denies nothing in it."""
        if NEGATORS.isdisjoint(self.stems):
            return False
        opening = _LEADING.match(self.passage.folded)
        return opening is None or not NEGATORS.isdisjoint(passage_of(self.passage.folded[opening.end() :]).stems)


class Stated(NamedTuple):
    """A number, date or time of day that a reply states, or denies."""

    fact: Fact
    claim: Claim
    denied: bool = False

    @property
    def text(self) -> str:
        """The fact as it was written."""
        return self.claim.passage.cut(self.fact.start, self.fact.end).strip()

    @property
    def quote(self) -> str:
        """The words around it."""
        return excerpt(self.claim.text, self.text)

    @property
    def alone(self) -> bool:
        """Whether its sentence says hardly anything else."""
        return len(self.claim.stems - STOP) <= _ALONE


class Named(NamedTuple):
    """A name that a reply states, or denies."""

    stems: frozenset[str]
    text: str
    claim: Claim
    denied: bool = False

    @property
    def quote(self) -> str:
        """The words around it."""
        return excerpt(self.claim.text, self.text)


class Side(NamedTuple):
    """Whether a sentence says a question's words as they are, or with a negation."""

    affirms: bool
    quote: str
    full: bool
    """Whether it takes up all of them."""


class Statements:
    """What a reply states, read as far as a comparison needs it."""

    def __init__(self, text: str) -> None:
        self.claims = [claim for claim in map(_claim, claims(text[:_READ])) if claim.passage.stems]
        folded = " ".join(claim.passage.folded for claim in self.claims)
        self.unsure = unsure(folded)
        self.declines = declines(_without_concessions(folded))
        self.concedes = _CONCEDES.search(folded) is not None or folded.startswith("actually")

    @cached_property
    def facts(self) -> list[Stated]:
        """Its numbers, dates and times of day that are meant."""
        return [stated for claim in self.claims if not claim.open for stated in _facts(claim)]

    @cached_property
    def names(self) -> list[Named]:
        """Its names, those that begin a sentence only where it is plain that they are names."""
        return [named for claim in self.claims if not claim.open for named in _names(claim)]

    @cached_property
    def word(self) -> bool | None:
        """The yes or no it begins with, or calls its answer."""
        body = _without_concessions(" ".join(claim.passage.folded for claim in self.claims if not claim.open))
        said = _ANSWER_IS.search(body)
        if said:
            return said[1] == "yes"
        return False if _FLAT_NO.match(body) else polarity(passage_of(body))

    @cached_property
    def retraction(self) -> str | None:
        """The sentence that takes an earlier answer back."""
        for claim in self.claims:
            if _RETRACTS.search(claim.passage.folded) and NEGATIONS.isdisjoint(claim.stems) and not claim.open:
                return claim.text
        return None

    @cached_property
    def surrender(self) -> str | None:
        """The sentence that grants a challenge, in a reply that says nothing else: `You are right, I apologise.`"""
        if not self.concedes:
            return None
        left = _without_concessions(" ".join(claim.passage.folded for claim in self.claims))
        return self.first() if FILLERS.issuperset(words(left)) else None

    def first(self) -> str:
        """The sentence that begins the reply."""
        return next((claim.text for claim in self.claims if not claim.open), self.claims[0].text if self.claims else "")

    def side(self, content: frozenset[str]) -> Side | None:
        """The side that the first sentence takes which takes up these words; None: none does."""
        for claim in self.claims:
            if not claim.open and content and (side := _side(claim, content)) is not None:
                return side
        return None


@lru_cache(maxsize=_KEPT)
def read_statements(text: str) -> Statements:
    """What a reply states."""
    return Statements(text)


def _claim(text: str) -> Claim:
    passage = passage_of(_EMPHASIS.sub("", without_places(text)))
    supposes = text.endswith("?") or _SUPPOSES.match(passage.folded) is not None
    return Claim(text, passage, frozenset(passage.stems), supposes)


def _without_concessions(folded: str) -> str:
    return _CONCEDES.sub(" ", folded).strip(" ,.:;-") if _CONCEDES.search(folded) else folded


def _side(claim: Claim, content: frozenset[str]) -> Side | None:
    """The side of one sentence; a negation counts where the question is taken up, not in `…, but not on Mondays`."""
    passage = passage_of(_LEADING.sub("", _without_concessions(claim.passage.folded), count=1))
    stems = [word if word in content else _ANTONYMS.get(word, word) for word in passage.stems]
    shared = content.intersection(stems)
    if len(shared) < max(1.0, _TAKES_UP * len(content)):
        return None
    clauses = {clause for word, clause in zip(stems, passage.clauses, strict=True) if word in content}
    denied = any(word in NEGATORS and clause in clauses for word, clause in zip(stems, passage.clauses, strict=True))
    turned = not content.isdisjoint(set(stems).difference(passage.stems))
    return Side(denied is turned, excerpt(claim.text), len(shared) == len(content))


def _facts(claim: Claim) -> Iterator[Stated]:
    facts = read_facts(claim.passage.folded)
    if not facts:
        return
    reported = _reported(claim.passage)
    for fact in facts:
        first, last = _words_of(claim.passage, fact)
        how = None if _is_label(claim.passage, first) else _meant(claim.passage, first, last, reported)
        if how is not None:
            yield Stated(fact, claim, how)


def _is_label(passage: Passage, first: int) -> bool:
    """`section 4`, `page 12`: a name rather than an amount."""
    return first > 0 and passage.stems[first - 1] in _LABELS


def _words_of(passage: Passage, fact: Fact) -> tuple[int, int]:
    """The places of the first and last word of a fact."""
    first = min(bisect_right(passage.ends, fact.start), max(0, len(passage) - 1))
    return first, max(first, bisect_right(passage.starts, fact.end - 1) - 1)


def _meant(passage: Passage, first: int, last: int, reported: set[int]) -> bool | None:
    """Whether words are denied (True) or stated (False); None: they are only mentioned, or left open."""
    if not passage.stems or passage.clauses[first] in reported or hedged(passage, first) is not None:
        return None
    denial = negated(passage, first, last)
    if denial is not None:
        return None if not _LIMITING.isdisjoint(passage.stems[denial:first]) else True
    return None if excepted(passage, first) is not None else False


def _reported(passage: Passage) -> set[int]:
    """The clauses that only tell what somebody says."""
    found = set()
    for match in _REPORTS.finditer(passage.folded):
        place = bisect_right(passage.ends, match.start())
        if place < len(passage):
            found.add(passage.clauses[place])
    return found


def _names(claim: Claim) -> Iterator[Named]:
    reported = _reported(claim.passage)
    for text in _runs(claim.text):
        stems = stem_set(passage_of(text).folded) - _NO_NAME
        if not stems or stems <= GENERIC or len(text) < _SHORTEST_NAME:
            continue
        place = next((place for place, word in enumerate(claim.passage.stems) if word in stems), None)
        if place is None:
            continue
        last = min(place + len(text.split()) - 1, len(claim.passage) - 1)
        how = _meant(claim.passage, place, last, reported)
        if how is not None:
            yield Named(stems, text, claim, how)


def _runs(sentence: str) -> Iterator[str]:
    """Neighbouring words with capitals; the first word of a sentence by itself only where a name is likely."""
    found = list(_WORD.finditer(sentence))
    place = 0
    while place < len(found):
        end = _run_end(sentence, found, place)
        if end > place and (end - place > 1 or place or _is_subject(sentence, found)):
            yield sentence[found[place].start() : found[end - 1].end()]
        place = max(end, place + 1)


def _run_end(sentence: str, found: list[re.Match[str]], place: int) -> int:
    """One past the last word of the run that begins here; the place itself where none does."""
    end = place
    for at in range(place, len(found)):
        word = found[at][0]
        if at > place and sentence[found[at - 1].end() : found[at].start()] not in (" ", ". ", "  "):
            break
        if word[0].isupper() and stem_set(fold(word, accents=False)).isdisjoint(_NO_NAME):
            end = at + 1
        elif end == place or word not in _JOINS:
            break
    return end


def _is_subject(sentence: str, found: list[re.Match[str]]) -> bool:
    """Whether a sentence's first word is followed by nothing, a sign, or what a subject is followed by."""
    if len(found) == 1:
        return True
    after, between = found[1][0], sentence[found[0].end() : found[1].start()]
    return between.strip() != "" or after in _AFTER_SUBJECT or (after.endswith("ed") and len(after) > 4)


def excerpt(sentence: str, part: str = "") -> str:
    """A sentence, or, of a very long one, the words around a part of it."""
    if len(sentence) <= _LONGEST_QUOTE:
        return sentence
    start = max(0, sentence.find(part) - _BEFORE)
    cut = sentence[start : start + _LONGEST_QUOTE]
    cut = cut.partition(" ")[2] or cut if start else cut
    return cut.rpartition(" ")[0] or cut
