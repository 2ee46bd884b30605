"""Tool calls as instrumentations really wrote them, seen with the frameworks of `make test-frameworks`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proctor.telemetry.contents import call_of
from proctor.telemetry.span import Span, SpanEvent

RESULT = "The policy on leave: 30 days."
WRAPPED = {"args": [], "sanitize_inputs_outputs": True, "kwargs": {"topic": "leave"}}
LLAMA_INDEX = {
    "blocks": [{"text": RESULT}], "tool_name": "find_policy", "raw_input": {"args": [], "kwargs": {"topic": "leave"}},
    "raw_output": RESULT, "is_error": False,
}  # fmt: skip


def span(name: str, events: tuple[SpanEvent, ...] = (), **attributes: Any) -> Span:
    told = {key.replace("__", "."): value for key, value in attributes.items()}
    return Span(trace="0" * 32, id="0" * 16, name=name, attributes=told, events=events)


STRANDS = (
    SpanEvent(name="gen_ai.tool.message", time=1, attributes={"role": "tool", "content": '{"topic": "leave"}'}),
    SpanEvent(name="gen_ai.choice", time=2, attributes={"message": json.dumps([{"text": RESULT}])}),
)
DIALECTS = {
    "strands": span("execute_tool find_policy", STRANDS, gen_ai__tool__name="find_policy"),
    "smolagents": span("FindPolicy", tool__name="find_policy", input__value=json.dumps(WRAPPED), output__value=RESULT),
    "llama-index": span(
        "FunctionTool.acall",
        tool__name="find_policy",
        input__value='{"kwargs": {"topic": "leave"}}',
        output__value=json.dumps(LLAMA_INDEX),
    ),
    "dspy": span("find_policy.__call__", input__value='{"kwargs": {"topic": "leave"}}', output__value=RESULT),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_tool_call_is_the_same_in_every_dialect(dialect: str) -> None:
    call = call_of(DIALECTS[dialect])
    assert (call.name, call.arguments, call.result) == ("find_policy", {"topic": "leave"}, RESULT)


def test_a_tool_whose_own_argument_is_called_kwargs_keeps_it() -> None:
    call = call_of(span("t", tool__name="t", input__value='{"kwargs": {"a": 1}, "topic": "leave"}', output__value="x"))
    assert call.arguments == {"kwargs": {"a": 1}, "topic": "leave"}
