"""Citations that stand in the text itself: `[1]`, `[doc-1]`, `[title](place)`, `(source: x)`, `【1†source】`."""

from __future__ import annotations

import re
from typing import NamedTuple

_MARKER = re.compile(
    r"""
    [\[(（【] (?:
      (?<=\[) (?<!!\[) [^\[\]\n]{1,200} \]\( (?P<link> [^()\s]{1,500} ) (?:\s"[^"\n]{0,200}")? \)
    | (?<=\[) \^? (?P<number> \d{1,3} (?: \s?[,–-]\s?\d{1,3} ){0,9} ) \]
    | (?<=\[) (?P<id> (?=[^\[\]\s]{0,200}[\d./#:]) (?=[^\[\]\s]{0,200}[^\W\d_]) [^\[\]\s]{2,200} ) \] (?!\()
    | (?<!【) \s? (?:sources?|refs?|references?|来源|出处|出典) \s?[:：]\s? (?P<named> [^()（）\[\]\n]{1,300} ) [)）\]]
    | (?<=【) [^【】\n]{1,200} 】
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_APART = re.compile(r"\s*[;,、]\s*")


class Marker(NamedTuple):
    """One citation in the text."""

    written: str
    """As it stands there."""
    source: str | None
    """What it names; None: it is only a number."""


def markers(text: str) -> list[Marker]:
    """Every different citation in the text, in order."""
    found = (marker for match in _MARKER.finditer(text) for marker in _read(match))
    return list(dict.fromkeys(found))


def _read(match: re.Match[str]) -> list[Marker]:
    written = match[0]
    if match["link"]:
        return [Marker(written, match["link"])]
    if match["number"]:
        return [Marker(f"[{number}]", None) for number in _numbers(match["number"])]
    if match["id"]:
        return [Marker(written, match["id"])]
    if match["named"]:
        return [Marker(written, name) for name in _APART.split(match["named"].strip()) if name]
    return [Marker(written, None)]


def _numbers(listed: str) -> list[str]:
    """1, 3-5 → 1, 3, 4, 5."""
    numbers: list[str] = []
    for piece in re.split(r"\s?,\s?", listed):
        first, *rest = (int(number) for number in re.findall(r"\d+", piece))
        numbers += map(str, range(first, (rest or [first])[-1] + 1))
    return numbers
