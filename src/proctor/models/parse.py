"""What a model wrote → a checked value, or the reason why not."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")

LONGEST_EXPLANATION = 600
"""Characters that a schema gives an explanation: a server that holds a model to its schema ends there a small one that
would go on and on. A longer one is taken all the same.
"""
_thinking = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_still_thinking = re.compile(r"\A\s*<think(?:ing)?>.*", re.DOTALL)
"""A model that was cut off before its answer: what it has drafted by then is no verdict."""
_block = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
_begun = re.compile(r'\{\s*"')
"""How a JSON object begins that has a key; other braces are prose."""
_OBJECTS_LOOKED_AT = 100
_REQUEST = (
    "Answer with exactly one JSON object and nothing else, no words before or after it. "
    "It has the same keys, in this order, as this example, with your own values:\n"
)
_EXAMPLES: dict[str, Any] = {"string": "…", "number": 0.5, "integer": 1, "boolean": True, "null": None}


class SchemaMismatch(ValueError):
    """An answer that does not have the shape that was asked for."""


class AnswerSchema(Generic[T]):
    """What an answer must look like: a JSON schema to show to a model, and a check for what comes back."""

    def __init__(self, kind: type[T]) -> None:
        self.kind = kind
        self.schema = _json_schema(kind)
        example = json.dumps(_example(self.schema, self.schema.get("$defs", {})), ensure_ascii=False)
        self.request = "\n".join([_REQUEST + example, *_bounds(self.schema)])

    def check(self, value: object) -> T:
        """The value as `kind`; raises SchemaMismatch. NaN and infinity are never taken for a number."""
        if not _finite(value):
            raise SchemaMismatch("a number in it is NaN or infinite")
        value = _in_its_words(value, self.schema.get("properties", {}))
        if _is_pydantic(self.kind):
            return self._check_by_pydantic(value)
        try:
            return msgspec.convert(value, self.kind, strict=False)
        except msgspec.ValidationError as error:
            raise SchemaMismatch(str(error)) from error

    def _check_by_pydantic(self, value: object) -> T:
        import pydantic

        try:
            checked: T = self.kind.model_validate(value)  # type: ignore[attr-defined]
        except pydantic.ValidationError as error:
            # without the values: they may quote the text that is judged
            faults = error.errors(include_url=False, include_input=False, include_context=False)
            places = (".".join(map(str, fault["loc"])) for fault in faults)
            said = (f"{place}: {fault['msg']}" for place, fault in zip(places, faults, strict=True))
            raise SchemaMismatch("; ".join(said)) from error
        return checked

    def read(self, text: str) -> T:
        """The one answer in a text: a JSON object, bare, in a code block, or among prose; raises SchemaMismatch.

        Several objects that fit and differ are no answer: one of them may be quoted from what was judged.
        """
        found = list(_objects(text))
        if not found:
            raise SchemaMismatch("there is no complete JSON object in it")
        fitting: list[T] = []
        faults: list[SchemaMismatch] = []
        for value in found:
            try:
                fitting.append(self._check_object(value))
            except SchemaMismatch as fault:
                faults.append(fault)
        if not fitting:
            raise faults[0]
        if any(value != fitting[0] for value in fitting):
            raise SchemaMismatch("it holds several different answers; exactly one JSON object was asked for")
        return fitting[0]

    def _check_object(self, value: dict[str, Any]) -> T:
        """The same; small models write their values under `properties`, as a schema has them."""
        try:
            return self.check(value)
        except SchemaMismatch:
            inner = value.get("properties")
            if not isinstance(inner, dict):
                raise
            return self.check(inner)


def shape_of(kind: type[T]) -> AnswerSchema[T]:
    """The shape of a pydantic model, a msgspec struct, or anything else that msgspec can check; made once."""
    hashable: Any = kind
    return _shape(hashable)


@functools.lru_cache(maxsize=256)
def _shape(kind: Any) -> AnswerSchema[Any]:
    return AnswerSchema(kind)


def _is_pydantic(kind: type) -> bool:
    return hasattr(kind, "model_validate")


def _json_schema(kind: type) -> dict[str, Any]:
    """A JSON schema with a name at the top, which is where providers look for it."""
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
    """A value that a schema lets in, to be shown in its place: small models copy a schema, and fill in an example."""
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
    """What an example cannot show of an object's values: the words to choose from, and the range of a number."""
    for name, inner in schema.get("properties", {}).items():
        if words := inner.get("enum"):
            yield f"{name} is one of: {', '.join(map(str, words))}."
        elif "minimum" in inner and "maximum" in inner:
            yield f"{name} is a number from {inner['minimum']} to {inner['maximum']}."


def _in_its_words(value: object, properties: Mapping[str, Any]) -> object:
    """An object with the words to choose from as they are written: small models answer `Good.` where good is one."""
    if not isinstance(value, dict):
        return value
    return {name: _nearest_word(said, properties.get(name, {}).get("enum", ())) for name, said in value.items()}


def _nearest_word(said: object, words: Collection[object]) -> object:
    if not isinstance(said, str) or said in words:
        return said
    plain = said.strip().rstrip(".!").casefold()
    found = [word for word in words if isinstance(word, str) and word.casefold() == plain]
    return found[0] if len(found) == 1 else said


def _finite(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    return not isinstance(value, list) or all(map(_finite, value))


def begins_another(text: str) -> bool:
    """Whether after its last complete object a text begins one that does not end."""
    decoder, place, begun = json.JSONDecoder(), text.find("{"), False
    while place >= 0:
        try:
            _, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            begun, end = True, place + 1
        else:
            begun = False
        place = text.find("{", end)
    return begun


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The complete JSON objects of a text, outermost first; those in code blocks if there are any."""
    text = _still_thinking.sub("", _thinking.sub("", text))
    blocks = [found for block in _block.findall(text) for found in _bare_objects(block)]
    yield from blocks or _bare_objects(text)


def _bare_objects(text: str) -> list[dict[str, Any]]:
    """None where one is broken: what is whole inside or beside it may be quoted from what was judged."""
    decoder = json.JSONDecoder(object_pairs_hook=_unambiguous)
    found: list[dict[str, Any]] = []
    place = text.find("{")
    for _ in range(_OBJECTS_LOOKED_AT):
        if place < 0:
            break
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            if _begun.match(text, place):
                return []
            end = place + 1
        else:
            found.append(value)
        place = text.find("{", end)
    return found


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; one that gives a key two values says neither."""
    found = dict(pairs)
    if len(found) < len(pairs) and any(found[key] != value for key, value in pairs):
        raise ValueError("a key has two values")
    return found
