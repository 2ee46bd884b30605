"""Parts of a request that both APIs need: instructions, tool calls of earlier turns, tool results."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from itertools import groupby

from proctor import codec
from proctor.transcript import Reply, ToolCall

_SUMMARY = "Summary of the conversation so far:\n"


def instructions(system: str | None, context: str | None) -> str | None:
    """Join system prompt and context: many models take only one system message, at the start."""
    parts = [*([system] if system else []), *([_SUMMARY + context] if context else [])]
    return "\n\n".join(parts) or None


def rounds(reply: Reply, known: Container[str]) -> Iterator[list[ToolCall]]:
    """Yield the calls of known tools in an earlier reply, with ids, grouped by step."""
    ours = (call for call in reply.tool_calls if call.name in known)
    named = (replace(call, id=call.id or f"call_{place}") for place, call in enumerate(ours, start=1))
    for _, calls in groupby(named, key=lambda call: call.step if call.step is not None else call.id):
        yield list(calls)


def outcome(call: ToolCall) -> str:
    """Return the result or error of a tool call as text for the model."""
    if call.error is not None:
        return f"Error: {call.error}"
    return call.result if isinstance(call.result, str) else codec.encode(call.result)
