"""Streaming JSON reader for documents of any size; only the requested lists are iterated item by item."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, TextIO

from proctor.errors import InputError
from proctor.formats.imports.contract import CutOff

Keys = tuple[str, ...]
_CHUNK = 2**16
_LARGEST = 2**28
"""Maximum number of characters in one value."""
_NEAR_THE_END = 16
"""A syntax error within this many characters of the end of the buffer may disappear when more is read."""
_BLANK = " \t\r\n"


def walk(file: TextIO, lists: Collection[Keys], *, source: Path) -> Iterator[tuple[Keys, Any]]:
    """Yield every value with the keys leading to it: items of the given lists one by one, everything else as a whole.

    Raises CutOff if the document ends prematurely, InputError if it is not JSON.
    """
    reader = _ValueReader(file, source)
    yield from _values(reader, (), lists)
    if reader.peek():
        raise reader.wrong("there is something after the end of the document")


def _values(reader: _ValueReader, keys: Keys, lists: Collection[Keys]) -> Iterator[tuple[Keys, Any]]:
    opening = reader.peek()
    if opening == "{" and any(path[: len(keys)] == keys and path != keys for path in lists):
        yield from _members(reader, keys, lists)
    elif opening == "[" and keys in lists:
        yield from ((keys, item) for item in _items(reader))
    else:
        yield keys, reader.value()


def _members(reader: _ValueReader, keys: Keys, lists: Collection[Keys]) -> Iterator[tuple[Keys, Any]]:
    reader.take("{")
    while reader.peek() != "}":
        name = reader.value()
        if not isinstance(name, str):
            raise reader.wrong("expected a key in double quotes")
        reader.take(":")
        yield from _values(reader, (*keys, name), lists)
        if reader.peek() != "}":
            reader.take(",")
    reader.take("}")


def _items(reader: _ValueReader) -> Iterator[Any]:
    reader.take("[")
    while reader.peek() != "]":
        yield reader.value()
        if reader.peek() != "]":
            reader.take(",")
    reader.take("]")


class _ValueReader:
    """Reads one value at a time from a file, buffering no more than necessary."""

    def __init__(self, file: TextIO, source: Path) -> None:
        self._file = file
        self._source = source
        self._text = ""
        self._at = 0
        self._before = 0
        self._ended = False
        self._decode = json.JSONDecoder().raw_decode

    def peek(self) -> str:
        """Return the next non-blank character, or an empty string at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _BLANK:
                self._at += 1
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def take(self, wanted: str) -> None:
        """Consume this character; raise if another one follows."""
        found = self.peek()
        if not found:
            raise self._cut_off()
        if found != wanted:
            raise self.wrong(f"expected {wanted!r}, found {found!r}")
        self._at += 1

    def value(self) -> Any:
        """Read the next value."""
        if not self.peek():
            raise self._cut_off()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._may_go_on(error):
                    self._at = error.pos
                    raise self.wrong(error.msg) from None
            except RecursionError:
                raise self.wrong("lists and objects are nested too deeply in each other") from None
            else:
                if end < len(self._text) or self._ended:  # a number may continue in the next chunk
                    self._at = end
                    return value
            if not self._more() and not self._ended_well():
                raise self._cut_off()

    def wrong(self, why: str) -> InputError:
        """Return the error for invalid JSON at the current position."""
        return InputError(f"{self._source} is not JSON: {why} at character {self._before + self._at + 1:,}")

    def _ended_well(self) -> bool:
        """Whether the rest of the buffer is a complete value, now that the file has ended."""
        try:
            self._decode(self._text, self._at)
        except json.JSONDecodeError:
            return False
        return True

    def _may_go_on(self, error: json.JSONDecodeError) -> bool:
        return error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - _NEAR_THE_END

    def _cut_off(self) -> CutOff:
        return CutOff(f"it ends in the middle, after {self._before + len(self._text):,} characters")

    def _more(self) -> bool:
        """Read more, doubling the buffer to limit reparsing of long values; return False at the end of the file."""
        held = len(self._text) - self._at
        if held > _LARGEST:
            raise self.wrong(f"a value of more than {_LARGEST:,} characters")
        piece = self._file.read(max(_CHUNK, held))
        self._before += self._at
        self._text = self._text[self._at :] + piece
        self._at = 0
        self._ended = not piece
        return bool(piece)
