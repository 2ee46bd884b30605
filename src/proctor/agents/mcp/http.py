"""MCP server at a URL: JSON-RPC over streamable HTTP."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from proctor import codec
from proctor.agents import rpc
from proctor.agents.mcp import protocol
from proctor.agents.mcp.protocol import Busy, McpResult
from proctor.agents.rpc import Message
from proctor.errors import AgentFault, CallError, EnvironmentFault, Misconfigured
from proctor.net.client import Client, Incoming
from proctor.net.errors import fault_of_status
from proctor.net.exchange import ExchangeLimits, Response

_SESSION = "Mcp-Session-Id"
_FAREWELL = 2.0
"""Timeout in seconds for ending a session."""
_GONE = 404
"""Status of a request whose session no longer exists."""
_PAUSE = 1.0
"""Default wait in seconds before a broken stream is resumed."""
_SHORTEST_PAUSE = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class McpSession:
    """Protocol version and session id agreed with the server."""

    version: str
    id: str | None
    """None if the server is stateless."""

    @property
    def modern(self) -> bool:
        """Whether requests carry their own metadata instead of relying on a handshake."""
        return self.version == protocol.MODERN_VERSION


class Http:
    """Connection over HTTP, with one session per conversation if the server has sessions."""

    def __init__(self, url: str, *, headers: Mapping[str, str], max_bytes: int, ca: str | None, proxy: bool) -> None:
        self._url = url
        self._headers = headers
        # the run sets the time limit of a reply; a second one here would only interfere
        self._client = Client(bounds=ExchangeLimits(bytes=max_bytes, seconds=None, idle=None), ca=ca, proxy=proxy)
        self._numbers = itertools.count(1)
        self._sessions: dict[str, McpSession] = {}
        self._shared: McpSession | None = None
        self._stateful = False
        self._first = asyncio.Lock()
        self._farewells: set[asyncio.Task[None]] = set()

    async def ready(self, conversation: str) -> None:
        """Open the session of the conversation."""
        await self._session(conversation)

    async def request(
        self, method: str, params: Mapping[str, Any], *, conversation: str, schema: Mapping[str, Any] | None = None
    ) -> McpResult:
        """Send a request; if the server has lost the session, send it again in a new one."""
        session = await self._session(conversation)
        headers = dict(protocol.argument_headers(schema or {}, params.get("arguments", {}))) if session.modern else {}
        try:
            status, answer = await self._call(protocol.request(method, params, modern=session.modern), session, headers)
        except Misconfigured as fault:
            if fault.status != _GONE or session.id is None:
                raise
            status = _GONE
        if status == _GONE and session.id is not None:
            self._sessions.pop(conversation, None)
            session = await self._session(conversation)
            status, answer = await self._call(protocol.request(method, params, modern=session.modern), session, headers)
        return McpResult(result=protocol.result_of(answer, method))

    async def forget(self, conversation: str) -> None:
        """End the session."""
        session = self._sessions.pop(conversation, None)
        if session is not None:
            await self._end(session)

    async def close(self) -> None:
        """End all sessions and close the connections."""
        await asyncio.gather(*self._farewells)
        await asyncio.gather(*(self.forget(conversation) for conversation in list(self._sessions)))
        self._shared = None
        await self._client.close()

    async def _session(self, conversation: str) -> McpSession:
        """Return the conversation's session. The first one shows whether the server has any; others wait for it."""
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
        """Open a session by handshake; if the server no longer does handshakes, return one without an id."""
        message = {"id": next(self._numbers), **protocol.handshake()}
        async with self._open(message, None) as incoming:
            session_id = incoming.headers.get(_SESSION)
            _, answer = await self._answer(incoming, message, None, rpc.StreamPosition())
        if protocol.is_refused(answer):
            modern = McpSession(version=protocol.MODERN_VERSION, id=None)
            _, discovered = await self._call(protocol.request("server/discover", {}, modern=True), modern, {})
            protocol.must_be_modern(discovered, answer)
            return modern
        version = protocol.result_of(answer, "initialize").get("protocolVersion")
        session = McpSession(version=str(version or protocol.HANDSHAKE_VERSION), id=session_id)
        await self._notify(protocol.INITIALIZED, session)
        return session

    async def _call(self, request: Message, session: McpSession, headers: Mapping[str, str]) -> tuple[int, Message]:
        """Return status and response; when cancelled, notify a server that relies on handshakes."""
        message = {"id": next(self._numbers), **request}
        try:
            return await self._ask(message, session, headers)
        except asyncio.CancelledError:
            if not session.modern:  # newer servers notice the closed connection
                self._give_up(message["id"], session)
            raise

    async def _ask(self, message: Message, session: McpSession, headers: Mapping[str, str]) -> tuple[int, Message]:
        """Return the response, resuming the stream each time it breaks. Only the call's timeout ends this earlier."""
        position = rpc.StreamPosition()
        try:
            async with self._open(message, session, headers) as incoming:
                return await self._answer(incoming, message, session, position)
        except CallError as fault:
            dropped = fault
        while dropped.kind == "dropped" and position.id:
            await asyncio.sleep(max(_PAUSE if position.retry is None else position.retry, _SHORTEST_PAUSE))
            try:
                async with self._rest(session, position, dropped) as incoming:
                    return await self._answer(incoming, message, session, position)
            except CallError as fault:
                if fault is dropped:
                    break
                dropped = fault
        raise dropped

    def _open(
        self, message: Message, session: McpSession | None, more: Mapping[str, str] | None = None
    ) -> AbstractAsyncContextManager[Incoming]:
        headers = {
            "Content-Type": "application/json",
            "Accept": rpc.ACCEPT,
            **_routing(message, session),
            **(more or {}),
        }
        body = codec.encode(message).encode("utf-8", "replace")
        return self._client.open("POST", self._url, body=body, headers={**headers, **self._headers})

    @asynccontextmanager
    async def _rest(
        self, session: McpSession, position: rpc.StreamPosition, dropped: CallError
    ) -> AsyncIterator[Incoming]:
        """Resume a broken stream; raise `dropped` if that is not possible."""
        headers = {"Accept": "text/event-stream", "Last-Event-ID": position.id, **_routing({}, session)}
        async with AsyncExitStack() as held:
            try:
                opened = self._client.open("GET", self._url, headers={**headers, **self._headers})
                incoming = await held.enter_async_context(opened)
            except CallError:
                raise dropped from None
            if not 200 <= incoming.status < 300:
                raise dropped
            yield incoming

    async def _answer(
        self, incoming: Incoming, asked: Message, session: McpSession | None, position: rpc.StreamPosition
    ) -> tuple[int, Message]:
        """Return the response to a request; server requests in between are answered, other messages ignored."""
        if not 200 <= incoming.status < 300:
            return incoming.status, _refusal(await incoming.read())
        async with aclosing(rpc.messages(incoming, position)) as messages:
            async for message in messages:
                if "method" not in message and message.get("id") == asked["id"]:
                    return incoming.status, message
                if "method" in message and "id" in message and session is not None:
                    await self._notify(protocol.answer_server_request(message), session)
        raise AgentFault(f"the MCP server ended its response without an answer to {asked['method']}", kind="dropped")

    def _give_up(self, number: int, session: McpSession) -> None:
        """Cancel a request in the background, without waiting for a response."""
        farewell = asyncio.create_task(self._notify_given_up(number, session))
        self._farewells.add(farewell)
        farewell.add_done_callback(self._farewells.discard)

    async def _notify_given_up(self, number: int, session: McpSession) -> None:
        with suppress(CallError, TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                await self._notify(protocol.give_up(number), session)

    async def _notify(self, message: Message, session: McpSession) -> None:
        async with self._open(message, session) as incoming:
            if (fault := _fault_of(await incoming.read())) is not None:
                raise fault

    async def _end(self, session: McpSession) -> None:
        headers = {**_routing({}, session), **self._headers}
        with suppress(CallError, TimeoutError):  # the session is over for us, even if the server keeps it
            async with asyncio.timeout(_FAREWELL):
                await self._client.send("DELETE", self._url, headers=headers)


def _routing(message: Message, session: McpSession | None) -> dict[str, str]:
    """Return the headers that repeat parts of the body for routing."""
    if session is None:
        return {}
    headers = {"MCP-Protocol-Version": session.version}
    if session.id is not None:
        headers[_SESSION] = session.id
    if session.modern and "method" in message:
        headers["Mcp-Method"] = message["method"]
        name = message.get("params", {}).get("name")
        if isinstance(name, str):
            headers["Mcp-Name"] = protocol.header_value(name)
    return headers


def _fault_of(response: Response) -> CallError | None:
    """Return the fault for a status, or None if it is a success."""
    fault = fault_of_status(response)
    if isinstance(fault, EnvironmentFault):
        wait, kind, host = fault.retry_after, fault.kind, fault.host
        return Busy(str(fault), status=response.status, retry_after=wait, kind=kind, host=host)
    if fault is not None:
        fault.status = response.status
    return fault


def _refusal(response: Response) -> Message:
    """Return the JSON-RPC error in an unsuccessful HTTP response; raise the fault for its status if there is none."""
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
