"""Parse posted forms, fields and files, as a stream with size limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import PurePath
from urllib.parse import parse_qsl

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request

from proctor.benchmark import AskedPart
from proctor.errors import InputError
from proctor.settings import read_criterion, unfit

FIELD_LIMIT = 4 * 2**20
"""Maximum size in bytes of all fields together, since benchmarks may be pasted; larger ones are uploaded as files."""
MOST_PARTS = 2000
"""Maximum number of fields and files; a page has several for each of its cases."""
_DRAINED = 64 * 2**20
"""Bytes of an oversized upload that are still read and discarded, so that the browser receives the error."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Upload:
    """An uploaded file."""

    name: str
    """File name from the browser, without folders."""
    content: bytes
    """Content, empty if it exceeded the limit."""
    too_large: bool = False
    """Whether it exceeded the limit and its content was discarded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """A posted form."""

    fields: Mapping[str, list[str]] = field(default_factory=dict)
    files: Mapping[str, Upload] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        """Return a field's value, the last one if repeated."""
        return (self.fields.get(name) or [default])[-1]

    def texts(self, name: str) -> list[str]:
        """Return all values of a field."""
        return self.fields.get(name, [])


async def read_form(request: Request, *, file_limit: Callable[[str], int]) -> Form:
    """Parse the form in a request; `file_limit` returns the maximum size of a file with the given name.

    Raise InputError if it is not a form, exceeds a limit on fields, or has text that cannot be stored.
    """
    form = await _read(request, file_limit)
    for name, values in form.fields.items():
        for value in values:
            if (wrong := unfit(value)) is not None:
                raise InputError(f"the field {name[:60]!r} holds {wrong}; remove it")
    return form


async def _read(request: Request, file_limit: Callable[[str], int]) -> Form:
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind == b"multipart/form-data":
        reading = _Multipart(options.get(b"boundary", b""), file_limit)
    elif kind in (b"application/x-www-form-urlencoded", b""):
        data = await read_limited_body(request, FIELD_LIMIT)
        if data is None:
            raise InputError(f"the form has more than {FIELD_LIMIT:,} bytes")
        return Form(fields=_pairs(data))
    else:
        raise InputError(f"a form of the type {kind.decode('latin-1')!r} cannot be read")
    try:
        await reading.consume(request)
    except ClientDisconnect as error:
        raise InputError("the form was cut off on its way") from error
    except (MultipartParseError, UnicodeDecodeError) as error:
        raise InputError(f"the form cannot be read: {error}") from error
    return reading.form()


async def read_limited_body(request: Request, limit: int) -> bytes | None:
    """Return the request body, or None if it exceeds the limit; at most `limit` bytes are held in memory."""
    data, taken = bytearray(), 0
    async for chunk in request.stream():
        taken += len(chunk)
        if taken > _DRAINED:
            break
        if taken <= limit:
            data += chunk
        else:
            data.clear()
    return bytes(data) if taken <= limit else None


def _pairs(data: bytes) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    try:
        pairs = parse_qsl(data.decode(), keep_blank_values=True, max_num_fields=MOST_PARTS, errors="strict")
    except (UnicodeDecodeError, ValueError) as error:
        raise InputError(f"the form cannot be read: {error}") from error
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return fields


