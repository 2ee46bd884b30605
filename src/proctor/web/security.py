"""Who may come in, and what every answer says to the browser: the middleware in front of pages and API.

In this order: the name by which the server was called (DNS rebinding), requests that another site made (CSRF),
the token (login or Bearer, rate-limited), and headers on every answer. Forms carry a token of their session besides;
`pages` checks it before any page sees the form.
"""

from __future__ import annotations

import time
from collections import deque
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from proctor.web.sessions import LIFETIME, Session, Sessions
from proctor.web.settings import WebSettings

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing inline, nothing from elsewhere."""
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
_SAFE = ("GET", "HEAD", "OPTIONS")
_OPEN = ("/login", "/health")
_FILES = "/api/benchmarks"
BODY_LIMIT = 2**20
"""Bytes that a program may send, where it does not send a file."""
FORM_HEADER = "x-form-token"
"""Where a script of ours puts the token of its session."""


class Guesses:
    """Counts wrong tokens by address: a few a minute are mistakes, more are guesses."""

    MOST = 5
    WITHIN = 60.0
    _KEPT = 10_000

    def __init__(self) -> None:
        self._wrong: dict[str, deque[float]] = {}

    def wait(self, address: str) -> int:
        """Seconds until this address may try again; 0: now."""
        now = time.monotonic()
        times = self._wrong.get(address)
        while times and now - times[0] > self.WITHIN:
            times.popleft()
        if times is None or len(times) < self.MOST:
            return 0
        return max(1, round(self.WITHIN - (now - times[0])))

    def note(self, address: str) -> None:
        """One more wrong one."""
        times = self._wrong.pop(address, None) or deque(maxlen=self.MOST)
        times.append(time.monotonic())
        self._wrong[address] = times  # at the end: the one that was quiet longest goes first
        while len(self._wrong) > self._KEPT:
            del self._wrong[next(iter(self._wrong))]


class Guard:
    """ASGI middleware; leaves the session in `request.state.session`."""

    def __init__(self, app: ASGIApp, *, settings: WebSettings, sessions: Sessions, guesses: Guesses) -> None:
        self._app = app
        self._settings = settings
        self._sessions = sessions
        self._guesses = guesses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        session = self._session(headers)
        current = session or self._sessions.begin()
        scope.setdefault("state", {})["session"] = current
        refused = self._refused(scope, headers, session)
        answering: ASGIApp = refused or self._app
        new = current if session is None and not _is_api(scope) else None
        await answering(scope, _limited(scope, receive), self._with_headers(scope, send, new))

    def _session(self, headers: Headers) -> Session | None:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._sessions.cookie)
        except CookieError:
            return None
        return None if cookie is None else self._sessions.read(cookie.value)

    def _refused(self, scope: Scope, headers: Headers, session: Session | None) -> Response | None:
        name = host_name(headers.get("host", ""))
        if not self._settings.allows(name):
            return _said(
                scope,
                HTTPStatus.MISDIRECTED_REQUEST,
                f"this server is not called {name!r}; name it with `proctor serve --allow-host`",
            )
        if _is_static(scope):
            return None
        changing = scope["method"] not in _SAFE
        if changing and not _from_here(headers):
            return _said(scope, HTTPStatus.FORBIDDEN, "the request was made by another site")
        bearer = _bearer(headers) if _is_api(scope) else None
        if bearer is not None and self._settings.token is not None:
            return self._by_token(scope, bearer)
        if self._settings.token is not None and not (session and session.known) and scope["path"] not in _OPEN:
            return _log_in_first(scope)
        if changing and _is_api(scope) and (session or "origin" in headers):
            return self._by_form_token(scope, headers, session)
        return None

    def _by_token(self, scope: Scope, bearer: str) -> Response | None:
        address = client_address(scope)
        wait = self._guesses.wait(address)
        if wait:
            return _said(scope, HTTPStatus.TOO_MANY_REQUESTS, f"too many wrong tokens; wait {wait} s", wait=wait)
        if self._sessions.opens(bearer):
            return None
        self._guesses.note(address)
        return _said(scope, HTTPStatus.UNAUTHORIZED, "the token is wrong")

    def _by_form_token(self, scope: Scope, headers: Headers, session: Session | None) -> Response | None:
        if session is not None and self._sessions.vouches(session, headers.get(FORM_HEADER, "")):
            return None
        return _said(
            scope,
            HTTPStatus.FORBIDDEN,
            f"a browser must send its session's token as {FORM_HEADER}; programs send no cookie",
        )

    def _with_headers(self, scope: Scope, send: Send, new: Session | None) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if new is not None and headers.get("content-type", "").startswith("text/html"):
                    set_cookie(headers, scope, self._sessions, new)
            await send(message)

        return sending


def set_cookie(headers: MutableHeaders, scope: Scope, sessions: Sessions, session: Session) -> None:
    """Hand a session to the browser, unless the answer hands it one already."""
    if any(value.startswith(f"{sessions.cookie}=") for value in headers.getlist("set-cookie")):
        return
    secure = "; Secure" if scope["scheme"] == "https" else ""
    headers.append(
        "set-cookie",
        f"{sessions.cookie}={sessions.sealed(session)}; Max-Age={LIFETIME}; Path=/; HttpOnly; SameSite=Lax{secure}",
    )


def host_name(host: str) -> str:
    """A Host header without its port, and an IPv6 address without its brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def client_address(scope: Scope) -> str:
    """Where a request comes from."""
    client = scope.get("client")
    return client[0] if client else ""


def local_path(wanted: str) -> str:
    """Where to go after logging in: a path of this server, and nothing that a browser takes for another one."""
    plain = wanted.startswith("/") and not wanted.startswith(("//", "/\\"))
    return wanted if plain and not any(ord(each) < 32 or each == "\\" for each in wanted) else "/"


def _is_api(scope: Scope) -> bool:
    return bool(scope["path"] == "/api" or scope["path"].startswith("/api/"))


def _is_static(scope: Scope) -> bool:
    return bool(scope["path"].startswith("/static/"))


def _limited(scope: Scope, receive: Receive) -> Receive:
    """What the API reads as a whole is small; files, and forms of pages, are limited where they are read."""
    if not _is_api(scope) or scope["path"].startswith(_FILES):
        return receive
    taken = 0

    async def receiving() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > BODY_LIMIT:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request has more than {BODY_LIMIT:,} bytes")
        return message

    return receiving


def _from_here(headers: Headers) -> bool:
    """Whether a request that changes something was made by a page of ours, or by no browser at all."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _log_in_first(scope: Scope) -> Response:
    if _is_api(scope):
        return _said(scope, HTTPStatus.UNAUTHORIZED, "send the server's token as `Authorization: Bearer TOKEN`")
    path = scope["path"] + ("?" + scope["query_string"].decode("latin-1") if scope["query_string"] else "")
    wanted = path if scope["method"] == "GET" else "/"
    return RedirectResponse(f"/login?next={quote(wanted, safe='')}", status_code=HTTPStatus.SEE_OTHER)


def _said(scope: Scope, status: HTTPStatus, message: str, *, wait: int = 0) -> Response:
    headers = {"retry-after": str(wait)} if wait else {}
    if status is HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    if _is_api(scope):
        return JSONResponse({"error": message}, status_code=status, headers=headers)
    return PlainTextResponse(f"{message[0].upper()}{message[1:]}.\n", status_code=status, headers=headers)
