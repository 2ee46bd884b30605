"""Build the spans within a turn: model calls, tool calls and an orchestrator's steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from proctor.run import Key, Run
from proctor.telemetry import names
from proctor.telemetry.redaction import Json
from proctor.telemetry.span import Span, nanoseconds, span_id
from proctor.transcript import Reply, Step, ToolCall, Turn
from proctor.usage import Usage

_PARAMETERS = ("temperature", "top_p", "top_k", "max_tokens", "seed", "stop", "frequency_penalty", "presence_penalty")
_MODELS = ("openai", "openai-compatible", "anthropic", "google", "ollama")


class MakeSpan(Protocol):
    """Factory for spans of a turn."""

    def __call__(
        self, name: str, *path: str | int, parent: str | None, attributes: Mapping[str, Any], **more: Any
    ) -> Span:
        """Create a span under this parent, or directly under the turn if None."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """The turn to which the spans belong."""

    run: Run
    key: Key
    """Key of the attempt."""
    turn: Turn
    start: int
    """Start time in nanoseconds since the epoch."""
    end: int
    """End time in nanoseconds since the epoch."""
    span: MakeSpan
    """Factory for the turn's spans."""


def turn_output(reply: Reply) -> dict[str, Any]:
    """Return a reply in the form that Langfuse displays as output."""
    cited = [{"source": each.source} | ({"quote": each.quote} if each.quote else {}) for each in reply.citations]
    return {
        "answer": reply.text,
        "citations": cited,
        "tools_used": list(dict.fromkeys(call.name for call in reply.tool_calls)),
    }


def reply_spans(frame: Frame, reply: Reply) -> list[Span]:
    """Return all spans within one turn: the model, the steps, and the tool calls that no step represents."""
    spans = [_model(frame, reply)] if reply.usage is not None else []
    calls = _calls_of_steps(reply)
    spans += [_step(frame, reply, place, calls.get(place)) for place in range(len(reply.steps))]
    slots = _slots(frame, reply.tool_calls)
    loose = [place for place in range(len(reply.tool_calls)) if place not in calls.values()]
    return spans + [_call(frame, reply.tool_calls[place], place, slots[place]) for place in loose]


def _calls_of_steps(reply: Reply) -> dict[int, int]:
    """Map each step's index to the index of the tool call it represents; each call has at most one step."""
    left = list(enumerate(reply.tool_calls))
    found: dict[int, int] = {}
    for place, step in enumerate(reply.steps):
        match = next((each for each in left if step.call is not None and each[1].id == step.call), None)
        if match is not None:
            left.remove(match)
            found[place] = match[0]
    return found


def _call(frame: Frame, call: ToolCall, place: int, slot: tuple[int, int]) -> Span:
    attributes = _call_attributes(call, place) | {names.ESTIMATED: True}
    return frame.span(
        f"execute_tool {call.name}", "call", place, parent=None, start=slot[0], end=slot[1], attributes=attributes,
        **_error_fields(call.error),
    )  # fmt: skip


def _slots(frame: Frame, calls: tuple[ToolCall, ...]) -> list[tuple[int, int]]:
    """Return a time slot for each call without a recorded time: in order, with calls of the same step in parallel."""
    order: dict[object, int] = {}
    for place, call in enumerate(calls):
        order.setdefault(("step", call.step) if call.step is not None else ("place", place), len(order))
    width = (frame.end - frame.start) // max(1, len(order))
    slots = []
    for place, call in enumerate(calls):
        start = frame.start + width * order[("step", call.step) if call.step is not None else ("place", place)]
        took = width if call.seconds is None else min(width, nanoseconds(call.seconds))
        slots.append((start, start + took))
    return slots


def _call_attributes(call: ToolCall, place: int) -> dict[str, Any]:
    result = call.result if isinstance(call.result, str) else Json(call.result)
    known = {
        names.CALL_ID: call.id,
        "proctor.call.step": call.step,
        "proctor.call.seconds": call.seconds,
    }
    result_attributes = {names.RESULT: result, names.OUTPUT: result, "proctor.call.text": isinstance(call.result, str)}
    return {
        names.OPERATION: "execute_tool",
        names.TOOL: call.name,
        "gen_ai.tool.type": "function",
        names.ARGUMENTS: Json(call.arguments),
        names.OPENINFERENCE_KIND: "TOOL",
        names.OBSERVATION_TYPE: "tool",
        names.INPUT: Json(call.arguments),
        names.METADATA + "step": str(call.step if call.step is not None else place + 1),
        names.CALL_PLACE: place,
        **{name: value for name, value in known.items() if value is not None},
        **(result_attributes if call.result_known else {}),
        **_error_attributes(call.error),
    }


def _error_attributes(error: str | None) -> dict[str, Any]:
    if error is None:
        return {}
    return {
        names.ERROR: "tool_error",
        "langfuse.observation.level": "ERROR",
        "langfuse.observation.status_message": error,
    }


def _error_fields(error: str | None) -> dict[str, Any]:
    return {} if error is None else {"status": "error", "message": error}


