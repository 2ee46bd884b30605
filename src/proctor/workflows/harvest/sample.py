"""Candidates that ask the same, merged, and of very many different ones a sample: Sample."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable

from proctor.codec import encode
from proctor.doctor.questions import same_meaning
from proctor.reading.text.fold import squeeze
from proctor.workflows.harvest.candidate import Candidate


class Sample:
    """At most so many different questions, each with how often it was asked.

    Beyond that, those are kept whose digests are the smallest: every question has the same chance however often it was
    asked, the same file gives the same sample, and how often a kept one was asked is exact, for none that is kept was
    ever let go (bottom-k sampling, Cohen and Kaplan 2007).
    """

    def __init__(self, most: int, outline: Callable[[str], str]) -> None:
        """`outline` takes personal data out of a text: questions that differ in nothing else are one."""
        self._most, self._outline = most, outline
        self._kept: dict[int, Candidate] = {}
        self._largest: list[int] = []
        self._order: dict[int, int] = {}
        self._added = 0
        self.beyond = 0
        """Conversations whose questions are not in the sample."""

    @property
    def merged(self) -> int:
        """Conversations that ask the same as another, beyond the first."""
        return sum(each.met - 1 for each in self._kept.values())

    def add(self, candidate: Candidate) -> None:
        """Take it in, merged with one that asks the same."""
        key = self._key(candidate)
        self._added += 1
        if key in self._kept:
            candidate.settle(self._outline)
            self._kept[key].merge(candidate)
        elif len(self._kept) < self._most or key < -self._largest[0]:
            candidate.settle(self._outline)
            self._kept[key], self._order[key] = candidate, self._added
            heapq.heappush(self._largest, -key)
            if len(self._kept) > self._most:
                self._let_go(-heapq.heappop(self._largest))
        else:
            self.beyond += candidate.met

    def _let_go(self, key: int) -> None:
        self.beyond += self._kept.pop(key).met
        del self._order[key]

    def candidates(self) -> list[Candidate]:
        """What is kept, in the order in which it was met."""
        return [self._kept[key] for key in sorted(self._kept, key=self._order.__getitem__)]

    def _key(self, candidate: Candidate) -> int:
        """A digest of what it means; cases with different answers are different."""
        case = candidate.case
        context = self._outline(candidate.context) if candidate.context else None
        meaning = same_meaning(self._outline(candidate.question), context)
        whole = encode([*meaning, "" if case is None else squeeze(case.answer or "")])
        return int.from_bytes(hashlib.blake2b(whole.encode(), digest_size=8).digest(), "big")
