"""Data of a conversation: Transcript, Turn, Request, Reply, ToolCall, Citation, Step, InjectedLie."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

from proctor.usage import Usage

LieKind = Literal["stale", "swapped", "empty", "unit", "truncated"]
Reaction = Literal["told", "checked", "noticed", "believed", "unclear"]


class Unknown(Enum):
    """Sentinel type for a value that was not reported, as opposed to None; null in JSON."""

    UNKNOWN = None

    def __bool__(self) -> bool:
        """Always false."""
        return False


UNKNOWN = Unknown.UNKNOWN
"""Sentinel for a tool result that was not reported."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """One tool call that the agent made."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    """Arguments of the call."""
    result: Any = UNKNOWN
    """Return value; `UNKNOWN` if not reported, while None is a known result."""
    result_known: bool = field(init=False, default=True)
    """Whether `result` was reported; derived from `result`."""
    error: str | None = None
    """Error message, or None if the call succeeded."""
    id: str | None = None
    """The provider's id of the call."""
    step: int | None = None
    """Order of the call, if the agent reports it; calls with the same step ran in parallel."""
    seconds: float | None = None
    """Duration in seconds."""

    def __post_init__(self) -> None:
        """Keep `result` and `result_known` consistent, since JSON has null for both an unknown result and None."""
        known = self.result is not UNKNOWN and (self.result is not None or self.result_known)
        object.__setattr__(self, "result_known", known)
        if not known:
            object.__setattr__(self, "result", UNKNOWN)


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """A source that the reply cites."""

    source: str
    """Path, id or URL of the source."""
    quote: str | None = None
    """Cited passage, verbatim."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One step of an orchestrator."""

    id: str
    """Unique within the reply."""
    kind: str
    """Kind of step: plan, delegate, tool, re-plan or error."""
    name: str
    """Name of the action."""
    parent: str | None = None
    """Id of the parent step."""
    agent: str | None = None
    """Sub-agent that acted or was delegated to."""
    call: str | None = None
    """Id of the ToolCall that the step represents."""
    start: float | None = None
    """Start time in seconds since the epoch."""
    end: float | None = None
    """End time in seconds since the epoch."""
    status: str = "ok"
    """Outcome: ok or error."""
    usage: Usage | None = None
    """Usage of this step."""
    detail: str = ""
    """Details, such as the plan or the error."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """An agent's reply. An empty text is a reply too."""

    text: str
    """Text of the answer."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Tool calls in the order they were made."""
    citations: tuple[Citation, ...] = ()
    """Citations in order of appearance."""
    steps: tuple[Step, ...] = ()
    """Steps of an orchestrator."""
    usage: Usage | None = None
    """Tokens and cost, or None if not reported."""
    seconds: float | None = None
    """Response time as reported by the agent; without it, `Turn.seconds` is the measured one."""
    first_token: float | None = None
    """Seconds to the first token of a streamed reply."""
    stderr: str = ""
    """Standard error output of a command-line agent."""
    tools_known: bool = True
    """Whether `tool_calls` is complete; if not, a tool that is missing from it may still have been called."""
    steps_known: bool = False
    """Whether an empty `steps` is known to be complete; `tools_known` implies it."""
    cut_off: bool = False
    """Whether the model stopped at its output limit, in the middle of the reply."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One question and its reply."""

    number: int
    """Turn number, from 1."""
    question: str
    """Question, verbatim."""
    reply: Reply | None = None
    """The reply, or None if there is none (yet)."""
    case: str | None = None
    """Id of the case with the expectations for this turn, or None for an improvised question."""
    strategy: str | None = None
    """The examiner's strategy."""
    refers_to: int | None = None
    """Number of the earlier turn on the same proposition that this question refers back to."""
    fault: str | None = None
    """The examiner's fault, if the question was unfair."""
    started: float = 0.0
    """Start time in seconds since the epoch."""
    ended: float = 0.0
    """End time in seconds since the epoch."""
    examiner_usage: Usage | None = None
    """Usage of generating the question."""

    @property
    def seconds(self) -> float | None:
        """Response time as the agent reports it, else as measured; None if not answered."""
        if self.reply is None:
            return None
        return self.reply.seconds if self.reply.seconds is not None else self.ended - self.started


@dataclass(frozen=True, kw_only=True, slots=True)
class Transcript:
    """All turns of one conversation."""

    turns: tuple[Turn, ...] = ()
    """Turns in order."""
    ended: str | None = None
    """Why the conversation ended: script, turns, examiner, agent or budget; None if it has not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What an agent receives for one turn."""

    question: str
    """Question, verbatim."""
    conversation: str
    """Key of the agent's conversation state; a replay uses a new one."""
    context: str | None = None
    """Summary of the conversation so far."""
    history: tuple[Turn, ...] = ()
    """Earlier turns of this conversation."""
    case: str | None = None
    """Id of the case."""
    turn: int = 1
    """Number of the turn."""
    trial: int = 1
    """Number of the trial."""
    condition: str | None = None
    """Name of the condition in force."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InjectedLie:
    """A false result that a condition put in place of the true one, and the agent's reaction to it."""

    kind: LieKind
    """How the result was falsified."""
    source: str
    """Name of the tool or sub-agent whose result was falsified."""
    said: str
    """Result that the agent received the first time, as truncated text."""
    truth: str
    """Result that it would have received, as truncated text."""
    times: int = 1
    """Number of falsified results."""
    turn: int = 1
    """Turn of the first falsified result."""
    again: int = 0
    """Number of times the agent repeated the same call afterwards."""
    elsewhere: tuple[str, ...] = ()
    """Other tools and sub-agents that the agent called afterwards."""
    reaction: Reaction | None = None
    """Whether it disclosed, verified, noticed or believed the false result; None if not judged yet."""
    quote: str = ""
    """Quote in which the agent disclosed it to the user."""
