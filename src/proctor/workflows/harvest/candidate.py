"""Candidate questions for draft cases (Candidate), and the statistics of a harvest (HarvestLog)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from proctor.benchmark import Case
from proctor.formats.rules import LONGEST
from proctor.transcript import Reply, Turn
from proctor.workflows.harvest.agreement import Agreement

Verdict = Literal["failed", "flaky", "passed", "unjudged"]
Only = Literal["failed", "flaky", "all"]
TOLD = 10
"""Maximum number of problems of one kind that are reported one by one; the others are counted."""
_REPLY = 1_000


@dataclass(kw_only=True, slots=True)
class Candidate:
    """A question with its replies, from which a case may be drafted."""

    question: str
    context: str | None = None
    """The conversation before it, or the context of its case."""
    origin: dict[str, Any] = field(default_factory=dict)
    """Provenance: source, run or trace, attempt, time."""
    case: Case | None = None
    """The case of a stored run, or None for other sources."""
    reply: str | None = None
    """The reply; of several, a failed one."""
    failure: str | None = None
    """Why there is no reply."""
    verdict: Verdict = "unjudged"
    agreement: Agreement = field(default_factory=Agreement)
    """Common features of the replies from which expectations are drafted."""
    good: Reply | None = None
    """An unjudged reply that is added to `agreement` only by `settle`, since most candidates of a large file are
    dropped."""
    met: int = 1
    """Number of conversations, or cases of a run, with this question."""

    def settle(self, outline: Callable[[str], str]) -> None:
        """Add `good` to the agreement; `outline` masks personal data in a text."""
        if self.good is not None:
            self.agreement.add(self.good, outline, passed=False)
            self.good = None

    def merge(self, other: Candidate) -> None:
        """Merge with another candidate that asks the same."""
        self.met += other.met
        self.agreement.merge(other.agreement)


@dataclass(kw_only=True, slots=True)
class HarvestLog:
    """Statistics and problems of reading the sources."""

    read: Counter[str] = field(default_factory=Counter)
    """Source → number of conversations, or cases of a run, that were read."""
    runs: set[str] = field(default_factory=set)
    """Sources that are runs, of which questions are counted."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Reason → number of items left out."""
    not_chosen: int = 0
    """Number of items left out only because they did not match the selection."""
    problems: list[str] = field(default_factory=list)
    """First items that were left out, with their locations."""
    incomplete: list[str] = field(default_factory=list)
    """First parts of sources that could not be read."""
    unread: int = 0
    """Number of records that could not be read."""

    def leave_out(self, why: str, where: str = "") -> None:
        """Count an item that is left out; the first with a location are reported."""
        self.left_out[why] += 1
        if where and self.left_out[why] <= TOLD:
            self.problems.append(f"{where}: {why}")

    def pass_over(self, why: str) -> None:
        """Count an item that does not match the selection."""
        self.not_chosen += 1
        self.leave_out(why)

    def cannot_read(self, what: str) -> None:
        """Count an unreadable record and report the first ones."""
        self.unread += 1
        if self.unread <= TOLD:
            self.incomplete.append(what)


def conversation_before(turns: tuple[Turn, ...], own: str | None = None) -> str | None:
    """Return the conversation before a turn, including the turn's own context, truncated at the start."""
    lines = [own] if own else []
    for turn in turns:
        lines.append(f"user: {turn.question}")
        lines += [f"agent: {turn.reply.text}"] if turn.reply is not None else []
    text = "\n".join(lines)
    return (text if len(text) <= LONGEST else f"…{text[1 - LONGEST :]}") or None


def shorten_reply(text: str) -> str:
    """Truncate a reply to the length shown beside a draft."""
    return text if len(text) <= _REPLY else f"{text[:_REPLY]}…"
