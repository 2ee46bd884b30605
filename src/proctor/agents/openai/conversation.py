"""A request as both ways of speaking need it: instructions, tool calls of earlier turns, results of tools."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from itertools import groupby

from proctor import codec
from proctor.transcript import Reply, ToolCall

_SUMMARY = "Summary of the conversation so far:\n"


def instructions(system: str | None, context: str | None) -> str | None:
    """System prompt and context in one text: many models take a single system message, and only as the first."""
    parts = [*([system] if system else []), *([_SUMMARY + context] if context else [])]
    return "\n\n".join(parts) or None


def rounds(reply: Reply, known: Container[str]) -> Iterator[list[ToolCall]]:
    """The calls of known tools in an earlier reply as they were asked for: those of one step together, with ids."""
    ours = (call for call in reply.tool_calls if call.name in known)
    named = (replace(call, id=call.id or f"call_{place}") for place, call in enumerate(ours, start=1))
    for _, calls in groupby(named, key=lambda call: call.step if call.step is not None else call.id):
        yield list(calls)


def outcome(call: ToolCall) -> str:
    """What a tool call came to, as the model is told."""
    if call.error is not None:
        return f"Error: {call.error}"
    return call.result if isinstance(call.result, str) else codec.encode(call.result)
