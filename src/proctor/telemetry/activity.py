"""Extract what happened between a question and its reply from spans: tool calls, citations, steps, usage: Activity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from proctor.telemetry import names
from proctor.telemetry.contents import (
    agent_name,
    answer_of,
    call_of,
    citations_of,
    error_of,
    said_in,
    tool_name,
    usage_of,
)
from proctor.telemetry.messages import calls_in
from proctor.telemetry.names import kind_of
from proctor.telemetry.span import Span, seconds_of
from proctor.telemetry.tree import Placed, SpanTree, TurnSubtree
from proctor.transcript import Citation, Step, ToolCall
from proctor.usage import Usage

_STEPS = {"plan": "plan", "agent": "delegate", "tool": "tool"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Activity:
    """What an agent did for one reply."""

    tool_calls: tuple[ToolCall, ...] = ()
    """Tool calls, in the order they were made."""
    tools_known: bool = False
    """Whether the calls are complete: there are some, or the models' outputs, which would request them, were recorded.
    """
    citations: tuple[Citation, ...] = ()
    """Citations from the span that holds the answer."""
    steps: tuple[Step, ...] = ()
    """Sub-agents and plans, and the tool calls among them; empty for an agent without sub-agents or plans."""
    usage: Usage | None = None
    """Total usage of all model calls."""


def activity_of(spans: Iterable[Span]) -> Activity:
    """Extract the activity of one turn from all of its spans."""
    tree = SpanTree(spans)
    return activity_in(tree.turn_under(tree.roots))


def activity_in(part: TurnSubtree) -> Activity:
    """Extract the activity of one turn in a tree of spans."""
    below = part.below()
    calls = _calls(part, below)
    return Activity(
        tool_calls=calls,
        tools_known=bool(calls) or any(said_in(span)[1] for span in part.models()),
        citations=next((cited for span in part.telling() if (cited := citations_of(span))), ()),
        steps=_steps(below),
        usage=_usage(part),
    )


def _usage(part: TurnSubtree) -> Usage | None:
    """Return the total usage of the model calls, or else the usage that the turn's own spans report."""
    usages = [used for span in part.models() if (used := usage_of(span)) is not None]
    if not usages:
        return next((used for span in part.telling() if (used := usage_of(span)) is not None), None)
    total = usages[0]
    for used in usages[1:]:
        total += used
    return total


# --- tool calls --------------------------------------------------------------------------------


def _calls(part: TurnSubtree, below: Sequence[Placed]) -> tuple[ToolCall, ...]:
    """Return the calls from tool spans, or else from the tool requests and results in the models' messages."""
    spans = [span for span, above in below if _is_call(span, above)]
    if not spans:
        return _calls_of_models(part.models())
    if any(_is_own_call(span) for span in spans):
        spans.sort(key=lambda span: span.attributes.get(names.CALL_PLACE, 0))
        return tuple(call_of(span) for span in spans)
    calls = [replace(call_of(span), step=step) for span, step in zip(spans, _time_ranks(spans), strict=True)]
    if _is_orchestrated(below):  # needed as the steps' references to calls
        calls = [replace(call, id=call.id or span.id) for call, span in zip(calls, spans, strict=True)]
    return tuple(calls)


def _is_own_call(span: Span) -> bool:
    return names.CALL_PLACE in span.attributes


def _is_call(span: Span, above: Sequence[Span]) -> bool:
    """Whether a span is a separate tool call, rather than a duplicate or the retriever inside a search tool."""
    kind = kind_of(span)
    only_a_step = names.STEP + "kind" in span.attributes and not _is_own_call(span)
    if kind not in ("tool", "retriever") or only_a_step:
        return False
    tools = [each for each in above if kind_of(each) == "tool"]
    return not any(kind == "retriever" or tool_name(each) == tool_name(span) for each in tools)


def _time_ranks(spans: Sequence[Span]) -> list[int | None]:
    """Return the order of calls in time, with equal numbers for concurrent calls; all None if none were concurrent."""
    places: list[int] = []
    first_end = 0
    for span in spans:
        together = bool(places) and span.start < first_end
        places.append(places[-1] if together else len(set(places)) + 1)
        first_end = min(first_end, span.end) if together else span.end
    return list(places) if len(set(places)) < len(places) else [None] * len(places)


def _calls_of_models(models: Sequence[Span]) -> tuple[ToolCall, ...]:
    """Return the calls requested by each model, with the results passed to a later one."""
    asked: list[ToolCall] = []
    for span in models:
        given, gave = said_in(span)
        settled = {call.id: call for call in calls_in(given) if call.id is not None}
        asked = [settled.get(call.id, call) if call.id is not None else call for call in asked]
        asked += [call for message in gave for call in message.calls]
    return tuple(asked)


# --- steps -------------------------------------------------------------------------------------


def _is_orchestrated(below: Sequence[Placed]) -> bool:
    return any(kind_of(span) in ("plan", "agent") and _is_step(span, above) for span, above in below)


def _steps(below: Sequence[Placed]) -> tuple[Step, ...]:
    """Return an orchestrator's steps: as exported by Proctor, or plans, sub-agents and tool calls."""
    own = [span for span, _ in below if names.STEP + "id" in span.attributes]
    if own:
        own.sort(key=lambda span: span.attributes.get(names.STEP + "place", 0))
        return tuple(_own_step(span) for span in own)
    if not _is_orchestrated(below):
        return ()
    taken = [(span, above) for span, above in below if _is_step(span, above)]
    ids = {span.id for span, _ in taken}
    return tuple(_step(span, above, ids) for span, above in taken)


def _is_step(span: Span, above: Sequence[Span]) -> bool:
    """Whether a span is a separate step; an agent inside an agent of the same name is a duplicate."""
    kind = kind_of(span)
    if kind == "agent":
        return not any(kind_of(each) == "agent" and agent_name(each) == agent_name(span) for each in above)
    return kind == "plan" or (kind == "tool" and _is_call(span, above))


def _step(span: Span, above: Sequence[Span], ids: set[str]) -> Step:
    kind = _STEPS[kind_of(span)]
    if kind == "plan" and span.name.lower().startswith(("re-plan", "replan")):
        kind = "re-plan"
    error = error_of(span)
    delegated = agent_name(span) if kind == "delegate" else None
    return Step(
        id=span.id,
        kind=kind,
        name=delegated or (tool_name(span) if kind == "tool" else span.name),
        parent=next((each.id for each in reversed(above) if each.id in ids), None),
        agent=delegated,
        call=call_of(span).id or span.id if kind == "tool" else None,
        start=seconds_of(span.start),
        end=seconds_of(span.end),
        status="ok" if error is None else "error",
        usage=usage_of(span) if kind == "delegate" else None,
        detail=error or (answer_of(span) or "" if kind in ("plan", "re-plan") else ""),
    )


def _own_step(span: Span) -> Step:
    def own_attribute(name: str) -> Any:
        return span.attributes.get(names.STEP + name)

    return Step(
        id=own_attribute("id"),
        kind=own_attribute("kind") or "",
        name=own_attribute("name") or "",
        parent=own_attribute("parent"),
        agent=own_attribute("agent"),
        call=own_attribute("call"),
        start=own_attribute("start"),
        end=own_attribute("end"),
        status=own_attribute("status") or "ok",
        usage=_own_usage(own_attribute("usage")),
        detail=own_attribute("detail") or "",
    )


def _own_usage(text: Any) -> Usage | None:
    try:
        return msgspec.json.decode(text, type=Usage) if text else None
    except (msgspec.DecodeError, TypeError):
        return None  # a number in it was redacted
