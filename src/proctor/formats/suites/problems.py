"""Collects problems with their positions while nodes are read, and limits the number of values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from proctor.formats.suites.nodes import MappingNode, Node, ScalarNode, Unreadable

MOST_VALUES = 1_000_000
"""Maximum number of values in a file after expansion of aliases."""
_UNFIT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class SuiteProblem:
    """One error in a suite file."""

    line: int
    """Line, from 1."""
    column: int
    """Character in that line, from 1."""
    path: str
    """Path of keys, such as `cases[0].expect.keywords`; empty for the file as a whole."""
    message: str
    """What is wrong, what was expected and how to fix it."""

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.path and f'{self.path}: '}{self.message}"


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordNote:
    """A record that was read, kept for checks that need the whole file."""

    record: str
    """Name of the record's declaration."""
    node: MappingNode
    values: dict[str, Any]
    """Key → value, for keys with a valid value."""
    sound: bool
    """Whether the record has no problems."""
    path: tuple[str | int, ...]

    def place_of(self, key: str) -> Node:
        """Return the node of a key, or of the record if the key is missing."""
        return next((found for found, _ in self.node.entries if found.text == key), self.node)


class ProblemLog:
    """The problems found so far, and the path being read."""

    def __init__(self) -> None:
        self.problems: list[SuiteProblem] = []
        self.notes: list[RecordNote] = []
        self.path: list[str | int] = []
        self._values = 0

    def problem(self, node: Node, message: str) -> None:
        """Add a problem at a node."""
        self.problem_at(node.line, node.column, message)

    def problem_at(self, line: int, column: int, message: str) -> None:
        """Add a problem at a position."""
        self.problems.append(SuiteProblem(line=line, column=column, path=_written(self.path), message=message))

    def count(self, node: Node) -> None:
        """Count a value; raise Unreadable when aliases expand beyond the limit."""
        self._values += 1
        if self._values > MOST_VALUES:
            raise Unreadable(node.line, node.column, f"the file holds more than {MOST_VALUES:,} values; split it")

    def is_fit(self, scalar: ScalarNode) -> bool:
        """Whether the text can be stored; if not, add a problem."""
        met = _UNFIT.search(scalar.text)
        if met is None:
            return True
        what = "a NUL character" if met[0] == "\0" else f"half a character (U+{ord(met[0]):04X})"
        self.problem(scalar, f"holds {what} as character {met.start() + 1}; remove it or complete it")
        return False


def _written(path: list[str | int]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(parts).removeprefix(".")
