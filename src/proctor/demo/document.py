"""Documents of the knowledge base: Document, Section, Paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

_BLANK_LINE = re.compile(r"\n\s*\n")
_LIST_ITEM = re.compile(r"\n(?=\d+\. |[-*] )")
_DETAIL = re.compile(r"(Updated|Owner|Status): (.+)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Paragraph:
    """A paragraph or a list item."""

    number: int
    """Position in the document, from 1."""
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A heading and the paragraphs below it."""

    heading: str
    """Empty for the text before the first heading."""
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """One Markdown file."""

    source: str
    """Path in the knowledge base, used in citations."""
    title: str
    """First heading."""
    sections: tuple[Section, ...]
    words: int
    """Number of words, without title and details."""
    details: dict[str, str] = field(default_factory=dict)
    """Metadata lines below the title: updated, owner, status."""


def read_document(folder: Path, path: Path) -> Document:
    """Parse a Markdown file: `# title`, lines such as `Updated: …`, then sections starting with `## heading`."""
    head, *parts = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    title, _, rest = head.partition("\n")
    introduction = _DETAIL.sub("", rest)
    sections = _sections([("", introduction), *(_heading_and_body(part) for part in parts)])
    return Document(
        source=path.relative_to(folder).as_posix(),
        title=title.removeprefix("# ").strip(),
        sections=sections,
        words=sum(len(each.text.split()) for section in sections for each in section.paragraphs),
        details={name.lower(): value for name, value in _DETAIL.findall(rest)},
    )


def _heading_and_body(part: str) -> tuple[str, str]:
    heading, _, body = part.partition("\n")
    return heading.strip(), body


def _sections(parts: list[tuple[str, str]]) -> tuple[Section, ...]:
    number = 0
    found = []
    for heading, body in parts:
        texts = [text.strip() for block in _BLANK_LINE.split(body) for text in _LIST_ITEM.split(block) if text.strip()]
        paragraphs = tuple(Paragraph(number=number + place, text=text) for place, text in enumerate(texts, start=1))
        number += len(paragraphs)
        if paragraphs:
            found.append(Section(heading=heading, paragraphs=paragraphs))
    return tuple(found)
