"""A page of the documentation taken apart: its blocks, its links, and what of its output may differ from day to day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_BLOCK = re.compile(r"(?P<before>[^\n]*)\n*^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_NAMED_FILE = re.compile(r"\binto `(?P<name>[\w.-]+)`:$")
_NOT_RUN = re.compile(r"^<!-- not run: (?P<reason>.+) -->$")

_VARYING = {
    r"\b\d{6}-\d{6}-[0-9a-f]{4}\b": "RUN",
    r"(< )?\b\d[\d.,]* (ms|s)\b": "TIME",
    r"just now|\b\d+ (second|minute)s? ago": "WHEN",
    r"(?m)^([✗≈] +\S+ +\S.{10}).*?(?= +\d+/\d+ )": r"\1",  # how much of a question is shown, whole or cut,
    r"(?m)^(?P<start>.{28}).*?…": r"\g<start>…",  # … hangs on the width of the times
    r"\s+": " ",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """One fenced block."""

    language: str
    text: str
    file: str | None
    """The file that the sentence above tells the reader to put it into."""
    not_run: str | None
    """Why it cannot be run, from a comment above it."""
    follows: bool
    """Whether it stands directly under another block."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """One line after a `$`, and what the page shows under it."""

    line: str
    shown: str


def name_of(page: Path) -> str:
    """The page as people call it."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page, in order."""
    return list(_blocks(page.read_text("utf-8")))


def _blocks(text: str) -> Iterator[Block]:
    end = -1
    for found in _BLOCK.finditer(text):
        before = found["before"].strip()
        named, left_out = _NAMED_FILE.search(before), _NOT_RUN.match(before)
        yield Block(
            language=found["language"],
            text=found["text"],
            file=named["name"] if named else None,
            not_run=left_out["reason"] if left_out else None,
            follows=not before and not text[end : found.start("language")].strip("\n`") if end >= 0 else False,
        )
        end = found.end()


def commands(block: Block) -> list[Command]:
    """The commands of a console block, each with the lines under it."""
    assert block.text.startswith("$ "), f"a console block begins with a command: {block.text[:60]!r}"
    pieces = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    return [_command(piece.replace("\\\n", "")) for piece in pieces]


def _command(piece: str) -> Command:
    line, _, shown = piece.partition("\n")
    return Command(line=line, shown=shown)


def settled(text: str) -> str:
    """The text without what differs from run to run: ids, times, and the widths that follow from them."""
    for pattern, word in _VARYING.items():
        text = re.sub(pattern, word, text)
    return text.strip()


def agrees(shown: str, said: str) -> bool:
    """Whether a page shows what was said; a line of `…` stands for any number of lines."""
    pieces = re.split(r"^…$", shown, flags=re.MULTILINE)
    pattern = ".*".join(re.escape(settled(piece)) for piece in pieces)
    return re.fullmatch(pattern, settled(said), re.DOTALL) is not None
