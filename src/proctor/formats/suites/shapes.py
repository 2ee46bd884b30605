"""Shapes of single values: each reads a value from a node and describes itself as JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

from proctor.formats.rules import LONGEST
from proctor.formats.suites.nodes import (
    DEEPEST,
    ListNode,
    MappingNode,
    Node,
    ScalarNode,
    Unreadable,
    entries_of,
    flag_of,
    in_words,
    is_huge,
    is_nothing,
    number_of,
    value_of,
)
from proctor.formats.suites.problems import ProblemLog
from proctor.settings import did_you_mean, why_no_pattern

Schema = dict[str, Any]
PATTERN: Final = "re:"
"""Prefix of a keyword that is a regular expression."""
_FLAG_WORDS = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}
UNUSABLE: Final = object()
"""Returned instead of a value when a problem was added."""


class Shape(Protocol):
    """Type of a value in the declaration."""

    @property
    def requirement(self) -> str:
        """Description of the expected value, for error messages."""
        ...

    def fits(self, node: Node) -> bool:
        """Whether the node is of the right kind."""
        ...

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Read the value; on an error, add a problem and return UNUSABLE."""
        ...

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        ...


def refuse(shape: Shape, node: Node, reading: ProblemLog, advice: str = "") -> object:
    """Add the problem that the node is of the wrong kind, and return UNUSABLE."""
    reading.problem(node, f"expected {shape.requirement}, found {in_words(node)}{advice and f'; {advice}'}")
    return UNUSABLE


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """Any non-blank text, taken literally: plain numbers, dates, `yes` and `on` are text here."""

    longest: int | None = None
    """Maximum length in characters."""
    one_line: bool = False
    """Whether line breaks are forbidden."""

    @property
    def requirement(self) -> str:
        """Description of the expected value, for error messages."""
        return "text"

    def fits(self, node: Node) -> bool:
        """Whether the node is a scalar other than null."""
        return isinstance(node, ScalarNode) and not is_nothing(node)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Read the text; a block scalar loses its trailing line breaks, which are never intended."""
        reading.count(node)
        if not isinstance(node, ScalarNode) or is_nothing(node):
            return refuse(self, node, reading, _if_text_was_meant(node))
        text = node.text.rstrip("\n") if node.style in ("|", ">") else node.text
        if not text.strip():
            reading.problem(node, "it is empty; write some text, or remove it")
            return UNUSABLE
        if self.longest is not None and len(text) > self.longest:
            reading.problem(node, f"exceeds {self.longest} characters: it has {len(text)}; shorten it")
            return UNUSABLE
        if self.one_line and len(text.splitlines()) > 1:
            reading.problem(node, "expected one line of text, found several")
            return UNUSABLE
        return text if reading.is_fit(node) else UNUSABLE

    def schema(self) -> Schema:
        """Return the JSON Schema; plain numbers and booleans are allowed, since they are read as text."""
        found: Schema = {"type": ["string", "number", "boolean"], "pattern": r"\S"}
        if self.longest is not None:
            found["maxLength"] = self.longest
        return found


def _if_text_was_meant(node: Node) -> str:
    if isinstance(node, MappingNode) and len(node.entries) == 1:
        return "a text with a colon and a blank in it needs quotes"
    return "put it in quotes if you mean the word" if isinstance(node, ScalarNode) and node.text else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Keyword:
    """A word or phrase, an exact form after `=`, or a regular expression after `re:`, which must compile."""

    @property
    def requirement(self) -> str:
        """Description of the expected value, for error messages."""
        return "text"

    def fits(self, node: Node) -> bool:
        """Whether the node is text."""
        return _TEXT.fits(node)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Read the keyword, including its `re:`."""
        if isinstance(node, MappingNode) and [key.text for key, _ in node.entries] == [PATTERN[:-1]]:
            return refuse(self, node, reading, f"write a pattern in quotes, with no blank after {PATTERN!r}")
        text = _TEXT.read(node, reading)
        if not isinstance(text, str) or not text.startswith(PATTERN):
            return text
        return text if _compiles(text.removeprefix(PATTERN).strip(), node, reading) else UNUSABLE

    def schema(self) -> Schema:
        """Return the JSON Schema of a text; it cannot express that a pattern must compile."""
        return _TEXT.schema()


_TEXT = Text(longest=LONGEST)


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """A regular expression, without `re:`."""

    @property
    def requirement(self) -> str:
        """Description of the expected value, for error messages."""
        return "a pattern"

    def fits(self, node: Node) -> bool:
        """Whether the node is text."""
        return _TEXT.fits(node)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Read the pattern, which must compile."""
        if not self.fits(node):
            return refuse(self, node, reading)
        text = _TEXT.read(node, reading)
        return text if isinstance(text, str) and _compiles(text, node, reading) else UNUSABLE

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {**_TEXT.schema(), "format": "regex"}


@dataclass(frozen=True, kw_only=True, slots=True)
class OneOf:
    """One of a fixed set of words."""

    words: tuple[str, ...]

    @property
    def requirement(self) -> str:
        """Description of the expected value, for error messages."""
        return f"one of {', '.join(self.words)}"

    def fits(self, node: Node) -> bool:
        """Whether the node is text."""
        return _TEXT.fits(node)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Read the word, which must be one of the set."""
        if not self.fits(node):
            return refuse(self, node, reading)
        word = _TEXT.read(node, reading)
        if word is UNUSABLE or word in self.words:
            return word
        return refuse(self, node, reading, did_you_mean(word, self.words, otherwise=""))

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"enum": list(self.words)}


