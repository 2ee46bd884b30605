"""What lists and keys may hold: shapes made of shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.formats.suites.nodes import ListNode, MappingNode, Node, ScalarNode, in_words, is_nothing
from proctor.formats.suites.problems import ProblemLog, RecordNote
from proctor.formats.suites.shapes import UNUSABLE, Schema, Shape, fit_entries, refuse
from proctor.settings import did_you_mean

Rule = Callable[[dict[str, Any]], Iterator[tuple[str, str]]]
"""Values of a record → the key and message of each thing that is wrong with them together."""
_SHORT = 40
_NAMED = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class ListOf:
    """A list of one shape."""

    item: Shape
    filled: bool = False
    """Whether it must hold something."""

    @property
    def requirement(self) -> str:
        """A list."""
        return "a list"

    def fits(self, node: Node) -> bool:
        """Whether it is a list."""
        return isinstance(node, ListNode)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """The usable items."""
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
        """An array."""
        filled = {"minItems": 1} if self.filled else {}
        return {"type": "array", "items": self.item.schema(), **filled}


def _in_brackets(node: Node) -> str:
    short = isinstance(node, ScalarNode) and not is_nothing(node) and len(node.text) <= _SHORT
    return f"write [{node.text}]" if isinstance(node, ScalarNode) and short else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class MapOf:
    """Names of the user's own, each with one shape."""

    value: Shape
    why_no_name: Callable[[str], str | None] = lambda _: None
    """A name → why it cannot be one; None: it can."""
    most: int | None = None
    """How many there may be."""

    @property
    def requirement(self) -> str:
        """Names with values."""
        return "names with values"

    def fits(self, node: Node) -> bool:
        """Whether it has keys."""
        return isinstance(node, MappingNode)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Name → value, where it is usable."""
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
        """An object with any keys."""
        most = {} if self.most is None else {"maxProperties": self.most}
        names = {"propertyNames": {"pattern": r"\S"}}
        return {"type": "object", "additionalProperties": self.value.schema(), **names, **most}


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One key of a record."""

    shape: Shape
    about: str
    """One sentence, shown by editors."""
    required: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """Known keys, each with its shape; any other key is a problem."""

    name: str
    """What it is called in the schema."""
    fields: Mapping[str, Field]
    synonyms: Mapping[str, str] = field(default_factory=dict)
    """Other names of keys → the key."""
    hints: Mapping[str, str] = field(default_factory=dict)
    """Keys that people write here and what they should do instead."""
    rules: tuple[Rule, ...] = ()
    """What the values must hold together."""
    noted: bool = False
    """Whether the reading keeps it with its place."""

    @property
    def requirement(self) -> str:
        """The first of its keys."""
        return f"keys ({', '.join(list(self.fields)[:_NAMED])}{', …' * (len(self.fields) > _NAMED)}) with values"

    def fits(self, node: Node) -> bool:
        """Whether it has keys."""
        return isinstance(node, MappingNode)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """Key → value, where given and usable; `null` is as if the key were not there, unless it may be null."""
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
                reading.problem(node, f"the key {name!r} is missing ({_aside(declared.about)})")
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
                key, f"expected {declared.shape.requirement}, found {in_words(node)} ({_aside(declared.about)})"
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
        """A reference: a record that stands in several places is told once."""
        return {"$ref": f"#/$defs/{self.name}"}

    def definition(self) -> Schema:
        """What the reference stands for."""
        properties = {name: _describe_field(one) for name, one in self.fields.items()}
        for other, name in self.synonyms.items():
            properties[other] = {**properties[name], "description": f"The same as {name}."}
        return {"type": "object", "properties": properties, **self._needed_schema(), "additionalProperties": False}

    def _needed_schema(self) -> Schema:
        """What must be there, and what may stand under one of its names alone."""
        alike = {name: [name] for name in self.fields}
        for other, name in self.synonyms.items():
            alike[name].append(other)
        plain = [name for name, one in self.fields.items() if one.required and len(alike[name]) == 1]
        several = [_one_of(names, self.fields[name].required) for name, names in alike.items() if len(names) > 1]
        return {**({"required": plain} if plain else {}), **({"allOf": several} if several else {})}


def _one_of(names: list[str], required: bool) -> Schema:
    there = [{"required": [name]} for name in names]
    return {"oneOf": there if required else [*there, {"not": {"anyOf": there}}]}


def _aside(about: str) -> str:
    """A field's sentence as it stands in brackets."""
    return f"{about[:1].lower()}{about[1:]}".removesuffix(".")


def _describe_field(one: Field) -> Schema:
    schema = one.shape.schema()
    if not one.required:
        schema = _or_null(schema)
    return {"description": one.about, **schema}


def _or_null(schema: Schema) -> Schema:
    """`null` is as if the key were not there."""
    kinds = schema.get("type")
    if kinds is not None:  # what bounds other kinds says nothing of null
        return {**schema, "type": [*([kinds] if isinstance(kinds, str) else kinds), "null"]}
    return {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}


@dataclass(frozen=True, kw_only=True, slots=True)
class Either:
    """One of several shapes that can be told apart by their kind."""

    shapes: tuple[Shape, ...]

    @property
    def requirement(self) -> str:
        """All of them."""
        return ", or ".join(shape.requirement for shape in self.shapes)

    def fits(self, node: Node) -> bool:
        """Whether one of them does."""
        return any(shape.fits(node) for shape in self.shapes)

    def read(self, node: Node, reading: ProblemLog) -> Any:
        """The value by the first that fits."""
        for shape in self.shapes:
            if shape.fits(node):
                return shape.read(node, reading)
        return refuse(self, node, reading)

    def schema(self) -> Schema:
        """Any of them."""
        return {"anyOf": [shape.schema() for shape in self.shapes]}
