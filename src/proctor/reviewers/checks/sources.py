"""Where the text of a cited source comes from: the folder of sources, or a tool's result in the same reply."""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from proctor.reading.text.fold import fold
from proctor.reading.text.phrases import find, find_exact, prepare
from proctor.transcript import Reply, ToolCall

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/?/", re.IGNORECASE)
_ABSOLUTE = re.compile(r"/|[a-z]:/", re.IGNORECASE)
_EXTENSION = re.compile(r"\.[a-z][a-z0-9]{0,4}$")


class Name(NamedTuple):
    """A source's name taken apart, folded."""

    path: str
    """Without extension and anchor."""
    extension: str
    anchor: str


def is_address(source: str) -> bool:
    """Whether it is the address of something elsewhere."""
    return _ADDRESS.match(source.strip()) is not None


def is_absolute(source: str) -> bool:
    """Whether it is a path from the root of somebody's disk."""
    return _ABSOLUTE.match(source.strip().replace("\\", "/")) is not None


def relative_path(source: str) -> str | None:
    """The path with its `.` and `..` worked out; None: it is absolute, or leads out of where it starts."""
    path = source.strip().replace("\\", "/")
    if _ABSOLUTE.match(path) or "\0" in path:
        return None
    path = posixpath.normpath(path)
    return None if path == ".." or path.startswith("../") else path


@lru_cache(maxsize=1024)
def parse_name(source: str) -> Name:
    """A source's name, for comparison: slashes, dots and case do not tell sources apart."""
    path, _, anchor = fold(source).strip().replace("\\", "/").partition("#")
    if not is_address(path):
        path = posixpath.normpath(path).lstrip("/")
    path = path.rstrip("/")
    extension = None if is_address(path) else _EXTENSION.search(path)
    stem = path[: extension.start()] if extension else path
    return Name(stem, extension[0] if extension else "", anchor.strip())


def among(cited: str, expected: Sequence[str]) -> str | None:
    """The expected source that is cited; one of the two may lack the extension or the anchor. None: none is."""
    name = parse_name(cited)
    close = [one for one in expected if _may_be(name, parse_name(one))]
    exact = [one for one in close if parse_name(one) == name]
    return next(iter(exact or close), None)


def _may_be(cited: Name, expected: Name) -> bool:
    return (
        cited.path == expected.path
        and (cited.extension == expected.extension or not cited.extension or not expected.extension)
        and (cited.anchor == expected.anchor or not cited.anchor or not expected.anchor)
    )


_EMPHASIS = str.maketrans("", "", "*`")
_LEFT_OUT = re.compile(r"[\[(]? ?\.{3,} ?[\])]?")
_EDGES = " \"'.,;:!?"
_SHOWN = 60
"""Characters of a quote that are shown."""


def plain(text: str) -> str:
    """A text as quotes are looked up in it: folded, on one line, without marks of emphasis."""
    return " ".join(fold(text.translate(_EMPHASIS)).split())


def parts(quote: str) -> list[str]:
    """The pieces of a quote between its ellipses, without the signs around them; empty: it says nothing."""
    return [piece for part in _LEFT_OUT.split(plain(quote)) if (piece := part.strip(_EDGES))]


def missing_part(quote: list[str], text: str) -> tuple[str, int] | None:
    """The first piece that does not stand in the text after those before it, and where they end; None: all do."""
    place = 0
    for piece in quote:
        span = find_exact(text, piece, place)
        if span is None:
            return piece, place
        place = span[1]
    return None


def near_miss(piece: str, text: str, place: int) -> str:
    """How far a piece that is missing agrees with the text."""
    if find_exact(text, piece) is not None:
        return "it is there only before what is quoted before it"
    words = piece.split(" ")
    low, high = 0, len(words)
    while high - low > 1:  # the longest beginning that stands there: what holds for it holds for every shorter one
        middle = (low + high) // 2
        low, high = (middle, high) if find_exact(text, " ".join(words[:middle]), place) else (low, middle)
    span = find_exact(text, " ".join(words[:low]), place) if low else None
    if span is None:
        return ""
    said = "its first word is" if low == 1 else f"its first {low} words are"
    return f"{said} there, going on {shown(text[span[1] : span[1] + 2 * _SHOWN])}"


