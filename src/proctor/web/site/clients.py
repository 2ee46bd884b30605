"""Client addresses, and rate limiting of wrong tokens."""

from __future__ import annotations

import hashlib
import ipaddress
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Sequence
from typing import TypeVar

from starlette.datastructures import Headers
from starlette.types import Scope

from proctor.errors import UsageError

_T = TypeVar("_T")
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def networks(named: Sequence[str]) -> tuple[Network, ...]:
    """Parse the trusted proxies; raise UsageError if one is not a valid address or network."""
    try:
        return tuple(ipaddress.ip_network(each, strict=False) for each in named)
    except ValueError as error:
        raise UsageError(
            f"--trusted-proxy: {error}; expected the address of the proxy, such as 10.0.0.7 or 10.0.0.0/24"
        ) from error


def client_address(scope: Scope, proxies: Sequence[Network] = ()) -> str:
    """Return the client address: the peer's or, if that is a trusted proxy, the one it forwards.

    Proxies append to the `X-Forwarded-For` list. Entries before the last one that is not a trusted proxy may be forged.
    """
    peer = scope["client"][0] if scope.get("client") else ""
    if not _is_one_of(peer, proxies):
        return peer
    header_lines = Headers(scope=scope).getlist("x-forwarded-for")
    for each in reversed([address.strip() for line in header_lines for address in line.split(",")]):
        if _parse(each) is None:
            break
        if not _is_one_of(each, proxies):
            return each
    return peer


def _parse(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


def _is_one_of(address: str, proxies: Sequence[Network]) -> bool:
    parsed = _parse(address)
    return parsed is not None and any(parsed in network for network in proxies)


class WrongTokens:
    """Rate limiter for wrong tokens, per client and in total.

    A repeated wrong token does not count again, so that a program with an old token locks nobody out. The limit is
    higher for addresses that once sent the right token, so that one person's guesses do not lock out others behind the
    same address.
    """

    MOST = 5
    MOST_BESIDE = 100
    """Limit for an address that gave the right token before."""
    MOST_IN_ALL = 100
    """Limit for all addresses together; it does not apply to those that gave the right token before."""
    WITHIN = 60.0
    _KEPT = 10_000

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, OrderedDict[bytes, float]] = OrderedDict()
        self._all: deque[float] = deque(maxlen=self.MOST_IN_ALL)
        self._trusted: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def hear(self, address: str, token: str, *, right: bool) -> int:
        """Record a login attempt; return the seconds that the client must wait, or 0 if the attempt was accepted for
        checking.

        Checking and counting are atomic, so that concurrent attempts are counted one by one.
        """
        name, now = _neighbourhood(address), time.monotonic()
        token_digest = hashlib.sha256(token.encode("utf-8", "replace")).digest()
        with self._lock:
            wrong, trusted = self._recent(name, now), name in self._trusted
            if token_digest in wrong:
                return 0
            times = [*wrong.values()]
            wait = self._seconds_left(times, self.MOST_BESIDE if trusted else self.MOST, now)
            wait = max(wait, 0 if trusted else self._seconds_left(self._all, self.MOST_IN_ALL, now))
            if not wait and right:
                _keep(self._trusted, name, None, self._KEPT)
            elif not wait:
                wrong[token_digest] = now
                self._all.append(now)
                _keep(self._wrong, name, wrong, self._KEPT)
        return wait

    def _recent(self, name: str, now: float) -> OrderedDict[bytes, float]:
        """Return the recent wrong tokens of this client, the oldest first."""
        given = self._wrong.get(name, OrderedDict())
        while given and now - next(iter(given.values())) >= self.WITHIN:
            given.popitem(last=False)
        return given

    def _seconds_left(self, times: Sequence[float], most: int, now: float) -> int:
        """Return the seconds until another attempt is allowed."""
        full = len(times) >= most and now - times[-most] < self.WITHIN
        return max(1, round(self.WITHIN - (now - times[-most]))) if full else 0


def _keep(kept: OrderedDict[str, _T], name: str, value: _T, most: int) -> None:
    """Store a value, evicting the least recently used ones beyond `most`."""
    kept[name] = value
    kept.move_to_end(name)
    while len(kept) > most:
        kept.popitem(last=False)


def _neighbourhood(address: str) -> str:
    """Return the network that is counted as one client: an IPv6 address stands for its /64 network."""
    parsed = _parse(address)
    if parsed is None:
        return address
    if parsed.version == 4:
        return str(parsed)
    return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))
