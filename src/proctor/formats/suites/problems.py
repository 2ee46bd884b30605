"""What is collected while nodes are read: every problem with its place, and how much was read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from proctor.formats.suites.nodes import MappingNode, Node, ScalarNode, Unreadable

MOST_VALUES = 1_000_000
"""How many values a file may have once its aliases are unfolded."""
_UNFIT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class SuiteProblem:
    """One error in a suite file."""

    line: int
    """From 1."""
    column: int
    """The character in that line; from 1."""
    path: str
    """The keys that lead there, as in `cases[0].expect.keywords`; empty: the file as a whole."""
    message: str
    """What is wrong, what was expected and what to write."""

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.path and f'{self.path}: '}{self.message}"


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordNote:
    """A record that was read, for what only the whole file can tell."""

    record: str
    """Its name in the declaration."""
    node: MappingNode
    values: dict[str, Any]
    """Key → value, where it was given and is usable."""
    sound: bool
    """Whether nothing was wrong in it."""
    path: tuple[str | int, ...]

    def place_of(self, key: str) -> Node:
        """Where a key stands; the record itself where it does not."""
        return next((found for found, _ in self.node.entries if found.text == key), self.node)


class ProblemLog:
    """The problems met so far, and the path to what is being read."""

    def __init__(self) -> None:
        self.problems: list[SuiteProblem] = []
        self.notes: list[RecordNote] = []
        self.path: list[str | int] = []
        self._values = 0

    def problem(self, node: Node, message: str) -> None:
        """Keep what is wrong with a node."""
        self.problem_at(node.line, node.column, message)

    def problem_at(self, line: int, column: int, message: str) -> None:
        """Keep what is wrong with a place."""
        self.problems.append(SuiteProblem(line=line, column=column, path=_written(self.path), message=message))

    def count(self, node: Node) -> None:
        """Note that a value is read; ends the reading where aliases unfold without bounds."""
        self._values += 1
        if self._values > MOST_VALUES:
            raise Unreadable(node.line, node.column, f"the file holds more than {MOST_VALUES:,} values; split it")

    def is_fit(self, scalar: ScalarNode) -> bool:
        """Whether the text can be stored; what cannot is a problem."""
        met = _UNFIT.search(scalar.text)
        if met is None:
            return True
        what = "a NUL character" if met[0] == "\0" else f"half a character (U+{ord(met[0]):04X})"
        self.problem(scalar, f"holds {what} as character {met.start() + 1}; remove it or complete it")
        return False


def _written(path: list[str | int]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(parts).removeprefix(".")
