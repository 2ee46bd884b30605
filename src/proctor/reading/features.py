"""Compute features for the learned head: numbers that relate a reply to an expected answer."""

from __future__ import annotations

import math

from proctor.reading.alignment import NAMES as ALIGNED
from proctor.reading.alignment import align
from proctor.reading.expected import Answered, Expected
from proctor.reading.opposites import ADVERSE, OPPOSITES
from proctor.reading.question import Asked
from proctor.reading.text.negation import NEGATORS, unsure
from proctor.reading.text.overlap import STOP, weight
from proctor.reading.text.words import stem_set
from proctor.reading.verdict import Verdict

_KINDS = {
    "person": 1.0,
    "place": 2.0,
    "name": 3.0,
    "list": 4.0,
    "date": 5.0,
    "time": 5.5,
    "number": 6.0,
    "quantity": 7.0,
    "explanation": 9.0,
}
_MOST_ANSWERS, _TWO = 12, 2
_UNSURE = stem_set("sure certain unsure uncertain idea guess")
_BEGINNING = 5
"""Number of initial letters that variants of a word share."""
_NONE: frozenset[str] = frozenset()
_MOST_WORDS = 400
"""Maximum number of words of a reply that are considered, to limit the time."""
NAMES = (
    "value", "found", "factor", "place", "kind", "facts", "only facts", "items", "answer words", "answer weight",
    "answer given", "reply words", "new words", "new names", "names before", "recall", "telling recall", "precision",
    "f1", "first found", "last found", "pairs", "letters", "contained", "sentence", "sentences", "question", "here",
    "negations", "negation differs", "unsure", "or", "numbers", "adverse", "head found",
    "short reply", "best recall", "mean recall", "best f1", "soft recall", "soft news", "news share", "denial differs",
    "opposites", "length ratio", "news", "answers", "statement", *ALIGNED,
)  # fmt: skip
"""Names of the features, in order."""


_STATEMENT, _ANSWERS, _ROOM, _LINKED_CLAUSE, _OPPOSED, _STRANGERS = map(
    NAMES.index, ("statement", "answers", "room", "linked clause", "opposed", "strangers")
)
_LITTLE_ROOM, _LITTLE_LINKED = 0.85, 0.35
_NOT_ALIGNED = (0.0,) * len(ALIGNED)


def features(reply: Answered, asked: Asked, answers: list[Expected], verdict: Verdict) -> list[float]:
    """Return the features of a reply, compared with the expected answer that the rules matched best."""
    answer = verdict.answer or answers[0]
    return [
        *_of_rules(asked, answer, verdict),
        *_of_size(reply, asked, answer, verdict),
        *_of_overlap(reply, answer),
        *_of_place(reply, asked, verdict),
        *_of_denial(reply, answer),
        *_of_all(reply, asked, answers),
        float(answer.statement),
        *(align(reply, asked, answers) if answer.statement else _NOT_ALIGNED),
    ]


def is_long(found: list[float]) -> bool:
    """Whether the expected answer is a statement, for which a separate model is used."""
    return found[_STATEMENT] > 0


def falls_short(found: list[float]) -> bool:
    """Whether a reply misses a clause of the one expected statement, or says the opposite.

    Either it is shorter and has next to nothing of that clause, or it adds hardly a word of its own and has the
    opposite of a missing one.
    """
    if found[_ANSWERS] >= _TWO:
        return False
    left_out = found[_ROOM] < _LITTLE_ROOM and found[_LINKED_CLAUSE] < _LITTLE_LINKED
    return left_out or (found[_OPPOSED] > 0 and found[_STRANGERS] < _TWO)


def _of_rules(asked: Asked, answer: Expected, verdict: Verdict) -> tuple[float, ...]:
    telling = list(answer.weights)
    given = sum(word in asked.content for word in telling) / max(1, len(telling))
    return (
        verdict.value,
        verdict.found,
        verdict.factor,
        float(verdict.first),
        _KINDS.get(asked.kind, 0.0),
        float(len(answer.facts.quantities) + len(answer.facts.dates) + len(answer.facts.clocks)),
        float(answer.only_facts),
        float(len(answer.items)),
        float(len(answer.passage)),
        answer.total,
        given,
    )


def _of_size(reply: Answered, asked: Asked, answer: Expected, verdict: Verdict) -> tuple[float, ...]:
    """Size features: length of the reply, and the new words and names in it."""
    passage = reply.passage
    own = [
        place
        for place, word in enumerate(passage.stems[:_MOST_WORDS])
        if word not in STOP and word not in answer.weights and word not in asked.words
    ]
    cased = len(passage.text) == len(passage.folded)
    names = [place for place in own if cased and passage.text[passage.starts[place]].isupper()]
    before = sum(place < verdict.first for place in names) if verdict.first >= 0 else len(names)
    return math.log1p(len(passage)), float(len(own)), float(len(names)), float(before)


