"""A text split into words, with the position, sentence and clause of each."""

from __future__ import annotations

import re

from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy, remembered
from proctor.reading.text.words import PAST, stem, stem_set, word_matches

_COUNTRIES = lazy(r"\bunited states(?: of america)?\b|\b(?:united kingdom|great britain)\b")
_SHORT_TITLES = frozenset(("mr", "mrs", "ms", "dr", "prof"))
_CLAUSE_WORDS = stem_set("but however although though whereas while which who whose where because despite yet unlike")


class Passage:
    """A normalised text and its words; sentences and clauses are determined on first use."""

    __slots__ = ("_clauses", "_sentences", "ends", "folded", "starts", "stems", "text")

    def __init__(self, text: str) -> None:
        folded = fold(text, accents=False)
        if "united" in folded or "great b" in folded:
            folded = _COUNTRIES.sub(_short_country, folded)
        self.text = text
        self.folded = folded
        self.stems: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        for match in word_matches(folded):
            start, end = match.span()
            self.stems.append(stem(match[0]))
            self.starts.append(start)
            self.ends.append(end)
        self._clauses: list[int] | None = None
        self._sentences: list[int] | None = None

    def __len__(self) -> int:
        return len(self.stems)

    def cut(self, start: int, end: int) -> str:
        """Return the text between two positions of the normalised text, in original spelling if the lengths agree."""
        return (self.text if len(self.text) == len(self.folded) else self.folded)[start:end]

    def quote(self, first: int, last: int) -> str:
        """Return the text of the words `first` to `last`."""
        return self.cut(self.starts[first], self.ends[last])

    @property
    def sentences(self) -> list[int]:
        """Sentence number of each word."""
        if self._sentences is None:
            self._sentences, self._clauses = self._word_numbers()
        return self._sentences

    @property
    def clauses(self) -> list[int]:
        """Clause number of each word, counted across sentences."""
        if self._clauses is None:
            self._sentences, self._clauses = self._word_numbers()
        return self._clauses

    def _word_numbers(self) -> tuple[list[int], list[int]]:
        sentences = [0] * len(self.stems)
        clauses = [0] * len(self.stems)
        sentence = clause = 0
        for place in range(1, len(self.stems)):
            between = self.folded[self.ends[place - 1] : self.starts[place]]
            if between != " " and _ends_sentence(between, self.stems[place - 1]):
                sentence += 1
                clause += 1
            elif _ends_clause(between) or self._opens_clause(place):
                clause += 1
            sentences[place], clauses[place] = sentence, clause
        return sentences, clauses

    def _opens_clause(self, place: int) -> bool:
        """Whether a clause begins here: with `but`, `which` …, or with `and` before a verb (… and moved to Leeds)."""
        word = self.stems[place]
        if word != "and" or place + 1 == len(self.stems):
            return word in _CLAUSE_WORDS
        after = self.folded[self.starts[place + 1] : self.ends[place + 1]]
        return after in PAST or (after.endswith("ed") and len(after) > 4)


passage_of = remembered(Passage)
"""Return the passage of a text; it is cached and shared."""


def _short_country(match: re.Match[str]) -> str:
    return "us" if match[0].startswith("united s") else "uk"


def _ends_sentence(between: str, last: str) -> bool:
    """Whether these characters end a sentence; a full stop after a single letter is an abbreviation."""
    if ";" in between or "\n" in between or "!" in between or "?" in between:
        return True
    return ". " in between and len(last) > 1 and not (between == ". " and last in _SHORT_TITLES)


def _ends_clause(between: str) -> bool:
    if between == " ":
        return False
    return "," in between or ": " in between or " - " in between or "(" in between or ")" in between
