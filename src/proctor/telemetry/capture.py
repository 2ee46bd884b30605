"""Live capture: record what an agent instrumented with OpenTelemetry does in one attempt, from its own spans.

OpenTelemetry is imported here only if the agent has done so. An additional span processor on the agent's tracer
provider sees each span start in the agent's own context, and so knows which attempt it belongs to, however many run
concurrently. The spans that the agent's exporters receive do not change.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from proctor.codec.replies import to_reply
from proctor.errors import AgentFault
from proctor.telemetry.activity import activity_of
from proctor.telemetry.span import Span, SpanEvent
from proctor.transcript import Reply, Step

_MOST_SPANS = 10_000
_MARK = "proctor-captured"
_current: ContextVar[CapturedSpans | None] = ContextVar(_MARK, default=None)
_watched: list[Any] = []
"""Providers with our processor. References are kept so that their ids are not reused by other objects."""
_owners: dict[tuple[int, int], CapturedSpans] = {}
"""(trace, span) → its capture, for spans related to an attempt only by their parent, such as across a local server."""
_lock = threading.Lock()


class CapturedSpans:
    """Ended spans of one turn."""

    def __init__(self, conversation: str) -> None:
        self.conversation = conversation
        self.dropped = 0
        """Number of spans dropped beyond the maximum."""
        self._ended: list[Any] = []
        self._own: list[tuple[int, int]] = []
        self._closed = False

    def spans(self) -> tuple[Span, ...]:
        """Return the spans ended so far."""
        return tuple(_neutral(span) for span in list(self._ended))

    def merged_into(self, reply: Reply) -> Reply:
        """Fill in what the reply does not report itself, from the spans: calls, citations, steps and usage."""
        if not self._ended:
            return reply
        seen = activity_of(self.spans())
        tells_more = not reply.tools_known and seen.tools_known and len(seen.tool_calls) >= len(reply.tool_calls)
        calls = seen.tool_calls if tells_more else reply.tool_calls or seen.tool_calls
        steps = reply.steps or seen.steps
        merged = replace(
            reply,
            tool_calls=calls,
            tools_known=reply.tools_known or tells_more,
            citations=reply.citations or seen.citations,
            steps=reply.steps if reply.steps and not tells_more else _pointing_at(steps, {call.id for call in calls}),
            usage=reply.usage if reply.usage is not None else seen.usage,
        )
        try:
            return to_reply(merged)
        except AgentFault:
            return reply  # invalid span data is not the agent's failure

    def _begin(self, identity: tuple[int, int]) -> None:
        with _lock:
            if not self._closed:
                self._own.append(identity)
                _owners[identity] = self

    def _end(self, span: Any) -> None:
        if self._closed:
            return
        if len(self._ended) < _MOST_SPANS:
            self._ended.append(span)
        else:
            self.dropped += 1

    def _close(self) -> None:
        """End the turn: later spans of its threads are ignored."""
        with _lock:
            self._closed = True
            for identity in self._own:
                _owners.pop(identity, None)


def _pointing_at(steps: tuple[Step, ...], calls: set[str | None]) -> tuple[Step, ...]:
    """Remove references to calls that do not exist from the steps."""
    return tuple(step if step.call in calls else replace(step, call=None) for step in steps)


class capturing:  # noqa: N801 – a context manager, and quicker than a generator: every call goes through it
    """Captures the spans of all that the agent does in this block, including threads and tasks it starts."""

    __slots__ = ("_captured", "_token", "_traced")

    def __init__(self, conversation: str) -> None:
        self._captured = CapturedSpans(conversation)

    def __enter__(self) -> CapturedSpans:
        self._token = _current.set(self._captured)
        self._traced = _trace(self._captured) if "opentelemetry.sdk.trace" in sys.modules else None
        if self._traced is not None:
            self._traced.__enter__()
        return self._captured

    def __exit__(self, *error: Any) -> None:
        if self._traced is not None:
            self._traced.__exit__(*error)
        _current.reset(self._token)
        self._captured._close()


@contextmanager
def _trace(captured: CapturedSpans) -> Iterator[None]:
    """Watch the agent's tracer provider, and mark OpenTelemetry's context, which is propagated to threads."""
    from opentelemetry import context, trace

    _watch(trace.get_tracer_provider())
    token = context.attach(context.set_value(_MARK, captured))
    try:
        yield
    finally:
        context.detach(token)


def _watch(provider: Any) -> None:
    """Add our span processor to a tracer provider; impossible for the proxy used before a provider is set."""
    if any(provider is known for known in _watched) or not hasattr(provider, "add_span_processor"):
        return
    with _lock:
        if not any(provider is known for known in _watched):
            provider.add_span_processor(_processor())
            _watched.append(provider)


def _processor() -> Any:
    from opentelemetry import context
    from opentelemetry.sdk.trace import SpanProcessor

    class Watching(SpanProcessor):
        """Assigns each span to the attempt in whose context it started."""

        def on_start(self, span: Any, parent_context: Any = None) -> None:
            above = _owners.get(_identity(span.parent)) if span.parent is not None else None
            owner = above or context.get_value(_MARK, parent_context) or _current.get()
            if isinstance(owner, CapturedSpans):
                owner._begin(_identity(span.context))

        def on_end(self, span: Any) -> None:
            owner = _owners.get(_identity(span.context))
            if owner is not None:
                owner._end(span)

    return Watching()


def _identity(context: Any) -> tuple[int, int]:
    return context.trace_id, context.span_id


def _neutral(span: Any) -> Span:
    """Convert a span of the SDK to a Span."""
    return Span(
        trace=f"{span.context.trace_id:032x}",
        id=f"{span.context.span_id:016x}",
        parent=f"{span.parent.span_id:016x}" if span.parent is not None else None,
        name=span.name,
        kind=span.kind.name.lower(),
        start=span.start_time or 0,
        end=span.end_time or 0,
        attributes=dict(span.attributes or {}),
        events=tuple(
            SpanEvent(name=event.name, time=event.timestamp, attributes=dict(event.attributes or {}))
            for event in span.events
        ),
        status=span.status.status_code.name.lower(),
        message=span.status.description or "",
    )
