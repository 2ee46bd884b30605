"""Rate limits by provider, shared by everything in a run that calls it: agent, reviewer and examiner.

    limits = Limits({"openai": {"requests_per_minute": 500, "tokens_per_minute": 200_000, "concurrency": 50}})
    limits.of(Source(provider="openai", host="api.openai.com"))

A limit is set by provider (`openai`) or by host (`127.0.0.1:8000`); the host's takes precedence. Every host has its own
throttle, even without limits: concurrency is reduced when a server responds with 429, and grows again. A model on a
loopback address gets at most two concurrent calls, unless its limits set another concurrency. Runs in several processes
with the same `shared` folder divide the limits among them, see `shared_limits`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proctor.errors import InputError
from proctor.net.limits import Throttle
from proctor.settings import did_you_mean
from proctor.spending.providers import PROVIDERS, Source, is_loopback, names_of
from proctor.spending.shared_limits import SharedThrottle, Sharers


@dataclass(frozen=True, kw_only=True, slots=True)
class Limit:
    """Rate limit of a provider; None for unlimited, until the server responds with "too many requests"."""

    requests_per_minute: float | None = None
    """Calls per minute."""
    tokens_per_minute: float | None = None
    """Input and output tokens per minute."""
    concurrency: int | None = None
    """Maximum number of concurrent calls."""


_KNOWN = Limit.__slots__
AT_ONCE_HERE = 2
"""Concurrent calls to a model on a loopback address: most such servers process one at a time, while timeouts run."""


class Limits:
    """One throttle for each host that is called."""

    def __init__(self, settings: Mapping[str, Any] | None = None, *, shared: Path | None = None) -> None:
        """`settings` maps a provider or host to its limits; raises InputError if they are invalid."""
        self._shared = shared
        self._limits = {name: _limit(name, given) for name, given in (settings or {}).items()}
        self._throttles: dict[Source, Throttle] = {}

    def limit(self, source: Source) -> Limit:
        """Return the limit of a source; for a model on this machine, with a low default concurrency."""
        given = next((self._limits[name] for name in names_of(source) if name in self._limits), Limit())
        if given.concurrency is None and is_loopback(source):
            return replace(given, concurrency=AT_ONCE_HERE)
        return given

    def of(self, source: Source) -> Throttle:
        """Return the throttle for all calls to this source."""
        throttle = self._throttles.get(source)
        if throttle is None:
            throttle = self._throttles[source] = self._throttle(source)
        return throttle

    def close(self) -> None:
        """Release shared limits for other processes; finished calls may keep this object alive for a while."""
        for throttle in self._throttles.values():
            if isinstance(throttle, SharedThrottle):
                throttle.close()

    def _throttle(self, source: Source) -> Throttle:
        limit = self.limit(source)
        given: Any = {name: getattr(limit, name) for name in _KNOWN}
        if self._shared is None or limit == Limit():
            return Throttle(**given)
        return SharedThrottle(Sharers(self._shared, f"{source.provider}@{source.host}"), **given)


def _limit(name: str, given: Any) -> Limit:
    if name not in PROVIDERS and not set(name) & set(".:") and name != "localhost":
        expected = f"expected {', '.join(PROVIDERS)}, or a host such as HOST:PORT"
        raise InputError(
            f"limits for {name!r} do not apply to anything; {did_you_mean(name, PROVIDERS, otherwise=expected)}"
        )
    if not isinstance(given, Mapping):
        raise InputError(f"the limits for {name!r} are not a table; expected {', '.join(_KNOWN)}")
    for key, value in given.items():
        if key not in _KNOWN:
            raise InputError(f"there is no limit {key!r} for {name!r}; {did_you_mean(key, _KNOWN)}")
        if not _usable(key, value):
            kind = "a whole number" if key == "concurrency" else "a number"
            raise InputError(f"the limit {key}={value!r} for {name!r} is not usable; expected {kind} greater than 0")
    return Limit(**given)


def _usable(key: str, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 < value < float("inf") and (key != "concurrency" or isinstance(value, int))
