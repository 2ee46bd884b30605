"""One call to the API: from the cache, or within the limits and the budget over HTTP."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from proctor import codec
from proctor.agents.openai.options import OpenAIOptions
from proctor.errors import CallError
from proctor.models.openai.completion import Completion, Item
from proctor.models.openai.endpoint import JSON, ModelEndpoint, must_be
from proctor.models.openai.errors import asked_wait
from proctor.net.client import Client
from proctor.net.events import ServerSentEvent, events
from proctor.net.exchange import ExchangeLimits, Response
from proctor.spending.budget import CallEstimator
from proctor.spending.cache import Cache, key_of
from proctor.spending.prices import tokens_in
from proctor.spending.run_limits import AttemptScope, Call, RunLimits, current
from proctor.transcript import Request, ToolCall
from proctor.usage import Usage


class Stream(Protocol):
    """An answer while it arrives."""

    def take(self, event: ServerSentEvent) -> bool:
        """One event; whether it held a piece of text. Raises a fault where the event tells of one."""

    def completion(self) -> Completion:
        """All of it, once it is over; raises AgentFault where it was not whole."""


class Dialect(Protocol):
    """One of the two ways in which OpenAI's API is spoken."""

    @property
    def path(self) -> str:
        """Where it is spoken, below the base URL."""

    def opening(self, request: Request) -> list[Item]:
        """What has been said so far, up to the question."""

    def body(self, items: Sequence[Item], request: Request) -> Mapping[str, Any]:
        """What is sent to have this conversation answered."""

    def results(self, made: Sequence[ToolCall]) -> list[Item]:
        """The results of tool calls, as the next call has to hand them over."""

    def read(self, body: bytes) -> Completion:
        """The answer in a whole response; raises a fault where there is none."""

    def stream(self) -> Stream:
        """What reads a streamed answer."""


_EVENTS = "text/event-stream"
_FREE = Usage(cost=0.0, cached=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class ServiceAnswer:
    """An answer, and what it cost."""

    completion: Completion
    usage: Usage
    aside: float = 0.0
    """Seconds that were not the model's but ours; below 0 for a kept answer, which took longer when it was new."""


class Service:
    """The model behind an agent."""

    def __init__(self, options: OpenAIOptions, dialect: Dialect) -> None:
        self._options = options
        self._dialect = dialect
        self._endpoint = ModelEndpoint(
            options.base_url + dialect.path,
            key=options.key,
            key_env=options.key_env,
            headers=options.headers,
            accept=_EVENTS if options.stream else JSON,
        )
        self._estimator = CallEstimator(options.max_output_tokens)
        self._alone = RunLimits()
        # how long a reply may take is for the run to say
        self._client = Client(
            bounds=ExchangeLimits(bytes=options.max_bytes, seconds=None, idle=None), ca=options.ca, proxy=options.proxy
        )

    async def ask(self, items: Sequence[Item], request: Request) -> ServiceAnswer:
        """The model's answer to a conversation."""
        came = time.perf_counter()
        limits = current() or self._alone
        fields = self._dialect.body(items, request)
        body = codec.encode(fields).encode()
        if limits.cache is None:
            completion, usage = await self._ask_service(limits, fields, body)
        else:
            completion, usage = await self._ask_cached(limits, limits.cache, fields, body, request)
        return ServiceAnswer(completion=completion, usage=usage, aside=time.perf_counter() - came - completion.seconds)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _ask_cached(
        self, limits: RunLimits, cache: Cache, fields: Mapping[str, Any], body: bytes, request: Request
    ) -> tuple[Completion, Usage]:
        """A kept answer, or a new one that is kept."""
        key = self._key(body, request)
        if (kept := _completion_in(await cache.get(key))) is not None:
            return kept, _FREE
        completion, usage = await self._ask_service(limits, fields, body)
        await cache.put(key, msgspec.json.encode(completion))
        return completion, usage

    def _key(self, body: bytes, request: Request) -> bytes:
        """The body holds model, messages, tools, parameters and seed; the rest is where, how and in which attempt."""
        scope = AttemptScope(case=request.case, condition=request.condition, trial=request.trial)
        return key_of("openai", self._endpoint.url, dict(self._options.headers), body, scope)

    async def _ask_service(self, limits: RunLimits, fields: Mapping[str, Any], body: bytes) -> tuple[Completion, Usage]:
        """A new answer."""
        tokens = tokens_in(body)
        estimate = self._estimator.estimate(tokens, self._options.price)
        async with limits.call(self._options.source, estimate) as call:
            started = time.perf_counter()
            try:
                completion = await (self._stream_completion if self._options.stream else self._whole)(
                    fields, body, call
                )
            except CallError as error:
                self._endpoint.mark(error)
                raise
            usage = completion.usage(self._options.price)
            call.count_answer(usage)
        self._estimator.learn(tokens, usage)
        completion.seconds = time.perf_counter() - started
        return completion, usage

    async def _whole(self, fields: Mapping[str, Any], body: bytes, call: Call) -> Completion:
        response = await self._client.send("POST", self._endpoint.url, body=body, headers=self._endpoint.headers)
        self._raise_for_status(response, fields, call)
        must_be(response.headers, JSON)
        return self._dialect.read(response.body)

    async def _stream_completion(self, fields: Mapping[str, Any], body: bytes, call: Call) -> Completion:
        started, first = time.perf_counter(), None
        stream = self._dialect.stream()
        endpoint = self._endpoint
        async with self._client.open("POST", endpoint.url, body=body, headers=endpoint.headers) as incoming:
            if not 200 <= incoming.status < 300:
                self._raise_for_status(await incoming.read(), fields, call)
            must_be(incoming.headers, _EVENTS)
            async for event in events(incoming.chunks()):
                if stream.take(event) and first is None:
                    first = time.perf_counter() - started
        completion = stream.completion()
        completion.first_token = first
        return completion

    def _raise_for_status(self, response: Response, fields: Mapping[str, Any], call: Call) -> None:
        """Raise the fault that a status means, and tell the limits of it."""
        fault = self._endpoint.fault(response, fields)
        if fault is not None:
            call.count_refusal(response.status, retry_after=asked_wait(response))
            raise fault


def _completion_in(kept: bytes | None) -> Completion | None:
    if kept is None:
        return None
    try:
        return codec.decode(kept, Completion)
    except msgspec.DecodeError:
        return None
