"""The web app, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware

from proctor.web import api, pages
from proctor.web.site import errors
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
