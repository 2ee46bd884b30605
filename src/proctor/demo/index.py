"""Which sections speak of a query: an index by stems, ranked by BM25 with synonyms.

Robertson & Zaragoza (2009), "The probabilistic relevance framework: BM25 and beyond".
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

from proctor.demo.words import RELATED, SYNONYM

_SATURATION = 1.2
_LENGTH = 0.4


class Index:
    """Texts by number, each given as its stems with how much each occurrence counts."""

    def __init__(self, texts: Iterable[Mapping[str, float]]) -> None:
        self._postings: dict[str, dict[int, float]] = defaultdict(dict)
        lengths = []
        for number, text in enumerate(texts):
            lengths.append(sum(text.values()))
            for term, count in text.items():
                self._postings[term][number] = count
        self._size = len(lengths)
        usual = sum(lengths) / max(1, len(lengths))
        self._norms = [_SATURATION * (1 - _LENGTH + _LENGTH * length / usual) for length in lengths]
        self._most = self._weigh(0)
        self._weights = {term: self._weigh(len(self._counts(term))) for term in (*self._postings, *RELATED)}

    def weight(self, term: str) -> float:
        """How much a stem tells: the rarer it is with its synonyms, the more; one that stands nowhere tells most."""
        return self._weights.get(term, self._most)

    def mentions(self, term: str) -> bool:
        """Whether a stem or a synonym of it stands in any text."""
        return any(word in self._postings for word in (term, *RELATED.get(term, ())))

    def rank(self, query: Mapping[str, float]) -> list[tuple[int, float]]:
        """The numbers of the texts that share a stem or synonym with the query, best first."""
        scores: dict[int, float] = defaultdict(float)
        for term, importance in query.items():
            weight = importance * self.weight(term)
            for number, count in self._counts(term).items():
                scores[number] += weight * count * (_SATURATION + 1) / (count + self._norms[number])
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))

    def _weigh(self, found: int) -> float:
        return math.log(1 + (self._size - found + 0.5) / (found + 0.5))

    def _counts(self, term: str) -> dict[int, float]:
        """Where a stem stands and how often; a synonym counts as part of a word."""
        counts = dict(self._postings.get(term, {}))
        for other in RELATED.get(term, ()):
            for number, count in self._postings.get(other, {}).items():
                counts[number] = counts.get(number, 0.0) + SYNONYM * count
        return counts
