"""What a source offers for a case: Candidate, and what was met on the way: HarvestLog."""

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
"""Problems of one kind that are told one by one; the others are counted."""
_REPLY = 1_000


@dataclass(kw_only=True, slots=True)
class Candidate:
    """A question with what came of it."""

    question: str
    context: str | None = None
    """The conversation before it, or the context that its case was asked in."""
    origin: dict[str, Any] = field(default_factory=dict)
    """Where it comes from: source, run or trace, attempt, time."""
    case: Case | None = None
    """The case of a stored run; None: nobody has written one yet."""
    reply: str | None = None
    """What was answered; of several, where it failed."""
    failure: str | None = None
    """Why there is no reply."""
    verdict: Verdict = "unjudged"
    agreement: Agreement = field(default_factory=Agreement)
    """What the replies share from which expectations are drafted."""
    good: Reply | None = None
    """A reply that nobody judged and that is not in the agreement yet: most candidates of a large file are not kept."""
    met: int = 1
    """Conversations, or cases of a run, that ask this."""

    def settle(self, outline: Callable[[str], str]) -> None:
        """Take its reply into the agreement; `outline` takes personal data out of a text."""
        if self.good is not None:
            self.agreement.add(self.good, outline, passed=False)
            self.good = None

    def merge(self, other: Candidate) -> None:
        """Take in another that asks the same."""
        self.met += other.met
        self.agreement.merge(other.agreement)


@dataclass(kw_only=True, slots=True)
class HarvestLog:
    """What was met while sources were read."""

    read: Counter[str] = field(default_factory=Counter)
    """Source → conversations, or cases of a run, that were read."""
    runs: set[str] = field(default_factory=set)
    """The sources that are runs, of which questions are read."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Why → how many were not taken."""
    not_chosen: int = 0
    """How many of these were not taken because others were asked for."""
    problems: list[str] = field(default_factory=list)
    """The first of what could not be taken, each with its place."""
    incomplete: list[str] = field(default_factory=list)
    """What of a source could not be read at all."""
    unread: int = 0
    """How many records that were."""

    def leave_out(self, why: str, where: str = "") -> None:
        """Count one that is not taken; with a place, the first are told."""
        self.left_out[why] += 1
        if where and self.left_out[why] <= TOLD:
            self.problems.append(f"{where}: {why}")

    def pass_over(self, why: str) -> None:
        """Count one that is not among what was asked for."""
        self.not_chosen += 1
        self.leave_out(why)

    def cannot_read(self, what: str) -> None:
        """Count a record that cannot be read, and tell the first."""
        self.unread += 1
        if self.unread <= TOLD:
            self.incomplete.append(what)


def conversation_before(turns: tuple[Turn, ...], own: str | None = None) -> str | None:
    """What was said before a turn, after the context of its own, as a context can hold it: the last of it."""
    said = [own] if own else []
    for turn in turns:
        said.append(f"user: {turn.question}")
        said += [f"agent: {turn.reply.text}"] if turn.reply is not None else []
    whole = "\n".join(said)
    return (whole if len(whole) <= LONGEST else f"…{whole[1 - LONGEST :]}") or None


def shorten_reply(text: str) -> str:
    """As much of a reply as stands beside a draft."""
    return text if len(text) <= _REPLY else f"{text[:_REPLY]}…"
