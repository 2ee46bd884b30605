"""Split text from others into blocks for reading: paragraphs and code, with the rest folded or truncated."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from proctor.benchmark import Case
from proctor.reports.numbers import NOTHING, duration, plural, whole
from proctor.reports.words import clean, one_line
from proctor.transcript import ToolCall

_FENCE = re.compile(r"^[ \t]*```[^\n]*\n?", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_LINES = 12
_LINE_LENGTH = 120
_REPLY_LIMIT = 100_000
_RESULT_LIMIT = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A paragraph, or a block of code."""

    text: str
    code: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Prose:
    """A text split into what is shown and what is folded."""

    opening: tuple[Block, ...]
    folded: tuple[Block, ...] = ()
    more: str = ""
    """Label of the fold: `4,321 more characters`."""
    lost: str = ""
    """Note on what was truncated, and where to find it; empty if nothing was."""


def set_as_prose(text: str, opening_size: int = 3_000) -> Prose:
    """Lay out a text for reading, with everything beyond the opening folded."""
    kept, lost = _cut_to_limit(text, _REPLY_LIMIT)
    opening: list[Block] = []
    folded: list[Block] = []
    room = opening_size
    for block in _blocks(kept):
        now, later = _split(block, room, alone=not opening)
        opening += [now] if now else []
        folded += [later] if later else []
        room -= len(block.text)
    more = plural(sum(len(block.text) for block in folded), "more character") if folded else ""
    return Prose(opening=tuple(opening), folded=tuple(folded), more=more, lost=lost)


def set_as_code(value: Any) -> Prose:
    """Lay out arguments, a result or a traceback verbatim, folded after 12 lines."""
    kept, lost = _cut_to_limit(value if isinstance(value, str) else as_json(value, indent=2), _RESULT_LIMIT)
    lines = kept.rstrip("\n").split("\n")
    opening = "\n".join(lines[:_LINES])
    if len(opening) > _LINES * _LINE_LENGTH:
        opening = opening[: _LINES * _LINE_LENGTH]
    rest = kept[len(opening) :].removeprefix("\n").rstrip("\n")
    shown, folded = (Block(text=opening, code=True),), (Block(text=rest, code=True),)
    if not rest:
        return Prose(opening=shown, lost=lost)
    more = plural(rest.count("\n") + 1, "more line")
    return Prose(opening=shown, folded=folded, more=more, lost=lost)


def _cut_to_limit(text: str, limit: int) -> tuple[str, str]:
    kept = clean(text[:limit])
    if len(text) <= limit:
        return kept, ""
    return kept, f"Cut here: {whole(limit)} of {whole(len(text))} characters are shown; the JSON export has all."


def _blocks(text: str) -> list[Block]:
    """Split a text into paragraphs and fenced code; an unclosed fence extends to the end."""
    blocks: list[Block] = []
    for place, piece in enumerate(_FENCE.split(text)):
        if place % 2:
            blocks.append(Block(text=piece.rstrip("\n"), code=True))
        else:
            blocks += [Block(text=part) for part in _BLANK_LINES.split(piece.strip("\n")) if part.strip()]
    return blocks


def _split(block: Block, room: int, *, alone: bool) -> tuple[Block | None, Block | None]:
    """Split a block at the end of the opening; only the first block is ever divided."""
    if len(block.text) <= room:
        return block, None
    if not alone:
        return None, block
    return Block(text=block.text[:room], code=block.code), Block(text=block.text[room:], code=block.code)


def call_line(call: ToolCall) -> str:
    """Format a tool call: `search_knowledge(query="remote work")`."""
    arguments = ", ".join(f"{name}={as_json(value)}" for name, value in call.arguments.items())
    return f"{one_line(call.name, 80)}({one_line(arguments, 160)})"


def call_outcome(call: ToolCall) -> str:
    """Format the result of a call: `3 results`, `failed: no such document`, or a short result itself."""
    if call.error is not None:
        return f"failed: {one_line(call.error, 160)}"
    if not call.result_known:
        return "result not reported"
    result = call.result
    if isinstance(result, (list, tuple)):
        return plural(len(result), "result")
    if isinstance(result, dict):
        return plural(len(result), "field")
    if isinstance(result, str) and (len(result) > 60 or "\n" in result):
        lines = result.rstrip("\n").count("\n") + 1
        return plural(lines, "line") if lines > 1 else plural(len(result), "character")
    return one_line(as_json(result), 80)


def call_time(call: ToolCall) -> str:
    """Format the duration of a call: `42 ms`; empty if unknown."""
    return "" if call.seconds is None else duration(call.seconds)


def as_json(value: Any, *, indent: int | None = None) -> str:
    """Format a value as readable JSON; None is shown as –."""
    if value is None:
        return NOTHING
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)


def metadata_of(case: Case) -> Iterator[tuple[str, str]]:
    """Yield (name, value) of a case's metadata; non-text values as JSON."""
    for name, value in case.metadata.items():
        yield name, value if isinstance(value, str) else as_json(value)
