"""Home page: active runs, recent runs, and first steps."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse

from proctor.errors import StoreError
from proctor.findings.run import Summary
from proctor.run import Run
from proctor.web.site.live import MOVING
from proctor.web.site.render import render
from proctor.web.site.run_list import with_rates
from proctor.web.site.site import Site, site_of
from proctor.web.site.trends import trends
from proctor.web.views.findings_cache import findings_cache_of

router = APIRouter()
_SHOWN = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class ActiveRun:
    """A run that is playing or queued."""

    run: Run
    found: Summary | None
    """Summary so far, or None if not available (yet)."""
    done: int
    """Number of finished attempts."""


_ENDED = ("agent", "environment", "fail", "pass", "unscored")
"""Stored outcomes that count as finished; that of an interrupted attempt is not among them."""


@router.get("/")
def home(request: Request) -> HTMLResponse:
    """Show active and recent runs."""
    site = site_of(request)
    runs = site.store.archive.runs()
    running = [run for run in runs if run.status in MOVING]
    ended = [run for run in runs if run.status not in MOVING]
    return render(
        request,
        "home.html.j2",
        running=[_going(site, run) for run in running[:_SHOWN]],
        waiting=max(0, len(running) - _SHOWN),
        last=with_rates(site, ended[:_SHOWN]),
        more=len(ended) > _SHOWN,
        trends=trends(site, ended, findings_cache_of(request).verdicts),
        stored=bool(runs),
    )


def _going(site: Site, run: Run) -> ActiveRun:
    return ActiveRun(run=run, found=site.summaries.of(run), done=site.summaries.count(run, verdicts=_ENDED))


@router.get("/health")
def health(request: Request) -> JSONResponse:
    """Whether the server responds and its store is readable."""
    try:
        site_of(request).store.archive.stop_request("")
    except StoreError:  # no details of the store: this page is public
        return JSONResponse({"status": "the store cannot be read"}, status_code=503)
    return JSONResponse({"status": "ok"})
