"""References to sources: paths, addresses and citation marks, which state nothing themselves."""

from __future__ import annotations

import re

from proctor.reading.text.lazy import lazy

_ENDINGS = "md|rst|txt|pdf|html?|docx?|odt|xlsx?|csv|tsv|jsonl?|ya?ml|toml|xml|pptx?|eml|tex|ipynb|py|log"
_PATH = rf"(?<![\w./\\~-])(?:[\w.~-]{{1,80}}[/\\]){{0,12}}[\w.-]{{0,80}}\w\.(?:{_ENDINGS})\b"
_ADDRESS = r"(?:https?|ftp|file)://[^\s()\[\]<>\"']*[\w/]"
_LEAD = r"(?:(?:see|cf\.?|from|in|sources?|refs?|references?|read)[:\s]\s?)?"
_PLACE = lazy(
    r"(?P<blank>\s?)(?:"
    rf"[(\[【]\s?{_LEAD}(?:{_PATH}|{_ADDRESS})[^()\[\]【】]{{0,300}}[)\]】]"  # (policies/travel.md, Meals)
    rf"|{_ADDRESS}|{_PATH}"
    r"|\[\^?\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,9}\])",  # [3], [1, 2]
    re.IGNORECASE,
)
_HINT = lazy(r"\.\w|://|\[")
"""A cheap check before the expensive pattern: most sentences contain no reference."""


def without_places(text: str) -> str:
    """Return the text without references to sources; unchanged if it has none."""
    return _PLACE.sub(_left_out, text) if _HINT.search(text) else text


def _left_out(place: re.Match[str]) -> str:
    """Return the replacement of a reference: empty if the match includes the space, else a space."""
    return "" if place["blank"] else " "
