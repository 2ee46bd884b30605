"""Run the web server: open the socket, serve the app, and print its address."""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from proctor.errors import UsageError
from proctor.web import api, pages
from proctor.web.site import errors
from proctor.web.site.live import MOST_WATCHERS
from proctor.web.site.security import Guard
from proctor.web.site.settings import WebSettings
from proctor.web.site.site import Site


def create_app(settings: WebSettings) -> FastAPI:
    """Create the ASGI application for one store."""
    site = Site(settings)
    app = FastAPI(title="Proctor", docs_url=None, redoc_url=None, openapi_url=None, lifespan=_lifespan)
    app.state.site = site
    errors.install(app)
    api.include(app)
    pages.include(app)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, settings=settings, sessions=site.sessions, guesses=site.wrong_tokens, shares=site.shares)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    site: Site = app.state.site
    await run_in_threadpool(site.begin)
    try:
        yield
    finally:
        await run_in_threadpool(site.close)


MOST_CONNECTIONS = 2 * MOST_WATCHERS
"""Maximum number of concurrent connections; further ones get status 503."""
HEADERS_WITHIN = 10.0
"""Timeout in seconds for receiving a request's headers."""
BODY_WITHIN = 10.0
"""Timeout in seconds for receiving a request body, extended by the time it takes at the minimum rate, `SLOWEST`."""
SLOWEST = 8 * 1024
"""Minimum upload rate in bytes per second."""


def serve(*, port: int, **settings: Any) -> None:
    """Serve until interrupted; `settings` are those of WebSettings."""
    chosen = WebSettings(**settings)
    chosen.check()
    with listening(chosen.host, port) as listener:
        app = create_app(chosen)
        app.state.site.store  # noqa: B018  a store that cannot be opened is told now, not with the first page
        gc.freeze()  # exclude all objects so far from garbage collection
        gc.enable()
        sys.stderr.write(f"Proctor is at {address(listener)} (Ctrl-C ends it; runs continue)\n")
        sys.stderr.flush()
        with suppress(KeyboardInterrupt):  # Ctrl-C is the usual way to end it
            server(app).run(sockets=[listener])


def server(app: FastAPI) -> uvicorn.Server:
    """Create the uvicorn server of an app."""
    return _Server(_server_config(app))


class _Server(uvicorn.Server):
    """Server that disconnects the watchers of runs on shutdown instead of waiting for them."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        site: Site = self.config.app.state.site  # type: ignore[union-attr]
        await site.live.end()
        await super().shutdown(sockets)


class _Connection(H11Protocol):
    """Connection that is closed if a request is not received in time; uvicorn itself has no such timeout."""

    _overdue: asyncio.TimerHandle | None = None
    _body_since = 0.0
    _body_came = 0
    _in_body = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._overdue = self.loop.call_later(HEADERS_WITHIN, transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._body_comes(len(data))
        elif state is not h11.IDLE:
            self._in_time()
        elif self._overdue is None:  # the start of another request
            self._overdue = self.loop.call_later(HEADERS_WITHIN, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._in_time()
        super().connection_lost(exc)

    def _body_comes(self, size: int) -> None:
        if not self._in_body:
            self._in_time()
            self._in_body, self._body_since, self._body_came = True, self.loop.time(), 0
            self._overdue = self.loop.call_later(BODY_WITHIN, self._look_at_body)
        self._body_came += size

    def _look_at_body(self) -> None:
        """Close the connection if the body arrives too slowly; time in which reading is paused does not count."""
        left = BODY_WITHIN + self._body_came / SLOWEST - (self.loop.time() - self._body_since)
        if self.flow.read_paused:
            left = BODY_WITHIN
        if left <= 0:
            self.transport.close()
        else:
            self._overdue = self.loop.call_later(left, self._look_at_body)

    def _in_time(self) -> None:
        self._in_body = False
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None


def _server_config(app: FastAPI) -> uvicorn.Config:
    """Return uvicorn's configuration. It ignores forwarding headers; `site/clients.py` reads those of trusted
    proxies."""
    return uvicorn.Config(
        app,
        http=_Connection,
        limit_concurrency=MOST_CONNECTIONS,
        log_level="warning",
        access_log=False,
        ws="none",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=3,
    )


def listening(host: str, port: int) -> socket.socket:
    """Open a listening socket at this address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)  # connections that arrive before the app is ready are queued, not refused
    except OSError as error:
        listener.close()
        raise UsageError(
            f"cannot listen at host={host!r}, port={port}: {error.strerror or error}; choose another with --port"
        ) from error
    return listener


def address(listener: socket.socket) -> str:
    """Return the URL of the server for a browser."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/"
