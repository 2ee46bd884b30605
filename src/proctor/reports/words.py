"""Other people's text, made harmless and short enough to show."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

REPLACEMENT = "\ufffd"

# What no rendering may carry raw: control characters (a terminal obeys them, XML forbids them), lone surrogates and
# noncharacters (no encoding takes them), and the signs that turn the direction of the text after them.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_OBEYED = re.compile(_UNSAFE.pattern.replace("[", "[\r\u2028\u2029", 1))
_OBEYED_IN_JSON = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029]")
_JOINERS = "\u200c\u200d"
_VARIATIONS = "\ufe0e\ufe0f"
_LATIN = "\u024f"
"""The last letter of the Latin scripts, in which nothing is joined."""
_CONTROL_PICTURES = 0x2400
_THINGS = re.compile(r"(?:“[^”]*”|[^;])+")
"""What semicolons part; a quote may hold one."""
_WORD_FROM = 0.6
"""Of the room: a blank from there on is a better place to cut than the middle of a word."""
_CELL_LIMIT = 32_000
"""Spreadsheets hold 32,767 characters in a cell and break the row at more."""
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def clean(text: str) -> str:
    """The text with line ends as LF and each unsafe character as a visible sign."""
    if text.isprintable():
        return text
    return _UNSAFE.sub(_visible, _LINE_ENDS.sub("\n", text))


def printable(text: str) -> str:
    """A text with a sign for all that cannot be seen, but not for what joins emoji or letters."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or _joins(text, place) else REPLACEMENT for place, each in enumerate(text)
    )


def _joins(text: str, place: int) -> bool:
    """Whether a joiner stands where it changes how the text looks: after an emoji or a letter beyond Latin scripts."""
    if text[place] not in _JOINERS or not 0 < place < len(text) - 1:
        return False
    before = text[:place].rstrip(_VARIATIONS)[-1:]
    beyond = before > _LATIN and unicodedata.category(before) in ("So", "Sk", "Sm", "Lo", "Mn", "Mc")
    return beyond and (text[place + 1] > _LATIN or text[place] == "\u200c")


def harmless(text: str) -> str:
    """The text with everything but line feeds and tabs that a terminal would obey as a visible sign."""
    if text.isprintable():
        return text
    return _OBEYED.sub(_visible, text)


def escape_json(json: str) -> str:
    """JSON that a terminal can be shown: what it would obey is written as an escape, which means the same."""
    whole = json.encode(errors="replace").decode()  # half a surrogate pair
    return _OBEYED_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", whole)


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    return "\u2421" if code == 0x7F else REPLACEMENT


def one_line(text: str, limit: int = 500) -> str:
    """The text in one line, runs of blanks as one, cut at so many characters."""
    return cut(" ".join(clean(text[: 4 * limit]).split()), limit)


def full_line(text: str) -> str:
    """The text in one line, however long."""
    return " ".join(clean(text).split())


def cut(text: str, limit: int) -> str:
    """At most so many characters, between words where there are any; the last is … where some were lost."""
    if len(text) <= limit:
        return text
    kept = text[: limit - 1]
    between = kept.rfind(" ") if not text[limit - 1].isspace() else -1
    return (kept[:between] if between > _WORD_FROM * limit else kept).rstrip() + "…"


def shorten(text: str, limit: int) -> str:
    """In one line, as many of the things that semicolons part as there is room for, and how many more there are.

    Of a single thing as many words, and how many more characters.
    """
    line = full_line(text)
    if len(line) <= limit:
        return line
    things = things_in(line)
    return shorten_list(things, limit) if len(things) > 1 else _shorten_words(line, limit)


def things_in(text: str) -> list[str]:
    """What a text tells, one thing after another, as semicolons part them."""
    return [thing.strip() for thing in _THINGS.findall(full_line(text)) if thing.strip()]


def shorten_list(things: Sequence[str], limit: int, between: str = "; ") -> str:
    """`“a1” is missing; “a2” is missing; and 18 more`: at least the first of them."""
    told, room = list(things), limit - len(between + "and 1,000 more")
    if len(between.join(told)) <= limit:
        return between.join(told)
    while len(told) > 1 and len(between.join(told)) > room:
        told.pop()
    first = [_shorten_words(told[0], limit)] if len(told) == 1 and len(told[0]) > limit else told
    left = len(things) - len(told)
    return between.join([*first, f"and {left:,} more"]) if left else between.join(first)


def _shorten_words(line: str, limit: int) -> str:
    kept = cut(line, limit)
    left = f" ({len(line) - len(kept) + 1:,} more characters)"
    return kept + left if len(kept + left) < len(line) else line


def cell_text(text: str) -> str:
    """A text that no spreadsheet takes for a formula, and that fits into a cell."""
    if text.startswith(_FORMULA_STARTS):
        text = f"'{text}"
    return cut(clean(text), _CELL_LIMIT)
