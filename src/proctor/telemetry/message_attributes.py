"""Attributes in which instrumentations store inputs and outputs: one list for all conventions.

OpenTelemetry GenAI (attributes and events), OpenInference, OpenLLMetry (Traceloop), Vercel's AI SDK, MLflow, Pydantic
AI and Langfuse. The values are a text, a message, a list of messages, or an object containing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from proctor.codec import read_json
from proctor.telemetry import names
from proctor.telemetry.messages import parse_embedded_json
from proctor.telemetry.span import Span

_INPUTS = (
    names.INPUT_MESSAGES, names.INPUT, "input.value", "ai.prompt.messages", "ai.prompt", "mlflow.spanInputs",
    "traceloop.entity.input", "pydantic_ai.all_messages", "all_messages_events", "gen_ai.prompt",
    "langfuse.trace.input",
)  # fmt: skip
_OUTPUTS = (
    names.OUTPUT_MESSAGES, names.OUTPUT, "output.value", "ai.response.text", "ai.response.object", "mlflow.spanOutputs",
    "traceloop.entity.output", "final_result", "pydantic_ai.all_messages", "all_messages_events", "gen_ai.completion",
    "langfuse.trace.output",
)  # fmt: skip
_IN_JSON = ("mlflow.", "traceloop.entity.")
_DETAILS = "gen_ai.client.inference.operation.details"
_GIVEN_IN_EVENTS = {"gen_ai.content.prompt": "gen_ai.prompt", _DETAILS: names.INPUT_MESSAGES}
_GAVE_IN_EVENTS = {"gen_ai.content.completion": "gen_ai.completion", _DETAILS: names.OUTPUT_MESSAGES}
_SPOKEN = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")


def given_in(span: Span) -> Iterator[Any]:
    """Yield all candidates for a span's input, most likely first."""
    yield from (_plain(name, value) for name in _INPUTS if (value := span.attributes.get(name)) not in (None, ""))
    yield from _flat(span.attributes, "llm.input_messages.", "gen_ai.prompt.")
    yield from _event_contents(span, _GIVEN_IN_EVENTS)
    if spoken := [*_spoken(span)]:
        yield spoken


def gave_in(span: Span) -> Iterator[Any]:
    """Yield all candidates for a span's output, most likely first."""
    yield from (_plain(name, value) for name in _OUTPUTS if (value := span.attributes.get(name)) not in (None, ""))
    yield from _flat(span.attributes, "llm.output_messages.", "gen_ai.completion.")
    yield from _event_contents(span, _GAVE_IN_EVENTS)
    for event in span.events:
        if event.name == "gen_ai.choice":
            yield _message(event.attributes, "assistant")


def _plain(name: str, value: Any) -> Any:
    """Return an attribute's value; MLflow and Traceloop encode all values as JSON, including quoted text."""
    if name.startswith(_IN_JSON) and isinstance(value, str) and value.startswith('"'):
        with suppress(msgspec.DecodeError):
            return read_json(value)
    return value


def _event_contents(span: Span, events: Mapping[str, str]) -> Iterator[Any]:
    for event in span.events:
        if (value := event.attributes.get(events.get(event.name, ""))) is not None:
            yield value


def _spoken(span: Span) -> Iterator[dict[str, Any]]:
    """Yield the input messages of a span that are separate events."""
    for event in span.events:
        if found := _SPOKEN.fullmatch(event.name):
            yield _message(event.attributes, found[1])


def _message(attributes: Mapping[str, Any], role: str) -> dict[str, Any]:
    """Build a message from an event that holds it whole under `message` or in separate fields."""
    message = parse_embedded_json(attributes.get("message"))
    if isinstance(message, Mapping):
        return {"role": role, **message}
    content = parse_embedded_json(attributes.get("content", message))
    known = {name: parse_embedded_json(attributes[name]) for name in ("tool_calls", "id") if name in attributes}
    if isinstance(content, list):  # Strands omits the type of text parts
        content = [
            {"type": "text", **each} if isinstance(each, Mapping) and "text" in each else each for each in content
        ]
    message_content = content if isinstance(content, (str, list)) else "" if content is None else str(content)
    return {"role": str(attributes.get("role") or role), "content": message_content, **known}


# --- messages spread over several attributes ----------------------------------------------

_PLACE = re.compile(r"(?P<message>\d+)\.(?:message\.)?(?P<field>.+)")
_CALL = re.compile(r"tool_calls\.(?P<call>\d+)\.(?:tool_call\.)?(?P<field>.+)")
_CONTENT = re.compile(r"contents\.\d+\.message_content\.text")


def _flat(attributes: Mapping[str, Any], *prefixes: str) -> Iterator[list[dict[str, Any]]]:
    """Rebuild lists of messages from the flattened attributes of OpenInference and Traceloop."""
    for prefix in prefixes:
        messages: dict[int, dict[str, Any]] = {}
        for name, value in attributes.items():
            if name.startswith(prefix) and (found := _PLACE.fullmatch(name.removeprefix(prefix))):
                _put(messages.setdefault(int(found["message"]), {"role": "assistant"}), found["field"], value)
        for message in messages.values():
            message["tool_calls"] = [call for _, call in sorted(message.get("tool_calls", {}).items())]
        if messages:
            yield [messages[place] for place in sorted(messages)]


def _put(message: dict[str, Any], field: str, value: Any) -> None:
    if found := _CALL.fullmatch(field):
        call = message.setdefault("tool_calls", {}).setdefault(int(found["call"]), {})
        call[found["field"].removeprefix("function.")] = value
    elif _CONTENT.fullmatch(field):
        message["content"] = f"{message.get('content') or ''}{value}"
    elif field == "content":
        message["content"] = parse_embedded_json(value)
    elif field in ("role", "tool_call_id"):
        message[field] = value
