"""Align the words of a reply with those of an expected statement, and find what is left over on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from proctor.reading.expected import Answered, Expected
from proctor.reading.linked_words import nearness
from proctor.reading.opposites import NEGATORS, are_opposite
from proctor.reading.question import Asked
from proctor.reading.text.dates import agree
from proctor.reading.text.numbers import compare
from proctor.reading.text.overlap import STOP, weight
from proctor.reading.text.passage import Passage, passage_of
from proctor.reading.text.words import stem_set
from proctor.reading.thesaurus import likeness, plain_phrases

_DENYING = NEGATORS | stem_set("avoid refuse prevent forbid prohibit ban unable instead fail lack exempt exclude")
_NO_DENIAL = stem_set("only just merely until doubt later earlier matter")
"""Words after which a negation denies nothing (`not only`, `not until`)."""
_LEAST = 0.4
_READ = 80
"""Maximum number of words of a text that are aligned."""
_GIVEN = 0.35
_LIKE = 0.9
_MOST_ROOM = 1.5
"""Cap of the ratio of reply words to expected words: above it, a reply has room for everything expected."""
_MOST = 6
"""Maximum number of spellings of the expected answer that are aligned."""


@dataclass(frozen=True, slots=True)
class Token:
    """A content word (no stop word, no negation) with its position, clause and weight."""

    stem: str
    place: int
    clause: int
    denied: bool
    weight: float
    name: bool


@lru_cache(maxsize=512)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the content words of a text; a multi-word phrase counts as one word."""
    passage = passage_of(plain_phrases(passage_of(text).folded))
    denied = _denied_clauses(passage)
    cased = passage_of(text)
    names = {cased.stems[at] for at in range(1, len(cased)) if cased.quote(at, at)[:1].isupper()}
    return tuple(
        Token(word, place, clause, denied[clause], weight(word), word in names)
        for place, (word, clause) in enumerate(zip(passage.stems[:_READ], passage.clauses[:_READ], strict=True))
        if word not in STOP and word not in _DENYING
    )


def _denied_clauses(passage: Passage) -> dict[int, bool]:
    found: dict[int, bool] = {}
    for place, (word, clause) in enumerate(zip(passage.stems, passage.clauses, strict=True)):
        after = passage.stems[place + 1] if place + 1 < len(passage) else ""
        found[clause] = found.get(clause, False) ^ (word in _DENYING and after not in _NO_DENIAL)
    return found


