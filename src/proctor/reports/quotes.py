"""Find the quotes that a reply cites in the results of its tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from proctor.transcript import Citation, Reply

_AROUND = 160
"""Number of characters shown on each side of a quote."""
_LONGEST_QUOTE = 2_000
_LONGEST_RESULT = 200_000


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundQuote:
    """A quote with its context in a tool result."""

    tool: str
    """Name of the tool."""
    before: str
    quote: str
    after: str


def find(citation: Citation, reply: Reply) -> FoundQuote | None:
    """Find the first verbatim occurrence of a quote, ignoring white space and emphasis, or return None."""
    words = re.findall(r"[^\s*`]+", (citation.quote or "")[:_LONGEST_QUOTE])
    if not words:
        return None
    pattern = re.compile(r"[\s*`]+".join(map(re.escape, words)), re.IGNORECASE)
    for tool, text in _results(reply):
        match = pattern.search(text)
        if match is not None:
            return _cut(tool, text, match)
    return None


def _cut(tool: str, text: str, match: re.Match[str]) -> FoundQuote:
    start, end = max(0, match.start() - _AROUND), match.end() + _AROUND
    before, after = text[start : match.start()], text[match.end() : end]
    return FoundQuote(
        tool=tool,
        before=f"…{before}" if start else before,
        quote=match[0],
        after=f"{after}…" if end < len(text) else after,
    )


def _results(reply: Reply) -> Iterator[tuple[str, str]]:
    for call in reply.tool_calls:
        for text in _leaves(call.result):
            yield call.name, text[:_LONGEST_RESULT]


def _leaves(value: Any) -> Iterator[str]:
    """Yield every text in a result, at any depth."""
    waiting = [value]
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, (list, tuple)):
            waiting += each
