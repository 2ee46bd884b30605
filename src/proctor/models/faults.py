"""A provider's exception → whose fault it is, without importing any provider."""

from __future__ import annotations

import os
from collections.abc import Iterator

from proctor.errors import CallError, EnvironmentFault, Misconfigured, ProctorError
from proctor.usage import Usage

_WRONG_STATUS = {401: "refused the key", 403: "refused access", 404: "knows no such model or address"}
_PASSING_STATUS = {408, 425, 429}
_WRONG_KINDS = {"UnsupportedProtocol", "InvalidURL", "LocalProtocolError"}
_PASSING_KINDS = {
    "APIConnectionError",
    "ClientConnectionError",
    "ClientPayloadError",
    "ModelConnectionError",
    "ModelTimeoutError",
    "ModelRateLimitError",
    "ModelAPIError",
    "SSLError",
    "TransportError",
    "gaierror",
}


class UnusableAnswer(ProctorError):
    """The model answered, and not even its repaired answer can be used; `usage` is what it cost."""

    def __init__(self, reason: str, usage: Usage) -> None:
        super().__init__(reason)
        self.reason = reason
        self.usage = usage


class ModelUnavailable(EnvironmentFault):
    """The model did not answer; `spent` is what earlier calls of the same question cost."""

    def __init__(self, message: str, *, retry_after: float | None = None, spent: Usage) -> None:
        super().__init__(message, retry_after=retry_after)
        self.spent = spent


def fault_of(error: Exception, *, spent: Usage) -> CallError | None:
    """What the provider's exception means to a run; None: neither the network nor the settings explain it.

    A server's own error (5xx) is the environment's here: it says nothing about the agent that is judged.
    """
    if isinstance(error, CallError):
        return error
    chain = list(_chain(error))
    status = next((code for code in map(status_of, chain) if code), None)
    if status in _WRONG_STATUS or any(_kinds(link) & _WRONG_KINDS for link in chain):
        doing = _WRONG_STATUS.get(status or 0, "cannot be called at this address")
        return Misconfigured(f"the model {doing}: {said(error)}; check its name, its address and its key")
    if _passes(chain, status):
        return ModelUnavailable(
            f"the model did not answer: {said(error)}", retry_after=_retry_after(chain), spent=spent
        )
    return None


def _passes(chain: list[BaseException], status: int | None) -> bool:
    if status is not None:
        return status in _PASSING_STATUS or status >= 500
    return any(isinstance(link, (ConnectionError, TimeoutError)) or _kinds(link) & _PASSING_KINDS for link in chain)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, at most ten deep."""
    link: BaseException | None = error
    for _ in range(10):
        if link is None:
            return
        yield link
        link = link.__cause__


def _kinds(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an exception carries, under any of the names providers give it."""
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "code", "status"):
            status = getattr(holder, name, None)
            if isinstance(status, int) and not isinstance(status, bool) and 400 <= status <= 599:
                return status
    return None


def is_too_long(error: BaseException) -> bool:
    """Whether the provider says that the prompt does not fit into the model."""
    return "ContextOverflowError" in _kinds(error)


def _retry_after(chain: list[BaseException]) -> float | None:
    """The seconds that the provider asks to wait."""
    for link in chain:
        headers = getattr(getattr(link, "response", None), "headers", None) or {}
        for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0), ("Retry-After", 1.0)):
            try:
                seconds = float(headers.get(name, "")) * unit
            except (AttributeError, TypeError, ValueError):
                continue
            if 0 <= seconds < 86_400:
                return seconds
    return None


def said(error: BaseException) -> str:
    """An exception in one line, without any key of the environment."""
    text = " ".join(str(error).split()) or type(error).__name__
    for name, value in os.environ.items():
        if len(value) >= 8 and name.upper().endswith(("KEY", "TOKEN", "SECRET", "PASSWORD")):
            text = text.replace(value, f"${name}")
    return text if len(text) <= 300 else text[:299] + "…"
