"""Find the text of a cited source: in the folder of sources, or in a tool result of the same reply."""

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
    """A source's name split into its parts, case-folded."""

    path: str
    """Path without extension and anchor."""
    extension: str
    anchor: str


def is_address(source: str) -> bool:
    """Whether the source is a URL."""
    return _ADDRESS.match(source.strip()) is not None


def is_absolute(source: str) -> bool:
    """Whether the source is an absolute file path."""
    return _ABSOLUTE.match(source.strip().replace("\\", "/")) is not None


def relative_path(source: str) -> str | None:
    """Resolve `.` and `..` in a path; None if it is absolute or leads outside its root."""
    path = source.strip().replace("\\", "/")
    if _ABSOLUTE.match(path) or "\0" in path:
        return None
    path = posixpath.normpath(path)
    return None if path == ".." or path.startswith("../") else path


@lru_cache(maxsize=1024)
def parse_name(source: str) -> Name:
    """Parse a source's name for comparison, ignoring case and differences in slashes and dots."""
    path, _, anchor = fold(source).strip().replace("\\", "/").partition("#")
    if not is_address(path):
        path = posixpath.normpath(path).lstrip("/")
    path = path.rstrip("/")
    extension = None if is_address(path) else _EXTENSION.search(path)
    stem = path[: extension.start()] if extension else path
    return Name(stem, extension[0] if extension else "", anchor.strip())


def among(cited: str, expected: Sequence[str]) -> str | None:
    """Return the expected source that is cited, or None; either may lack the extension or the anchor."""
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
"""Maximum number of characters of a quote to show."""


def plain(text: str) -> str:
    """Normalise a text for quote lookup: folded, on one line, without Markdown emphasis."""
    return " ".join(fold(text.translate(_EMPHASIS)).split())


def parts(quote: str) -> list[str]:
    """Split a quote at its ellipses and strip punctuation from the pieces; empty if the quote has no content."""
    return [piece for part in _LEFT_OUT.split(plain(quote)) if (piece := part.strip(_EDGES))]


def missing_part(quote: list[str], text: str) -> tuple[str, int] | None:
    """Return the first piece not found in order, with the end of the piece before it; None if all are found."""
    place = 0
    for piece in quote:
        span = find_exact(text, piece, place)
        if span is None:
            return piece, place
        place = span[1]
    return None


def near_miss(piece: str, text: str, place: int) -> str:
    """Describe how far a missing piece agrees with the text."""
    if find_exact(text, piece) is not None:
        return "it is there only before what is quoted before it"
    words = piece.split(" ")
    low, high = 0, len(words)
    while high - low > 1:  # binary search: if a prefix occurs, so does every shorter one
        middle = (low + high) // 2
        low, high = (middle, high) if find_exact(text, " ".join(words[:middle]), place) else (low, middle)
    span = find_exact(text, " ".join(words[:low]), place) if low else None
    if span is None:
        return ""
    beginning = "its first word is" if low == 1 else f"its first {low} words are"
    return f"{beginning} there, going on {shown(text[span[1] : span[1] + 2 * _SHOWN])}"


def shown(quote: str) -> str:
    """Put a quote in quotation marks, truncated if long."""
    quote = quote.strip()
    return f"“{quote}”" if len(quote) <= _SHOWN else f"“{quote[: _SHOWN - 1]}…”"


_LONGEST_JSON = 2 * 1024 * 1024


def unpack_value(value: object) -> object:
    """Decode bytes to text, and text that holds a JSON object or array to its value."""
    if isinstance(value, (bytes, bytearray)):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and len(value) <= _LONGEST_JSON:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def leaves(value: object) -> Iterator[str]:
    """Yield all strings and numbers at any depth, in order, as text."""
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
    """Return a string or number as text, or None if it is neither, or an integer too long to read."""
    if isinstance(value, (str, float)):
        return str(value)
    return str(value) if isinstance(value, int) and value.bit_length() < 4096 else None


