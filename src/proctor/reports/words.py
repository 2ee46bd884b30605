"""Sanitise and shorten untrusted text for display."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

REPLACEMENT = "\ufffd"

# Characters that no output format may contain unescaped: control characters (terminals execute them, XML forbids them),
# lone surrogates and noncharacters (no encoding accepts them), and characters that change the text direction.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_OBEYED = re.compile(_UNSAFE.pattern.replace("[", "[\r\u2028\u2029", 1))
_OBEYED_IN_JSON = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029]")
_JOINERS = "\u200c\u200d"
_VARIATIONS = "\ufe0e\ufe0f"
_LATIN = "\u024f"
"""Last letter of the Latin scripts, which never need joiners."""
_CONTROL_PICTURES = 0x2400
_THINGS = re.compile(r"(?:“[^”]*”|[^;])+")
"""Match the items of a list separated by semicolons; quoted text may contain a semicolon."""
_WORD_FROM = 0.6
"""Cut at a space only if it lies beyond this share of the limit; otherwise cut inside a word."""
_CELL_LIMIT = 32_000
"""Maximum number of characters per cell; spreadsheets allow 32,767 and break the row beyond that."""
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def clean(text: str) -> str:
    """Normalise line endings to LF and replace each unsafe character by a visible one."""
    if text.isprintable():
        return text
    return _UNSAFE.sub(_visible, _LINE_ENDS.sub("\n", text))


def printable(text: str) -> str:
    """Replace every invisible character by U+FFFD, except joiners within emoji or letters."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or _joins(text, place) else REPLACEMENT for place, each in enumerate(text)
    )


def _joins(text: str, place: int) -> bool:
    """Whether a joiner affects rendering at this position: after an emoji or a letter outside the Latin scripts."""
    if text[place] not in _JOINERS or not 0 < place < len(text) - 1:
        return False
    before = text[:place].rstrip(_VARIATIONS)[-1:]
    beyond = before > _LATIN and unicodedata.category(before) in ("So", "Sk", "Sm", "Lo", "Mn", "Mc")
    return beyond and (text[place + 1] > _LATIN or text[place] == "\u200c")


def harmless(text: str) -> str:
    """Replace every character that a terminal would interpret by a visible one, except line feeds and tabs."""
    if text.isprintable():
        return text
    return _OBEYED.sub(_visible, text)


def escape_json(json: str) -> str:
    """Escape characters in JSON that a terminal would interpret, without changing its meaning."""
    valid_text = json.encode(errors="replace").decode()  # replace lone surrogates
    return _OBEYED_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", valid_text)


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    return "\u2421" if code == 0x7F else REPLACEMENT


def one_line(text: str, limit: int = 500) -> str:
    """Collapse whitespace to put a text on one line, truncated to `limit` characters."""
    return cut(" ".join(clean(text[: 4 * limit]).split()), limit)


def full_line(text: str) -> str:
    """Collapse whitespace to put a text on one line, without truncating it."""
    return " ".join(clean(text).split())


def cut(text: str, limit: int) -> str:
    """Truncate a text to `limit` characters, at a space if possible; a truncated text ends in `…`."""
    if len(text) <= limit:
        return text
    kept = text[: limit - 1]
    between = kept.rfind(" ") if not text[limit - 1].isspace() else -1
    return (kept[:between] if between > _WORD_FROM * limit else kept).rstrip() + "…"


def shorten(text: str, limit: int) -> str:
    """Put a text on one line, with as many of its semicolon-separated items as fit and the number of the rest.

    A single item is cut after a word, with the number of characters left out.
    """
    line = full_line(text)
    if len(line) <= limit:
        return line
    things = things_in(line)
    return shorten_list(things, limit) if len(things) > 1 else _shorten_words(line, limit)


def things_in(text: str) -> list[str]:
    """Split a text into its semicolon-separated items."""
    return [thing.strip() for thing in _THINGS.findall(full_line(text)) if thing.strip()]


def shorten_list(things: Sequence[str], limit: int, between: str = "; ") -> str:
    """Join at least one item and count those that do not fit: `“a1” is missing; “a2” is missing; and 18 more`."""
    kept_items, room = list(things), limit - len(between + "and 1,000 more")
    if len(between.join(kept_items)) <= limit:
        return between.join(kept_items)
    while len(kept_items) > 1 and len(between.join(kept_items)) > room:
        kept_items.pop()
    first = (
        [_shorten_words(kept_items[0], limit)] if len(kept_items) == 1 and len(kept_items[0]) > limit else kept_items
    )
    left = len(things) - len(kept_items)
    return between.join([*first, f"and {left:,} more"]) if left else between.join(first)


def _shorten_words(line: str, limit: int) -> str:
    kept = cut(line, limit)
    left = f" ({len(line) - len(kept) + 1:,} more characters)"
    return kept + left if len(kept + left) < len(line) else line


def cell_text(text: str) -> str:
    """Make a text safe for a spreadsheet cell: not interpreted as a formula, and within the cell limit."""
    if text.startswith(_FORMULA_STARTS):
        text = f"'{text}"
    return cut(clean(text), _CELL_LIMIT)
