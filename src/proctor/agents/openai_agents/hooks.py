"""Record what happens inside a run, as it happens: tools, hand-offs, and the runs that tools start.

Hooks see only the run itself. Runs started by tools appear only in the SDK's traces, so an additional trace processor
listens to those. If tracing is off, a tool that starts a run is recorded, but not what happens in that run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from agents.tracing import (
    AgentSpanData,
    FunctionSpanData,
    Span,
    TracingProcessor,
    TurnSpanData,
    add_trace_processor,
    get_current_span,
)

import agents
from agents import AgentHookContext, ModelResponse, RunContextWrapper, RunHooks, Tool
from proctor.agents.framework import plain
from proctor.agents.notes import Notes, Work
from proctor.telemetry.messages import arguments_in, parse_embedded_json
from proctor.transcript import UNKNOWN
from proctor.usage import Usage

_FAILED = "An error occurred while running the tool"  # the SDK's default error message to the model
_watching: ContextVar[RunWatcher | None] = ContextVar("proctor-openai-agents", default=None)


@contextmanager
def watch_spans(watching: RunWatcher) -> Iterator[None]:
    """Assign all spans that start in this block to this run."""
    token = _watching.set(watching)
    try:
        yield
    finally:
        _watching.reset(token)


@cache
def watch_nested_runs() -> None:
    """Register the trace processor, once per process."""
    add_trace_processor(_Processor())


class RunWatcher(RunHooks[Any]):
    """Notes what one run does."""

    def __init__(self, notes: Notes, starting: agents.Agent[Any]) -> None:
        self.notes = notes
        self._starting = starting
        self._handed: Work | None = None
        """The agent handed over to last; None while the starting agent is at work."""
        self._spans: dict[str, Work] = {}
        """Span id → the work noted for it."""

    def finish(self) -> None:
        """End the last hand-off when the run ends."""
        if self._handed is not None:
            self.notes.end(self._handed)

    async def on_llm_end(
        self, context: RunContextWrapper[Any], agent: agents.Agent[Any], response: ModelResponse
    ) -> None:
        """Note a model answer: usage, requested tools, and hosted tools that already ran."""
        used = response.usage
        if used.input_tokens or used.output_tokens:
            usage = Usage(input_tokens=used.input_tokens, output_tokens=used.output_tokens, calls=used.requests)
            self.notes.spend(usage, self._handed)
        self.notes.asked(getattr(item, "call_id", None) for item in response.output)
        self.notes.answered(cut_off=any(map(_is_cut_off, response.output)))
        for item in response.output:
            kind = getattr(item, "type", "")
            if kind.endswith("_call") and getattr(item, "status", None) == "completed" and kind != "function_call":
                self._note_hosted(item, kind.removesuffix("_call"))

    def _note_hosted(self, item: Any, name: str) -> None:
        """Note a tool that ran at the provider; its times are unknown."""
        fields = item.model_dump(mode="json", exclude_none=True, exclude={"id", "type", "status", "call_id"})
        name = str(fields.pop("name", name))
        output = fields.pop("output", None)
        arguments = arguments_in(fields.pop("arguments", fields))
        work = self.notes.add_unseen_call(name, call=getattr(item, "call_id", None) or item.id, arguments=arguments)
        work.parent = self._handed
        if output is not None:
            work.result = parse_embedded_json(output)

    async def on_handoff(
        self, context: RunContextWrapper[Any], from_agent: agents.Agent[Any], to_agent: agents.Agent[Any]
    ) -> None:
        """Note a hand-off, unless it goes back to the starting agent."""
        self.finish()
        self._handed = None if to_agent is self._starting else self.notes.begin("delegate", to_agent.name)

    async def on_tool_start(self, context: RunContextWrapper[Any], agent: agents.AgentBase[Any], tool: Tool) -> None:
        """Note that a tool starts."""
        arguments = arguments_in(getattr(context, "tool_arguments", None))
        call = getattr(context, "tool_call_id", None)
        work = self.notes.begin("tool", tool.name, parent=self._handed, call=call, arguments=arguments)
        span = get_current_span()
        if span is not None:
            self._spans[span.span_id] = work

    async def on_tool_end(
        self, context: RunContextWrapper[Any], agent: agents.AgentBase[Any], tool: Tool, result: object
    ) -> None:
        """Note the result of a tool, or the error message that the model gets instead."""
        work = self.notes.call(getattr(context, "tool_call_id", None))
        if work is not None:
            _record_result(work, result, failed=False)
            self.notes.end(work)

    async def on_agent_start(self, context: AgentHookContext[Any], agent: agents.AgentBase[Any]) -> None:
        """Do nothing: the run or hand-off is already noted."""

    # --- spans ---------------------------------------------------------------------------------

    def span_begins(self, span: Span[Any]) -> None:
        """Note a run or tool inside one of the tools seen by hooks."""
        above = self._spans.get(span.parent_id or "")
        if above is None:
            return
        data = span.span_data
        if isinstance(data, AgentSpanData):
            self._spans[span.span_id] = self.notes.begin("delegate", data.name, parent=above)
        elif isinstance(data, FunctionSpanData):
            self._spans[span.span_id] = self.notes.begin("tool", data.name, parent=above)
        else:
            self._spans[span.span_id] = above  # an intermediate span: keep the enclosing work

    def span_ends(self, span: Span[Any]) -> None:
        """Note the outcome of a span."""
        work = self._spans.get(span.span_id)
        if work is None:
            return
        data = span.span_data
        if isinstance(data, FunctionSpanData):
            self._tool_ends(work, data, failed=span.error is not None)
        elif isinstance(data, TurnSpanData) and data.usage:
            sent, received = data.usage.get("input_tokens", 0), data.usage.get("output_tokens", 0)
            if sent or received:
                self.notes.spend(Usage(input_tokens=sent, output_tokens=received, calls=1), work)
        elif isinstance(data, AgentSpanData) and span.error is not None:
            work.error = str(span.error["message"])
        if isinstance(data, (AgentSpanData, FunctionSpanData)):
            self.notes.end(work)

    def _tool_ends(self, work: Work, data: FunctionSpanData, *, failed: bool) -> None:
        """Complete a tool's work from its span; results seen by hooks take precedence, as spans may omit contents."""
        if work.call is None:
            work.arguments = arguments_in(data.input)
        if failed:
            _record_result(work, data.output or work.result or "failed", failed=True)
        elif work.result is UNKNOWN and work.error is None and data.output is not None:
            _record_result(work, data.output, failed=False)


def _is_cut_off(item: Any) -> bool:
    """Whether a message was cut off at the output limit; only the Responses API reports it here."""
    return getattr(item, "type", "") == "message" and getattr(item, "status", None) == "incomplete"


def _record_result(work: Work, result: object, *, failed: bool) -> None:
    if failed or (isinstance(result, str) and result.startswith(_FAILED)):
        work.error = str(result)
        work.result = UNKNOWN
    else:
        work.result = parse_embedded_json(plain(result))


class _Processor(TracingProcessor):
    """Passes each span on to the run in whose context it started."""

    def on_trace_start(self, trace: Any) -> None:
        """Do nothing: traces are not used."""

    def on_trace_end(self, trace: Any) -> None:
        """Do nothing: traces are not used."""

    def on_span_start(self, span: Span[Any]) -> None:
        """Pass on the start of a span."""
        if (watching := _watching.get()) is not None:
            watching.span_begins(span)

    def on_span_end(self, span: Span[Any]) -> None:
        """Pass on the end of a span."""
        if (watching := _watching.get()) is not None:
            watching.span_ends(span)

    def shutdown(self) -> None:
        """Do nothing: nothing is open."""

    def force_flush(self) -> None:
        """Do nothing: nothing is buffered."""
