"""Record of an agent's work between question and reply, as reported by its framework: Notes, Work."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from proctor.codec.replies import to_reply
from proctor.transcript import UNKNOWN, Reply, Step, ToolCall
from proctor.usage import Usage

Kind = Literal["tool", "delegate", "plan", "re-plan"]


@dataclass(slots=True, eq=False, kw_only=True)
class Work:
    """A tool call, a delegation to a sub-agent, or a planning step."""

    kind: Kind
    name: str
    """Name of the tool or sub-agent."""
    parent: Work | None = None
    """Enclosing work."""
    start: float
    """Seconds since the epoch."""
    end: float | None = None
    call: str | None = None
    """The provider's tool call id."""
    arguments: dict[str, Any] = field(default_factory=dict)
    detail: str = ""
    """Task given to a sub-agent."""
    result: Any = UNKNOWN
    error: str | None = None
    timed: bool = True
    """Whether start and end were observed, rather than inferred afterwards."""
    batch: tuple[int, int] = (0, 0)
    """Number of the model answer that requested it, and position in that answer."""
    usage: Usage = field(default_factory=Usage)
    """Usage of a sub-agent itself, without its own sub-agents."""


class Notes:
    """Notes on one reply."""

    def __init__(self) -> None:
        self._began, self._clock = time.time(), time.perf_counter()
        self._works: list[Work] = []
        self._calls: dict[str, Work] = {}
        self._batches: dict[str, tuple[int, int]] = {}
        """Id of a requested call → its batch: number of the model answer and position in it."""
        self._alone = itertools.count(1)
        self._answers = 0
        self._hidden = False
        self._usage: Usage | None = None
        self._first_token: float | None = None
        self._cut_off = False

    def now(self) -> float:
        """Return seconds since the epoch, monotonically increasing."""
        return self._began + time.perf_counter() - self._clock

    def begin(
        self,
        kind: Kind,
        name: str,
        *,
        parent: Work | None = None,
        call: str | None = None,
        arguments: dict[str, Any] | None = None,
        detail: str = "",
    ) -> Work:
        """Record the start of a piece of work."""
        work = Work(
            kind=kind,
            name=name,
            parent=parent,
            start=self.now(),
            call=call,
            arguments=arguments or {},
            detail=detail,
            batch=self._batches.pop(call or "", (-next(self._alone), 0)),  # not requested: a batch of its own
        )
        self._works.append(work)
        if call is not None:
            self._calls[call] = work
        return work

    def end(self, work: Work) -> None:
        """Record the end of a piece of work."""
        work.end = self.now()

    def call(self, call: str | None) -> Work | None:
        """Return the tool call with this id, or None if it was not seen."""
        return self._calls.get(call) if call is not None else None

    def asked(self, calls: Iterable[str | None]) -> None:
        """Record that one model answer requested these calls, which counts as running in parallel."""
        self._answers += 1
        self._batches.update({call: (self._answers, place) for place, call in enumerate(calls) if call is not None})

    def asked_at_once(
        self, calls: Iterable[ToolCall], ran: list[Work], *, by: Work | None = None, start: float | None = None
    ) -> None:
        """Record calls requested in one model answer; those found in `ran` are removed from it, others added."""
        self._answers += 1
        for place, call, work in _pair_up(list(enumerate(calls)), ran):
            if work is None:
                work = self.add_unseen_call(call.name, call=call.id, arguments=dict(call.arguments), start=start)
                work.parent, work.result, work.error = by, call.result, call.error
            work.call, work.batch = call.id, (self._answers, place)

    def hide(self) -> None:
        """Record that tools may have been called unseen, so that the noted calls are incomplete."""
        self._hidden = True

    def failing_tool(self, reasons: Iterable[str]) -> str:
        """Return the name of the latest tool that failed with one of these messages, or an empty string."""
        known = set(reasons)
        failed = (work.name for work in reversed(self._works) if work.kind == "tool" and work.error in known)
        return next(failed, "")

    def add_unseen_call(
        self, name: str, *, call: str | None, arguments: dict[str, Any], start: float | None = None
    ) -> Work:
        """Record a tool call that is known only from messages."""
        work = self.begin("tool", name, call=call, arguments=arguments)
        work.timed = False
        if start is not None:
            work.start = start
        return work

    def spend(self, usage: Usage, by: Work | None = None) -> None:
        """Add the usage of a model call, by a sub-agent or the main agent."""
        self._usage = usage if self._usage is None else self._usage + usage
        while by is not None and by.kind != "delegate":
            by = by.parent
        if by is not None:
            by.usage += usage

    @property
    def used(self) -> Usage | None:
        """Usage of all model calls so far, or None if none was reported."""
        return self._usage

    def answered(self, *, cut_off: bool) -> None:
        """Record that a model finished an answer; the last one counts for whether the reply was cut off."""
        self._cut_off = cut_off

    def token(self) -> None:
        """Record that a piece of text was streamed."""
        if self._first_token is None:
            self._first_token = time.perf_counter() - self._clock

    def reply(self, answer: object, *, usage: Usage | None = None) -> Reply:
        """Return the answer with everything noted; `usage` is the framework's own total, if it reports one."""
        reply = to_reply(answer)
        works = self._in_order()
        calls = [work for work in works if work.kind == "tool"]
        steps = works if any(work.kind != "tool" for work in works) else []
        if steps:
            _give_ids(calls)
        noted = replace(
            reply,
            tool_calls=reply.tool_calls or tuple(map(_call, calls, _call_positions(calls))),
            tools_known=reply.tools_known or (self._has_events() and not self._hidden),
            steps=reply.steps or tuple(_steps(steps)),
            usage=reply.usage or usage or self._usage,
            first_token=self._first_token,
            cut_off=reply.cut_off or self._cut_off,
        )
        return to_reply(noted)

    def _has_events(self) -> bool:
        """Whether the framework reported anything; then it reports tool calls too, and none means none was made."""
        return bool(self._works) or bool(self._answers) or self._usage is not None

    def _in_order(self) -> list[Work]:
        """Return all works by start time; those of one batch in the order in which they were requested."""
        first: dict[int, float] = {}
        for work in self._works:
            first[work.batch[0]] = min(first.get(work.batch[0], work.start), work.start)
        return sorted(self._works, key=lambda work: (first[work.batch[0]], *work.batch))


