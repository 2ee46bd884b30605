"""What only the messages of a run tell: calls that never reached a tool, calls that the provider ran, citations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_ai.messages import (
    BaseToolCallPart,
    BaseToolReturnPart,
    ModelMessage,
    ModelResponse,
    NativeToolCallPart,
    TextPart,
)

from proctor.agents.framework import plain
from proctor.agents.notes import Notes
from proctor.telemetry.messages import arguments_in
from proctor.transcript import Citation


def note_untold_calls(messages: Sequence[ModelMessage], notes: Notes) -> None:
    """Note the calls that were not seen to run: of tools that do not exist, with arguments that do not fit, native."""
    answers = {part.tool_call_id: part for part in _parts(messages) if isinstance(part, BaseToolReturnPart)}
    for message in messages:
        for part in message.parts:
            if not isinstance(part, BaseToolCallPart) or notes.call(part.tool_call_id) is not None:
                continue
            answer = answers.get(part.tool_call_id)
            failed = answer is not None and answer.outcome != "success"
            if not failed and not isinstance(part, NativeToolCallPart):
                continue  # the way in which a model gives its answer a form, and no tool
            start = message.timestamp.timestamp() if message.timestamp is not None else None
            arguments = arguments_in(part.args_as_json_str())
            work = notes.told(part.tool_name, call=part.tool_call_id, arguments=arguments, start=start)
            if answer is not None and failed:
                work.error = answer.model_response_str(wrap_if_error=False)
            elif answer is not None:
                work.result = plain(answer.content)


def citations_in(messages: Sequence[ModelMessage]) -> tuple[Citation, ...]:
    """The sources that the last message's text points at."""
    last = _last_response(messages)
    texts = [part for part in last.parts if isinstance(part, TextPart)] if last is not None else []
    return tuple(cited for text in texts for citation in text.citations or () for cited in _sources(citation))


def finish_reason_in(messages: Sequence[ModelMessage]) -> str | None:
    """Why the model stopped that answered last; None: it does not say."""
    last = _last_response(messages)
    return None if last is None else last.finish_reason


def _last_response(messages: Sequence[ModelMessage]) -> ModelResponse | None:
    return next((message for message in reversed(messages) if isinstance(message, ModelResponse)), None)


def _sources(citation: Any) -> Iterator[Citation]:
    for source in citation.sources:
        named = getattr(source, "url", None) or source.title or getattr(source, "document_id", None)
        if named:
            yield Citation(source=named, quote=source.excerpts[0] if source.excerpts else None)


def _parts(messages: Sequence[ModelMessage]) -> Iterator[Any]:
    for message in messages:
        yield from message.parts