def _of_overlap(reply: Answered, answer: Expected) -> tuple[float, ...]:
    stems, words = reply.stems, answer.passage.stems
    total = answer.total or 1.0
    met = [word for word in answer.weights if word in stems]
    recall = len(met) / max(1, len(answer.weights))
    reply_weight = sum(map(weight, stems)) or 1.0
    shared = sum(map(weight, met))
    answer_weight = sum(map(weight, answer.weights)) or 1.0
    return (
        recall,
        sum(answer.weights[word] for word in met) / total,
        min(1.0, shared / reply_weight),
        2 * shared / (reply_weight + answer_weight),
        float(bool(words) and words[0] in stems),
        float(bool(words) and words[-1] in stems),
        _pairs(reply, answer),
        _letters(reply, answer),
        float(bool(answer.squeezed) and answer.squeezed in reply.squeezed),
    )


def _pairs(reply: Answered, answer: Expected) -> float:
    """Share of the answer's word pairs that are adjacent in the reply too; -1 if it has none."""
    pairs = answer.pairs
    return len(pairs & reply.pairs) / len(pairs) if pairs else -1.0


def _letters(reply: Answered, answer: Expected) -> float:
    """Share of the answer's character trigrams that occur in the reply; -1 if it has none."""
    groups = answer.letters
    folded = reply.passage.folded
    return sum(group in folded for group in groups) / len(groups) if groups else -1.0


def _of_place(reply: Answered, asked: Asked, verdict: Verdict) -> tuple[float, ...]:
    """Position features: where the match is, and how much of the question is near it."""
    passage = reply.passage
    many = float(passage.sentences[-1] + 1) if passage.stems else 0.0
    taken = len(asked.content & reply.stems) / max(1, len(asked.content))
    if verdict.first < 0:
        return -1.0, many, taken, -1.0
    sentence = passage.sentences[verdict.first]
    here = {word for word, number in zip(passage.stems, passage.sentences, strict=True) if number == sentence}
    return float(sentence), many, taken, len(asked.content & here) / max(1, len(asked.content))


def _of_denial(reply: Answered, answer: Expected) -> tuple[float, ...]:
    passage = reply.passage
    denials = sum(word in NEGATORS for word in passage.stems[:_MOST_WORDS])
    differs = float((denials > 0) != answer.negative)
    return (
        float(denials),
        differs,
        float(not _UNSURE.isdisjoint(reply.stems) and unsure(passage.folded)),
        float("or" in reply.stems),
        float(sum(word[0].isdecimal() for word in reply.stems)),
        float(len(ADVERSE & reply.stems) - len(ADVERSE.intersection(answer.weights))),
        float(bool(answer.head) and answer.head <= reply.stems),
        float(len(passage) <= len(answer.passage) + 2),
    )


def _of_all(reply: Answered, asked: Asked, answers: list[Expected]) -> tuple[float, ...]:
    """Features over all spellings of the answer: the best, the mean, and the nearest in detail."""
    own = frozenset(word for word in reply.stems if word not in STOP)
    new_words = own - asked.content
    reply_weight = sum(map(weight, own)) or 1.0
    shares, nearest, best = [], answers[0], -1.0
    for answer in answers[:_MOST_ANSWERS]:
        met = sum(value for word, value in answer.weights.items() if word in own)
        shares.append(met / (answer.total or 1.0))
        f1 = 2 * met / (reply_weight + answer.total)
        if f1 > best:
            best, nearest = f1, answer
    denied = not NEGATORS.isdisjoint(reply.stems)
    return (
        max(shares),
        sum(shares) / len(shares),
        best,
        _soft_recall(own, nearest),
        _soft_recall(new_words, nearest),
        len(new_words - nearest.weights.keys()) / max(1, len(own)),
        float(denied) - float(nearest.negative),
        float(
            sum(
                not OPPOSITES.get(word, _NONE).isdisjoint(nearest.weights)
                for word in own
                if word not in nearest.weights
            )
        ),
        len(own) / max(1, len(nearest.weights)),
        float(len(new_words)),
        float(min(len(answers), _MOST_ANSWERS)),
    )


def _soft_recall(own: frozenset[str], answer: Expected) -> float:
    """Share of the answer's content words that occur in the reply in some form, compared by their first letters."""
    beginnings = {word[:_BEGINNING] for word in own}
    telling = [word for word in answer.weights if word not in STOP]
    return sum(word[:_BEGINNING] in beginnings for word in telling) / max(1, len(telling))
