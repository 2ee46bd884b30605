"""HTTP client with limits on size, time and redirects, faults instead of exceptions, and connection reuse.

TLS is always verified: a private certificate authority can be given as `ca`, but verification cannot be disabled.
Cookies are not stored, so that no conversation can leak into another.
"""

from __future__ import annotations

import asyncio
import io
import ssl
import time
import urllib.request
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import aiohttp
from yarl import URL

from proctor.errors import AgentFault, InputError, Misconfigured
from proctor.failures import host_in, short_message
from proctor.net import addresses
from proctor.net.addresses import shown
from proctor.net.errors import fault_of, not_connected, status_phrase, was_dropped_unanswered
from proctor.net.exchange import ExchangeLimits, Response
from proctor.net.immediate_write import LAST_SENT, REQUEST
from proctor.net.limits import TIME_LIMIT

_KEEP_ALIVE = 4.0
"""Keep-alive of idle connections in seconds, below the 5 s after which common servers close them."""
_IDLE = 0.5
"""Idle seconds after which a server may have closed the connection for being idle."""
_CROSSING = 0.05
"""Seconds, besides two round trips, within which such a close arrives; later, the request has been read."""
_LINGER = 0.2
"""Seconds to wait for the rest of a body so that its connection can be reused."""
_LARGE = 2**20
"""Body size in bytes from which it is sent in chunks, so that other tasks get a turn in between."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEPS_METHOD = frozenset({307, 308})


class Client:
    """HTTP client for many concurrent requests, with one lazily created session per event loop; `close` ends it."""

    def __init__(
        self, *, bounds: ExchangeLimits | None = None, ca: str | None = None, proxy: bool | str = False
    ) -> None:
        """`ca`: file of additional trusted certificates; `proxy`: a proxy URL, or True to use the environment's."""
        self._bounds = bounds or ExchangeLimits()
        self._tls = _trusting(ca)
        self._proxy = proxy
        self._sessions: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession] = {}
        self._fresh: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession] = {}
        """Sessions without keep-alive."""
        self._distrusted: dict[str | None, float] = {}
        """Host that closed a kept connection → time until which its other connections may be stale too."""
        self._left: dict[Incoming, asyncio.AbstractEventLoop] = {}
        """Responses that are no longer read but may still end, so that their connection can be reused."""

    async def send(
        self, method: str, url: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Response:
        """Send one request and read the whole response; incomplete ones raise a fault, HTTP statuses never do."""
        incoming = await self._follow(method, _address(url), body, headers or {})
        try:
            return await incoming.read()
        finally:
            incoming.release()

    @asynccontextmanager
    async def open(
        self, method: str, url: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[Incoming]:
        """Send one request and stream the response's body; the unread rest is not waited for."""
        incoming = await self._follow(method, _address(url), body, headers or {})
        try:
            yield incoming
        except GeneratorExit:  # a generator that reads it was closed early
            self._leave(incoming)
            raise
        except BaseException:
            incoming.release()
            raise
        else:
            self._leave(incoming)

    async def close(self) -> None:
        """Close all connections of the running loop; later requests open new ones."""
        here = asyncio.get_running_loop()
        for incoming in [each for each, loop in self._left.items() if loop is here]:
            self._let_go(incoming)
        for sessions in (self._sessions, self._fresh):
            if (session := sessions.pop(here, None)) is not None:
                await session.close()

    def _leave(self, incoming: Incoming) -> None:
        """Give a body a moment to end, since the last event of a stream often arrives before the end of the body."""
        loop = self._left[incoming] = asyncio.get_running_loop()
        loop.call_later(_LINGER, self._let_go, incoming)

    def _let_go(self, incoming: Incoming) -> None:
        self._left.pop(incoming, None)
        incoming.release()

    async def _follow(self, method: str, url: URL, body: bytes | None, headers: Mapping[str, str]) -> Incoming:
        """Send the request, following redirects, and return the first other response."""
        origin = url
        for _ in range(self._bounds.redirects + 1):
            incoming = await self._request(method, url, body, headers)
            if incoming.status not in _REDIRECTS or "Location" not in incoming.headers:
                return incoming
            incoming.release()
            url = _target(incoming)
            credentials = bool(addresses.credentials_in(headers)) or origin.user is not None
            _must_be_allowed(incoming, method, origin, url, credentials=credentials)
            if incoming.status not in _KEEPS_METHOD and method != "GET":
                method, body, headers = "GET", None, addresses.without_content(headers)
        message = f"{shown(origin)} redirected more than {self._bounds.redirects} times"
        raise AgentFault(message, kind="http", host=host_in(str(origin)))

    async def _request(self, method: str, url: URL, body: bytes | None, headers: Mapping[str, str]) -> Incoming:
        sent = io.BytesIO(body) if body is not None and len(body) > _LARGE else body
        while True:
            LAST_SENT.set(None)
            try:
                response = await self._session(url).request(
                    method, url, data=sent, headers=headers, allow_redirects=False, proxy=self._proxy_for(url)
                )
            except (aiohttp.ClientError, OSError, ValueError) as error:
                is_stale = _has_crossed() and was_dropped_unanswered(error)
                if is_stale:
                    self._distrusted[url.host] = time.monotonic() + _KEEP_ALIVE
                if is_stale and method == "GET":
                    continue
                raise fault_of(error, url, self._bounds, stale=is_stale) from error
            except asyncio.CancelledError as error:
                if LAST_SENT.get() is None and (limit := TIME_LIMIT.get()) is not None and limit.expired():
                    raise not_connected(url) from error
                raise
            return Incoming(response, self._bounds)

    def _session(self, url: URL) -> aiohttp.ClientSession:
        is_fresh = self._distrusted.get(url.host, 0.0) > time.monotonic()
        sessions, loop = self._fresh if is_fresh else self._sessions, asyncio.get_running_loop()
        session = sessions.get(loop)
        if session is None or session.closed:
            session = sessions[loop] = self._new_session(fresh=is_fresh)
            for ended in [each for each in list(sessions) if each.is_closed()]:
                sessions.pop(ended, None)
        return session

    def _new_session(self, *, fresh: bool) -> aiohttp.ClientSession:
        bounds, kept = self._bounds, None if fresh else _KEEP_ALIVE
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=kept, force_close=fresh, ssl=self._tls),
            request_class=REQUEST,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": "proctor"},
            timeout=aiohttp.ClientTimeout(total=bounds.seconds, connect=bounds.connect, sock_read=bounds.idle),
        )
        session._retry_connection = False  # disable aiohttp's retry of dropped GETs; retries are up to the run
        return session

    def _proxy_for(self, url: URL) -> str | None:
        """Return the proxy for a URL; unlike aiohttp's own lookup, this does not read passwords from ~/.netrc."""
        if not self._proxy or not url.host or urllib.request.proxy_bypass(url.host):
            return None
        known = urllib.request.getproxies()
        named = self._proxy if isinstance(self._proxy, str) else known.get(url.scheme) or known.get("all")
        return _http_proxy(named) if named else None


