"""A run as it goes on, for pages that watch it: server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from proctor.web.site import site_of

router = APIRouter()


@router.get("/runs/{run}/events")
async def events(request: Request, run: str) -> StreamingResponse:
    """A run as it goes on, as server-sent events: `progress` with where it stands."""
    site = site_of(request)
    found = await run_in_threadpool(lambda: site.store.archive.find(run))

    async def streamed() -> AsyncIterator[bytes]:
        async with site.live.watching(site.store, found.id) as said:
            async for event in said:
                yield event

    return StreamingResponse(streamed(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})
