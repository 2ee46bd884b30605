"""Inside a contestant's process: hold conversations once, and write down what they cost.

    python -m bench.peers.CONTESTANT RESULT.json --conversations 200 --turns 50 [--words same|other]

Needs the standard library alone, because it runs in the peers' environments too.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.peers.measure import loop_ms, peak_mb, refuse_network

CONCURRENCY = 100
_THINGS = ("book", "map", "film", "record", "model", "chart", "letter", "coin")
_HOUSES = ("Aldham", "Brockley", "Carrow", "Denholm", "Elsworth", "Farley", "Garstang", "Hexham", "Ilminster", "Jarrow")
_OPENINGS = (
    "Certainly:", "As I said,", "To be precise,", "In short,", "Again,", "Once more:", "I find that",
    "According to the rules,", "For the record,", "Indeed,",
)  # fmt: skip
_ENDINGS = ("for members", "for every reader", "as a rule", "without exception", "at all counters")


@dataclass(frozen=True, kw_only=True, slots=True)
class Topic:
    """What one conversation is about."""

    number: int

    @property
    def question(self) -> str:
        """What opens it."""
        return f"For how many days may a {self._thing} be borrowed at {self._house} house {self.number}?"

    @property
    def answer(self) -> str:
        """What is expected."""
        return f"{10 + self.number % 80} days"

    @property
    def _thing(self) -> str:
        return _THINGS[self.number % 8]

    @property
    def _house(self) -> str:
        return _HOUSES[self.number // 8 % 10]

    def reply(self, turn: int, words: str) -> str:
        """The steady agent's: right in every turn, in the same words or in other ones each time."""
        said = f"a {self._thing} may be borrowed at {self._house} for {self.answer}"
        if words == "same":
            return f"{said.capitalize()}."
        return f"{_OPENINGS[turn % 10]} {said} {_ENDINGS[turn // 10 % 5]}."


def topic_of(question: str) -> Topic:
    """The topic whose opening question this is."""
    return Topic(number=int(question.removesuffix("?").rpartition(" ")[2]))


Hold = Callable[[list[Topic], int, str], int]
"""Holds a conversation on each topic, of so many turns and in such words, and says how many turns there were.

Raises where a reply was not passed: all of them are right.
"""


def main(hold: Hold) -> None:
    """What every contestant's script does."""
    parser = argparse.ArgumentParser()
    parser.add_argument("result", type=Path)
    parser.add_argument("--conversations", type=int, required=True)
    parser.add_argument("--turns", type=int, required=True)
    parser.add_argument("--words", choices=["same", "other"], default="same")
    options = parser.parse_args()
    tried = refuse_network()
    hold(_topics(5), 5, options.words)
    topics, loops = _topics(options.conversations), [loop_ms()]
    wall, cpu = time.perf_counter(), time.process_time()
    turns = hold(topics, options.turns, options.words)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    loops.append(loop_ms())
    result = {"wall": wall, "cpu": cpu, "loops": loops, "peak_mb": peak_mb(), "turns": turns, "network": len(tried)}
    options.result.write_text(json.dumps(result))


def _topics(count: int) -> list[Topic]:
    return [Topic(number=number) for number in range(count)]
