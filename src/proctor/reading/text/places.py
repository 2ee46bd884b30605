"""Places: where something stands to read. A path, an address or the mark of a source states nothing itself."""

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
"""A cheap look before the dear one: most sentences hold no place."""


def without_places(text: str) -> str:
    """The text with its places left out; the very same one where there is none."""
    return _PLACE.sub(_left_out, text) if _HINT.search(text) else text


def _left_out(place: re.Match[str]) -> str:
    """Nothing where a blank goes with it, so that a full stop follows its sentence; else a blank between the words."""
    return "" if place["blank"] else " "