class Alignment:
    """Alignment of the words of an expected statement (`ours`) with those of a reply (`theirs`)."""

    def __init__(self, reply: Answered, asked: Asked, answer: Expected) -> None:
        self.asked = asked
        self.ours = tokens_of(answer.text)
        self.theirs = tokens_of(reply.passage.text)
        self.numbers = _numbers(reply, answer)
        self.pairs = self._pair()
        self.used = set(self.pairs.values())

    def _pair(self) -> dict[int, int]:
        """Map expected word index -> reply word index: most similar pairs first, then the closest in position."""
        scored = []
        for own_index, one in enumerate(self.ours):
            for other_index, other in enumerate(self.theirs):
                like = likeness(one.stem, other.stem)
                if like >= _LIKE:
                    off = abs(own_index / len(self.ours) - other_index / len(self.theirs))
                    scored.append((-like, one.denied != other.denied, off, own_index, other_index))
        pairs: dict[int, int] = {}
        used: set[int] = set()
        for *_, own_index, other_index in sorted(scored):
            if own_index not in pairs and other_index not in used:
                pairs[own_index] = other_index
                used.add(other_index)
        for own_index, one in enumerate(self.ours):  # one reply word may match two expected words
            if own_index not in pairs:
                again = [at for at, other in enumerate(self.theirs) if likeness(one.stem, other.stem) >= _LIKE]
                if again:
                    pairs[own_index] = again[0]
        return pairs

    def _is_given(self, token: Token) -> bool:
        return token.stem in self.asked.content

    def _worth(self, token: Token) -> float:
        return token.weight * (_GIVEN if self._is_given(token) else 1.0)

    def recall(self, places: Sequence[int] | None = None) -> float:
        """Weighted share of expected words that have a counterpart in the reply."""
        here = range(len(self.ours)) if places is None else places
        total = sum(self._worth(self.ours[at]) for at in here)
        return sum(self._worth(self.ours[at]) for at in here if at in self.pairs) / total if total else 1.0

    def new_words(self) -> list[int]:
        """Indices of the expected words that do not occur in the question."""
        return [at for at, token in enumerate(self.ours) if not self._is_given(token)]

    def least_clause(self) -> float:
        """Recall of the clause with the lowest recall: half of a conjunction may be missing."""
        clauses: dict[int, list[int]] = {}
        for at in self.new_words():
            clauses.setdefault(self.ours[at].clause, []).append(at)
        return min((self.recall(places) for places in clauses.values() if len(places) > 1), default=1.0)

    def linked(self) -> tuple[float, float, float]:
        """Return soft recall of the new expected words, soft recall of their worst clause, and soft precision.

        Related words count in part, by their `nearness`.
        """
        own = [token for token in self.theirs if not self._is_given(token)]
        new_places = self.new_words() or range(len(self.ours))
        near = {at: 1.0 if at in self.pairs else _nearest(self.ours[at], own) for at in new_places}
        clauses: dict[int, list[int]] = {}
        for at in new_places:
            if not self.ours[at].stem[0].isdecimal():  # numbers are compared separately, in `_numbers`
                clauses.setdefault(self.ours[at].clause, []).append(at)
        shares = [self._share(near, places) for places in clauses.values() if len(places) > 1]
        reply_nearness = [
            1.0 if at in self.used else _nearest(token, self.ours)
            for at, token in enumerate(self.theirs)
            if not self._is_given(token)
        ]
        return (
            self._share(near, new_places),
            min(shares, default=1.0),
            sum(reply_nearness) / max(1, len(reply_nearness)),
        )

    def _share(self, near: dict[int, float], places: Sequence[int]) -> float:
        total = sum(self.ours[at].weight for at in places)
        return sum(near[at] * self.ours[at].weight for at in places) / total if total else 1.0

    def unknown_words(self) -> list[int]:
        """Indices of the reply words that match neither an expected word nor a word of the question."""
        return [
            at
            for at, token in enumerate(self.theirs)
            if at not in self.used
            and token.weight >= _LEAST
            and not any(likeness(token.stem, word) >= _LIKE for word in self.asked.content)
            and not any(likeness(token.stem, own.stem) >= _LIKE for own in self.ours)
        ]

    def substitutions(self) -> int:
        """Count expected words that are missing while an unrelated word stands between the same neighbours."""
        strange = set(self.unknown_words())
        count = 0
        for at in self.new_words():
            if at in self.pairs:
                continue
            before = next((self.pairs[own] for own in range(at - 1, -1, -1) if own in self.pairs), None)
            after = next((self.pairs[own] for own in range(at + 1, len(self.ours)) if own in self.pairs), None)
            slots = {before + 1} if before is not None else set()
            slots |= {after - 1} if after is not None else set()
            if slots & strange:
                count += 1
        return count

    def flips(self) -> float:
        """Share of aligned word pairs that are negated on one side only."""
        signs = [self.ours[mine].denied != self.theirs[other].denied for mine, other in self.pairs.items()]
        return sum(signs) / len(signs) if signs else 0.0

    def opposites(self) -> int:
        """Count missing expected words whose opposite occurs in the reply."""
        return sum(
            any(are_opposite(token.stem, self.theirs[other].stem) for other in range(len(self.theirs)))
            for at, token in enumerate(self.ours)
            if at not in self.pairs
        )

    def inversions(self) -> float:
        """Share of neighbouring aligned words that occur in reverse order in the reply."""
        order = [self.pairs[at] for at in sorted(self.pairs)]
        steps = list(pairwise(order))
        return sum(one > other for one, other in steps) / len(steps) if steps else 0.0

    def names_apart(self) -> int:
        """Count names in the reply that match no expected word."""
        return sum(self.theirs[at].name for at in self.unknown_words())

    def features(self) -> tuple[float, ...]:
        """Return the feature vector of this alignment for the learned head, in the order of `NAMES`."""
        strange = self.unknown_words()
        new_places = self.new_words()
        own = [at for at, token in enumerate(self.theirs) if token.stem not in self.asked.content]
        return (
            self.recall(),
            self.recall(new_places) if new_places else 1.0,
            1 - len(strange) / max(1, len(own)),
            float(self.substitutions()),
            self.flips(),
            float(self.opposites()),
            self.least_clause(),
            self.inversions(),
            float(self.names_apart()),
            float(len(strange)),
            min(len(self.theirs) / max(1, len(self.ours)), _MOST_ROOM),
            *self.linked(),
            *self.numbers,
        )


def _nearest(token: Token, others: Sequence[Token]) -> float:
    return max((nearness(token.stem, other.stem) for other in others), default=0.0)


def _numbers(reply: Answered, answer: Expected) -> tuple[float, float]:
    """Count expected numbers and dates that are missing, and unexpected reply numbers of the same dimension."""
    expected_facts, reply_facts = answer.facts, reply.facts
    missing = sum(
        not any(compare(one, other) in ("same", "rounded") for other in reply_facts.quantities)
        for one in expected_facts.quantities
    )
    missing += sum(all(agree(one, other) == "different" for other in reply_facts.dates) for one in expected_facts.dates)
    kinds = {one.dimension for one in expected_facts.quantities}
    strange = sum(
        other.dimension in kinds
        and not any(compare(one, other) in ("same", "rounded") for one in expected_facts.quantities)
        for other in reply_facts.quantities
    )
    return float(missing), float(strange)


def align(reply: Answered, asked: Asked, answers: Sequence[Expected]) -> tuple[float, ...]:
    """Return the alignment features for the spelling of the expected statement that aligns best."""
    found = (Alignment(reply, asked, answer).features() for answer in answers[:_MOST])
    return max(found, key=lambda each: sum(each[:3]))


NAMES = (
    "aligned", "aligned news", "aligned reply", "substitutions", "flips", "opposed", "least clause", "inversions",
    "names apart", "strangers", "room", "linked news", "linked clause", "linked reply", "numbers missing",
    "numbers strange",
)  # fmt: skip
"""Names of the features, in order."""