def shown(quote: str) -> str:
    """A quote in quotes, cut where it is long."""
    quote = quote.strip()
    return f"“{quote}”" if len(quote) <= _SHOWN else f"“{quote[: _SHOWN - 1]}…”"


_LONGEST_JSON = 2 * 1024 * 1024


def unpack_value(value: object) -> object:
    """A value as it is meant: bytes as text, and JSON that was handed over as text as what it says."""
    if isinstance(value, (bytes, bytearray)):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and len(value) <= _LONGEST_JSON:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def leaves(value: object) -> Iterator[str]:
    """The texts and numbers at any depth, in their order, as text."""
    waiting = [value]
    while waiting:
        part = unpack_value(waiting.pop())
        if isinstance(part, Mapping):
            waiting.extend(reversed(list(part.values())))
        elif isinstance(part, (list, tuple)):
            waiting.extend(reversed(part))
        elif isinstance(part, (set, frozenset)):
            waiting.extend(part)
        elif (text := as_text(part)) is not None:
            yield text


def as_text(value: object) -> str | None:
    """A text or a number as text; None: it is neither, or too long a number for anybody to read."""
    if isinstance(value, (str, float)):
        return str(value)
    return str(value) if isinstance(value, int) and value.bit_length() < 4096 else None


LARGEST = 2 * 1024 * 1024
"""Bytes of a source that is read."""
_KEPT = 64
"""Sources that are kept in memory."""
_LINES = re.compile(r":\d+(?:-\d+)?$")
"""The lines that are meant of a file."""
_SHORT = 4
"""A name shorter than this stands in too many texts by chance, so it has to be the whole of one."""


class SourceText(NamedTuple):
    """A source's text as quotes are looked up in it, and where it was read; or why it could not be."""

    text: str | None
    whence: str
    absent: bool = False
    """Whether there is a folder to look in, and nothing of that name in it."""


class Sources:
    """The folder in which cited sources can be read. Nothing outside it is ever opened."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder.resolve() if folder is not None else None
        self._read = lru_cache(maxsize=_KEPT)(self._read_file)
        self._possible = lru_cache(maxsize=1024)(self._list_possible)

    def read(self, source: str, reply: Reply) -> SourceText:
        """A source's text: from the folder, else from a tool's result in this reply that names the source."""
        from_folder = self._read(source)
        if from_folder.text is not None:
            return from_folder
        from_tools = _from_tools(source, reply)
        if from_tools is not None:
            return from_tools
        return SourceText(None, f"{from_folder.whence}, and no tool result names it", from_folder.absent)

    def _read_file(self, source: str) -> SourceText:
        if self._folder is None:
            return SourceText(None, "there is no folder of sources")
        if is_address(source):
            return SourceText(None, "it is an address, which is not fetched")
        try:
            path = self._locate_file(source, self._folder)
            if path is None and is_absolute(source):
                return SourceText(None, "it is an absolute path, which is not read")
            if path is None:
                return SourceText(
                    None, "it is not a file in the folder of sources", self._is_absent(source, self._folder)
                )
            if path.stat().st_size > LARGEST:
                return SourceText(None, f"its file is larger than {LARGEST:,} bytes")
            return SourceText(plain(path.read_text("utf-8-sig")), path.relative_to(self._folder).as_posix())
        except (OSError, ValueError) as error:
            return SourceText(None, f"its file cannot be read ({type(error).__name__})")

    def possible(self, source: str) -> tuple[str, ...]:
        """The files that a source may be which lacks its extension; empty: it lacks none, or there is no such file."""
        return self._possible(source)

    def _list_possible(self, source: str) -> tuple[str, ...]:
        if self._folder is None or is_address(source):
            return ()
        try:
            found = self._without_extension(source.partition("#")[0], self._folder)
        except (OSError, ValueError):
            return ()
        return tuple(path.relative_to(self._folder).as_posix() for path in found)

    def _without_extension(self, name: str, folder: Path) -> list[Path]:
        target = _inside(name, folder)
        if target is None or target.is_file() or not target.parent.is_dir():
            return []
        alike = (path.resolve() for path in sorted(target.parent.iterdir()) if path.stem == target.name)
        return [path for path in alike if path.is_relative_to(folder) and path.is_file()]

    def _is_absent(self, source: str, folder: Path) -> bool:
        """Whether the folder can be looked through and holds nothing that the source may be."""
        if not folder.is_dir() or is_absolute(source) or self._without_extension(source.partition("#")[0], folder):
            return False
        path = relative_path(source)
        return path is None or not os.path.lexists(folder / path)

    def _locate_file(self, source: str, folder: Path) -> Path | None:
        """The file that a source names: as it stands, without its anchor, or as the only one of several extensions."""
        for name in dict.fromkeys((source, source.partition("#")[0], _LINES.sub("", source))):
            for target in (_inside(name, folder), _alike(name, folder)):
                if target is not None and target.is_file():
                    return target
        alike = self._without_extension(source.partition("#")[0], folder)
        return alike[0] if len(alike) == 1 else None


def _inside(name: str, folder: Path) -> Path | None:
    """Where a name leads to in the folder, links followed; None: out of it."""
    path = relative_path(name)
    target = (folder / path).resolve() if path else None
    return target if target is not None and target.is_relative_to(folder) else None


def _alike(name: str, folder: Path) -> Path | None:
    """The file that is meant by a name in another case, or by one that begins with the folder's own."""
    path = relative_path(name) or ""
    for pieces in (path.split("/"), path.removeprefix(f"{folder.name}/").split("/")):
        place: Path | None = folder
        for piece in pieces:
            place = _entry(fold(piece), place) if place is not None else None
        target = place.resolve() if place is not None else None
        if target is not None and target.is_relative_to(folder):
            return target
    return None


