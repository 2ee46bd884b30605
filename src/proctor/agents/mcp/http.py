"""An MCP server at an address: JSON-RPC over streamable HTTP."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from dataclasses import dataclass
from typing import Any

from proctor import codec
from proctor.agents import rpc
from proctor.agents.mcp import protocol
from proctor.agents.mcp.protocol import Busy, McpResult
from proctor.agents.rpc import Message
from proctor.errors import AgentFault, CallError, EnvironmentFault
from proctor.net.client import Client, Incoming
from proctor.net.exchange import ExchangeLimits, Response
from proctor.net.trouble import fault_of_status

_SESSION = "Mcp-Session-Id"
_FAREWELL = 2.0
"""Seconds for ending a session."""
_GONE = 404
"""The session is not known any more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class McpSession:
    """What was agreed on with the server."""

    version: str
    id: str | None
    """None: the server keeps none."""

    @property
    def modern(self) -> bool:
        """Whether each request carries what a handshake would have told."""
        return self.version == protocol.MODERN_VERSION


class Http:
    """A session for each conversation, where the server keeps sessions at all."""

    def __init__(self, url: str, *, headers: Mapping[str, str], max_bytes: int, ca: str | None, proxy: bool) -> None:
        self._url = url
        self._headers = headers
        # how long a reply may take is for the run to say; a bound of our own would only be a second opinion
        self._client = Client(bounds=ExchangeLimits(bytes=max_bytes, seconds=None, idle=None), ca=ca, proxy=proxy)
        self._numbers = itertools.count(1)
        self._sessions: dict[str, McpSession] = {}
        self._shared: McpSession | None = None
        self._stateful = False
        self._first = asyncio.Lock()

    async def ready(self, conversation: str) -> None:
        """Agree on a session."""
        await self._session(conversation)

    async def request(self, method: str, params: Mapping[str, Any], *, conversation: str) -> McpResult:
        """Ask the server for something. One that has forgotten the session did nothing, and is asked in a new one."""
        session = await self._session(conversation)
        status, answer = await self._call(protocol.request(method, params, modern=session.modern), session)
        if status == _GONE and session.id is not None:
            self._sessions.pop(conversation, None)
            session = await self._session(conversation)
            status, answer = await self._call(protocol.request(method, params, modern=session.modern), session)
        return McpResult(result=protocol.result_of(answer, method))

    async def forget(self, conversation: str) -> None:
        """End the session."""
        session = self._sessions.pop(conversation, None)
        if session is not None:
            await self._end(session)

    async def close(self) -> None:
        """End all sessions and close the connections."""
        await asyncio.gather(*(self.forget(conversation) for conversation in list(self._sessions)))
        self._shared = None
        await self._client.close()

    async def _session(self, conversation: str) -> McpSession:
        """The conversation's session. The first one shows whether the server keeps any: the others wait for it."""
        if (known := self._sessions.get(conversation) or self._shared) is not None:
            return known
        if not self._stateful:
            async with self._first:
                if self._shared is not None:
                    return self._shared
                if not self._stateful:
                    return self._keep(conversation, await self._open_session())
        return self._keep(conversation, await self._open_session())

    def _keep(self, conversation: str, session: McpSession) -> McpSession:
        if session.id is None:
            self._shared = session
        else:
            self._stateful = True
            self._sessions[conversation] = session
        return session

    async def _open_session(self) -> McpSession:
        """A new session, by handshake; where the server is past that, none."""
        message = {"id": next(self._numbers), **protocol.handshake()}
        async with self._open(message, None) as incoming:
            session_id = incoming.headers.get(_SESSION)
            _, answer = await self._answer(incoming, message, None)
        if protocol.is_modern(answer):
            modern = McpSession(version=protocol.MODERN_VERSION, id=None)
            _, answer = await self._call(protocol.request("server/discover", {}, modern=True), modern)
            protocol.result_of(answer, "server/discover")
            return modern
        version = protocol.result_of(answer, "initialize").get("protocolVersion")
        session = McpSession(version=str(version or protocol.HANDSHAKE_VERSION), id=session_id)
        await self._notify(protocol.INITIALIZED, session)
        return session

    async def _call(self, request: Message, session: McpSession) -> tuple[int, Message]:
        message = {"id": next(self._numbers), **request}
        async with self._open(message, session) as incoming:
            return await self._answer(incoming, message, session)

    def _open(self, message: Message, session: McpSession | None) -> AbstractAsyncContextManager[Incoming]:
        headers = {"Content-Type": "application/json", "Accept": rpc.ACCEPT, **_routing(message, session)}
        body = codec.encode(message).encode("utf-8", "replace")
        return self._client.open("POST", self._url, body=body, headers={**headers, **self._headers})

    async def _answer(self, incoming: Incoming, asked: Message, session: McpSession | None) -> tuple[int, Message]:
        """The message that answers; what else the server has to say is answered or passed over."""
        if not 200 <= incoming.status < 300:
            return incoming.status, _refusal(await incoming.read())
        async with aclosing(rpc.messages(incoming)) as messages:
            async for message in messages:
                if "method" not in message and message.get("id") == asked["id"]:
                    return incoming.status, message
                if "method" in message and "id" in message and session is not None:
                    await self._notify(protocol.courtesy(message), session)
        raise AgentFault(f"the MCP server ended its response without an answer to {asked['method']}", kind="dropped")

    async def _notify(self, message: Message, session: McpSession) -> None:
        async with self._open(message, session) as incoming:
            if (fault := _fault_of(await incoming.read())) is not None:
                raise fault

    async def _end(self, session: McpSession) -> None:
        headers = {**_routing({}, session), **self._headers}
        with suppress(CallError, TimeoutError):  # the server may well keep it: what is over is over
            async with asyncio.timeout(_FAREWELL):
                await self._client.send("DELETE", self._url, headers=headers)


def _routing(message: Message, session: McpSession | None) -> dict[str, str]:
    """Headers that tell what the body holds."""
    if session is None:
        return {}
    headers = {"MCP-Protocol-Version": session.version}
    if session.id is not None:
        headers[_SESSION] = session.id
    if session.modern and "method" in message:
        headers["Mcp-Method"] = message["method"]
        name = message.get("params", {}).get("name")
        if isinstance(name, str):
            headers["Mcp-Name"] = name
    return headers


def _fault_of(response: Response) -> CallError | None:
    """What a status means to a run; None: it is fine."""
    fault = fault_of_status(response)
    if isinstance(fault, EnvironmentFault):
        wait, kind, host = fault.retry_after, fault.kind, fault.host
        return Busy(str(fault), status=response.status, retry_after=wait, kind=kind, host=host)
    return fault


def _refusal(response: Response) -> Message:
    """The error in the body of a status that is no success; raises the fault of the status where there is none."""
    fault = _fault_of(response)
    assert fault is not None
    if not isinstance(fault, AgentFault) and response.status != _GONE:
        raise fault
    try:
        message = rpc.read(response.body)
    except AgentFault:
        raise fault from None
    if rpc.code_of(message) is None:
        raise fault
    return message
