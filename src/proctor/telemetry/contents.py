"""Read the contents of a span in any supported convention: question, answer, tool call, usage, error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from proctor.codec import read_json
from proctor.codec.replies import is_cut_off
from proctor.telemetry import names
from proctor.telemetry.message_attributes import gave_in, given_in
from proctor.telemetry.messages import (
    AskedText,
    Message,
    answer_in,
    arguments_in,
    asked_in,
    citations_in,
    is_messages,
    messages_in,
    parse_embedded_json,
)
from proctor.telemetry.names import first
from proctor.telemetry.span import Span, seconds_of
from proctor.transcript import UNKNOWN, Citation, ToolCall
from proctor.usage import Usage

_WRAPPED = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})
"""Arguments that OpenInference records for tools of smolagents, LlamaIndex and DSPy: those of the wrapper method."""
_CALLED = ".__call__"


def event_value(span: Span, event: str, key: str) -> Any:
    """Return a value of the first event of this name, or None; Strands stores tool arguments and results so."""
    return next((each.attributes.get(key) for each in span.events if each.name == event), None)


def own_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """Unwrap the tool's arguments from those of a wrapper method."""
    inner = arguments.get("kwargs")
    wrapped = isinstance(inner, dict) and arguments.keys() <= _WRAPPED and not arguments.get("args")
    return inner if wrapped and isinstance(inner, dict) else arguments


def own_result(result: Any) -> Any:
    """Unwrap the tool's result from LlamaIndex's output record or Strands' list of texts."""
    output = parse_embedded_json(result)
    if isinstance(output, Mapping) and {"tool_name", "raw_output"} <= output.keys():
        return output["raw_output"]
    if (
        isinstance(output, list)
        and output
        and all(isinstance(each, Mapping) and each.keys() == {"text"} for each in output)
    ):
        return "\n".join(str(each["text"]) for each in output)
    return output


def own_name(name: str) -> str:
    """Remove the method from a tool name, as DSPy's spans include it."""
    return name.removesuffix(_CALLED)


_INPUT_TOKENS = (
    names.INPUT_TOKENS, "llm.token_count.prompt", "gen_ai.usage.prompt_tokens", "ai.usage.inputTokens",
    "ai.usage.promptTokens",
)  # fmt: skip
_OUTPUT_TOKENS = (
    names.OUTPUT_TOKENS, "llm.token_count.completion", "gen_ai.usage.completion_tokens", "ai.usage.outputTokens",
    "ai.usage.completionTokens",
)  # fmt: skip
_RESULTS = (
    names.RESULT, names.OUTPUT, "output.value", "ai.toolCall.result", "mlflow.spanOutputs", "traceloop.entity.output",
)  # fmt: skip
_ARGUMENTS = (
    names.ARGUMENTS, names.INPUT, "input.value", "ai.toolCall.args", "mlflow.spanInputs", "traceloop.entity.input",
)  # fmt: skip
_SENT, _RECEIVED = ("input", "prompt_tokens", "input_tokens"), ("output", "completion_tokens", "output_tokens")
_COSTS = ("llm.cost.total", "gen_ai.usage.cost")
_CASES = (names.CASE, "case_id", "case", names.METADATA + "case_id", "langfuse.trace.metadata.case_id")


def asked_of(span: Span) -> AskedText | None:
    """Return the question with the preceding conversation, or None if the span has none."""
    return next((asked for value in given_in(span) if (asked := asked_in(value)) is not None), None)


def answer_of(span: Span) -> str | None:
    """Return the answer, or None if the span has none."""
    return next((text for value in gave_in(span) if (text := answer_in(value)) is not None), None)


def said_in(span: Span) -> tuple[list[Message], list[Message]]:
    """Return a model's input and output messages."""
    return _messages(given_in(span)), _messages(gave_in(span))


def _messages(values: Iterable[Any]) -> list[Message]:
    for value in values:
        content = parse_embedded_json(value)
        content = content.get("messages", [content]) if isinstance(content, Mapping) else content
        if is_messages(content):
            return messages_in(content)
    return []


def citations_of(span: Span) -> tuple[Citation, ...]:
    """Return the citations in a span's output."""
    for name in (names.OUTPUT, "output.value"):
        output = parse_embedded_json(span.attributes.get(name))
        if isinstance(output, Mapping):
            for word in ("citations", "sources", "references"):
                if cited := citations_in(output.get(word)):
                    return cited
    return tuple(citation for message in said_in(span)[1] for citation in message.citations)


