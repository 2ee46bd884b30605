"""Wire format of A2A: requests and events, for 1.0 and earlier versions, over JSON-RPC or HTTP+JSON."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from proctor.agents import rpc
from proctor.agents.a2a.card import Endpoint
from proctor.errors import AgentFault, CallError, Misconfigured
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


Action = Literal["send", "stream", "get", "cancel"]
_MODERN: Mapping[Action, str] = {
    "send": "SendMessage",
    "stream": "SendStreamingMessage",
    "get": "GetTask",
    "cancel": "CancelTask",
}
_EARLIER: Mapping[Action, str] = {
    "send": "message/send",
    "stream": "message/stream",
    "get": "tasks/get",
    "cancel": "tasks/cancel",
}
_UNKNOWN = frozenset({rpc.METHOD_NOT_FOUND, -32009, "METHOD_NOT_FOUND", "VERSION_NOT_SUPPORTED"})
_EXTENSION_NEEDED = frozenset({-32008, "EXTENSION_SUPPORT_REQUIRED"})


@dataclass(frozen=True, kw_only=True, slots=True)
class A2ACall:
    """One A2A request as it is sent over HTTP."""

    verb: str
    url: str
    body: Mapping[str, Any] | None
    name: str
    """Method or path, for error messages."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RemoteThread:
    """The agent's own ids of a conversation."""

    context: str | None = None
    task: str | None = None
    """The task that waits for the next message; None if the next message starts a new one."""


def call(action: Action, params: Mapping[str, Any], endpoint: Endpoint) -> A2ACall:
    """Build a JSON-RPC or HTTP+JSON request."""
    all_params = {**params, "tenant": endpoint.tenant} if endpoint.tenant is not None else params
    if endpoint.resources:
        return _resource(action, all_params, endpoint)
    name = (_MODERN if endpoint.modern else _EARLIER)[action]
    body = {"jsonrpc": "2.0", "id": uuid.uuid4().hex, "method": name, "params": all_params}
    return A2ACall(verb="POST", url=endpoint.url, body=body, name=name)


def _resource(action: Action, params: Mapping[str, Any], endpoint: Endpoint) -> A2ACall:
    task = quote(str(params.get("id", "")), safe="")
    verb, path = {
        "send": ("POST", "/message:send"),
        "stream": ("POST", "/message:stream"),
        "get": ("GET", f"/tasks/{task}"),
        "cancel": ("POST", f"/tasks/{task}:cancel"),
    }[action]
    tenant = f"/{quote(endpoint.tenant, safe='')}" if endpoint.tenant is not None else ""
    url = endpoint.url.rstrip("/") + tenant + path
    return A2ACall(verb=verb, url=url, body=params if verb == "POST" else None, name=f"{verb} {path}")


def result_of(message: rpc.Message, call: A2ACall, endpoint: Endpoint) -> Any:
    """Return the result in a response message; raise the fault for an error in it."""
    if (code := rpc.code_of(message)) is not None:
        raise fault_of(message, _reason(message, code) if endpoint.resources else code, call)
    return message if endpoint.resources else message.get("result")


def refusal_in(body: bytes, call: A2ACall) -> CallError | None:
    """Return the A2A error in the body of an unsuccessful HTTP response, or None if there is none."""
    try:
        message = rpc.read(body)
    except AgentFault:
        return None
    reason = _reason(message, None)
    return None if reason is None else fault_of(message, reason, call)


def fault_of(message: rpc.Message, code: int | str, call: A2ACall) -> CallError:
    """Return the exception for an error: Misconfigured if the setup is at fault, else AgentFault."""
    error_text = rpc.describe_error(message, code)
    if code in _UNKNOWN:
        return Misconfigured(f"the agent does not know {call.name}, which its card promises: {error_text}")
    if code in _EXTENSION_NEEDED:
        return Misconfigured(f"the agent wants an extension of A2A named in the header A2A-Extensions: {error_text}")
    return AgentFault(f"the agent answered with {error_text}")


def _reason(message: rpc.Message, otherwise: Any) -> Any:
    """Return the reason of an HTTP+JSON error, such as TASK_NOT_FOUND, or `otherwise` if it has none."""
    error = message.get("error")
    details = error.get("details") if isinstance(error, dict) else None
    named = [each.get("reason") for each in details if isinstance(each, dict)] if isinstance(details, list) else []
    return next((reason for reason in named if isinstance(reason, str)), otherwise)


def message_params(request: Request, thread: RemoteThread, endpoint: Endpoint) -> dict[str, Any]:
    """Build the parameters that send a question as a message of the conversation."""
    context_texts = [f"Summary of the conversation so far:\n{request.context}"] if request.context else []
    message: dict[str, Any] = {
        "messageId": uuid.uuid4().hex,
        "role": "ROLE_USER" if endpoint.modern else "user",
        "parts": [_text_part(text, endpoint) for text in (*context_texts, request.question)],
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


def _text_part(text: str, endpoint: Endpoint) -> dict[str, Any]:
    return {"text": text} if endpoint.modern else {"kind": "text", "text": text}


def event_of(result: Any) -> tuple[Kind, dict[str, Any]]:
    """Return the kind and body of an event: by the only key of its wrapper in 1.0, by its `kind` before."""
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
    """Return a normalized state: both `input-required` and `TASK_STATE_INPUT_REQUIRED` become `input-required`."""
    return str(status.get("state", "unknown")).removeprefix("TASK_STATE_").replace("_", "-").lower()
