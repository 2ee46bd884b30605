"""The one HTTP client: bounded in size, time and redirects; faults instead of exceptions; connections reused.

TLS is always verified: an authority of one's own is named with `ca`, there is no way to trust everybody.
Cookies are not kept, so that no conversation can leak into another.
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
from proctor.failures import host_in, said
from proctor.net import addresses
from proctor.net.addresses import shown
from proctor.net.errors import fault_of, not_connected, status_phrase, was_dropped_unanswered
from proctor.net.exchange import ExchangeLimits, Response
from proctor.net.immediate_write import LAST_SENT, REQUEST
from proctor.net.limits import TIME_LIMIT

_KEEP_ALIVE = 4.0
"""Seconds an idle connection is kept: less than the 5 after which common servers close theirs."""
_IDLE = 0.5
"""Seconds for which a connection has been idle before a server may have wanted to close it for that."""
_CROSSING = 0.05
"""Seconds, beside two round trips, within which such a close is heard of; who closes later has read the request."""
_LINGER = 0.2
"""Seconds in which what is left of a body may end, so that its connection is of further use."""
_LARGE = 2**20
"""Bytes of a body from which on it is sent in pieces, so that everybody else gets a turn in between."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEPS_METHOD = frozenset({307, 308})


class Client:
    """Sends requests, many at once. One session per event loop, made when it is needed; `close` ends it."""

    def __init__(
        self, *, bounds: ExchangeLimits | None = None, ca: str | None = None, proxy: bool | str = False
    ) -> None:
        """`ca`: a file of certificates to trust besides the system's; `proxy`: this one, or as the environment says."""
        self._bounds = bounds or ExchangeLimits()
        self._tls = _trusting(ca)
        self._proxy = proxy
        self._sessions: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession] = {}
        self._fresh: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession] = {}
        """Sessions that keep no connection."""
        self._distrusted: dict[str | None, float] = {}
        """Hosts that have closed a connection that was kept → until when theirs may be as old."""
        self._left: dict[Incoming, asyncio.AbstractEventLoop] = {}
        """What nobody reads any more, but may end by itself."""

    async def send(
        self, method: str, url: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Response:
        """One exchange. Raises a fault where there is no whole response; a status is never one."""
        incoming = await self._follow(method, _address(url), body, headers or {})
        try:
            return await incoming.read()
        finally:
            incoming.release()

    @asynccontextmanager
    async def open(
        self, method: str, url: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[Incoming]:
        """The same for a body that is read as it arrives; what is left of it is not waited for."""
        incoming = await self._follow(method, _address(url), body, headers or {})
        try:
            yield incoming
        except GeneratorExit:  # whoever reads it in a generator has enough
            self._leave(incoming)
            raise
        except BaseException:
            incoming.release()
            raise
        else:
            self._leave(incoming)

    async def close(self) -> None:
        """Let go of all connections; a later request makes new ones."""
        here = asyncio.get_running_loop()
        for incoming in [each for each, loop in self._left.items() if loop is here]:
            self._let_go(incoming)
        for sessions in (self._sessions, self._fresh):
            if (session := sessions.pop(here, None)) is not None:
                await session.close()

    def _leave(self, incoming: Incoming) -> None:
        """Give a body a moment to end: the last event of a stream is often read before its end has arrived."""
        loop = self._left[incoming] = asyncio.get_running_loop()
        loop.call_later(_LINGER, self._let_go, incoming)

    def _let_go(self, incoming: Incoming) -> None:
        self._left.pop(incoming, None)
        incoming.release()

    async def _follow(self, method: str, url: URL, body: bytes | None, headers: Mapping[str, str]) -> Incoming:
        """The first response that is no redirect."""
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
        told = f"{shown(origin)} redirected more than {self._bounds.redirects} times"
        raise AgentFault(told, kind="http", host=host_in(str(origin)))

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
        session._retry_connection = False  # aiohttp would ask twice where a GET is dropped; that is for the run to say
        return session

    def _proxy_for(self, url: URL) -> str | None:
        """As the environment says. aiohttp's own way would read passwords from ~/.netrc as well."""
        if not self._proxy or not url.host or urllib.request.proxy_bypass(url.host):
            return None
        known = urllib.request.getproxies()
        named = self._proxy if isinstance(self._proxy, str) else known.get(url.scheme) or known.get("all")
        return _http_proxy(named) if named else None


class Incoming:
    """A response whose body has not been read."""

    def __init__(self, response: aiohttp.ClientResponse, bounds: ExchangeLimits) -> None:
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers
        self.url = response.url
        self._response = response
        self._bounds = bounds
        self._received = 0

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it arrives, up to the bound."""
        while chunk := await self._more():
            yield chunk

    async def read(self) -> Response:
        """The whole of it."""
        chunks = [await self._more()]
        while not self._response.content.at_eof():
            chunks.append(await self._more())
        return Response(status=self.status, headers=self.headers, body=b"".join(chunks), url=str(self.url))

    async def _more(self) -> bytes:
        """What has arrived by now; nothing: that was all."""
        try:
            chunk = await self._response.content.readany()
        except (aiohttp.ClientError, OSError) as error:
            raise fault_of(error, self.url, self._bounds) from error
        self._received += len(chunk)
        if self._received > self._bounds.bytes:
            told = f"{shown(self.url)} answered with more than {self._bounds.bytes:,} bytes"
            raise AgentFault(told, kind="http", host=host_in(str(self.url)))
        return chunk

    def release(self) -> None:
        """Give the connection back, or close it where something is left unread."""
        self._response.release()


def _http_proxy(named: str) -> str:
    """The address of a proxy, which is often told without a scheme; raises Misconfigured where it is none of HTTP."""
    scheme, told, _ = named.partition("://")
    if told and scheme.lower() not in ("http", "https"):
        raise Misconfigured(f"a proxy of the kind {scheme!r} cannot be used; expected one like http://HOST:PORT")
    return named if told else f"http://{named}"


def _has_crossed() -> bool:
    """Whether a connection was closed for being idle just as the request was on its way, as far as one can know."""
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
    """One POST with a client of its own. Raises a fault where there is no whole response; a status is never one."""
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
        raise InputError(f"ca={ca!r} cannot be read: {said(error)}; expected a file of certificates (PEM)") from error
    return context


def _address(url: str) -> URL:
    try:
        return addresses.parse(url)
    except ValueError as error:
        # not repeated: it may hold a secret
        raise Misconfigured(f"the address cannot be called: {error}", kind="http") from None


def _target(incoming: Incoming) -> URL:
    """Where a redirect leads."""
    try:
        return addresses.parse(str(incoming.url.join(URL(incoming.headers["Location"]))))
    except ValueError:
        told = f"{shown(incoming.url)} redirected to what is no http address"
        raise AgentFault(told, kind="http", host=host_in(str(incoming.url))) from None


def _must_be_allowed(incoming: Incoming, method: str, origin: URL, target: URL, *, credentials: bool) -> None:
    went, host = (
        f"{shown(origin)} answered {status_phrase(incoming.status)}, which leads to {shown(target)}",
        host_in(str(origin)),
    )
    if not addresses.may_follow(origin, target, credentials=credentials):
        told = f"{went}: what was meant for one is not sent to the other; if it is right, name it directly"
        raise Misconfigured(told, kind="http", host=host)
    if method != "GET" and incoming.status in (301, 302):
        raise Misconfigured(f"{went}, but without what was sent; name that address directly", kind="http", host=host)
