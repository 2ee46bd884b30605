"""Record what happens inside a run, as it happens: the agent's own tools, and the runs that its tools start.

A capability of the run sees the agent's own tools exactly. Sub-agents are separate objects, visible only to the
framework's instrumentation; unless the user has enabled that, a tracer of ours is installed, which notes runs and tool
calls for the reply in the current context and records nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from opentelemetry.trace import INVALID_SPAN, INVALID_SPAN_CONTEXT, NonRecordingSpan, Span, Tracer, TracerProvider
from pydantic_ai import Agent, RunContext, ToolReturn
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import BaseToolCallPart, ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.models.instrumented import InstrumentationSettings

from proctor.agents.framework import plain
from proctor.agents.notes import Notes, Work
from proctor.failures import short_message
from proctor.telemetry.messages import arguments_in, parse_embedded_json, question_in
from proctor.transcript import UNKNOWN
from proctor.usage import Usage

_RESULT = "gen_ai.tool.call.result"
_USAGE = "gen_ai.aggregated_usage."
_OUTPUT_FUNCTION = "running output function"


@dataclass(slots=True, kw_only=True)
class _HookContext:
    """Current position within a reply."""

    notes: Notes
    work: Work | None = None
    """The enclosing tool call or sub-agent, or None inside the main agent."""
    running: bool = False
    """Whether the main agent has started, so that any further run is a sub-agent's."""
    requests: int = 0
    """Number of model requests in the current run."""


_place: ContextVar[_HookContext | None] = ContextVar("proctor-pydantic-ai", default=None)


@contextmanager
def watch_runs(notes: Notes) -> Iterator[None]:
    """Note all agent runs in this block."""
    token = _place.set(_HookContext(notes=notes))
    try:
        yield
    finally:
        _place.reset(token)


def watch_sub_agents() -> None:
    """Install our tracer for all agents that have no instrumentation of their own."""
    if not getattr(Agent, "_instrument_default", False):
        Agent.instrument_all(InstrumentationSettings(tracer_provider=_Provider(), include_binary_content=False))


class ToolCallWatcher(AbstractCapability[Any]):
    """Notes the tool calls of one run: batches, results, errors and times."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Note the calls requested in one response, which run in parallel."""
        self._notes.asked(part.tool_call_id for part in response.parts if isinstance(part, BaseToolCallPart))
        return response

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """Run the tool and note its outcome."""
        work = self._notes.call(call.tool_call_id)
        if work is None or work.end is not None:  # ids may be reused
            arguments = arguments_in(call.args_as_json_str())
            work = self._notes.begin("tool", call.tool_name, call=call.tool_call_id, arguments=arguments)
        try:
            result = await handler(args)
        except Exception as error:
            work.error = short_message(error)
            raise
        else:
            given = result.return_value if isinstance(result, ToolReturn) else result
            work.result = plain(given)
            return result
        finally:
            self._notes.end(work)


class _Provider(TracerProvider):
    def get_tracer(self, *_: Any, **__: Any) -> Tracer:
        return _Tracer()


class _Tracer(Tracer):
    """Notes runs and tool calls; all other spans are no-ops."""

    def start_span(self, *_: Any, **__: Any) -> Span:
        return INVALID_SPAN

    @contextmanager
    def start_as_current_span(  # type: ignore[override]
        self, name: str, *_: Any, attributes: Mapping[str, Any] | None = None, **__: Any
    ) -> Iterator[Span]:
        around, span_attributes = _place.get(), attributes or {}
        operation = span_attributes.get("gen_ai.operation.name")
        if around is not None and operation == "chat":
            around.requests += 1
        forms = str(span_attributes.get("logfire.msg", "")).startswith(_OUTPUT_FUNCTION)  # an output function, no tool
        if around is None or forms or operation not in ("invoke_agent", "execute_tool"):
            yield INVALID_SPAN
        else:
            with _note_operation(around, operation, span_attributes) as span:
                yield span


@contextmanager
def _note_operation(around: _HookContext, operation: str, attributes: Mapping[str, Any]) -> Iterator[Span]:
    """Note one run or tool call from start to end."""
    notes = around.notes
    inside = _HookContext(notes=notes, running=True, work=around.work)
    if operation == "execute_tool":
        arguments = arguments_in(attributes.get("gen_ai.tool.call.arguments"))
        call = attributes.get("gen_ai.tool.call.id")
        inside.work = notes.begin(
            "tool", str(attributes.get("gen_ai.tool.name")), parent=around.work, call=call, arguments=arguments
        )
    elif around.running:
        inside.work = notes.begin("delegate", str(attributes.get("gen_ai.agent.name")), parent=around.work)
    span = _NotingSpan(inside, is_run=operation == "invoke_agent")
    token = _place.set(inside)
    try:
        yield span
    finally:
        _place.reset(token)
        span.finish()
        if inside.work is not None and inside.work is not around.work and inside.work.end is None:
            notes.end(inside.work)


class _NotingSpan(NonRecordingSpan):
    """A span that keeps its attributes for the notes."""

    def __init__(self, place: _HookContext, *, is_run: bool) -> None:
        super().__init__(INVALID_SPAN_CONTEXT)
        self._place = place
        self._is_run = is_run
        self._told: dict[str, Any] = {}
        self._error: str | None = None

    def is_recording(self) -> bool:
        return True

    def set_attribute(self, key: str, value: Any) -> None:
        self._told[key] = value

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        self._told.update(attributes)

    def record_exception(self, exception: BaseException, *_: Any, **__: Any) -> None:
        self._error = short_message(exception)

    def finish(self) -> None:
        """Note the outcome from the span's attributes."""
        if self._is_run:
            self._finish_run()
        elif (work := self._place.work) is not None and work.result is UNKNOWN and work.error is None:
            work.error = self._error
            if self._error is None and _RESULT in self._told:
                work.result = parse_embedded_json(self._told[_RESULT])

    def _finish_run(self) -> None:
        work = self._place.work
        if work is not None and work.kind == "delegate":
            work.error = self._error
            work.detail = question_in(self._told.get("pydantic_ai.all_messages")) or ""
        sent, received = (self._told.get(f"{_USAGE}{name}", 0) for name in ("input_tokens", "output_tokens"))
        if sent or received:
            usage = Usage(input_tokens=sent, output_tokens=received, calls=self._place.requests)
            self._place.notes.spend(usage, work)
