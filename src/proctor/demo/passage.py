"""Ranking of sentences as answers to a question, and the resulting Finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from proctor.demo.library import DocumentPage, Hit, Surroundings
from proctor.demo.question import Wanted, offers
from proctor.demo.words import presence, sentences, terms
from proctor.transcript import Citation

_KIND = 0.35
"""Weight of having the expected kind of answer, relative to sharing all words of the question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CitedSentence:
    """A sentence and its location."""

    text: str
    source: str
    """Path of the document."""
    title: str
    """Title of the document."""
    section: str
    """Heading of the section."""

    def __str__(self) -> str:
        place = f"{self.source}, {self.section}" if self.section else self.source
        return f"{self.text} ({place})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """An answer and its evidence."""

    text: str
    citations: tuple[Citation, ...] = ()
    passage: CitedSentence | None = None
    """The answering sentence; None if the answer was composed or nothing was found."""


def passages(found: Hit | DocumentPage | Surroundings) -> Iterator[CitedSentence]:
    """Yield the sentences in a tool result, each with its heading."""
    section = found["section"]
    for block in found["text"].split("\n\n"):
        if block.startswith("## "):
            section = block.removeprefix("## ")
            continue
        for sentence in sentences(block):
            yield CitedSentence(text=sentence, source=found["source"], title=found["title"], section=section)


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageRanking:
    """Scores sentences as answers, by words shared with the question and the expected kind of answer."""

    words: tuple[str, ...]
    """Distinct stems of the question."""
    wants: Wanted
    """Expected kind of answer."""
    weight: Callable[[str], float]
    """Weight of a stem."""

    def best(self, candidates: Iterable[CitedSentence]) -> CitedSentence:
        """Return the best answer; the earlier one if two are equal."""
        return max(candidates, key=lambda each: self.overlap(each) + _KIND * self.has_kind(each))

    def overlap(self, passage: CitedSentence) -> float:
        """Return the share of the question's weight that the sentence and its headings cover."""
        there = set(terms(f"{passage.title} {passage.section} {passage.text}"))
        shared = sum(self.weight(word) * presence(word, there) for word in self.words)
        return shared / (sum(map(self.weight, self.words)) or 1.0)

    def has_kind(self, passage: CitedSentence) -> bool:
        """Whether the sentence contains the expected kind of answer."""
        return offers(passage.text, self.wants)
