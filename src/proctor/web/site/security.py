"""Access control and response headers: the middleware in front of pages and API.

It checks, in this order: the Host header (DNS rebinding), cross-site requests (CSRF), the token (login or Bearer,
rate-limited) or a link to one run; and it sets headers on every response. Forms also carry a token of their session,
which `pages` checks before any page sees the form.
"""

from __future__ import annotations

import math
import re
import time
from http import HTTPStatus
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from proctor.web.site.clients import WrongTokens, client_address, networks
from proctor.web.site.sessions import LIFETIME, Session, Sessions
from proctor.web.site.settings import WebSettings
from proctor.web.site.shares import ShareLink, ShareLinks

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content security policy: nothing inline, nothing from other origins."""
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
_LINK = "/shared/"
"""Path prefix of share links."""
_SHARED = re.compile(r"/runs/(?P<run>[^/]+)(?:/attempt)?")
"""Paths that a share link gives access to."""
SHARE_COOKIE = "proctor_share"
_FILES = re.compile(r"/api/benchmarks\b|/api/runs/[^/]+/labels/sheet$")
"""API paths that accept file uploads."""
_HOST = re.compile(r"(?:\[(?P<v6>[0-9a-fA-F:.]+)\]|(?P<name>[\w.-]+))(?::[0-9]{1,5})?", re.ASCII)
BODY_LIMIT = 2**20
"""Maximum size in bytes of an API request body that is not a file."""
_DRAINED = 64 * 2**20
"""Maximum bytes of an oversized body that are read and discarded."""
FORM_HEADER = "x-form-token"
"""Header in which scripts of our pages send the session's form token."""


