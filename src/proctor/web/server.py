"""Listening: a socket, the app behind it, and one line that says where it is."""

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
    """An ASGI application over one store."""
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
"""At the same time; who comes then is told to come again."""
HEADERS_WITHIN = 10.0
"""Seconds in which a request must have said what it wants."""
BODY_WITHIN = 10.0
"""Seconds in which what it sends must have come, and longer only as long as it comes quickly enough."""
SLOWEST = 8 * 1024
"""Bytes a second."""


def serve(*, port: int, **settings: Any) -> None:
    """Answer until interrupted; `settings` are those of WebSettings."""
    chosen = WebSettings(**settings)
    chosen.check()
    with listening(chosen.host, port) as listener:
        app = create_app(chosen)
        app.state.site.store  # noqa: B018  a store that cannot be opened is told now, not with the first page
        gc.freeze()  # what there is now stays
        gc.enable()
        sys.stderr.write(f"Proctor is at {address(listener)} (Ctrl-C ends it; runs continue)\n")
        sys.stderr.flush()
        with suppress(KeyboardInterrupt):  # the usual way to end it
            server(app).run(sockets=[listener])


def server(app: FastAPI) -> uvicorn.Server:
    """What answers for an app."""
    return _Server(_server_config(app))


class _Server(uvicorn.Server):
    """Tells those who watch a run that the server ends, rather than waiting for them."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        site: Site = self.config.app.state.site  # type: ignore[union-attr]
        await site.live.end()
        await super().shutdown(sockets)


class _Connection(H11Protocol):
    """Hangs up on who does not come to the end of a request in time: uvicorn waits for them for ever."""

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
        elif self._overdue is None:  # the first piece of a further request
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
        """Hang up on a body that is too slow; one that we do not take at the moment is not slow."""
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
    """uvicorn believes no header about who asks; `site/clients.py` believes those of trusted proxies."""
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
    """A socket at this address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)  # who comes before the app is ready waits, and is not turned away
    except OSError as error:
        listener.close()
        raise UsageError(
            f"cannot listen at host={host!r}, port={port}: {error.strerror or error}; choose another with --port"
        ) from error
    return listener


def address(listener: socket.socket) -> str:
    """Where a browser finds it."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/"
