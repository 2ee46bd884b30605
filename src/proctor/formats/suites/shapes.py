"""What a single value may be: each shape reads it from a node and tells it as JSON Schema."""

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
"""How a keyword starts that is a pattern."""
_FLAG_WORDS = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}
UNUSABLE: Final = object()
"""What is read where a problem was kept."""


class Shape(Protocol):
    """One place of the declaration."""

    @property
    def requirement(self) -> str:
        """What is expected, for a message."""
        ...

    def fits(self, node: Node) -> bool:
        """Whether the node is of this kind at all."""
        ...

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """The value; UNUSABLE where something is wrong with it, which is then kept as a problem."""
        ...

    def schema(self) -> Schema:
        """The same as JSON Schema."""
        ...


def refuse(shape: Shape, node: Node, reading: ProblemLog, advice: str = "") -> object:
    """Keep that the node is of another kind."""
    reading.problem(node, f"expected {shape.requirement}, found {in_words(node)}{advice and f'; {advice}'}")
    return UNUSABLE


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """Any text that is not blank, as it was written: bare numbers, dates, `yes` and `on` are text here."""

    longest: int | None = None
    """The most characters."""
    one_line: bool = False
    """Whether line breaks are refused."""

    @property
    def requirement(self) -> str:
        """Text."""
        return "text"

    def fits(self, node: Node) -> bool:
        """Whether it is a scalar that holds something."""
        return isinstance(node, ScalarNode) and not is_nothing(node)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """The text; a block of lines without the line breaks at its end, which nobody means."""
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
        """Bare numbers and flags are allowed, for they are taken as text."""
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
    """A word or phrase, one in this very form after `=`, or a pattern after `re:`, which must compile."""

    @property
    def requirement(self) -> str:
        """Text, which may be a pattern."""
        return "text"

    def fits(self, node: Node) -> bool:
        """As text."""
        return _TEXT.fits(node)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """The keyword with its `re:`."""
        if isinstance(node, MappingNode) and [key.text for key, _ in node.entries] == [PATTERN[:-1]]:
            return refuse(self, node, reading, f"write a pattern in quotes, with no blank after {PATTERN!r}")
        text = _TEXT.read(node, reading)
        if not isinstance(text, str) or not text.startswith(PATTERN):
            return text
        return text if _compiles(text.removeprefix(PATTERN).strip(), node, reading) else UNUSABLE

    def schema(self) -> Schema:
        """As text; whether a pattern compiles, no schema can say."""
        return _TEXT.schema()


_TEXT = Text(longest=LONGEST)


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """A regular expression, without `re:`."""

    @property
    def requirement(self) -> str:
        """A pattern."""
        return "a pattern"

    def fits(self, node: Node) -> bool:
        """As text."""
        return _TEXT.fits(node)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """The pattern's text."""
        if not self.fits(node):
            return refuse(self, node, reading)
        text = _TEXT.read(node, reading)
        return text if isinstance(text, str) and _compiles(text, node, reading) else UNUSABLE

    def schema(self) -> Schema:
        """As text."""
        return {**_TEXT.schema(), "format": "regex"}


@dataclass(frozen=True, kw_only=True, slots=True)
class OneOf:
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def requirement(self) -> str:
        """The words."""
        return f"one of {', '.join(self.words)}"

    def fits(self, node: Node) -> bool:
        """As text."""
        return _TEXT.fits(node)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """The word."""
        if not self.fits(node):
            return refuse(self, node, reading)
        word = _TEXT.read(node, reading)
        if word is UNUSABLE or word in self.words:
            return word
        return refuse(self, node, reading, did_you_mean(word, self.words, otherwise=""))

    def schema(self) -> Schema:
        """The words."""
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
"""Up to here every whole number is one of its own, also where it was written as 1e15."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Number:
    """A number within bounds."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    """A bound that is itself too small."""
    whole: bool = False
    """Whether fractions are refused; else the number is read as a float, so that 1 and 1.0 are the same."""

    @property
    def requirement(self) -> str:
        """The bounds in words."""
        name = "a whole number" if self.whole else "a number"
        if self.above is not None and self.most is not None:
            return f"{name} above {self.above:g}, up to {self.most:,}"
        if self.most is not None:
            return f"{name} from {self.least:g} to {self.most:g}"
        if self.above is not None:
            return f"{name} above {self.above:g}"
        return f"{name} of at least {self.least:g}" if self.least is not None else name

    def fits(self, node: Node) -> bool:
        """Whether it is a number."""
        return number_of(node) is not None

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """The number."""
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
        """The bounds."""
        bounds = {"minimum": self.least, "maximum": self.most, "exclusiveMinimum": self.above}
        kept = {name: bound for name, bound in bounds.items() if bound is not None}
        return {"type": "integer" if self.whole else "number", **kept}


@dataclass(frozen=True, kw_only=True, slots=True)
class Flag:
    """true or false."""

    @property
    def requirement(self) -> str:
        """The two words."""
        return "true or false"

    def fits(self, node: Node) -> bool:
        """Whether it is one of them."""
        return flag_of(node) is not None

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """The flag; `yes` and `on` are told what to write, for not every reader of YAML takes them."""
        reading.count(node)
        flag = flag_of(node)
        return refuse(self, node, reading, _flag_meant(node)) if flag is None else flag

    def schema(self) -> Schema:
        """A boolean."""
        return {"type": "boolean"}


def _flag_meant(node: Node) -> str:
    word = _FLAG_WORDS.get(node.text.lower()) if isinstance(node, ScalarNode) else None
    return f"write {word}" if word else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Anything:
    """Whatever JSON can hold: numbers, flags and nothing are told from text as in YAML 1.2."""

    @property
    def requirement(self) -> str:
        """Anything."""
        return "a value"

    def fits(self, node: Node) -> bool:
        """Always."""
        return True

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """The value, of plain Python types."""
        return _plain(node, reading, DEEPEST)

    def schema(self) -> Schema:
        """No bounds."""
        return {}


def _plain(node: Node, reading: ProblemLog, levels: int) -> Any:
    reading.count(node)
    if levels < 0:  # aliases inside aliases
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
    """Its entries; a key that stands twice, or that is no text, is a problem and left out."""
    kept: dict[str, tuple[ScalarNode, Node]] = {}
    for key, value in entries_of(keyed):
        if key.text in kept:
            first = kept[key.text][0]
            where = f"line {first.line}" if first.line != key.line else f"column {first.column}"
            reading.problem(key, f"the key {key.text!r} is already in {where}; keep one of them")
        elif reading.is_fit(key):
            kept[key.text] = (key, value)
    return list(kept.values())
