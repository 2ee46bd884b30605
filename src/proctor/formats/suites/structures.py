"""Shapes of lists and mappings, composed of other shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.formats.suites.nodes import ListNode, MappingNode, Node, ScalarNode, in_words, is_nothing
from proctor.formats.suites.problems import ProblemLog, RecordNote
from proctor.formats.suites.shapes import UNUSABLE, Schema, Shape, fit_entries, refuse
from proctor.settings import did_you_mean

Rule = Callable[[dict[str, Any]], Iterator[tuple[str, str]]]
"""Values of a record → (key, message) for each violation of a rule between them."""
_SHORT = 40
_NAMED = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class ListOf:
    """A list of one shape."""

    item: Shape
    filled: bool = False
    """Whether it must not be empty."""

    @property
    def requirement(self) -> str:
        """Description of the expected value, for error messages."""
        return "a list"

    def fits(self, node: Node) -> bool:
        """Whether the node is a list."""
        return isinstance(node, ListNode)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Read the valid items."""
        reading.count(node)
        if not isinstance(node, ListNode):
            return refuse(self, node, reading, _in_brackets(node))
        if self.filled and not node.items:
            reading.problem(node, "expected at least one item, found none")
        return [value for value in self._values(node, reading) if value is not UNUSABLE]

    def _values(self, node: ListNode, reading: ProblemLog) -> Iterator[Any]:
        for index, item in enumerate(node.items):
            reading.path.append(index)
            yield self.item.read(item, reading)
            reading.path.pop()

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        filled = {"minItems": 1} if self.filled else {}
        return {"type": "array", "items": self.item.schema(), **filled}