def _step(frame: Frame, reply: Reply, place: int, call_place: int | None) -> Span:
    """Build the span of a step; if it represents a tool call, this is also that call's span."""
    step = reply.steps[place]
    call = reply.tool_calls[call_place] if call_place is not None else None
    error = call.error if call is not None else (step.detail or step.name if step.status == "error" else None)
    call_attributes = _call_attributes(call, call_place) if call is not None and call_place is not None else {}
    start = nanoseconds(step.start) if step.start is not None else frame.start
    end = nanoseconds(step.end) if step.end is not None else frame.end
    measured = step.start is not None and step.end is not None
    return frame.span(
        _step_name(step, call), "step", place, parent=_parent(frame, reply, step), start=start, end=max(start, end),
        attributes={
            **_step_attributes(step, place), **call_attributes, **({} if measured else {names.ESTIMATED: True})
        },
        **_error_fields(error),
    )  # fmt: skip


def _parent(frame: Frame, reply: Reply, step: Step) -> str | None:
    """Return the span id of the parent step, or None if there is none or the parents form a cycle."""
    places = {each.id: place for place, each in reversed(list(enumerate(reply.steps)))}
    seen, above = {step.id}, step.parent
    while above is not None and above in places:
        if above in seen:
            return None
        seen.add(above)
        above = reply.steps[places[above]].parent
    if step.parent is None or step.parent not in places:
        return None
    return span_id(frame.key, "turn", frame.turn.number, "step", places[step.parent])


def _step_name(step: Step, call: ToolCall | None) -> str:
    if call is not None:
        return f"execute_tool {call.name}"
    if step.kind == "delegate":
        return f"invoke_agent {step.agent or step.name}"
    if step.kind == "tool":
        return f"execute_tool {step.name}"
    return "plan" if step.kind in ("plan", "re-plan") else step.name


_STEP_KINDS = {
    "delegate": ("invoke_agent", "AGENT", "agent"),
    "tool": ("execute_tool", "TOOL", "tool"),
    "plan": ("plan", "CHAIN", "chain"),
    "re-plan": ("plan", "CHAIN", "chain"),
}


def _step_attributes(step: Step, place: int) -> dict[str, Any]:
    operation, kind, observation = _STEP_KINDS.get(step.kind, (None, "CHAIN", "span"))
    known = {
        names.OPERATION: operation,
        names.AGENT: (step.agent or step.name) if step.kind == "delegate" else step.agent,
        names.TOOL: step.name if step.kind == "tool" else None,
        names.OUTPUT: step.detail or None,
        names.STEP + "parent": step.parent,
        names.STEP + "agent": step.agent,
        names.STEP + "call": step.call,
        names.STEP + "detail": step.detail or None,
        names.STEP + "status": step.status,
        names.STEP + "usage": Json(step.usage) if step.usage is not None else None,
        names.STEP + "start": step.start,
        names.STEP + "end": step.end,
        names.ERROR: "step_error" if step.status == "error" else None,
    }
    return {
        names.STEP + "id": step.id,
        names.STEP + "kind": step.kind,
        names.STEP + "name": step.name,
        names.STEP + "place": place,
        names.OPENINFERENCE_KIND: kind,
        names.OBSERVATION_TYPE: observation,
        **{name: value for name, value in known.items() if value is not None},
    }


def _model(frame: Frame, reply: Reply) -> Span:
    """Build one span for all model calls of a reply, since usage is known only in total."""
    assert reply.usage is not None
    name = model_of(frame.run)
    asked = [{"role": "user", "content": frame.turn.question}]
    attributes = {
        names.OPERATION: "chat",
        names.OPENINFERENCE_KIND: "LLM",
        names.OBSERVATION_TYPE: "generation",
        names.INPUT: Json(asked),
        names.OUTPUT: Json({"role": "assistant", "content": reply.text}),
        **({names.MODEL: name, "langfuse.observation.model.name": name} if name else {}),
        "langfuse.observation.model.parameters": Json(_parameters(frame.run)),
        **_usage_attributes(reply.usage),
        names.ESTIMATED: True,
    }
    span_name = f"chat {name}" if name else "chat"
    return frame.span(span_name, "model", parent=None, start=frame.start, end=frame.end, attributes=attributes)


def _usage_attributes(usage: Usage) -> dict[str, Any]:
    total = usage.input_tokens + usage.output_tokens
    return {
        names.INPUT_TOKENS: usage.input_tokens,
        names.OUTPUT_TOKENS: usage.output_tokens,
        names.USAGE_DETAILS: Json({"input": usage.input_tokens, "output": usage.output_tokens, "total": total}),
        **({names.COST_DETAILS: Json({"total": usage.cost})} if usage.cost is not None else {}),
        "proctor.usage.calls": usage.calls,
    }


def model_of(run: Run) -> str | None:
    """Return the model behind an agent, from the run's labels, the agent's options, or a spec that is a model name."""
    built = run.settings.built.get("agent")
    scheme, _, rest = (built.spec if built is not None else run.agent).partition(":")
    option = built.options.get("model") if built is not None else None
    named = rest if scheme in _MODELS else None
    return run.labels.get("model") or (option if isinstance(option, str) else None) or named or None


def _parameters(run: Run) -> dict[str, Any]:
    built = run.settings.built.get("agent")
    return {} if built is None else {name: built.options[name] for name in _PARAMETERS if name in built.options}