LARGEST = 2 * 1024 * 1024
"""Maximum size in bytes of a source file."""
_KEPT = 64
"""Number of sources cached in memory."""
_LINES = re.compile(r":\d+(?:-\d+)?$")
"""Match the line numbers after a file name."""
_SHORT = 4
"""Minimum length for a name to be matched within a text; a shorter one occurs by chance and must be the whole text."""


class SourceText(NamedTuple):
    """A source's text, normalised for quote lookup, and where it was read, or why it could not be."""

    text: str | None
    whence: str
    absent: bool = False
    """Whether there is a folder to search, but it has no such file."""


class Sources:
    """The folder from which cited sources are read. Files outside it are never opened."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder.resolve() if folder is not None else None
        self._read = lru_cache(maxsize=_KEPT)(self._read_file)
        self._possible = lru_cache(maxsize=1024)(self._list_possible)

    def read(self, source: str, reply: Reply) -> SourceText:
        """Read a source's text from the folder, or else from a tool result in this reply that names the source."""
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
        """Return the files that a source without extension may refer to; empty if it has one, or if no file matches."""
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
        """Whether the folder exists and has no file that the source may refer to."""
        if not folder.is_dir() or is_absolute(source) or self._without_extension(source.partition("#")[0], folder):
            return False
        path = relative_path(source)
        return path is None or not os.path.lexists(folder / path)

    def _locate_file(self, source: str, folder: Path) -> Path | None:
        """Find a source's file: by its name, without its anchor or lines, or as the only file with that stem."""
        for name in dict.fromkeys((source, source.partition("#")[0], _LINES.sub("", source))):
            for target in (_inside(name, folder), _find_alike_file(name, folder)):
                if target is not None and target.is_file():
                    return target
        alike = self._without_extension(source.partition("#")[0], folder)
        return alike[0] if len(alike) == 1 else None


def _inside(name: str, folder: Path) -> Path | None:
    """Resolve a name within the folder, following symlinks; None if it leads outside."""
    path = relative_path(name)
    target = (folder / path).resolve() if path else None
    return target if target is not None and target.is_relative_to(folder) else None


def _find_alike_file(name: str, folder: Path) -> Path | None:
    """Find a file case-insensitively; the name may also begin with the folder's own name."""
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
    """Return the folder's entry of this name, ignoring case."""
    if not folder.is_dir():
        return None
    return next((entry for entry in sorted(folder.iterdir()) if fold(entry.name) == name), None)


def _from_tools(source: str, reply: Reply) -> SourceText | None:
    tool_texts = _results(source, reply) or _results(source.partition("#")[0], reply)
    if not tool_texts:
        return None
    tools = ", ".join(dict.fromkeys(tool for tool, _ in tool_texts))
    text = "\n".join(text for _, text in tool_texts)
    if len(text) > LARGEST:
        return SourceText(None, f"the result of {tools} is larger than {LARGEST:,} characters")
    return SourceText(plain(text), f"the result of {tools}")


def _results(source: str, reply: Reply) -> list[tuple[str, str]]:
    """Return (tool name, text) for each tool result that names the source, with the text that belongs to it."""
    name = prepare(relative_path(source) or source)
    return [(call.name, text) for call in reply.tool_calls if name and (text := "\n".join(_source_texts(call, name)))]


def _source_texts(call: ToolCall, name: str) -> Iterator[str]:
    """Yield what a call's result contains of the source: all if the arguments name it, else the parts next to its
    name."""
    if not call.result_known or call.error is not None:
        return iter(())
    if any(_names(leaf, name) for leaf in leaves(call.arguments)):
        return leaves(call.result)
    return _parts_naming(call.result, name)


def _parts_naming(value: object, name: str) -> Iterator[str]:
    """Yield the innermost parts of a result that name the source: the value of a key of that name, an entry, or a
    text."""
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
