"""What an agent does between a question and its reply, noted as its framework tells it: Notes, Work."""

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
    """A tool call, or work handed to a sub-agent; from its start to its end."""

    kind: Kind
    name: str
    """Of the tool or the sub-agent."""
    parent: Work | None = None
    """The work that it is part of."""
    start: float
    """Seconds since the epoch."""
    end: float | None = None
    call: str | None = None
    """The provider's id of a tool call."""
    arguments: dict[str, Any] = field(default_factory=dict)
    detail: str = ""
    """The task of a sub-agent."""
    result: Any = UNKNOWN
    error: str | None = None
    timed: bool = True
    """Whether start and end were seen, and not only that it happened."""
    batch: tuple[int, int] = (0, 0)
    """Which of the models' answers asked for it, and in which place of it."""
    usage: Usage = field(default_factory=Usage)
    """What a sub-agent used itself; what its own sub-agents used is theirs."""


class Notes:
    """The notes on one reply."""

    def __init__(self) -> None:
        self._began, self._clock = time.time(), time.perf_counter()
        self._works: list[Work] = []
        self._calls: dict[str, Work] = {}
        self._batches: dict[str, tuple[int, int]] = {}
        """Call that has not begun → the answer that asked for it, and in which place."""
        self._alone = itertools.count(1)
        self._answers = 0
        self._hidden = False
        self._usage: Usage | None = None
        self._first_token: float | None = None
        self._cut_off = False

    def now(self) -> float:
        """Seconds since the epoch, on a clock that never goes back."""
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
        """A piece of work starts."""
        work = Work(
            kind=kind,
            name=name,
            parent=parent,
            start=self.now(),
            call=call,
            arguments=arguments or {},
            detail=detail,
            batch=self._batches.pop(call or "", (-next(self._alone), 0)),  # asked for by none: it stands alone
        )
        self._works.append(work)
        if call is not None:
            self._calls[call] = work
        return work

    def end(self, work: Work) -> None:
        """It is over."""
        work.end = self.now()

    def call(self, call: str | None) -> Work | None:
        """The tool call of that id, if it was seen."""
        return self._calls.get(call) if call is not None else None

    def asked(self, calls: Iterable[str | None]) -> None:
        """A model asked for the calls of these ids together: whatever their order, they ran side by side."""
        self._answers += 1
        self._batches.update({call: (self._answers, place) for place, call in enumerate(calls) if call is not None})

    def asked_at_once(
        self, calls: Iterable[ToolCall], ran: list[Work], *, by: Work | None = None, start: float | None = None
    ) -> None:
        """A model asked for these calls at once: those that `ran` get their place and leave it, others are told of."""
        self._answers += 1
        for place, call, work in _pair_up(list(enumerate(calls)), ran):
            if work is None:
                work = self.told(call.name, call=call.id, arguments=dict(call.arguments), start=start)
                work.parent, work.result, work.error = by, call.result, call.error
            work.call, work.batch = call.id, (self._answers, place)

    def hide(self) -> None:
        """Something is at work that may call tools unseen: what is not noted may have been called all the same."""
        self._hidden = True

    def failing_tool(self, reasons: Iterable[str]) -> str:
        """The tool that failed last for one of these reasons; empty: none did."""
        known = set(reasons)
        failed = (work.name for work in reversed(self._works) if work.kind == "tool" and work.error in known)
        return next(failed, "")

    def told(self, name: str, *, call: str | None, arguments: dict[str, Any], start: float | None = None) -> Work:
        """A tool call that only messages tell of."""
        work = self.begin("tool", name, call=call, arguments=arguments)
        work.timed = False
        if start is not None:
            work.start = start
        return work

    def spend(self, usage: Usage, by: Work | None = None) -> None:
        """A model was called, by a sub-agent or by the agent itself."""
        self._usage = usage if self._usage is None else self._usage + usage
        while by is not None and by.kind != "delegate":
            by = by.parent
        if by is not None:
            by.usage += usage

    @property
    def used(self) -> Usage | None:
        """What models have cost so far; None: none has told."""
        return self._usage

    def answered(self, *, cut_off: bool) -> None:
        """A model has answered, whole or up to its output limit; the last one to answer gives the reply."""
        self._cut_off = cut_off

    def token(self) -> None:
        """A piece of text was streamed."""
        if self._first_token is None:
            self._first_token = time.perf_counter() - self._clock

    def reply(self, answer: object, *, usage: Usage | None = None) -> Reply:
        """The answer with everything noted; `usage` is what the framework itself came to, where it says so."""
        said = to_reply(answer)
        works = self._in_order()
        calls = [work for work in works if work.kind == "tool"]
        steps = works if any(work.kind != "tool" for work in works) else []
        if steps:
            _give_ids(calls)
        noted = replace(
            said,
            tool_calls=said.tool_calls or tuple(map(_call, calls, _places(calls))),
            tools_known=said.tools_known or (self._heard() and not self._hidden),
            steps=said.steps or tuple(_steps(steps)),
            usage=said.usage or usage or self._usage,
            first_token=self._first_token,
            cut_off=said.cut_off or self._cut_off,
        )
        return to_reply(noted)

    def _heard(self) -> bool:
        """Whether the framework told of anything: then it tells of tools too, and if of none, none was called."""
        return bool(self._works) or bool(self._answers) or self._usage is not None

    def _in_order(self) -> list[Work]:
        """By the time at which they began; what was asked for together, in the order in which it was asked for."""
        first: dict[int, float] = {}
        for work in self._works:
            first[work.batch[0]] = min(first.get(work.batch[0], work.start), work.start)
        return sorted(self._works, key=lambda work: (first[work.batch[0]], *work.batch))


def _pair_up(asked: Sequence[tuple[int, ToolCall]], ran: list[Work]) -> Iterable[tuple[int, ToolCall, Work | None]]:
    """Each call that was asked for, with the work that it led to: of the same arguments, else of the same name."""
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


def _places(calls: Sequence[Work]) -> list[int]:
    """Where each call stands in time; those that one model's answer asked for share a place."""
    places: dict[int, int] = {}
    return [places.setdefault(work.batch[0], len(places) + 1) for work in calls]


def _give_ids(calls: Sequence[Work]) -> None:
    """Steps point at their calls by id; a provider that gives none, or one twice, is helped out."""
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
