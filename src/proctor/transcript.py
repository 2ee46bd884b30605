"""What was said and done: Transcript, Turn, Request, Reply, ToolCall, Citation, Step, InjectedLie."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

from proctor.usage import Usage

LieKind = Literal["stale", "swapped", "empty", "unit", "truncated"]
Reaction = Literal["told", "checked", "noticed", "believed", "unclear"]


class Unknown(Enum):
    """The value of what nobody told, which is not the same as None; null in JSON."""

    UNKNOWN = None

    def __bool__(self) -> bool:
        """Nothing was told."""
        return False


UNKNOWN = Unknown.UNKNOWN
"""What stands for a tool's result that was not reported."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """One tool call that the agent made."""

    name: str
    """The tool's name."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """What it was given."""
    result: Any = UNKNOWN
    """What it gave back: given is known, also None."""
    result_known: bool = field(init=False, default=True)
    """Whether `result` was reported at all; it follows from `result`."""
    error: str | None = None
    """Why it failed; None: it did not."""
    id: str | None = None
    """The provider's id of the call."""
    step: int | None = None
    """Its place in time where the agent tells it; equal steps ran in parallel."""
    seconds: float | None = None
    """How long it took."""

    def __post_init__(self) -> None:
        """Tell a result that was given from one that was not; JSON has null for both, with `result_known` beside it."""
        known = self.result is not UNKNOWN and (self.result is not None or self.result_known)
        object.__setattr__(self, "result_known", known)
        if not known:
            object.__setattr__(self, "result", UNKNOWN)


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """A source that the reply leans on."""

    source: str
    """Path, id or address."""
    quote: str | None = None
    """The words cited, verbatim."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One step of an orchestrator."""

    id: str
    """Unique within the reply."""
    kind: str
    """plan, delegate, tool, re-plan or error."""
    name: str
    """What was done."""
    parent: str | None = None
    """The step it is part of."""
    agent: str | None = None
    """The sub-agent that did it, or that was delegated to."""
    call: str | None = None
    """The id of the ToolCall it stands for."""
    start: float | None = None
    """Seconds since the epoch."""
    end: float | None = None
    """Seconds since the epoch."""
    status: str = "ok"
    """ok or error."""
    usage: Usage | None = None
    """What this step cost."""
    detail: str = ""
    """Anything worth reading: the plan, the error."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What the agent answered. An empty text is a reply too."""

    text: str
    """The answer."""
    tool_calls: tuple[ToolCall, ...] = ()
    """In the order they were made."""
    citations: tuple[Citation, ...] = ()
    """In the order they stand."""
    steps: tuple[Step, ...] = ()
    """An orchestrator's steps."""
    usage: Usage | None = None
    """What it cost; None: the agent did not say."""
    seconds: float | None = None
    """From question to answer, where the agent tells it; `Turn.seconds` is what was measured otherwise."""
    first_token: float | None = None
    """Seconds to the first token, where it streamed."""
    stderr: str = ""
    """What a program said on standard error."""
    tools_known: bool = True
    """Whether `tool_calls` tells all calls that were made; if not, nothing can be said of tools that are not in it."""
    steps_known: bool = False
    """Whether it is said that these are all steps, though there are none; `tools_known` says it of steps, too."""
    cut_off: bool = False
    """Whether the model stopped at its output limit, in the middle of the reply."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One question and its reply."""

    number: int
    """From 1."""
    question: str
    """Word for word."""
    reply: Reply | None = None
    """None: asked, not (yet) answered."""
    case: str | None = None
    """The case whose expectations judge it; None: improvised."""
    strategy: str | None = None
    """The examiner's strategy."""
    refers_to: int | None = None
    """The earlier turn on the same proposition that this question goes back to."""
    fault: str | None = None
    """The examiner's fault, where the question was not fair."""
    started: float = 0.0
    """Seconds since the epoch."""
    ended: float = 0.0
    """Seconds since the epoch."""
    examiner_usage: Usage | None = None
    """What the question cost."""

    @property
    def seconds(self) -> float | None:
        """From question to answer: as the agent tells it, else as measured; None: not answered."""
        if self.reply is None:
            return None
        return self.reply.seconds if self.reply.seconds is not None else self.ended - self.started


@dataclass(frozen=True, kw_only=True, slots=True)
class Transcript:
    """All turns of one conversation."""

    turns: tuple[Turn, ...] = ()
    """In order."""
    ended: str | None = None
    """Why it ended: script, turns, examiner, agent or budget; None: it has not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What an agent is handed."""

    question: str
    """Word for word."""
    conversation: str
    """The key of an agent's own memory; new for a replay."""
    context: str | None = None
    """The summary of the conversation so far."""
    history: tuple[Turn, ...] = ()
    """Earlier turns of this conversation."""
    case: str | None = None
    """The case's id."""
    turn: int = 1
    """The turn's number."""
    trial: int = 1
    """The trial's number."""
    condition: str | None = None
    """The condition in force."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InjectedLie:
    """A wrong result that a condition put in place of a true one, and what the agent made of it."""

    kind: LieKind
    """How it is wrong."""
    source: str
    """The tool or sub-agent that told it."""
    said: str
    """What the agent was given the first time, as text, cut short."""
    truth: str
    """What it would have been given, as text, cut short."""
    times: int = 1
    """How often the agent was lied to."""
    turn: int = 1
    """The turn of the first lie."""
    again: int = 0
    """How often the agent made the same call again afterwards."""
    elsewhere: tuple[str, ...] = ()
    """Other tools and sub-agents that it called afterwards."""
    reaction: Reaction | None = None
    """Whether it told the user, checked elsewhere, noticed or believed it; None: not judged yet."""
    quote: str = ""
    """Where it told the user, its words."""
