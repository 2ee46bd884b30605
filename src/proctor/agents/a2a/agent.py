"""One A2A agent: fetch its card, send the question, follow the task until it ends, remember the conversation."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any

from yarl import URL

from proctor import codec
from proctor.agents import options as checked
from proctor.agents import rpc
from proctor.agents.a2a import card, wire
from proctor.agents.a2a.card import Endpoint
from proctor.agents.a2a.task import TaskProgress
from proctor.agents.a2a.wire import A2ACall, Action, RemoteThread
from proctor.agents.http.options import read_target
from proctor.errors import AgentFault, CallError, EnvironmentFault, InputError
from proctor.failures import host_in, parse_retry_after
from proctor.net.addresses import credentials_in, may_follow, scrub_secrets, shown
from proctor.net.client import Client, Incoming
from proctor.net.errors import fault_of_status
from proctor.net.exchange import ExchangeLimits, Response
from proctor.net.limits import Throttle
from proctor.transcript import Reply, Request

_KNOWN = (
    "headers",
    "card",
    "stream",
    "every",
    "requests_per_minute",
    "concurrency",
    "max_bytes",
    "ca",
    "proxy",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class A2AOptions:
    """Options of an A2A agent."""

    url: URL
    """URL of the agent; its headers are sent to this host only."""
    headers: Mapping[str, str]
    card: str | None
    """URL of the agent card if it is not at a well-known path; may be relative to `url`."""
    stream: bool | None
    """Whether to stream; None to decide by the card."""
    every: float
    """Seconds between two polls of a running task."""
    requests_per_minute: float | None
    concurrency: int | None
    max_bytes: int
    ca: str | None
    proxy: bool


def read_options(address: str, options: Mapping[str, Any]) -> A2AOptions:
    """Return the validated options; raise InputError, whose message shows no value that may be a secret."""
    checked.must_be_known(options, _KNOWN, whose="an a2a: agent")
    return A2AOptions(
        url=_url(address),
        headers=checked.headers(options),
        card=checked.text(options, "card"),
        stream=checked.truth(options, "stream"),
        every=checked.number(options, "every") or 0.5,
        requests_per_minute=checked.number(options, "requests_per_minute"),
        concurrency=checked.whole_or_none(options, "concurrency"),
        max_bytes=checked.positive_integer(options, "max_bytes", checked.MAX_BYTES),
        ca=checked.text(options, "ca"),
        proxy=checked.truth(options, "proxy") or False,
    )


def _url(address: str) -> URL:
    target = read_target(address)
    if target.uses:
        raise InputError("the address of an a2a: agent has placeholders, which are not filled in there; remove them")
    return URL(address)


_NOT_FOUND = 404
"""What is also said of a task."""
_FAREWELL = 2.0
"""Timeout in seconds for cancelling a task that is no longer needed."""


class A2AAgent:
    """An agent called over A2A. The agent keeps the conversation itself, under the id it assigned."""

    takes_request = True
    keeps_memory = True

    def __init__(self, options: A2AOptions) -> None:
        self.name = f"a2a:{shown(options.url)}"
        self._options = options
        self._secrets = credentials_in(options.headers)
        self._threads: dict[str, RemoteThread] = {}
        self._endpoint: Endpoint | None = None
        self._finding = asyncio.Lock()
        self._farewells: set[asyncio.Task[None]] = set()
        # the run sets the time limit of a reply; a second one here would only interfere
        bounds = ExchangeLimits(bytes=options.max_bytes, seconds=None, idle=None)
        self._client = Client(bounds=bounds, ca=options.ca, proxy=options.proxy)
        self._throttle = Throttle(requests_per_minute=options.requests_per_minute, concurrency=options.concurrency)

    async def reply(self, request: Request) -> Reply:
        """Ask the agent. Fetching the card and waiting for rate limits do not count as agent time."""
        async with self._throttle.slot() as began:
            try:
                endpoint = await self._find_endpoint()
                started = time.perf_counter()
                work = TaskProgress(started)
                streams = endpoint.streams if self._options.stream is None else self._options.stream
                await self._follow(work, request, endpoint, began, streams=streams)
                self._threads[request.conversation] = work.next()
                reply = work.reply(streamed=streams)
            except CallError as error:
                error.args = (scrub_secrets(str(error), self._secrets),)
                error.host = error.host or host_in(str(self._options.url))
                raise
        return reply if reply.seconds is not None else replace(reply, seconds=time.perf_counter() - started)

    async def forget(self, conversation: str) -> None:
        """Forget the remote ids of the conversation."""
        self._threads.pop(conversation, None)

    async def close(self) -> None:
        """Close the connections."""
        self._threads.clear()
        await asyncio.gather(*self._farewells)
        await self._client.close()

    async def _find_endpoint(self) -> Endpoint:
        """Return the endpoint of the agent; its card is fetched once."""
        async with self._finding:
            if self._endpoint is None:
                options = self._options
                place, found = await card.find(card.places(options.url, options.card), get=self._get)
                self._endpoint = card.endpoint_of(found, place, trusted=options.url, credentials=bool(self._secrets))
            return self._endpoint

    async def _get(self, place: URL) -> Response:
        trusted = may_follow(self._options.url, place, credentials=bool(self._secrets))
        headers = self._options.headers if trusted else {}
        return await self._client.send("GET", str(place), headers={"Accept": "application/json", **headers})

    async def _follow(
        self, work: TaskProgress, request: Request, endpoint: Endpoint, began: float, *, streams: bool
    ) -> None:
        """Send the question and follow its task until it ends. Only the timeout of the call ends it earlier."""
        thread = self._threads.get(request.conversation, RemoteThread())
        params = wire.message_params(request, thread, endpoint)
        try:
            await self._run_action(work, "stream" if streams else "send", params, endpoint, began)
            while not work.over:
                if work.thread.task is None:
                    raise AgentFault(
                        "the agent stopped in the middle of its answer, and gave no task to ask about", kind="dropped"
                    )
                await asyncio.sleep(self._options.every)
                await self._look(work, work.thread.task, endpoint, began)
        except asyncio.CancelledError:
            if work.thread.task is not None and not work.over:
                self._give_up(work.thread.task, endpoint)
            raise

    async def _look(self, work: TaskProgress, task: str, endpoint: Endpoint, began: float) -> None:
        """Ask after a task. Where an idle connection closes just then, the next look is as good as this one."""
        try:
            await self._run_action(work, "get", {"id": task}, endpoint, began)
        except EnvironmentFault as fault:
            if fault.kind != "dropped":
                raise

    async def _run_action(
        self, work: TaskProgress, action: Action, params: Mapping[str, Any], endpoint: Endpoint, began: float
    ) -> None:
        """Make one call and record every event in its response."""
        async with aclosing(self._call(action, params, endpoint, began)) as results:
            async for result in results:
                work.take(*wire.event_of(result))
                if work.over:
                    break

    async def _call(
        self, action: Action, params: Mapping[str, Any], endpoint: Endpoint, began: float
    ) -> AsyncGenerator[Any, None]:
        """Yield the results of one call: a single one, or as many as are streamed."""
        call = wire.call(action, params, endpoint)
        body = codec.encode(call.body).encode("utf-8", "replace") if call.body is not None else None
        version = {wire.VERSION_HEADER: "1.0"} if endpoint.modern else {}
        headers = {"Content-Type": "application/json", "Accept": rpc.ACCEPT, **version, **self._options.headers}
        async with self._client.open(call.verb, call.url, body=body, headers=headers) as incoming:
            await self._raise_for_status(incoming, began, call if endpoint.resources else None)
            async with aclosing(rpc.messages(incoming)) as messages:
                async for message in messages:
                    yield wire.result_of(message, call, endpoint)

    async def _raise_for_status(self, incoming: Incoming, began: float, call: A2ACall | None) -> None:
        """Tell the limits of the status; raises the fault that it means, or that its body tells in answer to `call`.

        An outage is one, and a key is refused, whatever else the body calls it.
        """
        wait = parse_retry_after(incoming.headers.get("Retry-After"))
        self._throttle.report(incoming.status, retry_after=wait, began=began)
        if 200 <= incoming.status < 300:
            return
        response = await incoming.read()
        fault = fault_of_status(response)
        answers = call is not None and (isinstance(fault, AgentFault) or incoming.status == _NOT_FOUND)
        refusal = wire.refusal_in(response.body, call) if call is not None and answers else None
        if (problem := refusal or fault) is not None:
            raise problem

    def _give_up(self, task: str, endpoint: Endpoint) -> None:
        """Cancel a task in the background, without waiting for the response."""
        farewell = asyncio.create_task(self._cancel(task, endpoint))
        self._farewells.add(farewell)
        farewell.add_done_callback(self._farewells.discard)

    async def _cancel(self, task: str, endpoint: Endpoint) -> None:
        with suppress(CallError, TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                async for _ in self._call("cancel", {"id": task}, endpoint, 0.0):
                    pass
