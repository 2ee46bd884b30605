"""Extract what a reply states: numbers, dates, times, names, yes or no, each with its sentence."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from proctor.reading.challenge import FILLERS
from proctor.reading.dress import undress
from proctor.reading.expected import Fact, read_facts
from proctor.reading.manner import concedes, doubts, evades, reports, retracts, supposes, without_concessions
from proctor.reading.text.claims import claims
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import (
    NEGATORS,
    declines,
    find_exception,
    find_hedge,
    find_negation,
    polarity,
    unsure,
)
from proctor.reading.text.overlap import GENERIC, STOP
from proctor.reading.text.passage import Passage, passage_of
from proctor.reading.text.places import without_places
from proctor.reading.text.words import PAST, stem_set, words

_READ = 4_000
"""Maximum number of characters of a reply that are read; the answer is seldom further down."""
_KEPT = 512
_FLAT_NO = lazy(r"(?:absolutely|certainly|definitely|of course|surely|clearly) not\b|not at all\b")
_LAST_WORD = lazy(r", (yes|no)[.!]?$")
_ANSWER_IS = lazy(r"\banswer (?:is|was|should be)[:,]? \W?(yes|no)\b")
_LEADING = lazy(r"\A\W*(?:(?:yes|no|yeah|nope|indeed|correct|well|actually|oh)\b[\s,.:;!-]*)+")
_WORD = lazy(r"[^\W\d_][\w'’-]*")
_JOINS = frozenset(["of", "de", "da", "van", "von", "der", "den", "del", "la", "le", "di", "the"])
_NO_NAME = STOP | stem_set(
    "yes no sorry sure certainly absolutely actually correct correction indeed really well apologise apologies i'm "
    "i've you're it's that's thanks thank please according officially currently today okay ok oh "
    "unfortunately true false "
    "nope yep yeah nah exactly precisely interesting understood agreed granted fine right wrong quite never "
    "always possibly "
    "probably maybe perhaps still however moreover also besides anyway honestly frankly obviously clearly "
    "good great nice "
    "hello hi sadly luckily hmm ah again alas both neither everyone nobody somebody nothing everything "
    "definitely surely "
    "usually normally generally roughly around either instead meanwhile finally first second third next last even "
    "hardly scarcely barely "
    "despite unlike given having thats theres heres my your our their his her its one two three four five six "
    "seven eight "
    "nine ten eleven twelve with without under after before during since until from into over monday tuesday wednesday "
    "thursday friday saturday sunday january february march april june july august september october november december "
    "let certainly respectfully noted welcome apologies correction final answer"
)
_AFTER_SUBJECT = PAST - {"are", "were", "have"} | {
    "leads",
    "isn't",
    "wasn't",
    "didn't",
    "doesn't",
    "hasn't",
    "won't",
    "can't",
}
"""Words that may follow a name at the start of a sentence; plural verbs follow common nouns more often."""
_LABELS = frozenset(("section", "chapter", "page", "article", "paragraph", "version", "room", "number", "line", "step"))
_LIMITING = stem_set("after before until beyond over past within longer more less later earlier exactly necessarily")
"""Words that turn a negated value into a limit: `not after 14 days`."""
_EMPHASIS = lazy(r"\*+|__+|`+|\b(?:please )?note(?: that\b|:) ?", re.IGNORECASE)
"""Match markup and words that only add emphasis."""
_SHORTEST_NAME = 2
_ALONE = 3
"""Maximum number of content words, including the fact's own, of a sentence that is hardly more than the fact."""
_LONGEST_QUOTE = 240
_BEFORE = 100


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a reply."""

    text: str
    passage: Passage
    stems: frozenset[str]
    open: bool
    """Whether it is a question or hypothetical, and so states nothing."""

    @property
    def body(self) -> Passage:
        """The sentence without a leading yes or no, and without concessions."""
        return passage_of(_LEADING.sub("", without_concessions(self.passage.folded), count=1))

    @property
    def mentions(self) -> bool:
        """Whether it only reports what others say, or leaves it open."""
        return doubts(self.passage.folded) or bool(reports(self.passage.folded))

    @property
    def denies(self) -> bool:
        """Whether it contains a negation, other than a leading `no`, which answers the question."""
        if NEGATORS.isdisjoint(self.stems):
            return False
        opening = _LEADING.match(self.passage.folded)
        return opening is None or not NEGATORS.isdisjoint(passage_of(self.passage.folded[opening.end() :]).stems)


class Stated(NamedTuple):
    """A number, date or time of day that a reply states or denies."""

    fact: Fact
    claim: Claim
    denied: bool = False

    @property
    def text(self) -> str:
        """The fact as written."""
        return self.claim.passage.cut(self.fact.start, self.fact.end).strip()

    @property
    def quote(self) -> str:
        """The sentence, or an excerpt around the fact."""
        return excerpt(self.claim.text, self.text)

    @property
    def alone(self) -> bool:
        """Whether its sentence says hardly anything else."""
        return len(self.claim.stems - STOP) <= _ALONE


class Named(NamedTuple):
    """A name that a reply states or denies."""

    stems: frozenset[str]
    text: str
    claim: Claim
    denied: bool = False

    @property
    def quote(self) -> str:
        """The sentence, or an excerpt around the name."""
        return excerpt(self.claim.text, self.text)


class Statements:
    """The statements of a reply, extracted on demand."""

    def __init__(self, text: str) -> None:
        self.stated = undress(text[: 2 * _READ])[:_READ]
        """The text without markup and courtesy."""
        self.claims = [claim for claim in map(_claim, claims(self.stated)) if claim.passage.stems]
        folded = " ".join(claim.passage.folded for claim in self.claims)
        self.unsure = unsure(folded)
        left = without_concessions(folded)
        self.declines = declines(left) or evades(left)
        self.concedes = concedes(folded) or folded.startswith("actually")

    @cached_property
    def facts(self) -> list[Stated]:
        """Numbers, dates and times of day that are stated or denied."""
        return [stated for claim in self.claims if not claim.open for stated in _facts(claim)]

    @cached_property
    def names(self) -> list[Named]:
        """Names that are stated or denied; at the start of a sentence only if clearly names."""
        return [named for claim in self.claims if not claim.open for named in _names(claim)]

    @cached_property
    def word(self) -> bool | None:
        """The yes or no that it begins with or calls its answer, or None."""
        body = without_concessions(" ".join(claim.passage.folded for claim in self.claims if not claim.open))
        match = _ANSWER_IS.search(body)
        if match:
            return match[1] == "yes"
        if _FLAT_NO.match(body):
            return False
        last = _LAST_WORD.search(body)
        return (
            last[1] == "yes" if last else polarity(passage_of(body)) if (word := self._opening_word) is None else word
        )

    @property
    def _opening_word(self) -> bool | None:
        """Yes or no of a first sentence that is no more than that: `It will; the regulators agree.`"""
        first = next((claim.passage for claim in self.claims if not claim.open), None)
        return polarity(first) if first is not None and len(self.claims) > 1 else None

    @cached_property
    def retraction(self) -> str | None:
        """The sentence that retracts an earlier answer, or None."""
        for claim in self.claims:
            if not claim.open and retracts(claim.passage.folded):
                return claim.text
        return None

    @property
    def commits(self) -> bool:
        """Whether it commits to a statement that can be compared."""
        stated = any(not (claim.open or claim.mentions) for claim in self.claims)
        return stated and not (self.declines or self.unsure)

    @cached_property
    def surrender(self) -> str | None:
        """The sentence that accepts an objection, in a reply that says nothing else: `You are right, I apologise.`"""
        if not self.concedes:
            return None
        left = without_concessions(" ".join(claim.passage.folded for claim in self.claims))
        return self.first() if FILLERS.issuperset(words(left)) else None

    def first(self) -> str:
        """Return the first sentence that is not a question."""
        return next((claim.text for claim in self.claims if not claim.open), self.claims[0].text if self.claims else "")

    @cached_property
    def body(self) -> str:
        """The text stated, without yes or no, concessions, reported speech and open questions."""
        return " ".join(claim.body.folded for claim in self.claims if not (claim.open or claim.mentions))


@lru_cache(maxsize=_KEPT)
def read_statements(text: str) -> Statements:
    """Extract the statements of a reply."""
    return Statements(text)


def _claim(text: str) -> Claim:
    passage = passage_of(_EMPHASIS.sub("", without_places(text)))
    return Claim(text, passage, frozenset(passage.stems), text.endswith("?") or supposes(passage.folded))


def _facts(claim: Claim) -> Iterator[Stated]:
    facts = read_facts(claim.passage.folded)
    if not facts:
        return
    reported = _reported_clauses(claim.passage)
    for fact in facts:
        first, last = _words_of(claim.passage, fact)
        how = None if _is_label(claim.passage, first) else _meant(claim.passage, first, last, reported)
        if how is not None:
            yield Stated(fact, claim, how)


def _is_label(passage: Passage, first: int) -> bool:
    """Whether a number is part of a label: `section 4`, `page 12`."""
    return first > 0 and passage.stems[first - 1] in _LABELS


def _words_of(passage: Passage, fact: Fact) -> tuple[int, int]:
    """Return the positions of the first and last word of a fact."""
    first = min(bisect_right(passage.ends, fact.start), max(0, len(passage) - 1))
    return first, max(first, bisect_right(passage.starts, fact.end - 1) - 1)


def _meant(passage: Passage, first: int, last: int, reported: set[int]) -> bool | None:
    """Whether words are denied (True) or stated (False); None if they are only mentioned or left open."""
    if not passage.stems or passage.clauses[first] in reported or find_hedge(passage, first) is not None:
        return None
    denial = find_negation(passage, first, last)
    if denial is not None:
        return None if not _LIMITING.isdisjoint(passage.stems[denial:first]) else True
    return None if find_exception(passage, first) is not None else False


def _reported_clauses(passage: Passage) -> set[int]:
    """Return the clauses that only report what somebody says."""
    found = set()
    for start in reports(passage.folded):
        place = bisect_right(passage.ends, start)
        if place < len(passage):
            found.add(passage.clauses[place])
    return found


def _names(claim: Claim) -> Iterator[Named]:
    reported = _reported_clauses(claim.passage)
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
    """Yield runs of capitalised words; the first word of a sentence alone only if it is likely a name."""
    found = list(_WORD.finditer(sentence))
    place = 0
    while place < len(found):
        end = _run_end(sentence, found, place)
        if end > place and (end - place > 1 or place or _is_subject(sentence, found)):
            yield sentence[found[place].start() : found[end - 1].end()]
        place = max(end, place + 1)


def _run_end(sentence: str, found: list[re.Match[str]], place: int) -> int:
    """Return the end (exclusive) of the run that begins here, or the same position if there is none."""
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
    """Whether the first word of a sentence is followed by nothing, by punctuation, or by a typical verb."""
    if len(found) == 1:
        return True
    after, between = found[1][0], sentence[found[0].end() : found[1].start()]
    return between.strip() != "" or after in _AFTER_SUBJECT or (after.endswith("ed") and len(after) > 4)


def excerpt(sentence: str, part: str = "") -> str:
    """Return a sentence, or the words around `part` if it is very long."""
    if len(sentence) <= _LONGEST_QUOTE:
        return sentence
    start = max(0, sentence.find(part) - _BEFORE)
    cut = sentence[start : start + _LONGEST_QUOTE]
    cut = cut.partition(" ")[2] or cut if start else cut
    return cut.rpartition(" ")[0] or cut
