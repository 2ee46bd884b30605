"""Common features of all replies to a question (tools, citations, keywords): Agreement."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from proctor.benchmark import Expectation
from proctor.reading.text.fold import fold
from proctor.reading.text.overlap import weight
from proctor.reading.text.words import stem, word_matches, words
from proctor.redaction.personal import PLACEHOLDER
from proctor.transcript import Reply

_MOST_KEYWORDS = 5
_FEWEST = 2
"""Minimum number of replies for keywords: fewer may share words by chance."""
_SHORTEST = 3
"""Minimum length of a keyword; a number needs one character less."""


@dataclass(slots=True)
class Agreement:
    """What all replies so far have in common. It is updated reply by reply or merged, and its size stays constant."""

    replies: int = 0
    passed: int = 0
    """Number of replies that passed; the others were not judged."""
    tools: frozenset[str] = frozenset()
    """Tools used in all replies."""
    cited: bool = False
    """Whether all replies cite something."""
    sources: frozenset[str] | None = None
    """Sources cited, if the same in all replies, else None."""
    words: tuple[str, ...] = ()
    """Significant words that occur in all replies, as spelled in the first."""
    text: str | None = None
    """Text of the first reply."""

    def add(self, reply: Reply, outline: Callable[[str], str], *, passed: bool) -> None:
        """Add a reply; `outline` masks personal data in a text."""
        self.merge(
            Agreement(
                replies=1,
                passed=int(passed),
                tools=frozenset(call.name for call in reply.tool_calls if call.name),
                cited=bool(reply.citations),
                sources=frozenset(each.source for each in reply.citations),
                words=_telling_words(PLACEHOLDER.sub(" ", outline(reply.text))),
                text=reply.text,
            )
        )

    def merge(self, other: Agreement) -> None:
        """Reduce to what both have in common."""
        if not other.replies:
            return
        if not self.replies:
            self.tools, self.cited, self.sources, self.words = other.tools, other.cited, other.sources, other.words
            self.text = other.text
        else:
            self.tools &= other.tools
            self.cited = self.cited and other.cited
            self.sources = self.sources if self.sources == other.sources else None
            there = {stem(fold(word)) for word in other.words}
            self.words = tuple(word for word in self.words if stem(fold(word)) in there)
        self.replies += other.replies
        self.passed += other.passed

    @property
    def reply_kinds(self) -> str | None:
        """Description of the replies from which expectations are drafted, or None if there are none."""
        unjudged = self.replies - self.passed
        kinds = [(self.passed, "that passed"), (unjudged, "that nobody judged")]
        phrases = [f"{count} {'reply' if count == 1 else 'replies'} {which}" for count, which in kinds if count]
        return " and ".join(phrases) or None


def draft_expectation(own: Expectation, agreement: Agreement, question: str) -> Expectation:
    """Return a case's own expectations, completed with what all replies have in common."""
    if not agreement.replies:
        return own
    tools = tuple(sorted(agreement.tools)) if own.tool_calls is None else ()
    cites = agreement.cited and own.citations is None and not own.sources
    return replace(
        own,
        tools_used=own.tools_used or tools,
        citations=1 if cites else own.citations,
        sources=tuple(sorted(agreement.sources or ())) if cites else own.sources,
        keywords=own.keywords or _keywords(agreement, words(fold(question))),
    )


def _keywords(agreement: Agreement, asked: Collection[str]) -> tuple[str, ...]:
    """Return words common to all replies that are not in the question, numbers first."""
    if agreement.replies < _FEWEST:
        return ()
    telling = [word for word in agreement.words if stem(fold(word)) not in asked]
    return tuple(sorted(telling, key=lambda word: not word[0].isdigit())[:_MOST_KEYWORDS])


def _telling_words(text: str) -> tuple[str, ...]:
    """Return the significant words of a text, one per stem, as spelled in the text."""
    found: dict[str, str] = {}
    for match in word_matches(fold(text)):
        stemmed = stem(match[0])
        if len(match[0]) >= (_SHORTEST - 1 if match[0][0].isdigit() else _SHORTEST) and weight(stemmed) == 1.0:
            found.setdefault(stemmed, match[0])
    return tuple(found.values())
