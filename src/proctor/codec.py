"""Nouns ↔ JSON, digests, and whatever an agent returned → Reply."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from proctor.benchmark import Benchmark, Case
from proctor.errors import AgentFault
from proctor.transcript import Reply, ToolCall

T = TypeVar("T")


def _plain(value: object) -> object:
    """Anything a tool may return that JSON has no word for, as text."""
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    return str(value)


_encoder = msgspec.json.Encoder(enc_hook=_plain)
_sorted_encoder = msgspec.json.Encoder(enc_hook=_plain, order="sorted")


_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


def encode(value: object) -> str:
    """A noun as JSON text."""
    try:
        return _encoder.encode(value).decode()
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError, RecursionError):
        return _forgiving(value)


def _forgiving(value: object) -> str:
    """Half a surrogate pair, keys that are no strings, numbers JSON has no word for: kept as readably as can be."""
    plain = msgspec.to_builtins(value, enc_hook=_plain, str_keys=True)
    return _encoder.encode(_mended(plain)).decode()


def _mended(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return str(value)
    if isinstance(value, dict):
        return {_mended(str(key)): _mended(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mended(inner) for inner in value]
    return value


def decode(text: str | bytes, kind: type[T]) -> T:
    """The noun that `encode` wrote."""
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    decoded: T = decoder.decode(text)
    return decoded


def digest(value: object) -> str:
    """A stable digest of a noun's content, 16 hex digits."""
    return hashlib.sha256(_sorted_encoder.encode(value)).hexdigest()[:16]


def case_id(question: str, context: str | None) -> str:
    """The id of a case that was given none: 12 hex digits over question and context."""
    return hashlib.sha256(f"{question}\0{context or ''}".encode()).hexdigest()[:12]


_CONTENT = [field for field in Case.__slots__ if field != "line"]


def benchmark_of(cases: Iterable[Case], *, name: str, **others: Any) -> Benchmark:
    """A benchmark with the digest of its cases; where they stand in a file is not content."""
    kept = tuple(cases)
    content = [[getattr(case, field) for field in _CONTENT] for case in kept]
    return Benchmark(name=name, digest=digest(content), cases=kept, **others)


def to_reply(value: object) -> Reply:
    """What an agent returned, as a Reply; raises AgentFault where it is none."""
    if isinstance(value, str):
        return Reply(text=value)
    if isinstance(value, Reply):
        return _checked(value)
    if isinstance(value, Mapping):
        return _reply_from_mapping(value)
    given = "None" if value is None else f"a {type(value).__name__}"
    raise AgentFault(f"the agent returned {given}; expected a str, a dict with 'text', or a proctor.Reply")


def _checked(reply: Reply) -> Reply:
    """The reply, with the field types it declares: what is stored must be readable again."""
    if type(reply.text) is str and not (reply.tool_calls or reply.citations or reply.steps or reply.usage):
        return reply
    try:
        checked = msgspec.convert(msgspec.to_builtins(reply, enc_hook=_plain, str_keys=True), Reply)
    except msgspec.ValidationError as error:
        raise AgentFault(f"the agent returned a Reply that is not one: {error}") from error
    return checked


def _reply_from_mapping(value: Mapping[Any, Any]) -> Reply:
    if "text" not in value:
        raise AgentFault(f"the agent returned a dict without 'text'; its keys are {sorted(map(str, value))!r}")
    calls = value.get("tool_calls")
    if isinstance(calls, (list, tuple)):
        value = {**value, "tool_calls": [_call_with_known_result(call) for call in calls]}
    try:
        return msgspec.convert(value, Reply, str_keys=True)
    except msgspec.ValidationError as error:
        raise AgentFault(f"the agent returned a dict that is no reply: {error}") from error


def _call_with_known_result(call: object) -> object:
    """A call that was given with its result says so, even if the result is None."""
    if isinstance(call, ToolCall) or not isinstance(call, Mapping):
        return call
    return {"result_known": "result" in call, **call}
