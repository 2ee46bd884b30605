"""Which source is meant: a path, id or address as people and agents write it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from proctor.reading.text.fold import fold

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