def _compiles(pattern: str, node: Node, reading: ProblemLog) -> bool:
    if not pattern:
        reading.problem(node, "the pattern is empty; it would match every text")
        return False
    if (wrong := why_no_pattern(pattern)) is not None:
        reading.problem(node, f"the pattern {pattern!r} does not compile: {wrong}")
        return False
    return True


_EXACT = 2**53
"""Largest range in which a float represents every whole number exactly, also when written as 1e15."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Number:
    """A number within bounds."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    """Exclusive lower bound."""
    whole: bool = False
    """Whether it must be a whole number; otherwise it is read as a float, so that 1 and 1.0 are the same."""

    @property
    def requirement(self) -> str:
        """Description of the bounds, for error messages."""
        name = "a whole number" if self.whole else "a number"
        if self.above is not None and self.most is not None:
            return f"{name} above {self.above:g}, up to {self.most:,}"
        if self.most is not None:
            return f"{name} from {self.least:g} to {self.most:g}"
        if self.above is not None:
            return f"{name} above {self.above:g}"
        return f"{name} of at least {self.least:g}" if self.least is not None else name

    def fits(self, node: Node) -> bool:
        """Whether the node is a number."""
        return number_of(node) is not None

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Read the number and check its bounds."""
        reading.count(node)
        number = number_of(node)
        if number is None:
            quoted = (
                isinstance(node, ScalarNode) and number_of(ScalarNode(node.line, node.column, node.text)) is not None
            )
            return refuse(self, node, reading, "remove the quotes" if quoted else "")
        if not self._holds(number):
            return refuse(self, node, reading)
        return int(number) if self.whole else float(number)

    def _holds(self, number: float) -> bool:
        low = self.least is None or number >= self.least
        high = self.most is None or number <= self.most
        fraction = self.whole and (int(number) != number or abs(number) > _EXACT)
        return low and high and not fraction and (self.above is None or number > self.above)

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        bounds = {"minimum": self.least, "maximum": self.most, "exclusiveMinimum": self.above}
        kept = {name: bound for name, bound in bounds.items() if bound is not None}
        return {"type": "integer" if self.whole else "number", **kept}


@dataclass(frozen=True, kw_only=True, slots=True)
class Flag:
    """A boolean: true or false."""

    @property
    def requirement(self) -> str:
        """Description of the expected value, for error messages."""
        return "true or false"

    def fits(self, node: Node) -> bool:
        """Whether the node is a boolean."""
        return flag_of(node) is not None

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Read the boolean; `yes` and `on` are refused with a hint, since YAML parsers disagree about them."""
        reading.count(node)
        flag = flag_of(node)
        return refuse(self, node, reading, _flag_meant(node)) if flag is None else flag

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"type": "boolean"}


def _flag_meant(node: Node) -> str:
    word = _FLAG_WORDS.get(node.text.lower()) if isinstance(node, ScalarNode) else None
    return f"write {word}" if word else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Anything:
    """Any JSON value; numbers, booleans and null are recognised as in YAML 1.2."""

    @property
    def requirement(self) -> str:
        """Description of the expected value, for error messages."""
        return "a value"

    def fits(self, node: Node) -> bool:
        """Return True for every node."""
        return True

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Read the value as plain Python types."""
        return _plain(node, reading, DEEPEST)

    def schema(self) -> Schema:
        """Return the JSON Schema, which allows anything."""
        return {}


def _plain(node: Node, reading: ProblemLog, levels: int) -> Any:
    reading.count(node)
    if levels < 0:  # nested aliases
        raise Unreadable(node.line, node.column, f"more than {DEEPEST} levels inside each other")
    if isinstance(node, ListNode):
        return [_plain(item, reading, levels - 1) for item in node.items]
    if isinstance(node, MappingNode):
        return {key.text: _plain(value, reading, levels - 1) for key, value in fit_entries(node, reading)}
    if is_huge(node):
        reading.problem(node, f"the number {node.text[:40]} is beyond 64 bits; put it in quotes if it is a code")
        return UNUSABLE
    return value_of(node) if reading.is_fit(node) else UNUSABLE


def fit_entries(keyed: MappingNode, reading: ProblemLog) -> list[tuple[ScalarNode, Node]]:
    """Return the entries; keys that are duplicated or not storable are problems and are left out."""
    kept: dict[str, tuple[ScalarNode, Node]] = {}
    for key, value in entries_of(keyed):
        if key.text in kept:
            first = kept[key.text][0]
            where = f"line {first.line}" if first.line != key.line else f"column {first.column}"
            reading.problem(key, f"the key {key.text!r} is already in {where}; keep one of them")
        elif reading.is_fit(key):
            kept[key.text] = (key, value)
    return list(kept.values())
