"""Other people's text as blocks to read: paragraphs and code, the long rest folded, the endless rest cut and said."""

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
    """A paragraph, or lines of code."""

    text: str
    code: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Prose:
    """What is shown at once, what is folded, and what is said of the rest."""

    opening: tuple[Block, ...]
    folded: tuple[Block, ...] = ()
    more: str = ""
    """`4,321 more characters`: the fold's label."""
    lost: str = ""
    """What was cut, and where it can be had; empty: nothing."""


def set_as_prose(text: str, opening_size: int = 3_000) -> Prose:
    """A text for reading, what goes beyond the opening folded."""
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
    """A tool's arguments or result, a traceback: word for word, folded after 12 lines."""
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
    """Text and fenced code in turns; a fence that is never closed holds the rest."""
    blocks: list[Block] = []
    for place, piece in enumerate(_FENCE.split(text)):
        if place % 2:
            blocks.append(Block(text=piece.rstrip("\n"), code=True))
        else:
            blocks += [Block(text=part) for part in _BLANK_LINES.split(piece.strip("\n")) if part.strip()]
    return blocks


def _split(block: Block, room: int, *, alone: bool) -> tuple[Block | None, Block | None]:
    """What of a block fits into the opening, and the rest; only the first block is ever broken."""
    if len(block.text) <= room:
        return block, None
    if not alone:
        return None, block
    return Block(text=block.text[:room], code=block.code), Block(text=block.text[room:], code=block.code)


def call_line(call: ToolCall) -> str:
    """`search_knowledge(query="remote work")`."""
    arguments = ", ".join(f"{name}={as_json(value)}" for name, value in call.arguments.items())
    return f"{one_line(call.name, 80)}({one_line(arguments, 160)})"


def call_outcome(call: ToolCall) -> str:
    """`3 results`, `failed: no such document`, or a short result itself."""
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
    """`42 ms`; empty where it is not known."""
    return "" if call.seconds is None else duration(call.seconds)


def as_json(value: Any, *, indent: int | None = None) -> str:
    """A value as JSON that people can read; nothing at all is –."""
    if value is None:
        return NOTHING
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)


def metadata_of(case: Case) -> Iterator[tuple[str, str]]:
    """Name and value; text as it is, anything else as JSON."""
    for name, value in case.metadata.items():
        yield name, value if isinstance(value, str) else as_json(value)
