"""Both generations of MCP: with a handshake (to 2025-11-25), and with metadata on each request (from 2026-07-28)."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from proctor.agents import rpc
from proctor.agents.rpc import Message
from proctor.errors import AgentFault, EnvironmentFault, FailureKind, Misconfigured

HANDSHAKE_VERSION = "2025-11-25"
MODERN_VERSION = "2026-07-28"
_US = {"name": "proctor", "version": "1"}
_META = "io.modelcontextprotocol/"
_VERSION_UNKNOWN = -32022
_PLAIN = re.compile(r"(?!\s|=\?base64\?)[\x20-\x7e]*(?<!\s)")
"""Values that an HTTP header carries unencoded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class McpResult:
    """Result of a request."""

    result: Mapping[str, Any]
    stderr: str = ""
    """Standard error of a local server during the request."""


class Busy(EnvironmentFault):
    """The server turned a request away temporarily, with this HTTP status."""

    def __init__(
        self, message: str, *, status: int, retry_after: float | None, kind: FailureKind = "http", host: str = ""
    ) -> None:
        super().__init__(message, retry_after=retry_after, kind=kind, host=host)
        self.status = status


class Connection(Protocol):
    """Connection to an MCP server."""

    async def ready(self, conversation: str) -> None:
        """Connect, so that this does not count as answer time."""

    async def request(
        self, method: str, params: Mapping[str, Any], *, conversation: str, schema: Mapping[str, Any] | None = None
    ) -> McpResult:
        """Send a request and return its result; raise the fault for an error. `schema` is that of the arguments."""

    async def forget(self, conversation: str) -> None:
        """Release what is kept for the conversation."""

    async def close(self) -> None:
        """Disconnect."""


def handshake() -> Message:
    """Return the `initialize` request of handshake versions."""
    params = {"protocolVersion": HANDSHAKE_VERSION, "capabilities": {}, "clientInfo": _US}
    return {"jsonrpc": "2.0", "method": "initialize", "params": params}


INITIALIZED: Message = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def request(method: str, params: Mapping[str, Any], *, modern: bool) -> Message:
    """Build a request without an id."""
    meta = {
        "_meta": {
            f"{_META}protocolVersion": MODERN_VERSION,
            f"{_META}clientInfo": _US,
            f"{_META}clientCapabilities": {},
        }
    }
    return {"jsonrpc": "2.0", "method": method, "params": {**params, **(meta if modern else {})}}


def is_refused(answer: Message) -> bool:
    """Whether a handshake was rejected; servers without handshakes use different error codes."""
    return rpc.code_of(answer) is not None


def must_be_modern(discovered: Message, refused: Message) -> None:
    """Check that the server works without a handshake; otherwise raise the error that rejected the handshake."""
    if rpc.code_of(discovered) is not None:
        result_of(refused, "initialize")
    versions = result_of(discovered, "server/discover").get("supportedVersions")
    if isinstance(versions, list) and versions and MODERN_VERSION not in versions:
        raise Misconfigured(f"the MCP server speaks {', '.join(map(str, versions))}; expected {MODERN_VERSION}")


def give_up(number: int) -> Message:
    """Build the notification that cancels a request."""
    params = {"requestId": number, "reason": "no one is waiting for it any more"}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


def header_value(value: str) -> str:
    """Encode a text as a header value: unchanged if possible, else in base64."""
    if _PLAIN.fullmatch(value):
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'replace')).decode()}?="


def argument_headers(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the headers that repeat arguments marked in the schema with `x-mcp-header`, for routing."""
    properties = schema.get("properties")
    for name, described in properties.items() if isinstance(properties, dict) else ():
        value = arguments.get(name)
        if not isinstance(described, dict) or value is None:
            continue
        if isinstance(value, dict):
            yield from argument_headers(described, value)
        elif isinstance(marked := described.get("x-mcp-header"), str) and isinstance(value, str | int | float):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            yield f"Mcp-Param-{marked}", header_value(text)


def result_of(answer: Message, method: str) -> Mapping[str, Any]:
    """Return the result of a response; raise the fault for an error."""
    code = rpc.code_of(answer)
    if code == rpc.METHOD_NOT_FOUND:
        raise Misconfigured(f"the MCP server does not know {method}: {rpc.describe_error(answer)}")
    if code == _VERSION_UNKNOWN:
        raise Misconfigured(f"the MCP server speaks no version to {MODERN_VERSION}: {rpc.describe_error(answer)}")
    if code is not None:
        raise AgentFault(f"the MCP server answered {method} with {rpc.describe_error(answer)}")
    result = answer.get("result")
    if not isinstance(result, dict):
        raise AgentFault(f"the MCP server answered {method} with neither a result nor an error", kind="wrong_type")
    return result


def answer_server_request(message: Message) -> Message:
    """Build the response to a server's request: a pong, or an error that the method is not supported."""
    if message["method"] == "ping":
        return {"jsonrpc": "2.0", "id": message["id"], "result": {}}
    refusal = {"code": rpc.METHOD_NOT_FOUND, "message": "not supported by this client"}
    return {"jsonrpc": "2.0", "id": message["id"], "error": refusal}
