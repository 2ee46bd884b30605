"""The sentence that answers: CitedSentence, what is made of it, and how the best one is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from proctor.demo.library import DocumentPage, Hit, Surroundings
from proctor.demo.question import Wanted, offers
from proctor.demo.words import presence, sentences, terms
from proctor.transcript import Citation

_KIND = 0.35
"""What it counts that a sentence holds the kind of thing asked for, against all words of the question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CitedSentence:
    """A sentence and where it stands."""

    text: str
    """Verbatim."""
    source: str
    """The document's path."""
    title: str
    """The document's title."""
    section: str
    """The heading above it."""

    def __str__(self) -> str:
        place = f"{self.source}, {self.section}" if self.section else self.source
        return f"{self.text} ({place})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """An answer, and what it leans on."""

    text: str
    citations: tuple[Citation, ...] = ()
    passage: CitedSentence | None = None
    """The sentence that it is; None: it was put together, or nothing was found."""


def passages(found: Hit | DocumentPage | Surroundings) -> Iterator[CitedSentence]:
    """The sentences that a tool gave back, each under its own heading."""
    section = found["section"]
    for block in found["text"].split("\n\n"):
        if block.startswith("## "):
            section = block.removeprefix("## ")
            continue
        for sentence in sentences(block):
            yield CitedSentence(text=sentence, source=found["source"], title=found["title"], section=section)


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageRanking:
    """How well sentences answer a question: by the words they share with it, and by the kind of thing it wants."""

    words: tuple[str, ...]
    """The question's stems, each once."""
    wants: Wanted
    """The kind of thing an answer would have to offer."""
    weight: Callable[[str], float]
    """How much a stem tells."""

    def best(self, candidates: Iterable[CitedSentence]) -> CitedSentence:
        """The passage that answers best; the earlier of two equals."""
        return max(candidates, key=lambda each: self.overlap(each) + _KIND * self.has_kind(each))

    def overlap(self, passage: CitedSentence) -> float:
        """The share of the question's weight that the sentence holds, with the headings above it."""
        there = set(terms(f"{passage.title} {passage.section} {passage.text}"))
        shared = sum(self.weight(word) * presence(word, there) for word in self.words)
        return shared / (sum(map(self.weight, self.words)) or 1.0)

    def has_kind(self, passage: CitedSentence) -> bool:
        """Whether the sentence holds the kind of thing that is wanted."""
        return offers(passage.text, self.wants)
