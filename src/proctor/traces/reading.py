"""Spans → transcripts, whoever wrote them. Unknown attributes are passed over.

A turn is a span of Proctor's own that says so, else the one agent span at the top of a trace, else the whole trace.
Inside a turn, tool spans become tool calls, sub-agents and plans become steps, model spans become usage.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from proctor.traces import names
from proctor.traces.contents import (
    answer_of,
    call_of,
    case_of,
    citations_of,
    error_of,
    question_of,
    said_in,
    tool_name,
    usage_of,
)
from proctor.traces.messages import calls_in
from proctor.traces.names import kind_of
from proctor.traces.span import Span, seconds_of
from proctor.transcript import Citation, Reply, Step, ToolCall, Transcript, Turn
from proctor.usage import Usage

_WRAPPERS = ("experiment-item-run", "experiment-item-task")
_JUDGING = "experiment-item-evaluation"


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    """One conversation that has happened."""

    transcript: Transcript
    """What was said and done."""
    case: str | None = None
    """The case it was recorded for, where it says so."""
    failures: Mapping[int, str] = field(default_factory=dict)
    """Turn → why the agent gave no reply."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Activity:
    """What happened between a question and its reply."""

    tool_calls: tuple[ToolCall, ...] = ()
    """In the order they were made."""
    citations: tuple[Citation, ...] = ()
    """From the span that answered."""
    steps: tuple[Step, ...] = ()
    """Sub-agents and plans, and the tools among them; empty for an agent that works alone."""
    usage: Usage | None = None
    """Of all model calls."""


def transcript_of(spans: Iterable[Span]) -> Transcript:
    """The conversation that these spans tell of: one trace, or one trace for each turn."""
    return recording_of(spans).transcript


def recording_of(spans: Iterable[Span]) -> Recording:
    """The same, with its case and what failed."""
    tree = _Tree(spans)
    turns: list[Turn] = []
    failures: dict[int, str] = {}
    for part in tree.turns():
        turn, failure = _turn(part, len(turns) + 1)
        turns.append(turn)
        if failure is not None:
            failures[turn.number] = failure
    ended = next((span.attributes[names.ENDED] for span in tree.spans if names.ENDED in span.attributes), None)
    case = next((case for span in tree.spans if (case := case_of(span)) is not None), None)
    return Recording(transcript=Transcript(turns=tuple(turns), ended=ended), case=case, failures=failures)


def conversation_of(spans: Iterable[Span]) -> str | None:
    """The conversation that spans say they are part of; None: they stand for themselves."""
    told = (span.attributes.get(name) for span in spans for name in (names.CONVERSATION, names.SESSION))
    return next((each for each in told if isinstance(each, str) and each), None)


def activity_of(spans: Iterable[Span]) -> Activity:
    """What happened in one turn, all of whose spans these are."""
    tree = _Tree(spans)
    agents = tree.topmost_agents(tree.roots)
    part = _Part(tree=tree, head=agents[0]) if len(agents) == 1 else _Part(tree=tree, inside=tuple(tree.roots))
    return _activity(part)