def _in_brackets(node: Node) -> str:
    short = isinstance(node, ScalarNode) and not is_nothing(node) and len(node.text) <= _SHORT
    return f"write [{node.text}]" if isinstance(node, ScalarNode) and short else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class MapOf:
    """A mapping with user-defined keys and values of one shape."""

    value: Shape
    why_no_name: Callable[[str], str | None] = lambda _: None
    """Returns why a key is invalid, or None if it is valid."""
    most: int | None = None
    """Maximum number of entries."""

    @property
    def requirement(self) -> str:
        """Description of the expected value, for error messages."""
        return "names with values"

    def fits(self, node: Node) -> bool:
        """Whether the node is a mapping."""
        return isinstance(node, MappingNode)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Read the entries with valid keys and values."""
        reading.count(node)
        if not isinstance(node, MappingNode):
            return refuse(self, node, reading)
        if self.most is not None and len(node.entries) > self.most:
            reading.problem(node, f"it has {len(node.entries):,} names; expected at most {self.most:,}")
        found: dict[str, Any] = {}
        for key, value in fit_entries(node, reading):
            reading.path.append(key.text)
            if not key.text.strip():
                reading.problem(key, "expected a name before the colon, found nothing")
            elif (wrong := self.why_no_name(key.text)) is not None:
                reading.problem(key, wrong)
            else:
                found[key.text] = self.value.read(value, reading)
            reading.path.pop()
        return {name: value for name, value in found.items() if value is not UNUSABLE}

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        most = {} if self.most is None else {"maxProperties": self.most}
        names = {"propertyNames": {"pattern": r"\S"}}
        return {"type": "object", "additionalProperties": self.value.schema(), **names, **most}


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One key of a record."""

    shape: Shape
    about: str
    """One-sentence description, shown by editors."""
    required: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """A mapping with fixed keys, each with its shape; other keys are problems."""

    name: str
    """Name of the definition in the JSON Schema."""
    fields: Mapping[str, Field]
    synonyms: Mapping[str, str] = field(default_factory=dict)
    """Alias → key."""
    hints: Mapping[str, str] = field(default_factory=dict)
    """Common wrong key → advice."""
    rules: tuple[Rule, ...] = ()
    """Rules between the values."""
    noted: bool = False
    """Whether to keep a RecordNote with the record's position."""

    @property
    def requirement(self) -> str:
        """Description with the first few keys, for error messages."""
        return f"keys ({', '.join(list(self.fields)[:_NAMED])}{', …' * (len(self.fields) > _NAMED)}) with values"

    def fits(self, node: Node) -> bool:
        """Whether the node is a mapping."""
        return isinstance(node, MappingNode)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Read the valid values by key; `null` counts as a missing key unless the shape accepts it."""
        reading.count(node)
        if not isinstance(node, MappingNode):
            return refuse(self, node, reading)
        before = len(reading.problems)
        found: dict[str, Any] = {}
        keys: dict[str, ScalarNode] = {}
        for key, value in fit_entries(node, reading):
            name = self.synonyms.get(key.text, key.text)
            if name in keys:
                reading.problem(key, f"{keys[name].text!r} and {key.text!r} mean the same; give one of them")
            keys[name] = key
            self._read_entry(name, key, value, found, reading)
        for name, declared in self.fields.items():
            if declared.required and name not in keys:
                reading.problem(node, f"the key {name!r} is missing ({_parenthesize(declared.about)})")
        if len(reading.problems) == before:
            self._apply_rules(node, keys, found, reading)
        if self.noted:
            sound = len(reading.problems) == before
            note = RecordNote(record=self.name, node=node, values=found, sound=sound, path=tuple(reading.path))
            reading.notes.append(note)
        return found

    def _read_entry(self, name: str, key: ScalarNode, node: Node, found: dict[str, Any], reading: ProblemLog) -> None:
        declared = self.fields.get(name)
        reading.path.append(key.text)
        if declared is None:
            reading.problem(key, f"unknown key {key.text!r}; {self._instead(key.text)}")
        elif not is_nothing(node) or declared.shape.fits(node):
            value = declared.shape.read(node, reading)
            if value is not UNUSABLE:
                found[name] = value
        elif declared.required:
            reading.problem(
                key, f"expected {declared.shape.requirement}, found {in_words(node)} ({_parenthesize(declared.about)})"
            )
        reading.path.pop()

    def _instead(self, name: str) -> str:
        if name in self.hints:
            return self.hints[name]
        return did_you_mean(name, self.fields)

    def _apply_rules(
        self, node: Node, keys: Mapping[str, ScalarNode], found: dict[str, Any], reading: ProblemLog
    ) -> None:
        for rule in self.rules:
            for name, message in rule(found):
                reading.problem(keys.get(name, node), message)

    def schema(self) -> Schema:
        """Return a reference to the definition, which is shared by all uses."""
        return {"$ref": f"#/$defs/{self.name}"}

    def definition(self) -> Schema:
        """Return the JSON Schema that the reference points to."""
        properties = {name: _describe_field(one) for name, one in self.fields.items()}
        for other, name in self.synonyms.items():
            properties[other] = {**properties[name], "description": f"The same as {name}."}
        return {"type": "object", "properties": properties, **self._needed_schema(), "additionalProperties": False}

    def _needed_schema(self) -> Schema:
        """Return the part of the schema for required keys and for aliases that exclude each other."""
        alike = {name: [name] for name in self.fields}
        for other, name in self.synonyms.items():
            alike[name].append(other)
        plain = [name for name, one in self.fields.items() if one.required and len(alike[name]) == 1]
        several = [_one_of(names, self.fields[name].required) for name, names in alike.items() if len(names) > 1]
        return {**({"required": plain} if plain else {}), **({"allOf": several} if several else {})}


def _one_of(names: list[str], required: bool) -> Schema:
    there = [{"required": [name]} for name in names]
    return {"oneOf": there if required else [*there, {"not": {"anyOf": there}}]}


def _parenthesize(about: str) -> str:
    """Format a field's description for use in parentheses."""
    return f"{about[:1].lower()}{about[1:]}".removesuffix(".")


def _describe_field(one: Field) -> Schema:
    schema = one.shape.schema()
    if not one.required:
        schema = _or_null(schema)
    return {"description": one.about, **schema}


def _or_null(schema: Schema) -> Schema:
    """Extend a schema to allow `null`, which counts as a missing key."""
    kinds = schema.get("type")
    if kinds is not None:  # constraints on other types do not apply to null
        return {**schema, "type": [*([kinds] if isinstance(kinds, str) else kinds), "null"]}
    return {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}


@dataclass(frozen=True, kw_only=True, slots=True)
class Either:
    """One of several shapes that can be distinguished by the kind of node."""

    shapes: tuple[Shape, ...]

    @property
    def requirement(self) -> str:
        """Description of all alternatives, for error messages."""
        return ", or ".join(shape.requirement for shape in self.shapes)

    def fits(self, node: Node) -> bool:
        """Whether any of the shapes fits."""
        return any(shape.fits(node) for shape in self.shapes)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Read the value by the first shape that fits."""
        for shape in self.shapes:
            if shape.fits(node):
                return shape.read(node, reading)
        return refuse(self, node, reading)

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"anyOf": [shape.schema() for shape in self.shapes]}