class Guard:
    """ASGI middleware that controls access; stores the session in `request.state.session` and a share link in
    `.shared`."""

    def __init__(
        self, app: ASGIApp, *, settings: WebSettings, sessions: Sessions, guesses: WrongTokens, shares: ShareLinks
    ) -> None:
        self._app = app
        self._settings = settings
        self._sessions = sessions
        self._guesses = guesses
        self._shares = shares
        self._proxies = networks(settings.proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the app, or respond to it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # web sockets are not supported
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        session = self._session(headers)
        current = session or self._sessions.begin()
        scope.setdefault("state", {}).update(session=current, shared=None)
        refused = self._refusal(scope, headers, session)
        answering: ASGIApp = refused or self._app
        new = current if session is None and not _is_api(scope) else None
        body = _RequestBody(scope, receive)
        await answering(scope, body.receive, self._with_headers(scope, send, new, body))

    def _session(self, headers: Headers) -> Session | None:
        """Return the session from the cookies, parsed leniently: other servers on this host may set malformed ones."""
        cookie = cookie_parser(headers.get("cookie", "")).get(self._sessions.cookie)
        return None if cookie is None else self._sessions.read(cookie)

    def _refusal(self, scope: Scope, headers: Headers, session: Session | None) -> Response | None:
        called = headers.get("host", "")
        if not self._settings.allows(host_name(called)):
            return _error_response(
                scope,
                HTTPStatus.MISDIRECTED_REQUEST,
                f"this server is not called {called!r}; name it with `proctor serve --allow-host`",
            )
        changing = scope["method"] not in _SAFE
        if not (_from_here(headers) if changing else _for_us(headers)):
            return _error_response(scope, HTTPStatus.FORBIDDEN, "the request was made by another site")
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            status = HTTPStatus.NOT_FOUND if "\0" in scope["path"] else HTTPStatus.UNPROCESSABLE_ENTITY
            return _error_response(scope, status, "the address holds a NUL character; remove it")
        if _is_static(scope):
            return None
        bearer = _bearer(headers) if _is_api(scope) else None
        if bearer is not None and self._settings.token is not None:
            return self._by_token(scope, bearer)
        if self._settings.token is not None and not (session and session.known) and not _is_open(scope["path"]):
            return self._by_share(scope, headers)
        if changing and _is_api(scope) and (session or "origin" in headers):
            return self._by_form_token(scope, headers, session)
        return None

    def _by_token(self, scope: Scope, bearer: str) -> Response | None:
        right = self._sessions.opens(bearer)
        wait = self._guesses.hear(client_address(scope, self._proxies), bearer, right=right)
        if wait:
            return _error_response(
                scope, HTTPStatus.TOO_MANY_REQUESTS, f"too many wrong tokens; wait {wait} s", wait=wait
            )
        return None if right else _error_response(scope, HTTPStatus.UNAUTHORIZED, "the token is wrong")

    def _by_share(self, scope: Scope, headers: Headers) -> Response | None:
        """Allow read access to the run of a share link without a login."""
        share = self._shares.read(cookie_parser(headers.get("cookie", "")).get(SHARE_COOKIE, ""))
        asked = _SHARED.fullmatch(scope["path"])
        if share is None or asked is None or asked["run"] != share.run:
            return _log_in_first(scope)
        if scope["method"] not in ("GET", "HEAD"):
            return _error_response(
                scope, HTTPStatus.FORBIDDEN, "this link opens the run to be read; nothing can be changed by it"
            )
        scope["state"]["shared"] = share
        return None

    def _by_form_token(self, scope: Scope, headers: Headers, session: Session | None) -> Response | None:
        if session is not None and self._sessions.vouches(session, headers.get(FORM_HEADER, "")):
            return None
        return _error_response(
            scope,
            HTTPStatus.FORBIDDEN,
            f"a browser must send its session's token as {FORM_HEADER}; programs send no cookie",
        )

    def _with_headers(self, scope: Scope, send: Send, new: Session | None, body: _RequestBody) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if body.endless:
                    headers["connection"] = "close"  # else the rest would be read and discarded indefinitely
                if new is not None and headers.get("content-type", "").startswith("text/html"):
                    set_cookie(headers, scope, self._sessions, new)
            await send(message)

        return sending


def set_cookie(headers: MutableHeaders, scope: Scope, sessions: Sessions, session: Session) -> None:
    """Set the session cookie, unless the response already does."""
    if any(value.startswith(f"{sessions.cookie}=") for value in headers.getlist("set-cookie")):
        return
    secure = "; Secure" if _is_encrypted(scope) else ""
    headers.append(
        "set-cookie",
        f"{sessions.cookie}={sessions.seal(session)}; Max-Age={LIFETIME}; Path=/; HttpOnly; SameSite=Lax{secure}",
    )


def set_share_cookie(headers: MutableHeaders, scope: Scope, share: ShareLink, token: str) -> None:
    """Set the cookie that opens a shared run, limited to that run's URLs."""
    secure = "; Secure" if _is_encrypted(scope) else ""
    life = max(0, share.expires - int(time.time()))
    where = f"/runs/{quote(share.run, safe='')}"
    headers.append(
        "set-cookie", f"{SHARE_COOKIE}={token}; Max-Age={life}; Path={where}; HttpOnly; SameSite=Lax{secure}"
    )


def _is_encrypted(scope: Scope) -> bool:
    return "https" in (scope["scheme"], Headers(scope=scope).get("x-forwarded-proto"))


def loggable(path: str) -> str:
    """Return a path without the secret of a share link."""
    return f"{_LINK}…" if path.startswith(_LINK) else path


def _is_open(path: str) -> bool:
    return path in _OPEN or path.startswith(_LINK)


def host_name(host: str) -> str:
    """Return the Host header without port and IPv6 brackets, or empty if invalid."""
    found = _HOST.fullmatch(host)
    return (found["v6"] or found["name"]) if found else ""


def local_path(wanted: str) -> str:
    """Return the path to redirect to after login, or `/` if it could lead to another site."""
    plain = wanted.startswith("/") and not wanted.startswith(("//", "/\\"))
    return wanted if plain and not any(ord(each) < 32 or each == "\\" for each in wanted) else "/"


def _is_api(scope: Scope) -> bool:
    return bool(scope["path"] == "/api" or scope["path"].startswith("/api/"))


def _is_static(scope: Scope) -> bool:
    return bool(scope["path"].startswith("/static/"))


class _RequestBody:
    """A request body with a size limit for API requests; files and forms have their own limits."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        headers = Headers(scope=scope)
        length = headers.get("content-length", "")
        self._announced = math.inf if "transfer-encoding" in headers else int(length) if length.isdecimal() else 0
        self._taken = 0
        self._whole = False
        self._receive = receive
        self._small = _is_api(scope) and _FILES.match(scope["path"]) is None

    async def receive(self) -> Message:
        """Return the next message. An oversized body is read to its end, within reason, so that the client gets the
        error."""
        message = await self._next()
        while self._too_much and not self.endless and not self._whole:
            message = await self._next()
        if self._too_much:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request has more than {BODY_LIMIT:,} bytes")
        return message

    @property
    def endless(self) -> bool:
        """Whether the body exceeds what is read and discarded, or may, while a body of unknown length is unread."""
        unread = self._taken == 0 and self._announced > _DRAINED
        return not self._whole and (unread or self._taken > _DRAINED)

    @property
    def _too_much(self) -> bool:
        return self._small and self._taken > BODY_LIMIT

    async def _next(self) -> Message:
        message = await self._receive()
        self._taken += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        return message


def _from_here(headers: Headers) -> bool:
    """Whether a state-changing request comes from one of our pages or from a non-browser client."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()


def _for_us(headers: Headers) -> bool:
    """Whether a read request is legitimate: other sites may link here, but not embed or fetch resources.

    They could not read the response, but measure its timing and put load on the server.
    """
    if headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none"):
        return True
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _log_in_first(scope: Scope) -> Response:
    if _is_api(scope):
        return _error_response(
            scope, HTTPStatus.UNAUTHORIZED, "send the server's token as `Authorization: Bearer TOKEN`"
        )
    path = scope["path"] + ("?" + scope["query_string"].decode("latin-1") if scope["query_string"] else "")
    wanted = path if scope["method"] == "GET" else "/"
    return RedirectResponse(f"/login?next={quote(wanted, safe='')}", status_code=HTTPStatus.SEE_OTHER)


def _error_response(scope: Scope, status: HTTPStatus, message: str, *, wait: int = 0) -> Response:
    headers = {"retry-after": str(wait)} if wait else {}
    if status is HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    if _is_api(scope):
        return JSONResponse({"error": message}, status_code=status, headers=headers)
    return PlainTextResponse(f"{message[0].upper()}{message[1:]}.\n", status_code=status, headers=headers)
