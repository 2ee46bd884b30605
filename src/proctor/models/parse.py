"""Parse and validate a model's answer, or explain why it is invalid."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from proctor.codec.invalid import describe_invalid

T = TypeVar("T")

LONGEST_EXPLANATION = 600
"""Maximum length of an explanation in schemas. Servers with constrained decoding thereby stop small models that would
go on endlessly; longer explanations are still accepted."""
_mark = re.compile(r"[{}]|<think(?:ing)?\s*>", re.IGNORECASE)
"""Marks to look for between the objects of a text."""
_thought = re.compile(r"</think(?:ing)?\s*>", re.IGNORECASE)
_begun = re.compile(r'\{\s*["}]')
"""Start of a JSON object."""
_keyed = re.compile(r"\{[^{}]*:")
"""Start of an almost valid JSON object; other braces are prose."""
_REQUEST = (
    "Answer with exactly one JSON object and nothing else, no words before or after it. "
    "It has the same keys, in this order, as this example, with your own values:\n"
)
_EXAMPLES: dict[str, Any] = {"string": "…", "number": 0.5, "integer": 1, "boolean": True, "null": None}


class SchemaMismatch(ValueError):
    """The answer does not match the requested schema."""


class AnswerSchema(Generic[T]):
    """A schema for answers: the JSON schema for the model, and validation of the answer."""

    def __init__(self, kind: type[T]) -> None:
        self.kind = kind
        self.schema = _json_schema(kind)
        example = json.dumps(_example(self.schema, self.schema.get("$defs", {})), ensure_ascii=False)
        self.request = "\n".join([_REQUEST + example, *_bounds(self.schema)])

    def check(self, value: object) -> T:
        """Validate a value as `kind`; raise SchemaMismatch. NaN and infinity are never accepted."""
        if not _finite(value):
            raise SchemaMismatch("a number in it is NaN or infinite")
        value = _in_its_words(value, self.schema.get("properties", {}))
        if _is_pydantic(self.kind):
            return self._check_by_pydantic(value)
        try:
            return msgspec.convert(value, self.kind, strict=False)
        except msgspec.ValidationError as error:
            raise SchemaMismatch(describe_invalid(error, value)) from error

    def _check_by_pydantic(self, value: object) -> T:
        import pydantic

        try:
            checked: T = self.kind.model_validate(value)  # type: ignore[attr-defined]
        except pydantic.ValidationError as error:
            # without the values, which may quote the judged text
            faults = error.errors(include_url=False, include_input=False, include_context=False)
            places = (".".join(map(str, fault["loc"])) for fault in faults)
            messages = (f"{place}: {_in_words(fault['msg'])}" for place, fault in zip(places, faults, strict=True))
            raise SchemaMismatch("; ".join(messages)) from error
        return checked

    def read(self, text: str) -> T:
        """Find and validate the single answer in a text: a JSON object, bare, in a code block or within prose.

        Raise SchemaMismatch if there are several different answers, or if any object looks like a failed attempt at
        one: the others may be quoted from the judged text.
        """
        found = _objects(text)
        if not found:
            raise SchemaMismatch("there is no complete JSON object in it")
        fitting: list[T] = []
        faults: list[SchemaMismatch] = []
        for value in found:
            try:
                fitting.append(self._check_object(value))
            except SchemaMismatch as fault:
                if self._is_attempt(value):
                    raise
                faults.append(fault)
        if not fitting:
            raise faults[0]
        if any(value != fitting[0] for value in fitting):
            raise SchemaMismatch("it holds several different answers; exactly one JSON object was asked for")
        return fitting[0]

    def _is_attempt(self, value: object) -> bool:
        """Whether the object holds a value for one of the keys, at any depth; a mere copy of the schema does not."""
        names = self.schema.get("properties", {})
        objects = (each for each in _within(value) if isinstance(each, dict))
        return any(key in names and not isinstance(part, dict) for each in objects for key, part in each.items())

    def _check_object(self, value: dict[str, Any]) -> T:
        """Validate an object, or its `properties`, under which small models put their values."""
        try:
            return self.check(value)
        except SchemaMismatch:
            inner = value.get("properties")
            if not isinstance(inner, dict):
                raise
            return self.check(inner)


def shape_of(kind: type[T]) -> AnswerSchema[T]:
    """Return the cached schema of a pydantic model, a msgspec struct, or any other type supported by msgspec."""
    hashable: Any = kind
    return _shape(hashable)


@functools.lru_cache(maxsize=256)
def _shape(kind: Any) -> AnswerSchema[Any]:
    return AnswerSchema(kind)


_WORDS = {
    "Input should be a valid ": "expected a ",
    "Input should be an object": "expected an object",
    "Input should be ": "expected ",
    "Field required": "it is missing",
    "a boolean": "true or false",
    "a integer": "a whole number",
    "a string": "a text",
    "a dictionary": "an object with keys",
}


def _in_words(message: str) -> str:
    """Rephrase a validator's message without programming terms."""
    for original, replacement in _WORDS.items():
        message = message.replace(original, replacement)
    return message.partition(", unable to parse")[0]


