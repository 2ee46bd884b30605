"""Nodes of a parsed YAML or JSON text, with their positions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

DEEPEST = 50
"""Maximum nesting depth of lists and mappings."""
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|[-+]?\.[0-9]+(?:[eE][-+]?[0-9]+)?")
_WHOLE = re.compile(r"[-+]?[0-9]+")
_NOTHING = frozenset(("", "~", "null", "Null", "NULL"))
_FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_LARGEST = 2**63
_SHOWN = 40


class Unreadable(Exception):
    """Raised when a text is not valid YAML or JSON or exceeds a limit, which ends the reading."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(message)
        self.line, self.column, self.message = line, column, message


@dataclass(slots=True)
class ScalarNode:
    """A single value, neither a list nor a mapping."""

    line: int
    column: int
    text: str
    """The text as written, without quotes."""
    style: str = ""
    """Empty for a plain scalar, otherwise the quote character, or `|` or `>` for a block scalar."""

    @property
    def bare(self) -> bool:
        """Whether it may be a value other than text."""
        return not self.style


@dataclass(slots=True)
class ListNode:
    """A sequence of nodes."""

    line: int
    column: int
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class MappingNode:
    """A mapping; keys may be duplicated at this stage."""

    line: int
    column: int
    entries: list[tuple[ScalarNode, Node]] = field(default_factory=list)
    merged: list[MappingNode] = field(default_factory=list)
    """Mappings merged into this one (`<<` in YAML); its own keys take precedence, then the first in the list."""


Node: TypeAlias = ScalarNode | ListNode | MappingNode


def is_nothing(node: Node) -> bool:
    """Whether no value is given: `null`, `~`, or nothing after the colon."""
    return isinstance(node, ScalarNode) and node.bare and node.text in _NOTHING


def flag_of(node: Node) -> bool | None:
    """Return the boolean, or None if it is not one; `yes` and `on` are text."""
    return _FLAGS.get(node.text) if isinstance(node, ScalarNode) and node.bare else None


def number_of(node: Node) -> float | None:
    """Return the number if it is a finite decimal one, else None.

    007, 1_000, 0x1F and 12:30 are text, since they may be codes.
    """
    if not isinstance(node, ScalarNode) or not node.bare or not _NUMBER.fullmatch(node.text):
        return None
    if _WHOLE.fullmatch(node.text) and len(node.text) < 20 and abs(integer := int(node.text)) < _LARGEST:
        return integer
    value = float(node.text)
    return value if math.isfinite(value) and not _WHOLE.fullmatch(node.text) else None


def is_huge(node: ScalarNode) -> bool:
    """Whether it is a number that does not fit into 64 bits."""
    return node.bare and _NUMBER.fullmatch(node.text) is not None and number_of(node) is None


def value_of(scalar: ScalarNode) -> str | float | bool | None:
    """Return the value of a scalar where any type is allowed: None, a boolean, a number or text."""
    if is_nothing(scalar):
        return None
    flag, number = flag_of(scalar), number_of(scalar)
    if flag is not None:
        return flag
    return scalar.text if number is None else number


def entries_of(keyed: MappingNode) -> Iterator[tuple[ScalarNode, Node]]:
    """Yield the mapping's own entries, then those of merged mappings, without duplicate keys and cycles."""
    yield from keyed.entries
    if not keyed.merged:
        return
    taken = {key.text for key, _ in keyed.entries}
    met: set[int] = set()
    waiting = keyed.merged[::-1]
    while waiting:
        other = waiting.pop()
        if id(other) in met:
            continue
        met.add(id(other))
        waiting.extend(reversed(other.merged))
        fresh = [(key, value) for key, value in other.entries if key.text not in taken]
        taken.update(key.text for key, _ in fresh)
        yield from fresh


def in_words(node: Node) -> str:
    """Describe a node for an error message."""
    if isinstance(node, ListNode):
        return "a list"
    if isinstance(node, MappingNode):
        return "keys with values"
    if is_nothing(node):
        return "null" if node.text else "nothing"
    short = node.text if len(node.text) <= _SHOWN else f"{node.text[: _SHOWN - 1]}…"
    if flag_of(node) is not None:
        return short
    return f"the number {short}" if number_of(node) is not None else f"the text {short!r}"
