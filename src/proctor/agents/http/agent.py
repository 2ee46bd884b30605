"""One endpoint as an agent: ask, read, remember the session."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from yarl import URL

from proctor.agents.http import response as reading
from proctor.agents.http.options import HttpOptions
from proctor.agents.http.poll import job_address, wait_for
from proctor.agents.http.request import EVENTS, HttpMessage, RequestWriter
from proctor.agents.http.stream import gather
from proctor.agents.http.template import Template
from proctor.errors import AgentFault, CallError
from proctor.failures import host_in, parse_retry_after
from proctor.net.addresses import credentials_in, scrub_secrets, without_content
from proctor.net.client import Client
from proctor.net.exchange import ExchangeLimits, Response
from proctor.net.limits import Throttle
from proctor.net.trouble import fault_of_status
from proctor.transcript import Reply, Request

_HANDS_OVER = frozenset({"context", "history", "messages"})
_TELLS_ALL = frozenset({"history", "messages"})
"""What a body uses that hands over the whole conversation; without it, the server has to remember."""
_NOTABLE = 0.001
"""Seconds of waiting for our own limits from which on they are told apart from the agent's time."""


class HttpAgent:
    """An endpoint that is asked over HTTP."""

    def __init__(self, target: Template, options: HttpOptions) -> None:
        self.name = target.source.partition("?")[0]
        self._options = options
        self._writer = RequestWriter(target, options)
        self.takes_request = not self._writer.uses.isdisjoint(_HANDS_OVER)
        self.keeps_memory = self._writer.uses.isdisjoint(_TELLS_ALL)
        self._sessions: dict[str, Any] = {}
        # how long a reply may take is for the run to say; a bound of our own would only be a second opinion
        bounds = ExchangeLimits(bytes=options.max_bytes, seconds=None, idle=None)
        self._client = Client(bounds=bounds, ca=options.ca, proxy=options.proxy)
        self._throttle = Throttle(
            requests_per_minute=options.requests_per_minute,
            tokens_per_minute=options.tokens_per_minute,
            concurrency=options.concurrency,
        )

    async def reply(self, request: Request) -> Reply:
        """Ask. Time spent waiting for our own limits is not the agent's."""
        came = time.perf_counter()
        async with self._throttle.slot() as began:
            started = time.perf_counter()
            message = self._writer.message(request, self._sessions.get(request.conversation))
            try:
                if self._options.stream:
                    reply = await self._stream_reply(message, request, began)
                else:
                    reply = await self._whole(message, request, began)
            except CallError as error:
                error.args = (scrub_secrets(str(error), message.secrets),)
                error.host = error.host or host_in(message.url)
                raise
        if reply.usage is not None:
            self._throttle.charge(reply.usage.input_tokens + reply.usage.output_tokens)
        if started - came < _NOTABLE:
            return reply
        return replace(reply, seconds=time.perf_counter() - started)

    async def forget(self, conversation: str) -> None:
        """Drop the session."""
        self._sessions.pop(conversation, None)

    async def close(self) -> None:
        """Close the connections."""
        self._sessions.clear()
        await self._client.close()

    async def _whole(self, message: HttpMessage, request: Request, began: float) -> Reply:
        """A reply in one piece, or that of a job."""
        body = await self._ask(self._options.method, message.url, message, began)
        poll = self._options.poll
        if poll is not None and not poll.done.find(body):
            session = self._sessions.get(request.conversation)
            credentials = bool(credentials_in(message.headers))
            url = job_address(poll, body, request, session=session, origin=URL(message.url), credentials=credentials)
            body = await wait_for(poll, body, ask=lambda: self._ask("GET", url, message, began))
        if (where := self._options.expressions.get("session")) is not None:
            self._remember(request, where.find(body))
        return reading.reply_of(body, self._options.expressions)

    async def _ask(self, method: str, url: str, message: HttpMessage, began: float) -> Any:
        """One exchange, as far as the JSON in it."""
        if method == "GET":
            response = await self._client.send(method, url, headers=without_content(message.headers))
        else:
            response = await self._client.send(method, url, body=message.body, headers=message.headers)
        self._raise_for_status(response, began)
        return reading.body_of(response, plain=not self._options.expressions)

    def _raise_for_status(self, response: Response, began: float) -> None:
        """Tell the limits of the status; raises the fault that it means."""
        wait = parse_retry_after(response.headers.get("Retry-After"))
        self._throttle.report(response.status, retry_after=wait, began=began)
        if (fault := fault_of_status(response)) is not None:
            raise fault

    async def _stream_reply(self, message: HttpMessage, request: Request, began: float) -> Reply:
        """A reply in events."""
        started, method = time.perf_counter(), self._options.method
        async with self._client.open(method, message.url, body=message.body, headers=message.headers) as incoming:
            if not 200 <= incoming.status < 300:
                self._raise_for_status(await incoming.read(), began)
            self._throttle.report(incoming.status, began=began)
            kind = incoming.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            if kind != EVENTS:
                raise AgentFault(f"the reply is {kind!r}; expected {EVENTS}, because stream = 'sse'", kind="wrong_type")
            gathered = await gather(incoming.chunks(), self._options.expressions, started)
        self._remember(request, gathered.session)
        return gathered.reply()

    def _remember(self, request: Request, session: Any) -> None:
        if session is not None:
            self._sessions[request.conversation] = session