def _is_pydantic(kind: type) -> bool:
    return hasattr(kind, "model_validate")


def _json_schema(kind: type) -> dict[str, Any]:
    """Return the JSON schema with a title at the top level, where providers expect it."""
    if _is_pydantic(kind):
        schema: dict[str, Any] = kind.model_json_schema()  # type: ignore[attr-defined]
    else:
        schema = msgspec.json.schema(kind)
        parts = schema.pop("$defs", {})
        top = schema.pop("$ref", "").rpartition("/")[2]
        schema = {**parts.pop(top, {}), **schema, **({"$defs": parts} if parts else {})}
    schema.setdefault("title", kind.__name__)
    return schema


def _example(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> Any:
    """Return an example value to show instead of the schema: small models copy schemas but fill in examples."""
    if "$ref" in schema:
        return _example(parts[schema["$ref"].rpartition("/")[2]], parts)
    if "enum" in schema or "const" in schema:
        return schema.get("const", next(iter(schema.get("enum", ())), None))
    if ways := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return _example(ways[0], parts)
    if "properties" in schema:
        return {name: _example(inner, parts) for name, inner in schema["properties"].items()}
    if schema.get("type") == "array":
        return [_example(schema["items"], parts)] if isinstance(schema.get("items"), dict) else []
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    return {} if kind == "object" else _EXAMPLES.get(str(kind), "…")


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the constraints that an example cannot show: allowed words and numeric ranges."""
    for name, inner in schema.get("properties", {}).items():
        if words := inner.get("enum"):
            yield f"{name} is one of: {', '.join(map(str, words))}."
        elif "minimum" in inner and "maximum" in inner:
            yield f"{name} is a number from {inner['minimum']} to {inner['maximum']}."


def _in_its_words(value: object, properties: Mapping[str, Any]) -> object:
    """Normalize enum values to their spelling in the schema: small models answer `Good.` instead of good."""
    if not isinstance(value, dict):
        return value
    return {name: _nearest_word(part, properties.get(name, {}).get("enum", ())) for name, part in value.items()}


def _nearest_word(answer: object, words: Collection[object]) -> object:
    if not isinstance(answer, str) or answer in words:
        return answer
    plain = answer.strip().rstrip(".!").casefold()
    found = [word for word in words if isinstance(word, str) and word.casefold() == plain]
    return found[0] if len(found) == 1 else answer


def _finite(value: object) -> bool:
    return all(math.isfinite(each) for each in _within(value) if isinstance(each, float))


def _within(value: object) -> Iterator[object]:
    """Yield a JSON value and everything nested in it."""
    inside = [value]
    while inside:
        each = inside.pop()
        yield each
        if isinstance(each, dict):
            inside += each.values()
        elif isinstance(each, list):
            inside += each


def _objects(text: str) -> list[dict[str, Any]]:
    """Return the complete top-level JSON objects of a text, excluding those in a model's thinking.

    Empty if any object is malformed, since complete ones in or next to it may be quoted from the judged text. Single
    pass.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_unambiguous)
    found: list[dict[str, Any]] = []
    place = depth = 0
    while (mark := _mark.search(text, place)) is not None:
        start, place = mark.span()
        if mark[0] == "}":
            depth = max(0, depth - 1)
        elif mark[0] != "{":
            place = _end_of_thinking(text, place)
        elif _begun.match(text, start) and depth == 0:
            try:
                value, place = decoder.raw_decode(text, start)
            except (ValueError, RecursionError):
                return []
            found.append(value)
        elif _begun.match(text, start) or _keyed.match(text, start):
            return []
        else:
            depth += 1
    return [] if depth else found


def _end_of_thinking(text: str, place: int) -> int:
    """Return the end of a thinking block, or the end of the text if it was truncated."""
    ended = _thought.search(text, place)
    return ended.end() if ended else len(text)


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object; raise ValueError if a key has two different values."""
    found = dict(pairs)
    if len(found) < len(pairs) and any(found[key] != value for key, value in pairs):
        raise ValueError("a key has two values")
    return found
