"""A match: how well a reply meets one spelling of the expected answer, where, and in what words."""

from __future__ import annotations

from typing import NamedTuple

from proctor.reading.expected import Answered
from proctor.reading.question import Asked


class Match(NamedTuple):
    """What was found of the expected answer."""

    value: float
    explanation: str
    first: int = -1
    """The place of the first matching word; -1: nothing matches."""
    last: int = -1


def best_mention(reply: Answered, asked: Asked, places: list[int]) -> int:
    """Of several mentions the one that answers: in the clause that takes up most of the question, else the first."""
    if len(places) == 1:
        return places[0]
    clauses = reply.passage.clauses
    if clauses[places[0]] == clauses[places[-1]]:
        return places[0]
    shared = taken_up(reply, asked)
    return max(places, key=lambda place: len(shared.get(clauses[place], ())))


def taken_up(reply: Answered, asked: Asked) -> dict[int, set[str]]:
    """Clause → the telling words of the question that it takes up."""
    shared: dict[int, set[str]] = {}
    for word, clause in zip(reply.passage.stems, reply.passage.clauses, strict=True):
        if word in asked.content:
            shared.setdefault(clause, set()).add(word)
    return shared