class Incoming:
    """A response whose body has not been read yet."""

    def __init__(self, response: aiohttp.ClientResponse, bounds: ExchangeLimits) -> None:
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers
        self.url = response.url
        self._response = response
        self._bounds = bounds
        self._received = 0

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives, up to the size limit."""
        while chunk := await self._more():
            yield chunk

    async def read(self) -> Response:
        """Read the whole body."""
        chunks = [await self._more()]
        while not self._response.content.at_eof():
            chunks.append(await self._more())
        return Response(status=self.status, headers=self.headers, body=b"".join(chunks), url=str(self.url))

    async def _more(self) -> bytes:
        """Return the data that has arrived; empty at the end."""
        try:
            chunk = await self._response.content.readany()
        except (aiohttp.ClientError, OSError) as error:
            raise fault_of(error, self.url, self._bounds) from error
        self._received += len(chunk)
        if self._received > self._bounds.bytes:
            message = f"{shown(self.url)} answered with more than {self._bounds.bytes:,} bytes"
            raise AgentFault(message, kind="http", host=host_in(str(self.url)))
        return chunk

    def release(self) -> None:
        """Return the connection to the pool, or close it if data is left unread."""
        self._response.release()


def _http_proxy(named: str) -> str:
    """The address of a proxy, which is often told without a scheme; raises Misconfigured where it is none of HTTP."""
    scheme, told, _ = named.partition("://")
    if told and scheme.lower() not in ("http", "https"):
        raise Misconfigured(f"a proxy of the kind {scheme!r} cannot be used; expected one like http://HOST:PORT")
    return named if told else f"http://{named}"


def _has_crossed() -> bool:
    """Whether an idle connection was probably closed by the server just as the request was sent."""
    sent = LAST_SENT.get()
    if sent is None or sent.idle is None or sent.idle < _IDLE:
        return False
    return time.monotonic() - sent.at < _CROSSING + 2 * sent.round_trip


async def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str] | None = None,
    *,
    bounds: ExchangeLimits | None = None,
    ca: str | None = None,
    proxy: bool = False,
) -> Response:
    """Send one POST with a client of its own; incomplete responses raise a fault, HTTP statuses never do."""
    client = Client(bounds=bounds, ca=ca, proxy=proxy)
    try:
        return await client.send("POST", url, body=body, headers=headers)
    finally:
        await client.close()


def _trusting(ca: str | None) -> ssl.SSLContext | bool:
    if ca is None:
        return True
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(ca)
    except OSError as error:
        raise InputError(
            f"ca={ca!r} cannot be read: {short_message(error)}; expected a file of certificates (PEM)"
        ) from error
    return context


def _address(url: str) -> URL:
    try:
        return addresses.parse(url)
    except ValueError as error:
        # the address is not repeated, since it may contain a secret
        raise Misconfigured(f"the address cannot be called: {error}", kind="http") from None


def _target(incoming: Incoming) -> URL:
    """Return the target of a redirect."""
    try:
        return addresses.parse(str(incoming.url.join(URL(incoming.headers["Location"]))))
    except ValueError:
        message = f"{shown(incoming.url)} redirected to something that is not an HTTP address"
        raise AgentFault(message, kind="http", host=host_in(str(incoming.url))) from None


def _must_be_allowed(incoming: Incoming, method: str, origin: URL, target: URL, *, credentials: bool) -> None:
    went, host = (
        f"{shown(origin)} answered {status_phrase(incoming.status)}, which leads to {shown(target)}",
        host_in(str(origin)),
    )
    if not addresses.may_follow(origin, target, credentials=credentials):
        message = f"{went}: requests meant for one are not sent to the other; if it is right, name it directly"
        raise Misconfigured(message, kind="http", host=host)
    if method != "GET" and incoming.status in (301, 302):
        raise Misconfigured(f"{went}, but without what was sent; name that address directly", kind="http", host=host)
