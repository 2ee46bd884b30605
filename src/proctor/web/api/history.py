"""/api/history: pass rates over time."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from proctor.reports.history.json import as_list
from proctor.web.api import shapes
from proctor.web.api.answers import answer
from proctor.web.site.site import site_of
from proctor.workflows.history import read_history

router = APIRouter(tags=["history"])


@router.get("/history", response_model=shapes.HistoryBody)
def history(
    request: Request,
    benchmark: Annotated[str | None, Query(description="The newest run's, if it is left out")] = None,
    agent: str | None = None,
    by: Annotated[str | None, Query(description="agent, model, or the name of a label")] = None,
    last: Annotated[int, Query(ge=1, le=1000)] = 20,
    strict: bool = False,
) -> Response:
    """List the runs of a benchmark in time order, and which changes are significant."""
    store = site_of(request).settings.store
    entries = read_history(store=store, benchmark=benchmark, agent=agent, by=by, last=last, strict=strict)
    return answer({"entries": as_list(entries)})