class _Multipart:
    """Collect the parts of a multipart body in memory; files beyond their limit are discarded."""

    def __init__(self, boundary: bytes, file_limit: Callable[[str], int]) -> None:
        if not boundary:
            raise InputError("the form cannot be read: its boundary is missing")
        self._file_limit = file_limit
        self._fields: dict[str, list[str]] = {}
        self._files: dict[str, Upload] = {}
        self._headers: dict[bytes, bytes] = {}
        self._header = (bytearray(), bytearray())
        self._data = bytearray()
        self._parts = 0
        self._room = FIELD_LIMIT
        self._limit = 0
        self._over = False
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": lambda data, start, end: self._header[0].extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._header[1].extend(data[start:end]),
                "on_header_end": self._header_done,
                "on_headers_finished": self._headers_done,
                "on_part_data": self._more,
                "on_part_end": self._end,
            },
        )

    async def consume(self, request: Request) -> None:
        taken = 0
        async for chunk in request.stream():
            taken += len(chunk)
            if taken > _DRAINED:
                raise InputError(f"the upload has more than {_DRAINED:,} bytes")
            self._parser.write(chunk)
        self._parser.finalize()

    def form(self) -> Form:
        return Form(fields=self._fields, files=self._files)

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise InputError(f"the form has more than {MOST_PARTS} parts")
        self._headers, self._header = {}, (bytearray(), bytearray())
        self._data, self._over = bytearray(), False

    def _header_done(self) -> None:
        name, value = self._header
        self._headers[bytes(name).lower()] = bytes(value)
        self._header = (bytearray(), bytearray())

    def _headers_done(self) -> None:
        _, self._options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._file = _base_name(self._options[b"filename"]) if b"filename" in self._options else None
        self._limit = self._room if self._file is None else self._file_limit(self._file)

    def _more(self, data: bytes, start: int, end: int) -> None:
        if self._over:
            return
        if len(self._data) + end - start > self._limit:
            if self._file is None:
                raise InputError(
                    f"the fields of the form have more than {FIELD_LIMIT:,} bytes; upload long text as a file"
                )
            self._over, self._data = True, bytearray()
            return
        self._data += data[start:end]

    def _end(self) -> None:
        name = self._options.get(b"name", b"").decode()
        if self._file is None:
            self._room -= len(self._data)
            self._fields.setdefault(name, []).append(self._data.decode())
        elif self._file or self._data or self._over:  # an empty file input has neither name nor content
            self._files[name] = Upload(name=self._file, content=bytes(self._data), too_large=self._over)


def _base_name(filename: bytes) -> str:
    return PurePath(filename.decode("utf-8", "replace").replace("\\", "/")).name


_WHOLE = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)")
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
"""Ambiguous: thousands or decimals, as in 1,000."""


def read_whole(text: str) -> int:
    """Parse `2000` or `2,000`; raise ValueError if invalid."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a whole number")
    try:
        return int(text.replace(",", ""))
    except ValueError:  # more digits than int() accepts
        raise ValueError(f"{text[:40]!r} is not a whole number that can be used") from None


def read_decimal(text: str) -> float:
    """Parse `0.5` or `0,5`; raise ValueError if invalid or ambiguous, as in `1,000`."""
    if _EITHER.fullmatch(text):
        raise ValueError(
            f"{text!r} may be {text.replace(',', '')} or {text.replace(',', '.')}; write it without a comma"
        )
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise ValueError(f"{text[:40]!r} is not a number") from None


def read_criteria(text: str, troubles: dict[str, str]) -> Iterator[tuple[str, AskedPart]]:
    """Parse criteria, one `name: question` or `name (weight): question` per line; add a message for each invalid
    one."""
    for line in filter(None, map(str.strip, text.splitlines())):
        try:
            name, criterion = _read_line(line)
            read_criterion(name, criterion)
            yield name, criterion
        except InputError as error:
            troubles["criteria"] = error.on_page


def _read_line(line: str) -> tuple[str, AskedPart]:
    head, _, asks = (part.strip() for part in line.partition(":"))
    name, bracket, weight = (part.strip() for part in head.partition("("))
    if not name or not asks or (bracket and not weight.endswith(")")):
        raise InputError(
            f"{line[:60]!r} is not a criterion; write name: what is asked, one per line, with a weight in brackets if "
            "it has one, such as safety (3): Is it safe?"
        )
    return name, {"asks": asks, "weight": _weight(weight[:-1].strip())} if bracket else asks


def _weight(text: str) -> float:
    try:
        return read_decimal(text)
    except ValueError as error:
        raise InputError(f"the weight {error}, such as 3 or 0.5") from None


def write_criteria(criteria: Mapping[str, AskedPart]) -> str:
    """Format criteria as they would be typed."""
    return "\n".join(f"{name}{_in_brackets(weight)}: {asks}" for name, asks, weight in _parts(criteria))


def _parts(criteria: Mapping[str, AskedPart]) -> Iterator[tuple[str, str, float | None]]:
    for name, criterion in criteria.items():
        asks, weight = read_criterion(name, criterion)
        yield name, " ".join(asks.split()), weight


def _in_brackets(weight: float | None) -> str:
    return "" if weight is None else f" ({Decimal(repr(float(weight))).normalize():f})"
