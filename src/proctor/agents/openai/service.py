"""One model call: from the cache, or over HTTP within rate limits and budget."""

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
    """An answer that is being streamed."""

    def take(self, event: ServerSentEvent) -> bool:
        """Process one event; return whether it contained text. Raise the fault for an error event."""

    def completion(self) -> Completion:
        """Return the completion; raise AgentFault if the stream was incomplete."""


class Dialect(Protocol):
    """One of OpenAI's two APIs: Chat Completions or Responses."""

    @property
    def path(self) -> str:
        """Path below the base URL."""

    def opening(self, request: Request) -> list[Item]:
        """Return the conversation up to and including the question."""

    def body(self, items: Sequence[Item], request: Request) -> Mapping[str, Any]:
        """Return the request body for this conversation."""

    def results(self, made: Sequence[ToolCall]) -> list[Item]:
        """Return the results of tool calls as items for the next request."""

    def read(self, body: bytes) -> Completion:
        """Return the completion in a whole response; raise a fault if there is none."""

    def stream(self) -> Stream:
        """Return a reader of a streamed answer."""


_EVENTS = "text/event-stream"
_FREE = Usage(cost=0.0, cached=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class ServiceAnswer:
    """A model answer and its usage."""

    completion: Completion
    usage: Usage
    aside: float = 0.0
    """Seconds that do not count as model time; negative for a cached answer, whose recorded time was longer."""


class Service:
    """The model endpoint behind an agent."""

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
        # the run sets the time limit of a reply
        self._client = Client(
            bounds=ExchangeLimits(bytes=options.max_bytes, seconds=None, idle=None), ca=options.ca, proxy=options.proxy
        )

    async def ask(self, items: Sequence[Item], request: Request) -> ServiceAnswer:
        """Return the model's answer to a conversation."""
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
        """Return the cached answer, or a new one that is then cached."""
        key = self._key(body, request)
        if (kept := _completion_in(await cache.get(key))) is not None:
            return kept, _FREE
        completion, usage = await self._ask_service(limits, fields, body)
        await cache.put(key, msgspec.json.encode(completion))
        return completion, usage

    def _key(self, body: bytes, request: Request) -> bytes:
        """Return the cache key: body (model, messages, tools, parameters, seed), endpoint, headers and attempt."""
        scope = AttemptScope(case=request.case, condition=request.condition, trial=request.trial)
        return key_of("openai", self._endpoint.url, dict(self._options.headers), body, scope)

    async def _ask_service(self, limits: RunLimits, fields: Mapping[str, Any], body: bytes) -> tuple[Completion, Usage]:
        """Call the model."""
        tokens = tokens_in(body)
        estimate = self._estimator.estimate(tokens, self._options.price)
        async with limits.call(self._options.source, estimate) as call:
            started = time.perf_counter()
            try:
                completion = await (self._stream_completion if self._options.stream else self._fetch_completion)(
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

    async def _fetch_completion(self, fields: Mapping[str, Any], body: bytes, call: Call) -> Completion:
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
        """Report an unsuccessful response to the rate limiter and raise the fault for it."""
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