def call_of(span: Span) -> ToolCall:
    """Convert a span to a tool call."""
    own = names.CALL_PLACE in span.attributes
    result, arguments = first(span.attributes, *_RESULTS), first(span.attributes, *_ARGUMENTS)
    documents = _documents(span.attributes)
    if own:
        result = _own_result(span, result) if names.RESULT in span.attributes else UNKNOWN
    else:
        result = event_value(span, "gen_ai.choice", "message") if result is None else result
        result = own_result(result) if result is not None else documents or UNKNOWN
        arguments = event_value(span, "gen_ai.tool.message", "content") if arguments is None else arguments
    given = arguments_in(arguments)
    return ToolCall(
        name=tool_name(span),
        arguments=given if own else own_arguments(given),
        result=result,
        error=error_of(span),
        id=first(span.attributes, names.CALL_ID, "tool_call.id", "ai.toolCall.id"),
        step=span.attributes.get("proctor.call.step"),
        seconds=span.attributes.get("proctor.call.seconds") if own else _seconds(span),
    )


def _own_result(span: Span, result: Any) -> Any:
    """Return the value exactly as exported: text stays text even if it looks like JSON."""
    if span.attributes.get("proctor.call.text"):
        return span.attributes.get(names.RESULT)
    try:
        return read_json(result) if isinstance(result, str) else result
    except msgspec.DecodeError:
        return result  # its quotes were redacted


def _seconds(span: Span) -> float | None:
    return seconds_of(span.end - span.start) if span.end >= span.start > 0 else None


def tool_name(span: Span) -> str:
    """Return the name of the span's tool."""
    name = first(span.attributes, names.TOOL, "tool.name", "ai.toolCall.name", "traceloop.entity.name")
    return name if isinstance(name, str) else own_name(span.name.removeprefix("execute_tool "))


def agent_name(span: Span) -> str:
    """Return the name of the span's agent."""
    name = first(span.attributes, names.AGENT, "agent.name")
    return name if isinstance(name, str) else span.name.removeprefix("invoke_agent ")


def _documents(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the documents found by a retriever, in OpenInference's convention."""
    prefix = "retrieval.documents."
    found: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        place, _, field = name.removeprefix(prefix).partition(".document.")
        if name.startswith(prefix) and place.isdigit() and field:
            found.setdefault(int(place), {})[field] = value
    return [found[place] for place in sorted(found)]


def is_cut_off_in(span: Span) -> bool:
    """Whether a model's span reports that the answer was truncated at the output limit."""
    finish_reason = first(span.attributes, "gen_ai.response.finish_reasons", "llm.finish_reason")
    reasons = finish_reason if isinstance(finish_reason, (list, tuple)) else [finish_reason]
    return any(map(is_cut_off, reasons)) or any(message.cut_off for message in said_in(span)[1])


def error_of(span: Span) -> str | None:
    """Return the error of a span, or None if it did not fail."""
    if span.status != "error" and span.attributes.get("langfuse.observation.level") != "ERROR":
        return None
    raised = next((event.attributes for event in span.events if event.name == "exception"), {})
    status_message = span.message or first(span.attributes, "langfuse.observation.status_message")
    return str(
        status_message
        or first(raised, "exception.message", "exception.type")
        or span.attributes.get(names.ERROR, "error")
    )


def usage_of(span: Span) -> Usage | None:
    """Return the usage of a model call, or None if the span has none."""
    details = parse_embedded_json(span.attributes.get(names.USAGE_DETAILS))
    details = details if isinstance(details, Mapping) else {}
    sent = first(span.attributes, *_INPUT_TOKENS) if not details else first(details, *_SENT)
    received = first(span.attributes, *_OUTPUT_TOKENS) if not details else first(details, *_RECEIVED)
    if sent is None and received is None:
        return None
    return Usage(
        input_tokens=_nonnegative_int(sent),
        output_tokens=_nonnegative_int(received),
        calls=_nonnegative_int(span.attributes.get("proctor.usage.calls", 1)),
        cost=_cost(span),
    )


def _cost(span: Span) -> float | None:
    details = parse_embedded_json(span.attributes.get(names.COST_DETAILS))
    if isinstance(details, Mapping):
        priced = [value for name, value in details.items() if name != "total" and isinstance(value, (int, float))]
        total = details.get("total", sum(priced) if priced else None)
        return float(total) if isinstance(total, (int, float)) else None
    cost = first(span.attributes, *_COSTS)
    return float(cost) if isinstance(cost, (int, float)) else None


def _nonnegative_int(value: Any) -> int:
    try:
        return max(0, int(value or 0))
    except (TypeError, ValueError):
        return 0


def case_of(span: Span) -> str | None:
    """Return the case that a span names, or None."""
    return next(_cases(span), None)


def _cases(span: Span) -> Iterator[str]:
    for name in _CASES:
        attribute = span.attributes.get(name)
        if isinstance(attribute, str) and attribute:
            yield attribute.strip('"') if name.startswith("langfuse.") else attribute
    for name in (names.ITEM_METADATA, "metadata"):
        attribute = parse_embedded_json(span.attributes.get(name))
        if isinstance(attribute, Mapping) and isinstance(attribute.get("case_id"), str):
            yield attribute["case_id"]
