"""How instrumentations write down a tool call where they do not follow the conventions, as it was seen to come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.telemetry.messages import parse_embedded_json
from proctor.telemetry.span import Span

_WRAPPED = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})
"""What OpenInference writes of a call to smolagents', LlamaIndex's and DSPy's tools: how their method was called."""
_CALLED = ".__call__"


def event_value(span: Span, event: str, key: str) -> Any:
    """What the first event of this name says, as Strands writes a tool's arguments and its result; None: nothing."""
    return next((each.attributes.get(key) for each in span.events if each.name == event), None)


def own_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """What the tool was given, out of how a wrapper around it was called."""
    inner = arguments.get("kwargs")
    wrapped = isinstance(inner, dict) and arguments.keys() <= _WRAPPED and not arguments.get("args")
    return inner if wrapped and isinstance(inner, dict) else arguments


def own_result(result: Any) -> Any:
    """What the tool gave back, out of LlamaIndex's record of its output or of Strands' list of texts."""
    told = parse_embedded_json(result)
    if isinstance(told, Mapping) and {"tool_name", "raw_output"} <= told.keys():
        return told["raw_output"]
    if isinstance(told, list) and told and all(isinstance(each, Mapping) and each.keys() == {"text"} for each in told):
        return "\n".join(str(each["text"]) for each in told)
    return told


def own_name(name: str) -> str:
    """What the tool is called, without the method that DSPy's spans are named after."""
    return name.removesuffix(_CALLED)
