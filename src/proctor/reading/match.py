"""A match between a reply and one spelling of the expected answer: score, explanation and position."""

from __future__ import annotations

from typing import NamedTuple

from proctor.reading.expected import Answered
from proctor.reading.question import Asked


class Match(NamedTuple):
    """How well, where and with which words the expected answer was found."""

    value: float
    explanation: str
    first: int = -1
    """Position of the first matching word, or -1 if nothing matches."""
    last: int = -1


def best_mention(reply: Answered, asked: Asked, places: list[int]) -> int:
    """Return the mention whose clause shares the most words with the question, by default the first."""
    if len(places) == 1:
        return places[0]
    clauses = reply.passage.clauses
    if clauses[places[0]] == clauses[places[-1]]:
        return places[0]
    shared = taken_up(reply, asked)
    return max(places, key=lambda place: len(shared.get(clauses[place], ())))


def taken_up(reply: Answered, asked: Asked) -> dict[int, set[str]]:
    """Map each clause to the content words that it shares with the question."""
    shared: dict[int, set[str]] = {}
    for word, clause in zip(reply.passage.stems, reply.passage.clauses, strict=True):
        if word in asked.content:
            shared.setdefault(clause, set()).add(word)
    return shared
