"""Split a JSON or JSONL file into pieces that can be read separately later: each record, or each span of a request."""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from proctor.codec import parse_json, read_json, whole_characters
from proctor.errors import InputError
from proctor.telemetry.records import form_of

_CHUNK = 2**18
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(")?|[\[\]{}]', re.DOTALL)
_BETWEEN = b" \t\r\n,"


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonItem:
    """An item of an array, with its position in the file."""

    offset: int
    """Start in bytes."""
    line: int
    """Line of the start, from 1."""
    text: bytes


class JsonItems:
    """Iterates over an array at a file's current position, without parsing its items. Positions are in bytes."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        """`path` names the file in errors."""
        self._file, self._path = file, path
        self._held = b""
        self._base = self._seen = self._kept = self._counted = file.tell()
        self._line = 1

    def __iter__(self) -> Iterator[JsonItem]:
        """Yield each object and list in the array; raises InputError if it is truncated or contains anything else."""
        depth = 0
        while (token := self._next()) is not None:
            place, mark = token
            if mark == b'"':
                if depth < 2:
                    raise self._wrong(place)
                continue
            opens = mark in b"[{"
            if depth == 1:
                self._refuse_between(place)
            depth += 1 if opens else -1
            if not depth:
                return
            if depth == 1:  # start of the array itself, or end of one of its items
                if not opens:
                    start = self._kept
                    yield JsonItem(offset=start, line=self._line_at(start), text=self._text(start, place + 1))
                self._kept = place + 1
            elif depth == 2 and opens:
                self._kept = place
        line = self._line_at(self._base + len(self._held))
        raise InputError(f"{self._path}:{line}: this is not valid JSON: Input data was truncated")

    def _next(self) -> tuple[int, bytes] | None:
        """Return position and first character of the next string or bracket, or None at the end of the file."""
        while True:
            found = _TOKEN.search(self._held, self._seen - self._base)
            if found is not None and (found[0][:1] != b'"' or found[1]):
                self._seen = self._base + found.end()
                return self._base + found.start(), found[0][:1]
            self._seen = self._base + (found.start() if found is not None else len(self._held))
            if not self._read_on():
                return None

    def _read_on(self) -> bool:
        """Read more and discard finished items; reads grow with a long item, so that it is not scanned too often."""
        self._line_at(self._kept)
        self._held = self._held[self._kept - self._base :]
        self._base = self._kept
        more = self._file.read(max(_CHUNK, len(self._held)))
        self._held += more
        return bool(more)

    def _text(self, start: int, end: int) -> bytes:
        return self._held[start - self._base : end - self._base]

    def _line_at(self, place: int) -> int:
        """Return the line of a position, which must not be before the previous one."""
        if place > self._counted:
            self._line += self._held.count(b"\n", self._counted - self._base, place - self._base)
            self._counted = place
        return self._line

    def _refuse_between(self, place: int) -> None:
        if self._text(self._kept, place).strip(_BETWEEN):
            raise self._wrong(self._kept)

    def _wrong(self, place: int) -> InputError:
        found = self._text(place, place + 20).decode("utf-8", "replace").strip()
        return InputError(f"{self._path}:{self._line_at(place)}: expected an object in the list, found {found!r}")


_BYTE = re.compile(r"\(byte (\d+)\)")
_FIRST_LINE = 2**20
"""Maximum size in bytes of the first line of a JSONL file whose lines are lists."""
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A part of the file that is one record, or one span of a request."""

    offset: int
    """Start in bytes."""
    length: int
    """Length in bytes."""
    line: int
    """Line of the start, from 1."""
    value: Any
    """The parsed value."""


class _Scope(msgspec.Struct):
    spans: list[msgspec.Raw] = []


class _Resource(msgspec.Struct, rename="camel"):
    scope_spans: list[_Scope] = []


class _Request(msgspec.Struct, rename="camel"):
    """An export request, parsed down to its spans, which remain raw."""

    resource_spans: list[_Resource] = []


class _SnakeResource(msgspec.Struct):
    scope_spans: list[_Scope] = []


class _SnakeRequest(msgspec.Struct):
    """An export request in protobuf's JSON spelling with snake_case keys."""

    resource_spans: list[_SnakeResource] = []


def pieces(
    path: Path,
    unreadable: Callable[[InputError], None] | None = None,
    partial: Callable[[str], None] | None = None,
) -> Iterator[Piece]:
    """Yield the pieces of a file in order; raises InputError with the line that cannot be read.

    If given, `unreadable` is called for each unreadable record, and the others follow; `partial` is called if the file
    says that it is one page of several.
    """
    with path.open("rb") as file:
        if not file.seek(0, 2):
            return
        text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)  # closed with its last memory view
    if text[: len(_BOM)] == _BOM:
        text.seek(len(_BOM))
    start = text.tell()
    if (listed := _array(path, start, unreadable or _refuse)) is not None:
        yield from listed
    elif _is_jsonl(text):
        with path.open("rb") as file:  # read line by line: mapped pages of a long file would fill the memory
            file.seek(start)
            yield from _lines(file, path, unreadable or _refuse)
    else:
        document = _Stretch(text[start:] if start else text, offset=start, line=1, path=path)
        yield from document.pieces()
        if partial is not None and document.missing:
            partial(f"{path} is not all there is: {document.missing}")


