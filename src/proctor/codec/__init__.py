"""JSON encoding and decoding of domain objects, and digests."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, TypeVar

import msgspec

from proctor.benchmark import Benchmark, Case

T = TypeVar("T")


def to_plain(value: object) -> object:
    """Convert a value without JSON equivalent: numbers to Python numbers, sets to sorted lists, the rest to text."""
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    number = to_number(value)
    return number if isinstance(number, (bool, int, float)) else str(value)


def to_number(value: object) -> object:
    """Convert NumPy scalars, fractions and other numbers to Python numbers; return anything else unchanged."""
    if getattr(value, "shape", None) == () and callable(item := getattr(value, "item", None)):
        value = item()
    if type(value) in (bool, int, float):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


_encoder = msgspec.json.Encoder(enc_hook=to_plain)
_sorted_encoder = msgspec.json.Encoder(enc_hook=to_plain, order="sorted")


_ESCAPES = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""An escaped backslash, a surrogate pair, or a lone surrogate."""
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


def encode(value: object) -> str:
    """Encode an object as JSON text."""
    try:
        return _encoder.encode(value).decode()
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError, RecursionError):
        return _forgiving(value)


def _forgiving(value: object) -> str:
    """Encode what JSON cannot represent, such as lone surrogates and huge numbers, as readably as possible."""
    plain = msgspec.to_builtins(value, enc_hook=to_plain, str_keys=True)
    return _encoder.encode(_make_encodable(plain)).decode()


def _make_encodable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return str(value)
    if isinstance(value, dict):
        return {_make_encodable(str(key)): _make_encodable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_make_encodable(inner) for inner in value]
    return value


def decode(text: str | bytes, kind: type[T]) -> T:
    """Decode an object encoded by `encode`."""
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    decoded: T = decoder.decode(text)
    return decoded


def read_json(data: Any, kind: Any = Any) -> Any:
    """Parse JSON from an external source; raise msgspec.DecodeError.

    Lone surrogates, as left by programs that truncate texts, become U+FFFD.
    """
    try:
        return parse_json(data, kind)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        mended = whole_characters(data.encode() if isinstance(data, str) else bytes(data))
        if mended is None:
            raise
        return parse_json(mended, kind)


def parse_json(data: Any, kind: Any = Any) -> Any:
    """Parse JSON without repairing surrogates; nesting that is too deep raises msgspec.DecodeError as well."""
    try:
        return decode(data, kind)
    except RecursionError:
        raise msgspec.DecodeError("lists and objects are nested too deeply in each other") from None


def whole_characters(data: bytes) -> bytes | None:
    """Replace lone surrogates in JSON by U+FFFD without changing its length; return None if there are none."""
    mended = _ESCAPES.sub(lambda found: b"\\ufffd" if found["half"] else found[0], data)
    return mended if mended != data else None


_LATER = re.compile(rb'"fold_names":false,|"must_use_result":null,|"role":null,(?="sources":\[)')
"""Defaults of fields added later: omitted from digests, so that these stay as they were before."""


def digest(value: object) -> str:
    """Return a stable digest of an object's content, 16 hex digits."""
    return hashlib.sha256(_LATER.sub(b"", _sorted_encoder.encode(value))).hexdigest()[:16]


def case_id(question: str, context: str | None) -> str:
    """Return the default id of a case: 12 hex digits of a hash over question and context."""
    return hashlib.sha256(f"{question}\0{context or ''}".encode()).hexdigest()[:12]


def numbered_id(question: str, context: str | None, seen: Counter[str]) -> str:
    """Return the default id of a case, with `-2`, `-3` … for repeated questions."""
    plain = case_id(question, context)
    seen[plain] += 1
    return plain if seen[plain] == 1 else f"{plain}-{seen[plain]}"


_CONTENT = [field for field in Case.__slots__ if field not in ("criteria", "trials", "metadata", "review", "line")]


def benchmark_of(cases: Iterable[Case], *, name: str, **others: Any) -> Benchmark:
    """Build a benchmark with the digest of its cases; their line numbers do not count as content."""
    kept = tuple(cases)
    content = [[getattr(case, field) for field in _CONTENT] + _criteria(case) for case in kept]
    return Benchmark(name=name, digest=digest(content), cases=kept, **others)


def _criteria(case: Case) -> list[Mapping[str, Any]]:
    """Return a case's criteria for the digest: `{asks}` alone is equal to its plain text."""
    criteria = {
        name: criterion["asks"] if not isinstance(criterion, str) and criterion.keys() == {"asks"} else criterion
        for name, criterion in case.criteria.items()
    }
    return [criteria] if criteria else []