def _pair_up(asked: Sequence[tuple[int, ToolCall]], ran: list[Work]) -> Iterable[tuple[int, ToolCall, Work | None]]:
    """Pair each requested call with the work it led to: same arguments first, then same name."""
    found: dict[int, Work] = {}
    for alike in (_is_same, _has_same_name):
        for place, call in asked:
            work = None if place in found else next((each for each in ran if alike(call, each)), None)
            if work is not None:
                ran.remove(work)
                found[place] = work
    return [(place, call, found.get(place)) for place, call in asked]


def _is_same(call: ToolCall, work: Work) -> bool:
    return _has_same_name(call, work) and dict(call.arguments) == work.arguments


def _has_same_name(call: ToolCall, work: Work) -> bool:
    return call.name == work.name


def _call_positions(calls: Sequence[Work]) -> list[int]:
    """Return the step number of each call; calls of one model answer share a number."""
    places: dict[int, int] = {}
    return [places.setdefault(work.batch[0], len(places) + 1) for work in calls]


def _give_ids(calls: Sequence[Work]) -> None:
    """Give each call a unique id, since steps refer to calls by id and providers may omit or repeat ids."""
    seen: set[str] = set()
    for number, work in enumerate(calls, 1):
        if work.call is None or work.call in seen:
            work.call = f"call-{number}"
        seen.add(work.call)


def _call(work: Work, place: int) -> ToolCall:
    return ToolCall(
        name=work.name,
        arguments=work.arguments,
        result=work.result,
        error=work.error,
        id=work.call,
        step=place,
        seconds=work.end - work.start if work.timed and work.end is not None else None,
    )


def _steps(works: Sequence[Work]) -> Iterable[Step]:
    ids = {id(work): f"step-{number}" for number, work in enumerate(works, 1)}
    for work in works:
        sub_agent = next((each for each in _upwards(work) if each.kind == "delegate"), None)
        yield Step(
            id=ids[id(work)],
            kind=work.kind,
            name=work.name,
            parent=ids.get(id(work.parent)),
            agent=sub_agent.name if sub_agent is not None else None,
            call=work.call,
            start=work.start if work.timed else None,
            end=work.end if work.timed else None,
            status="ok" if work.error is None else "error",
            usage=work.usage or None,
            detail=work.error or work.detail,
        )


def _upwards(work: Work | None) -> Iterable[Work]:
    while work is not None:
        yield work
        work = work.parent