def _entry(name: str, folder: Path) -> Path | None:
    """What has this name in a folder, whatever the case."""
    if not folder.is_dir():
        return None
    return next((entry for entry in sorted(folder.iterdir()) if fold(entry.name) == name), None)


def _from_tools(source: str, reply: Reply) -> SourceText | None:
    told = _results(source, reply) or _results(source.partition("#")[0], reply)
    if not told:
        return None
    tools = ", ".join(dict.fromkeys(tool for tool, _ in told))
    text = "\n".join(text for _, text in told)
    if len(text) > LARGEST:
        return SourceText(None, f"the result of {tools} is larger than {LARGEST:,} characters")
    return SourceText(plain(text), f"the result of {tools}")


def _results(source: str, reply: Reply) -> list[tuple[str, str]]:
    """The tools whose results name the source, with what they say of it."""
    name = prepare(relative_path(source) or source)
    return [(call.name, text) for call in reply.tool_calls if name and (text := "\n".join(_told(call, name)))]


def _told(call: ToolCall, name: str) -> Iterator[str]:
    """What a call's result says of the source: all of it where the arguments name it, else what stands beside it."""
    if not call.result_known or call.error is not None:
        return iter(())
    if any(_names(leaf, name) for leaf in leaves(call.arguments)):
        return leaves(call.result)
    return _beside(call.result, name)


def _beside(value: object, name: str) -> Iterator[str]:
    """The innermost parts of a result that name the source: what a key of that name holds, an entry, or a text."""
    waiting = [value]
    while waiting:
        part = unpack_value(waiting.pop())
        if isinstance(part, Mapping):
            under = [held for key, held in part.items() if _names(str(key), name)]
            if under or any(_names(leaf, name) for leaf in _direct(part)):
                yield from leaves(under or part)
            else:
                waiting.extend(reversed(list(part.values())))
        elif isinstance(part, (list, tuple)):
            waiting.extend(reversed(part))
        elif isinstance(part, str) and _names(part, name):
            yield part


def _direct(part: Mapping[object, object]) -> Iterator[str]:
    return (text for value in part.values() if (text := as_text(value)) is not None)


def _names(leaf: str, name: str) -> bool:
    folded = fold(leaf).strip()
    return folded == name or (len(name) >= _SHORT and find(folded, name) is not None)