class _Tree:
    """Spans by their parents, in order of time, without what judged them."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans = sorted(spans, key=lambda span: span.start)
        known = {span.id for span in self.spans}
        self.roots: list[Span] = []
        self._children: dict[str, list[Span]] = {}
        for span in self.spans:
            if kind_of(span) == "evaluator" or span.name == _JUDGING:
                continue
            if span.parent is None or span.parent not in known or span.parent == span.id:
                self.roots.append(span)
            else:
                self._children.setdefault(span.parent, []).append(span)

    def children(self, span: Span) -> list[Span]:
        return self._children.get(span.id, [])

    def below(self, spans: Iterable[Span]) -> Iterator[tuple[Span, tuple[Span, ...]]]:
        """These and all under them, each with those above it, from the top down."""
        waiting: deque[tuple[Span, tuple[Span, ...]]] = deque((span, ()) for span in spans)
        while waiting:
            span, above = waiting.popleft()
            yield span, above
            waiting.extend((child, (*above, span)) for child in self.children(span))

    def topmost_agents(self, spans: Iterable[Span]) -> list[Span]:
        agents = [(span, above) for span, above in self.below(spans) if kind_of(span) == "agent"]
        return [span for span, above in agents if not any(kind_of(each) == "agent" for each in above)]

    def turns(self) -> list[_Part]:
        own = [span for span in self.spans if names.TURN in span.attributes]
        if own:
            heads = sorted(own, key=lambda span: (span.start, span.attributes[names.TURN]))
            return [_Part(tree=self, head=span) for span in heads]
        traces: dict[str, list[Span]] = {}
        for root in self.roots:
            traces.setdefault(root.trace, []).append(root)
        return [self._turn_in(roots) for roots in traces.values()]

    def _turn_in(self, roots: list[Span]) -> _Part:
        agents = self.topmost_agents(roots)
        if len(agents) == 1:
            return _Part(tree=self, head=agents[0], around=roots[0])
        while len(roots) == 1 and roots[0].name in _WRAPPERS and len(self.children(roots[0])) == 1:
            roots = self.children(roots[0])
        if len(roots) == 1:
            return _Part(tree=self, head=roots[0])
        return _Part(tree=self, inside=tuple(roots))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Part:
    """A turn's share of the tree: under one span, or under several with nothing above them."""

    tree: _Tree
    head: Span | None = None
    around: Span | None = None
    inside: tuple[Span, ...] = ()

    def below(self) -> list[tuple[Span, tuple[Span, ...]]]:
        """Everything in the turn but the span that is the turn, in order of time."""
        top = self.tree.children(self.head) if self.head is not None else self.inside
        return sorted(self.tree.below(top), key=lambda pair: pair[0].start)

    def models(self) -> list[Span]:
        """Model calls, each once: one inside another is the same call seen twice. The turn itself may be one."""
        found = [
            span
            for span, above in self.below()
            if kind_of(span) == "model" and not any(kind_of(each) == "model" for each in above)
        ]
        alone = self.head is not None and kind_of(self.head) == "model"
        return [self.head] if alone and self.head is not None else found

    def whole(self) -> list[Span]:
        """The spans that may tell question and answer, the likeliest first."""
        return [span for span in (self.head, self.around) if span is not None]


def _turn(part: _Part, number: int) -> tuple[Turn, str | None]:
    spans = part.whole() or [span for span, _ in part.below()]
    head = spans[0]
    text = _answer(part)
    turn = Turn(
        number=number,
        question=_question(part) or "",
        reply=_reply(part, head, text) if text is not None else None,
        case=case_of(head),
        strategy=head.attributes.get("proctor.strategy"),
        refers_to=head.attributes.get("proctor.refers_to"),
        fault=head.attributes.get("proctor.fault"),
        started=seconds_of(head.start),
        ended=seconds_of(head.end if part.head is not None else max(span.end for span in spans)),
    )
    return turn, _failure(head) if text is None else None


def _failure(head: Span) -> str | None:
    """The agent's own failure; one of the environment's says nothing about the agent."""
    return None if head.attributes.get("proctor.failure.owner") == "environment" else error_of(head)


def _reply(part: _Part, head: Span, text: str) -> Reply:
    happened = _activity(part)
    return Reply(
        text=text,
        tool_calls=happened.tool_calls,
        citations=happened.citations,
        steps=happened.steps,
        usage=happened.usage,
        seconds=head.attributes.get("proctor.reply.seconds"),
        first_token=head.attributes.get("proctor.reply.first_token"),
    )


def _question(part: _Part) -> str | None:
    told = (question_of(span) for span in (*part.whole(), *part.models()))
    return next((text for text in told if text is not None), None)


def _answer(part: _Part) -> str | None:
    told = (answer_of(span) for span in (*part.whole(), *reversed(part.models())))
    return next((text for text in told if text is not None), None)


def _activity(part: _Part) -> Activity:
    below = part.below()
    return Activity(
        tool_calls=_calls(part, below),
        citations=next((cited for span in part.whole() if (cited := citations_of(span))), ()),
        steps=_steps(below),
        usage=_usage(part),
    )


def _usage(part: _Part) -> Usage | None:
    """Of the model calls; else what the whole says of itself."""
    told = [used for span in part.models() if (used := usage_of(span)) is not None]
    if not told:
        return next((used for span in part.whole() if (used := usage_of(span)) is not None), None)
    total = told[0]
    for used in told[1:]:
        total += used
    return total


# --- tool calls --------------------------------------------------------------------------------


def _calls(part: _Part, below: Sequence[tuple[Span, tuple[Span, ...]]]) -> tuple[ToolCall, ...]:
    """From the tools' own spans; where there are none, from what the models asked for and were told."""
    spans = [span for span, above in below if _is_call(span, above)]
    if not spans:
        return _calls_of_models(part.models())
    if any("proctor.call.place" in span.attributes for span in spans):
        spans.sort(key=lambda span: span.attributes.get("proctor.call.place", 0))
        return tuple(call_of(span) for span in spans)
    calls = [replace(call_of(span), step=step) for span, step in zip(spans, _places(spans), strict=True)]
    if _is_orchestrated(below):  # its steps point at their calls
        calls = [replace(call, id=call.id or span.id) for call, span in zip(calls, spans, strict=True)]
    return tuple(calls)


