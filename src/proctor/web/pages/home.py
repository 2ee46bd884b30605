"""The first page: what is running, the last runs, and where to begin."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse

from proctor.errors import StoreError
from proctor.web.pages.runs import with_rates
from proctor.web.rendering import render
from proctor.web.site import site_of

router = APIRouter()
_SHOWN = 10


@router.get("/")
def home(request: Request) -> HTMLResponse:
    """What is going on."""
    site = site_of(request)
    runs = site.store.archive.runs()
    running = [run for run in runs if run.status in ("running", "queued")]
    return render(
        request,
        "home.html.j2",
        running=with_rates(site, running[:_SHOWN]),
        last=with_rates(site, [run for run in runs if run not in running][:_SHOWN]),
        more=len(runs) > _SHOWN,
    )


@router.get("/health")
def health(request: Request) -> JSONResponse:
    """Whether the server answers and its store can be read."""
    try:
        site_of(request).store.archive.wish("")
    except StoreError:  # what it says of the store is not for everybody, and everybody may ask here
        return JSONResponse({"status": "the store cannot be read"}, status_code=503)
    return JSONResponse({"status": "ok"})
