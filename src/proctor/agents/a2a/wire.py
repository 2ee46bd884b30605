"""The two ways in which A2A is written: 1.0 and what came before, as questions out and events in."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from proctor.agents.a2a.card import Endpoint
from proctor.errors import AgentFault
from proctor.transcript import Request

Kind = Literal["task", "message", "status", "artifact"]
_KINDS: Mapping[str, Kind] = {
    "task": "task",
    "message": "message",
    "statusUpdate": "status",
    "status-update": "status",
    "artifactUpdate": "artifact",
    "artifact-update": "artifact",
}
_TAKES = ["text/plain", "application/json"]
VERSION_HEADER = "A2A-Version"


@dataclass(frozen=True, kw_only=True, slots=True)
class Methods:
    """What the calls are named."""

    send: str
    stream: str
    get: str
    cancel: str


_MODERN = Methods(send="SendMessage", stream="SendStreamingMessage", get="GetTask", cancel="CancelTask")
_EARLIER = Methods(send="message/send", stream="message/stream", get="tasks/get", cancel="tasks/cancel")


@dataclass(frozen=True, kw_only=True, slots=True)
class RemoteThread:
    """What the agent calls a conversation."""

    context: str | None = None
    task: str | None = None
    """The task that waits for the next message; None: the next message begins one."""


def methods(endpoint: Endpoint) -> Methods:
    """The names that this endpoint knows."""
    return _MODERN if endpoint.modern else _EARLIER


def call(method: str, params: Mapping[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    """A JSON-RPC request."""
    tenant = {"tenant": endpoint.tenant} if endpoint.tenant is not None else {}
    return {"jsonrpc": "2.0", "id": uuid.uuid4().hex, "method": method, "params": {**params, **tenant}}


def message_params(request: Request, thread: RemoteThread, endpoint: Endpoint) -> dict[str, Any]:
    """A question as a message of the conversation."""
    said = [f"Summary of the conversation so far:\n{request.context}"] if request.context else []
    message: dict[str, Any] = {
        "messageId": uuid.uuid4().hex,
        "role": "ROLE_USER" if endpoint.modern else "user",
        "parts": [_part(text, endpoint) for text in (*said, request.question)],
    }
    if not endpoint.modern:
        message["kind"] = "message"
    if thread.context is not None:
        message["contextId"] = thread.context
    if thread.task is not None:
        message["taskId"] = thread.task
    if request.condition is not None:
        message["metadata"] = {"condition": request.condition}
    wait = {} if endpoint.modern else {"blocking": True}
    return {"message": message, "configuration": {"acceptedOutputModes": _TAKES, **wait}}


def _part(text: str, endpoint: Endpoint) -> dict[str, Any]:
    return {"text": text} if endpoint.modern else {"kind": "text", "text": text}


def event_of(result: Any) -> tuple[Kind, dict[str, Any]]:
    """What a result tells of: the one key of its wrapper in 1.0, its `kind` before."""
    if isinstance(result, dict):
        for name, kind in _KINDS.items():
            if isinstance(result.get(name), dict):
                return kind, result[name]
        if (named := _KINDS.get(str(result.get("kind")))) is not None:
            return named, result
        if "messageId" in result:
            return "message", result
        if "id" in result and "status" in result:
            return "task", result
    raise AgentFault("the reply holds neither a task nor a message of A2A", kind="wrong_type")


def state_of(status: Mapping[str, Any]) -> str:
    """`input-required`, from that or from `TASK_STATE_INPUT_REQUIRED`."""
    return str(status.get("state", "unknown")).removeprefix("TASK_STATE_").replace("_", "-").lower()
