"""One endpoint as an agent: ask, read, remember the session."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from yarl import URL

from proctor import codec
from proctor.agents.http import reading
from proctor.agents.http.options import Options
from proctor.agents.http.polling import job_address, wait_for
from proctor.agents.http.streaming import gather
from proctor.agents.http.template import Template, header_safe, quoted
from proctor.errors import AgentFault, CallError
from proctor.faults import parse_retry_after
from proctor.net.addresses import credentials_in, scrubbed
from proctor.net.client import Client
from proctor.net.exchange import Bounds, Response
from proctor.net.limits import Throttle
from proctor.net.trouble import fault_of_status
from proctor.transcript import Reply, Request

_HANDS_OVER = frozenset({"context", "history", "messages"})
_STREAM = "text/event-stream"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Call:
    """One request, ready to be sent."""

    url: str
    headers: dict[str, str]
    body: bytes | None
    secrets: list[str]
    """What no message may repeat."""
    began: float
    """When the throttle let it in."""
    started: float


class HttpAgent:
    """An endpoint that is asked over HTTP."""

    def __init__(self, target: Template, options: Options) -> None:
        self.name = target.source.partition("?")[0]
        self._target = target
        self._options = options
        templates = (target, *options.headers.values(), *options.query.values(), *filter(None, (options.body,)))
        self._uses = frozenset().union(*(template.uses for template in templates))
        self.takes_request = not self._uses.isdisjoint(_HANDS_OVER)
        self._sessions: dict[str, Any] = {}
        # how long a reply may take is for the run to say; a bound of our own would only be a second opinion
        self._client = Client(
            bounds=Bounds(bytes=options.max_bytes, seconds=None, idle=None), ca=options.ca, proxy=options.proxy
        )
        self._throttle = Throttle(
            requests_per_minute=options.requests_per_minute,
            tokens_per_minute=options.tokens_per_minute,
            concurrency=options.concurrency,
        )

    async def reply(self, request: Request) -> Reply:
        """Ask. The time that is told begins when the limits let the request go."""
        async with self._throttle.slot() as began:
            call = self._call(request, began)
            try:
                reply = await (self._streamed if self._options.stream else self._whole)(call, request)
            except CallError as error:
                error.args = (scrubbed(str(error), call.secrets),)
                raise
            if reply.usage is not None:
                self._throttle.charge(reply.usage.input_tokens + reply.usage.output_tokens)
            return reply if reply.seconds is not None else replace(reply, seconds=time.perf_counter() - call.started)

    async def forget(self, conversation: str) -> None:
        """Drop the session."""
        self._sessions.pop(conversation, None)

    async def close(self) -> None:
        """Close the connections."""
        self._sessions.clear()
        await self._client.close()

    def _call(self, request: Request, began: float) -> _Call:
        options, session = self._options, self._sessions.get(request.conversation)
        values: dict[str, Any] = {}
        for template in (self._target, *options.headers.values(), *options.query.values()):
            values.update(template.values(request, session))
        headers = {name: value.text(values, quoting=header_safe) for name, value in options.headers.items()}
        query = {name: value.text(values) for name, value in options.query.items()}
        url = self._target.text(values, quoting=quoted)
        secrets = credentials_in(headers) + [value.source for value in options.query.values() if not value.uses]
        body = None
        if options.body is not None:
            body = _encoded(options.body.filled(options.body.values(request, session)), headers)
        if not any(name.lower() == "accept" for name in headers):
            headers["Accept"] = _STREAM if options.stream else "application/json, text/plain;q=0.5"
        return _Call(
            url=str(URL(url).update_query(query)) if query else url,
            headers=headers,
            body=body,
            secrets=secrets,
            began=began,
            started=time.perf_counter(),
        )

    async def _whole(self, call: _Call, request: Request) -> Reply:
        """A reply in one piece, or that of a job."""
        body = await self._ask(self._options.method, call.url, call)
        poll = self._options.poll
        if poll is not None and not poll.done.find(body):
            session = self._sessions.get(request.conversation)
            credentials = bool(credentials_in(call.headers))
            url = job_address(poll, body, request, session=session, origin=URL(call.url), credentials=credentials)
            body = await wait_for(poll, body, url=url, ask=lambda url: self._ask("GET", url, call))
        if (session := self._options.expressions.get("session")) is not None:
            self._remember(request, session.find(body))
        return reading.reply_of(body, self._options.expressions)

    async def _ask(self, method: str, url: str, call: _Call) -> Any:
        """One exchange, as far as the JSON in it."""
        sent = call.body if method != "GET" else None
        headers = call.headers if method != "GET" else _without_content(call.headers)
        response = await self._client.send(method, url, body=sent, headers=headers)
        self._judge(response, call)
        return reading.body_of(response, plain=not self._options.expressions)

    def _judge(self, response: Response, call: _Call) -> None:
        """Heed the status; raises the fault that it means."""
        wait = parse_retry_after(response.headers.get("Retry-After"))
        self._throttle.report(response.status, retry_after=wait, began=call.began)
        if (fault := fault_of_status(response)) is not None:
            raise fault

    async def _streamed(self, call: _Call, request: Request) -> Reply:
        """A reply in events."""
        method, expressions = self._options.method, self._options.expressions
        async with self._client.open(method, call.url, body=call.body, headers=call.headers) as incoming:
            if not 200 <= incoming.status < 300:
                self._judge(await incoming.read(), call)
            self._throttle.report(incoming.status, began=call.began)
            kind = incoming.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            if kind != _STREAM:
                raise AgentFault(f"the reply is {kind!r}; expected {_STREAM}, because stream = 'sse'")
            gathered = await gather(incoming.chunks(), expressions, call.started)
        self._remember(request, gathered.session)
        return gathered.reply()

    def _remember(self, request: Request, session: Any) -> None:
        if session is not None:
            self._sessions[request.conversation] = session


def _encoded(body: Any, headers: dict[str, str]) -> bytes:
    """The body as bytes; its content type goes into the headers where they have none."""
    plain = isinstance(body, str)
    if not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = "text/plain; charset=utf-8" if plain else "application/json"
    return body.encode("utf-8", "replace") if plain else codec.encode(body).encode()


def _without_content(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() != "content-type"}
