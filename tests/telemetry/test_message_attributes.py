"""What was asked and answered is found in the words of every instrumentation that is known here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proctor.telemetry.json_spans import spans_of_trace
from proctor.telemetry.messages import AskedText, asked_in
from proctor.telemetry.span import Span, SpanEvent
from proctor.telemetry.transcripts import recording_of

_CHAT = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Where is it?"}]
_PARTS = [{"role": "user", "parts": [{"type": "text", "content": "Where is it?"}]}]
_REPLY = {"role": "assistant", "content": "In Paris."}
_OPENLLMETRY = {
    "llm.request.type": "chat", "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be kind.",
    "gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "Where is it?", "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "In Paris.", "gen_ai.usage.prompt_tokens": 5,
}  # fmt: skip
_WRITTEN: dict[str, dict[str, Any]] = {
    "OpenLLMetry, a model": _OPENLLMETRY,
    "OpenLLMetry, a workflow": {
        "traceloop.span.kind": "workflow",
        "traceloop.entity.input": json.dumps({"inputs": {"question": "Where is it?"}, "args": [], "kwargs": {}}),
        "traceloop.entity.output": json.dumps({"outputs": "In Paris."}),
    },
    "Vercel AI SDK": {
        "ai.operationId": "ai.generateText",
        "ai.prompt": json.dumps({"system": "Be kind.", "messages": _CHAT}),
        "ai.response.text": "In Paris.",
    },
    "Vercel AI SDK, a prompt alone": {
        "ai.operationId": "ai.generateText",
        "ai.prompt": json.dumps({"prompt": "Where is it?"}),
        "ai.response.text": "In Paris.",
    },
    "MLflow": {
        "mlflow.spanType": '"AGENT"',
        "mlflow.spanInputs": json.dumps({"question": "Where is it?"}),
        "mlflow.spanOutputs": '"In Paris."',
    },
    "Pydantic AI": {"all_messages_events": json.dumps([*_CHAT, _REPLY]), "final_result": "In Paris."},
    "Langfuse, of a trace": {"langfuse.trace.input": "Where is it?", "langfuse.trace.output": "In Paris."},
    "OpenInference": {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Where is it?",
        "llm.output_messages.0.message.content": "In Paris.",
    },
}
_TOLD_IN_EVENTS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "messages, one each": [
        ("gen_ai.system.message", {"content": "Be kind."}),
        ("gen_ai.user.message", {"content": "Where is it?"}),
        ("gen_ai.choice", {"message": json.dumps(_REPLY), "finish_reason": "stop"}),
    ],
    "contents": [
        ("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps(_CHAT)}),
        ("gen_ai.content.completion", {"gen_ai.completion": json.dumps([_REPLY])}),
    ],
    "details": [
        (
            "gen_ai.client.inference.operation.details",
            {"gen_ai.input.messages": json.dumps(_PARTS), "gen_ai.output.messages": json.dumps([_REPLY])},
        )
    ],
}


def _said(span: Span) -> tuple[str, str | None]:
    (turn,) = recording_of([span]).transcript.turns
    return turn.question, None if turn.reply is None else turn.reply.text


@pytest.mark.parametrize("dialect", _WRITTEN)
def test_question_and_answer_are_found_in_attributes(dialect: str) -> None:
    assert _said(Span(trace="t", id="s", name="work", attributes=_WRITTEN[dialect])) == ("Where is it?", "In Paris.")


@pytest.mark.parametrize("events", _TOLD_IN_EVENTS)
def test_question_and_answer_are_found_in_events(events: str) -> None:
    told = tuple(SpanEvent(name=name, time=1, attributes=given) for name, given in _TOLD_IN_EVENTS[events])

    assert _said(Span(trace="t", id="s", name="chat gpt", events=told)) == ("Where is it?", "In Paris.")


def test_a_tool_of_the_vercel_ai_sdk_is_a_tool_call_and_its_tokens_are_usage() -> None:
    top = Span(trace="t", id="a", name="ai.generateText", attributes=_WRITTEN["Vercel AI SDK"])
    model = {"ai.operationId": "ai.generateText.doGenerate", "ai.usage.promptTokens": 7, "ai.usage.completionTokens": 2}
    call = {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "find", "ai.toolCall.args": '{"id": 7}',
            "ai.toolCall.result": '"Paris"'}  # fmt: skip

    (turn,) = recording_of(
        [top, Span(trace="t", id="b", parent="a", name="m", start=1, attributes=model),
         Span(trace="t", id="c", parent="a", name="ai.toolCall", start=2, attributes=call)]
    ).transcript.turns  # fmt: skip

    assert turn.reply is not None
    assert [(each.name, each.arguments) for each in turn.reply.tool_calls] == [("find", {"id": 7})]
    assert turn.reply.usage is not None
    assert (turn.reply.usage.input_tokens, turn.reply.usage.output_tokens) == (7, 2)


_BEFORE = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
_NOW = {"role": "user", "content": "And now?"}


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({"args": ["And now?"], "kwargs": {}}, AskedText(text="And now?")),
        ({"args": [], "kwargs": {"question": "And now?", "user": "bob"}}, AskedText(text="And now?")),
        ({"args": [], "kwargs": {"said": "And now?"}}, AskedText(text="And now?")),
        ({"args": ["bob", "And now?"], "kwargs": {}}, None),
        ({"a": "x", "b": "y"}, None),
        ({"messages": [*_BEFORE, _NOW]}, AskedText(text="And now?", before="user: Hi\nagent: Hello")),
        ({"messages": [[*_BEFORE, _NOW]]}, AskedText(text="And now?", before="user: Hi\nagent: Hello")),
        ({"input": "And now?", "chat_history": _BEFORE}, AskedText(text="And now?", before="user: Hi\nagent: Hello")),
        ({"prompt": "And now?", "messages": [_NOW]}, AskedText(text="And now?")),
        ([{"role": "system", "content": "Be kind."}, _NOW], AskedText(text="And now?")),
    ],
)
def test_a_question_is_taken_out_of_what_is_around_it_with_what_was_said_before(
    given: Any, asked: AskedText | None
) -> None:
    assert asked_in(given) == asked


def test_a_trace_of_langfuse_without_a_reply_failed_where_an_observation_did() -> None:
    observation = {"id": "o", "traceId": "t", "type": "SPAN", "level": "ERROR", "statusMessage": "no database"}
    trace = {"id": "t", "timestamp": "2026-11-16T10:00:00Z", "input": "Where?", "observations": [observation]}

    assert recording_of(spans_of_trace(trace)).failures == {1: "no database"}
    assert recording_of(spans_of_trace({**trace, "output": "In Paris."})).failures == {}
