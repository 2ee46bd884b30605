"""The items of a JSON array of any size, one after the other: only the one that is read is held."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from proctor.errors import InputError

_CHUNK = 2**18
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(")?|[\[\]{}]', re.DOTALL)
_BETWEEN = b" \t\r\n,"


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonItem:
    """One item of an array, as it stands in the file."""

    offset: int
    """Where it begins, in bytes."""
    line: int
    """Where it begins, from 1."""
    text: bytes


class JsonItems:
    """Reads an array from where a file stands; what an item holds is of no interest. Places are bytes of the file."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        """`path` is what errors call the file."""
        self._file, self._path = file, path
        self._held = b""
        self._base = self._seen = self._kept = self._counted = file.tell()
        self._line = 1

    def __iter__(self) -> Iterator[JsonItem]:
        """Every object and list in it; raises InputError where it ends too early, or anything else stands in it."""
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
            if depth == 1:  # the array itself begins, or one of its items is over
                if not opens:
                    start = self._kept
                    yield JsonItem(offset=start, line=self._line_at(start), text=self._text(start, place + 1))
                self._kept = place + 1
            elif depth == 2 and opens:
                self._kept = place
        line = self._line_at(self._base + len(self._held))
        raise InputError(f"{self._path}:{line}: this is not valid JSON: Input data was truncated")

    def _next(self) -> tuple[int, bytes] | None:
        """Where the next string or bracket begins, and its first character; None: the file has ended."""
        while True:
            found = _TOKEN.search(self._held, self._seen - self._base)
            if found is not None and (found[0][:1] != b'"' or found[1]):
                self._seen = self._base + found.end()
                return self._base + found.start(), found[0][:1]
            self._seen = self._base + (found.start() if found is not None else len(self._held))
            if not self._read_on():
                return None

    def _read_on(self) -> bool:
        """Hold more, without what is over: as much again, so that a long item is not looked at too often."""
        self._line_at(self._kept)
        self._held = self._held[self._kept - self._base :]
        self._base = self._kept
        more = self._file.read(max(_CHUNK, len(self._held)))
        self._held += more
        return bool(more)

    def _text(self, start: int, end: int) -> bytes:
        return self._held[start - self._base : end - self._base]

    def _line_at(self, place: int) -> int:
        """The line of a place, none before the last that was asked for."""
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
