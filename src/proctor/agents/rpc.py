"""JSON-RPC over HTTP: read the messages of a response, be it a single one or an event stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from proctor.codec import read_json
from proctor.errors import AgentFault
from proctor.net.client import Incoming
from proctor.net.events import events
from proctor.redaction import without_secrets

ACCEPT = "application/json, text/event-stream"
METHOD_NOT_FOUND = -32601
_SHOWN = 300

Message = dict[str, Any]


@dataclass(slots=True)
class StreamPosition:
    """Position in an event stream, for resuming it."""

    id: str = ""
    """Id of the last event; empty if the server sent none."""
    retry: float | None = None
    """Seconds to wait before resuming, as requested by the server; None if it did not say."""


async def messages(incoming: Incoming, position: StreamPosition | None = None) -> AsyncGenerator[Message, None]:
    """Yield every message of a response; raise AgentFault if it is not JSON-RPC. `position` is updated."""
    kind = incoming.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        async with aclosing(events(incoming.chunks())) as stream:
            async for event in stream:
                if position is not None:
                    position.id, position.retry = event.id, event.retry
                if event.data.strip():
                    yield read(event.data)
    elif kind.endswith("json"):
        yield read((await incoming.read()).body)
    else:
        raise AgentFault(f"the reply is {kind!r}; expected application/json or text/event-stream", kind="wrong_type")


def read(data: str | bytes) -> Message:
    """Parse a message; raise AgentFault if it is not a JSON object."""
    try:
        message = read_json(data)
    except (ValueError, RecursionError) as error:  # also covers UnicodeDecodeError
        raise AgentFault(
            f"the reply is not valid JSON: {error}" if data else "the reply is empty", kind="wrong_type"
        ) from error
    if not isinstance(message, dict):
        raise AgentFault(
            f"the reply is a JSON {type(message).__name__}; expected a JSON-RPC message", kind="wrong_type"
        )
    return message


def code_of(message: Message) -> int | None:
    """Return the code of an error (0 if it has none), or None if the message is no error."""
    error = message.get("error")
    if error is None:
        return None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) else 0


def describe_error(message: Message, code: int | str | None = None) -> str:
    """Format an error for a message, with `code` in place of its own code if given."""
    error = message.get("error")
    message_text = error.get("message") if isinstance(error, dict) else error
    return f"error {code_of(message) if code is None else code}: {shorten(str(message_text))}"


def shorten(text: str) -> str:
    """Return the text on one line, with secrets redacted, shortened for a message."""
    line = " ".join(without_secrets(text).split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
