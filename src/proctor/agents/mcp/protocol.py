"""MCP in both of its ages: with a handshake (to 2025-11-25), and with an envelope on each request (from 2026-07-28)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from proctor.agents import rpc
from proctor.agents.rpc import Message
from proctor.errors import AgentFault, EnvironmentFault, FailureKind, Misconfigured

HANDSHAKE_VERSION = "2025-11-25"
MODERN_VERSION = "2026-07-28"
_US = {"name": "proctor", "version": "1"}
_META = "io.modelcontextprotocol/"
_MODERN_EVIDENCE = frozenset({rpc.METHOD_NOT_FOUND, -32022})
"""How a server that knows no handshake turns it down: no such method, no such version."""


@dataclass(frozen=True, kw_only=True, slots=True)
class McpResult:
    """What became of a request."""

    result: Mapping[str, Any]
    stderr: str = ""
    """What a program said on standard error meanwhile."""


class Busy(EnvironmentFault):
    """The server has turned a request away for now, with this HTTP status."""

    def __init__(
        self, message: str, *, status: int, retry_after: float | None, kind: FailureKind = "http", host: str = ""
    ) -> None:
        super().__init__(message, retry_after=retry_after, kind=kind, host=host)
        self.status = status


class Connection(Protocol):
    """A server within reach."""

    async def ready(self, conversation: str) -> None:
        """Be connected, so that this is not part of an answer."""

    async def request(self, method: str, params: Mapping[str, Any], *, conversation: str) -> McpResult:
        """Ask the server for something; raises the fault that its error means."""

    async def forget(self, conversation: str) -> None:
        """The conversation is over."""

    async def close(self) -> None:
        """Let go of the server."""


def handshake() -> Message:
    """The first word of the earlier age."""
    params = {"protocolVersion": HANDSHAKE_VERSION, "capabilities": {}, "clientInfo": _US}
    return {"jsonrpc": "2.0", "method": "initialize", "params": params}


INITIALIZED: Message = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def request(method: str, params: Mapping[str, Any], *, modern: bool) -> Message:
    """A request, still without an id."""
    meta = {
        "_meta": {
            f"{_META}protocolVersion": MODERN_VERSION,
            f"{_META}clientInfo": _US,
            f"{_META}clientCapabilities": {},
        }
    }
    return {"jsonrpc": "2.0", "method": method, "params": {**params, **(meta if modern else {})}}


def is_modern(answer: Message) -> bool:
    """Whether the answer to a handshake says that the server is past it."""
    return rpc.code_of(answer) in _MODERN_EVIDENCE


def result_of(answer: Message, method: str) -> Mapping[str, Any]:
    """The result; raises the fault that an error means."""
    code = rpc.code_of(answer)
    if code == rpc.METHOD_NOT_FOUND:
        raise Misconfigured(f"the MCP server does not know {method}: {rpc.told(answer)}")
    if code is not None:
        raise AgentFault(f"the MCP server answered {method} with {rpc.told(answer)}")
    result = answer.get("result")
    if not isinstance(result, dict):
        raise AgentFault(f"the MCP server answered {method} with neither a result nor an error", kind="wrong_type")
    return result


def courtesy(message: Message) -> Message:
    """What to say to a server that asks us for something: that we are here, or that we have no such thing."""
    if message["method"] == "ping":
        return {"jsonrpc": "2.0", "id": message["id"], "result": {}}
    refusal = {"code": rpc.METHOD_NOT_FOUND, "message": "not supported by this client"}
    return {"jsonrpc": "2.0", "id": message["id"], "error": refusal}
