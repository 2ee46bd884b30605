"""An HTTP endpoint as an agent: send the request, read the response, remember the session."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from yarl import URL

from proctor import codec
from proctor.agents.http import response as reading
from proctor.agents.http.options import HttpOptions, Poll
from proctor.agents.http.stream import gather
from proctor.agents.http.template import Template, quote_for_url
from proctor.agents.options import header_safe
from proctor.errors import AgentFault, CallError, Misconfigured
from proctor.failures import host_in, parse_retry_after
from proctor.net import addresses
from proctor.net.addresses import credentials_in, scrub_secrets, shown, without_content
from proctor.net.client import Client
from proctor.net.errors import fault_of_status
from proctor.net.exchange import ExchangeLimits, Response
from proctor.net.limits import Throttle
from proctor.transcript import Reply, Request

EVENTS = "text/event-stream"
_JSON_OR_TEXT = "application/json, text/plain;q=0.5"


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpMessage:
    """An HTTP request."""

    url: str
    headers: Mapping[str, str]
    body: bytes | None
    secrets: list[str]
    """Values that must not appear in error messages."""


class RequestWriter:
    """Builds requests from the templates of an agent."""

    def __init__(self, target: Template, options: HttpOptions) -> None:
        self._target = target
        self._options = options
        self._around = (target, *options.headers.values(), *options.query.values())
        uses = frozenset[str]().union(*(template.uses for template in self._around))
        self._fixed = None if uses else self._envelope({})
        self.uses = uses | (options.body.uses if options.body is not None else frozenset())

    def message(self, request: Request, session: Any) -> HttpMessage:
        """Return the request for one question."""
        envelope, template = self._fixed, self._options.body
        if envelope is None:
            values = [template.values(request, session) for template in self._around]
            envelope = self._envelope({name: value for each in values for name, value in each.items()})
        if template is None:
            return envelope
        body = template.fill(template.values(request, session))
        kind, sent = _encode_body(body)
        headers = {"Content-Type": kind, **envelope.headers}
        return HttpMessage(url=envelope.url, headers=headers, body=sent, secrets=envelope.secrets)

    def _envelope(self, values: Mapping[str, Any]) -> HttpMessage:
        """Return the request without its body and content type."""
        options = self._options
        headers = {name: value.text(values, quoting=header_safe) for name, value in options.headers.items()}
        query = {name: value.text(values) for name, value in options.query.items()}
        url = self._target.text(values, quoting=quote_for_url)
        return HttpMessage(
            url=str(URL(url).update_query(query)) if query else url,
            headers={"Accept": EVENTS if options.stream else _JSON_OR_TEXT, **headers},
            body=None,
            secrets=credentials_in(headers) + [value.source for value in options.query.values() if not value.uses],
        )


def _encode_body(body: Any) -> tuple[str, bytes]:
    """Return the content type and the encoded body."""
    if isinstance(body, str):
        return "text/plain; charset=utf-8", body.encode("utf-8", "replace")
    return "application/json", codec.encode(body).encode()


async def wait_for(poll: Poll, body: Any, *, ask: Callable[[], Awaitable[Any]]) -> Any:
    """Poll until the job is done and return its response. Only the timeout of the call ends it earlier."""
    while not poll.done.find(body):
        if poll.failed is not None and poll.failed.find(body):
            raise AgentFault(f"the job failed: {poll.failed.option} = {poll.failed.source!r} holds")
        await asyncio.sleep(poll.every)
        body = await ask()
    return body


def job_address(poll: Poll, body: Any, request: Request, *, session: Any, origin: URL, credentials: bool) -> str:
    """Return the URL for polling the job; it must be one to which the question itself may be sent."""
    if isinstance(poll.url, Template):
        values = poll.url.values(request, session)
        values["id"] = poll.id.must_find(body) if poll.id is not None else None
        written = poll.url.text(values, quoting=quote_for_url)
    else:
        written = str(poll.url.must_find(body))
    try:
        target = addresses.parse(str(origin.join(URL(written))))
    except ValueError as error:
        raise AgentFault(f"the job has no address that can be asked: {error}", kind="wrong_type") from None
    if not addresses.may_follow(origin, target, credentials=credentials):
        raise Misconfigured(
            f"the job of {shown(origin)} is to be asked after at {shown(target)}: "
            "requests meant for one are not sent to the other"
        )
    return str(target)


_HANDS_OVER = frozenset({"context", "history", "messages"})
_TELLS_ALL = frozenset({"history", "messages"})
"""Placeholders that send the whole conversation; without them, the server has to remember it."""
_NOTABLE = 0.001
"""Shortest wait for rate limits, in seconds, that is subtracted from the agent's time."""


class HttpAgent:
    """An agent behind an HTTP endpoint."""

    def __init__(self, target: Template, options: HttpOptions) -> None:
        self.name = target.source.partition("?")[0]
        self._options = options
        self._writer = RequestWriter(target, options)
        self.takes_request = not self._writer.uses.isdisjoint(_HANDS_OVER)
        self.keeps_memory = self._writer.uses.isdisjoint(_TELLS_ALL)
        self._sessions: dict[str, Any] = {}
        # the run sets the time limit of a reply; a second one here would only interfere
        bounds = ExchangeLimits(bytes=options.max_bytes, seconds=None, idle=None)
        self._client = Client(bounds=bounds, ca=options.ca, proxy=options.proxy)
        self._throttle = Throttle(
            requests_per_minute=options.requests_per_minute,
            tokens_per_minute=options.tokens_per_minute,
            concurrency=options.concurrency,
        )

    async def reply(self, request: Request) -> Reply:
        """Ask the endpoint. Waiting for our own rate limits does not count as agent time."""
        came = time.perf_counter()
        async with self._throttle.slot() as began:
            started = time.perf_counter()
            message = self._writer.message(request, self._sessions.get(request.conversation))
            try:
                if self._options.stream:
                    reply = await self._stream_reply(message, request, began)
                else:
                    reply = await self._fetch_reply(message, request, began)
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
        """Forget the session of the conversation."""
        self._sessions.pop(conversation, None)

    async def close(self) -> None:
        """Close the connections."""
        self._sessions.clear()
        await self._client.close()

    async def _fetch_reply(self, message: HttpMessage, request: Request, began: float) -> Reply:
        """Return a reply that is not streamed, polling for it if it is a job."""
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
        """Send one request and return the parsed response body."""
        if method == "GET":
            response = await self._client.send(method, url, headers=without_content(message.headers))
        else:
            response = await self._client.send(method, url, body=message.body, headers=message.headers)
        self._raise_for_status(response, began)
        return reading.body_of(response, plain=not self._options.expressions)

    def _raise_for_status(self, response: Response, began: float) -> None:
        """Report the status to the rate limiter and raise the fault for it."""
        wait = parse_retry_after(response.headers.get("Retry-After"))
        self._throttle.report(response.status, retry_after=wait, began=began)
        if (fault := fault_of_status(response)) is not None:
            raise fault

    async def _stream_reply(self, message: HttpMessage, request: Request, began: float) -> Reply:
        """Return a streamed reply."""
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
