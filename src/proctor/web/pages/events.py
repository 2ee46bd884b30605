"""Progress of a run as server-sent events, for pages that watch it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from proctor.web.site.site import site_of

router = APIRouter()


@router.get("/runs/{run}/events")
async def events(request: Request, run: str) -> StreamingResponse:
    """Stream the progress of a run, also after it is resumed, as `progress` events."""
    return await stream_run(request, run)


async def stream_run(request: Request, run: str, *, to_its_end: bool = False) -> StreamingResponse:
    """Return the events of `Live.watching` as a streaming response."""
    site = site_of(request)
    found = await run_in_threadpool(lambda: site.store.archive.find(run))
    if site.live.full:
        raise HTTPException(503, "too many watch runs at the moment; try again later", {"retry-after": "60"})

    async def stream() -> AsyncIterator[bytes]:
        async with site.live.watching(site.store, found.id, to_its_end=to_its_end) as events:
            async for event in events:
                yield event

    return StreamingResponse(stream(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})