def _is_orchestrated(below: Sequence[tuple[Span, tuple[Span, ...]]]) -> bool:
    return any(kind_of(span) in ("plan", "agent") for span, _ in below)


def _is_call(span: Span, above: Sequence[Span]) -> bool:
    """Whether a span is a tool call of its own: not the same one seen twice, nor the search inside a search tool."""
    kind = kind_of(span)
    if kind not in ("tool", "retriever") or (names.STEP + "kind" in span.attributes and not _has_call(span)):
        return False
    tools = [each for each in above if kind_of(each) == "tool"]
    return not any(kind == "retriever" or tool_name(each) == tool_name(span) for each in tools)


def _has_call(span: Span) -> bool:
    return "proctor.call.place" in span.attributes


def _places(spans: Sequence[Span]) -> list[int | None]:
    """Where each call stands in time, equal for those that ran side by side; all None where none did."""
    places: list[int] = []
    first_end = 0
    for span in spans:
        together = bool(places) and span.start < first_end
        places.append(places[-1] if together else len(set(places)) + 1)
        first_end = min(first_end, span.end) if together else span.end
    return list(places) if len(set(places)) < len(places) else [None] * len(places)


def _calls_of_models(models: Sequence[Span]) -> tuple[ToolCall, ...]:
    """Each model sees the results of the calls before it: what the last one was given, and what it then asked for."""
    asked: list[ToolCall] = []
    for span in models:
        given, gave = said_in(span)
        settled = {call.id: call for call in calls_in(given) if call.id is not None}
        asked = [settled.get(call.id, call) if call.id is not None else call for call in asked]
        asked += [call for message in gave for call in message.calls]
    return tuple(asked)


# --- steps -------------------------------------------------------------------------------------


def _steps(below: Sequence[tuple[Span, tuple[Span, ...]]]) -> tuple[Step, ...]:
    """An orchestrator's steps: as Proctor wrote them, or plans, sub-agents and the tools beside and under them."""
    own = [span for span, _ in below if names.STEP + "id" in span.attributes]
    if own:
        own.sort(key=lambda span: span.attributes.get(names.STEP + "place", 0))
        return tuple(_own_step(span) for span in own)
    kinds = {"plan": "plan", "agent": "delegate", "tool": "tool"}
    if not _is_orchestrated(below):
        return ()
    taken = [(span, above) for span, above in below if kind_of(span) in kinds and _is_step(span, above)]
    ids = {span.id for span, _ in taken}
    return tuple(_foreign_step(span, kinds[kind_of(span)], above, ids) for span, above in taken)


def _is_step(span: Span, above: Sequence[Span]) -> bool:
    return kind_of(span) != "tool" or _is_call(span, above)


def _foreign_step(span: Span, kind: str, above: Sequence[Span], ids: set[str]) -> Step:
    if kind == "plan" and span.name.lower().startswith(("re-plan", "replan")):
        kind = "re-plan"
    agent = span.attributes.get(names.AGENT) or span.name.removeprefix("invoke_agent ")
    error = error_of(span)
    return Step(
        id=span.id,
        kind=kind,
        name=tool_name(span) if kind == "tool" else agent if kind == "delegate" else span.name,
        parent=next((each.id for each in reversed(above) if each.id in ids), None),
        agent=agent if kind == "delegate" else None,
        call=call_of(span).id or span.id if kind == "tool" else None,
        start=seconds_of(span.start),
        end=seconds_of(span.end),
        status="ok" if error is None else "error",
        usage=usage_of(span) if kind == "delegate" else None,
        detail=error or (answer_of(span) or "" if kind in ("plan", "re-plan") else ""),
    )


def _own_step(span: Span) -> Step:
    def told(name: str) -> Any:
        return span.attributes.get(names.STEP + name)

    return Step(
        id=told("id"),
        kind=told("kind"),
        name=told("name"),
        parent=told("parent"),
        agent=told("agent"),
        call=told("call"),
        start=told("start"),
        end=told("end"),
        status=told("status") or "ok",
        usage=msgspec.json.decode(told("usage"), type=Usage) if told("usage") else None,
        detail=told("detail") or "",
    )