def _array(path: Path, start: int, unreadable: Callable[[InputError], None]) -> Iterator[Piece] | None:
    """Return the pieces of a file that is a list of records; None for anything else, such as a list of messages."""
    with path.open("rb") as file:
        file.seek(start)
        line = file.readline(_FIRST_LINE)
        while line and not line.strip():
            line = file.readline(_FIRST_LINE)
        alone = line.endswith(b"\n") and _is_value(memoryview(line)) and file.read(1)
        if alone or not line.lstrip().startswith(b"["):
            return None
        file.seek(start)
        try:
            first = next(iter(JsonItems(file, path)), None)
            is_conversation = first is None or form_of([parse_json(first.text)]) == "messages"
        except (InputError, msgspec.DecodeError, UnicodeDecodeError):
            return None  # parsed as a whole, it gets a proper error message
    return None if is_conversation else _items(path, start, unreadable)


def _items(path: Path, start: int, unreadable: Callable[[InputError], None]) -> Iterator[Piece]:
    with path.open("rb") as file:
        file.seek(start)
        for item in JsonItems(file, path):
            try:
                yield from _Stretch(item.text, offset=item.offset, line=item.line, path=path).pieces()
            except InputError as error:
                unreadable(error)


def _is_jsonl(text: mmap.mmap) -> bool:
    """Whether the first non-blank line is a complete value, and more lines follow."""
    start = text.tell()
    while (end := text.find(b"\n", start)) >= 0:
        if line := text[start : min(end, start + 64)].strip():
            return line[:1] in (b"{", b"[") and _is_value(memoryview(text)[start:end])
        start = end + 1
    return False


def _is_value(line: memoryview) -> bool:
    try:
        read_json(line, msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def _refuse(error: InputError) -> None:
    raise error


def _lines(file: BinaryIO, path: Path, unreadable: Callable[[InputError], None]) -> Iterator[Piece]:
    offset, number = file.tell(), 1
    while line := file.readline():
        if line.strip():
            try:
                yield from _Stretch(line, offset=offset, line=number, path=path).pieces()
            except InputError as error:
                unreadable(error)
        offset, number = offset + len(line), number + 1


class _Page(msgspec.Struct, rename="camel"):
    """Pagination metadata of Langfuse's API."""

    page: Any = None
    total_items: Any = None
    total_pages: Any = None
    cursor: Any = None


def _missing(keys: dict[str, msgspec.Raw], here: int) -> str:
    try:
        page: _Page = parse_json(keys["meta"], _Page) if "meta" in keys else _Page()
    except msgspec.DecodeError:
        return ""
    if isinstance(page.total_items, int) and page.total_items > here:
        return f"page {page.page} of {page.total_pages}, {here:,} of {page.total_items:,} records"
    return f"{here:,} records, and more follow there" if page.cursor else ""


class _Stretch:
    """One value of the file, which may contain several records."""

    def __init__(self, text: bytes | mmap.mmap, *, offset: int, line: int, path: Path) -> None:
        self._text, self._offset, self._line, self._path = text, offset, line, path
        self._at = 0
        self.missing = ""
        """Description of further pages according to the value; empty if there are none."""

    def pieces(self) -> Iterator[Piece]:
        try:
            raws, document = self._read()
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            line = self._line + self._lines_before(error)
            raise InputError(f"{self._path}:{line}: this is not valid JSON: {error}") from error
        except InputError as error:
            raise InputError(f"{self._path}:{self._line}: {error}") from error
        if document is not None:
            yield document
        for raw in raws or ():
            yield from self._inside(bytes(raw)).pieces()

    def _read(self) -> tuple[Sequence[msgspec.Raw] | None, Piece | None]:
        """Return the values inside, or the value itself as a piece; lone surrogates are repaired in place."""
        try:
            raws = self._raws()
        except (msgspec.DecodeError, UnicodeDecodeError):
            mended = whole_characters(bytes(self._text))
            if mended is None:
                raise
            self._text = mended
            raws = self._raws()
        return raws, self._single_piece() if raws is None else None

    def _lines_before(self, error: Exception) -> int:
        """Count the lines before the byte that could not be read."""
        found = _BYTE.search(str(error))
        return self._text[: int(found[1])].count(b"\n") if found else 0

    def _raws(self) -> Sequence[msgspec.Raw] | None:
        """Return the values inside that are separate records, or None if the value itself is one."""
        first = bytes(self._text[:64]).lstrip()[:1]
        if first == b"[":
            raws = parse_json(self._text, list[msgspec.Raw])
            return None if raws and form_of([parse_json(raws[0])]) == "messages" else raws
        if first != b"{":
            return None
        keys = parse_json(self._text, dict[str, msgspec.Raw])
        if "resourceSpans" in keys or "resource_spans" in keys:
            return self._spans(snake="resource_spans" in keys)
        if "data" in keys and form_of(parse_json(self._text)) == "many":
            inside: list[msgspec.Raw] = parse_json(keys["data"], list[msgspec.Raw])
            self.missing = _missing(keys, len(inside))
            return inside
        return None

    def _spans(self, *, snake: bool) -> list[msgspec.Raw]:
        if snake:
            scopes = [each.scope_spans for each in parse_json(self._text, _SnakeRequest).resource_spans]
        else:
            scopes = [each.scope_spans for each in parse_json(self._text, _Request).resource_spans]
        return [span for each in scopes for scope in each for span in scope.spans]

    def _inside(self, raw: bytes) -> _Stretch:
        """Return the next stretch with this text; only commas, whitespace and other keys lie between stretches."""
        start = self._text.find(raw, self._at)
        self._line += self._text[self._at : start].count(b"\n")
        inner = _Stretch(raw, offset=self._offset + start, line=self._line, path=self._path)
        self._line += raw.count(b"\n")
        self._at = start + len(raw)
        return inner

    def _single_piece(self) -> Piece:
        value = read_json(self._text)
        form_of(value)
        return Piece(offset=self._offset, length=len(self._text), line=self._line, value=value)
