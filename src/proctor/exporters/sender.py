"""HTTP requests to one destination: bounded retries, `Retry-After`, and giving up on an unreachable destination.

Ids are deterministic, so a request without a response can safely be repeated.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.request import getproxies

import msgspec

from proctor.errors import AgentFault, CallError, EnvironmentFault, UsageError
from proctor.exporters.outcome import SENT, DeliveryVerdict, State
from proctor.failures import parse_retry_after
from proctor.net.addresses import credentials_in, parse, scrub_secrets, shown
from proctor.net.client import Client
from proctor.net.errors import excerpt, status_phrase
from proctor.net.exchange import ExchangeLimits, Response
from proctor.net.limits import Throttle

BOUNDS = ExchangeLimits(bytes=50_000_000, seconds=60.0, idle=30.0)
"""Limits for one response."""
_RETRIES = 3
_RETRIES_UNANSWERED = 1
"""Few retries after a timeout, since repeated long waits rarely help."""
BACKOFF = 0.5
"""Seconds before the first retry, doubled for each further one."""
_LONGEST_WAIT = 60.0
_CONCURRENCY = 8
_GIVE_UP_AFTER = 2
"""Consecutive requests that fail with all their retries before the destination is given up."""
_TRY_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_UNCLEAR = frozenset({500, 502, 504})
"""Statuses after which the request may have been processed."""
_HOPELESS = {
    401: "check the keys in the environment",
    403: "check what the keys in the environment may do",
    404: "check the address",
    405: "check the address",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestResult:
    """Result of one request after all retries."""

    verdict: DeliveryVerdict
    """Whether the destination accepted it."""
    response: Response | None = None
    """Last response, or None."""

    @property
    def status(self) -> int | None:
        """HTTP status, or None without a response."""
        return None if self.response is None else self.response.status

    def json(self) -> Any:
        """Return the parsed body; None if there is none or it is not JSON."""
        try:
            return None if self.response is None else msgspec.json.decode(self.response.body)
        except msgspec.DecodeError:
            return None


class Sender:
    """Sends requests to one destination with limited concurrency. Once it is hopeless, all others are left unsent."""

    def __init__(
        self,
        headers: Mapping[str, str] | None = None,
        *,
        ca: str | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._headers = dict(headers or {})
        self._secrets = credentials_in(self._headers)
        self._client = Client(bounds=BOUNDS, ca=ca, proxy=bool(getproxies()))
        self._throttle = Throttle(concurrency=_CONCURRENCY, sleep=sleep, clock=clock)
        self._places = asyncio.Semaphore(_CONCURRENCY)
        self._sleep = sleep
        self._unanswered = 0
        self.hopeless: DeliveryVerdict | None = None
        """Why no more requests are tried; None while they are."""

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def get(self, url: str, *, may_be_missing: bool = False) -> RequestResult:
        """Send a GET request; if `may_be_missing`, a 404 is not treated as a wrong address."""
        return await self._carry("GET", url, None, {}, may_be_missing)

    async def json(self, method: str, url: str, value: Any, *, may_be_missing: bool = False) -> RequestResult:
        """Send JSON; `may_be_missing` as in `get`."""
        body = msgspec.json.encode(value)
        return await self._carry(method, url, body, {"content-type": "application/json"}, may_be_missing)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> RequestResult:
        """Send a POST request with these bytes."""
        return await self._carry("POST", url, body, headers, False)

    async def _carry(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str], may_be_missing: bool
    ) -> RequestResult:
        """Retry until there is a final answer. The slot is kept meanwhile, since other requests would fail likewise."""
        tries = 0
        async with self._places:
            while self.hopeless is None:
                tries += 1
                answer, again, wait = await self._try(method, url, body, headers, tries)
                if not again:
                    return self._learn(answer, may_be_missing)
                await self._sleep(wait)
            return RequestResult(verdict=self.hopeless)

    async def _try(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str], tries: int
    ) -> tuple[RequestResult, bool, float]:
        """Try once; return the result, whether to retry, and after how many seconds."""
        backoff = BACKOFF * 2.0 ** (tries - 1)
        try:
            async with self._throttle.slot() as began:
                response = await self._client.send(method, url, body=body, headers={**self._headers, **headers})
                asked = parse_retry_after(response.headers.get("Retry-After"))
                self._throttle.report(response.status, retry_after=asked, began=began)
        except CallError as error:
            state: State = "unknown" if isinstance(error, AgentFault) else "unsent"
            verdict = DeliveryVerdict(state=state, reason=self._scrub(str(error)))
            return RequestResult(verdict=verdict), tries <= _retries_after(error), backoff
        again = response.status in _TRY_AGAIN and tries <= _RETRIES and (asked or 0.0) <= _LONGEST_WAIT
        return (
            RequestResult(verdict=self._judge_response(response, asked), response=response),
            again,
            max(asked or 0.0, backoff),
        )

    def _judge_response(self, response: Response, asked: float | None) -> DeliveryVerdict:
        if 200 <= response.status < 300:
            return SENT
        detail = self._scrub(excerpt(response))
        reason = f"{shown(response.url)} answered {status_phrase(response.status)}" + (f": {detail}" if detail else "")
        if asked is not None and asked > _LONGEST_WAIT:
            reason += f"; it asks to wait {asked:.0f} s"
        return DeliveryVerdict(state="unknown" if response.status in _UNCLEAR else "rejected", reason=reason)

    def _learn(self, answer: RequestResult, may_be_missing: bool) -> RequestResult:
        """Update the state of the destination after a final answer."""
        status, verdict = answer.status, answer.verdict
        if status in _HOPELESS and not (status == 404 and may_be_missing):
            verdict = DeliveryVerdict(state="rejected", reason=f"{verdict.reason}; {_HOPELESS[status]}")
            self.hopeless = DeliveryVerdict(state="unsent", reason=f"not tried, because {verdict.reason}", tried=False)
            return RequestResult(verdict=verdict, response=answer.response)
        self._unanswered = self._unanswered + 1 if status is None or status in _TRY_AGAIN else 0
        if self._unanswered >= _GIVE_UP_AFTER:
            self.hopeless = DeliveryVerdict(state="unsent", reason=f"not tried, because {verdict.reason}", tried=False)
        return answer

    def _scrub(self, text: str) -> str:
        return scrub_secrets(text, self._secrets)


def _retries_after(error: CallError) -> int:
    """Return how often a failed call may be retried."""
    if isinstance(error, EnvironmentFault):
        return _RETRIES
    return _RETRIES_UNANSWERED if isinstance(error, AgentFault) else 0


class NoAddress(UsageError):
    """No address is configured for a destination."""


def base_address(endpoint: str | None, *variables: str, such_as: str) -> str:
    """Return the address without trailing slash, from `--endpoint` or the first variable that is set."""
    source = "--endpoint" if endpoint else next((name for name in variables if os.environ.get(name)), None)
    if source is None:
        raise NoAddress(f"no address to send to; set {variables[0]} in the environment, such as {such_as}")
    address = check_address(endpoint or os.environ[source], source, such_as=such_as)
    if parse(address).query_string:
        raise UsageError(f"{source} holds a query, to which no path can be added; expected something like {such_as}")
    return address.rstrip("/")


def check_address(address: str, source: str, *, such_as: str) -> str:
    """Return a valid address; raise UsageError without repeating the address, which may contain a password."""
    try:
        url = parse(address)
    except ValueError as error:
        raise UsageError(f"{source} cannot be used: {error}; expected something like {such_as}") from error
    if url.user or url.password:
        raise UsageError(f"{source} holds a name or password; keys belong in the environment, see the documentation")
    return address


def value_at(value: Any, *path: str | int) -> Any:
    """Return the value at a path in a response, or None."""
    for step in path:
        try:
            value = value[step]
        except (TypeError, KeyError, IndexError):
            return None
    return value


def unusable(answer: RequestResult, what: str, expected: str) -> DeliveryVerdict:
    """Return a verdict for a response that lacks required data."""
    if not answer.verdict.arrived:
        return answer.verdict
    return DeliveryVerdict(
        state="unsent", reason=f"the answer does not tell {what}; is this the address of {expected}?"
    )


def about(what: str, verdict: DeliveryVerdict) -> DeliveryVerdict:
    """Return the verdict with `what` in front of its reason."""
    if verdict.arrived or not verdict.tried:
        return verdict
    return DeliveryVerdict(state=verdict.state, reason=f"{what}: {verdict.reason}")
