"""Split a text into sentences."""

from __future__ import annotations

import re

from proctor.reading.text.lazy import lazy

_END = lazy(r"(?<=[.!?…])[\"')\]]*\s+(?=\S)|;\s+|\n+")
_ABBREVIATION = lazy(
    r"(?:^|[\s(])(?:[^\W\d_]|mr|mrs|ms|dr|prof|st|mt|vs|nos?|fig|sr|jr|gen|col|lt|capt|sen|rep|gov|inc|ltd|co|corp|dept|"
    r"approx|ca|cf|al|etc|e\.g|i\.e|u\.s|u\.k|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.$",
    re.IGNORECASE,
)
_BULLET = lazy(r"^(?:[-*•]|\d+[.)])\s+")
_LONGEST_ABBREVIATION = 8


def claims(text: str) -> list[str]:
    """Split a text at full stops, semicolons and line breaks, but not after abbreviations."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if _ABBREVIATION.search(text, max(start, match.start() - _LONGEST_ABBREVIATION), match.start()):
            continue
        found.append(text[start : match.start()])
        start = match.end()
    found.append(text[start:])
    stripped = (_BULLET.sub("", claim.strip()) for claim in found)
    return [claim for claim in stripped if claim]
