"""/api/compare: compare run B with run A, or several runs with each other."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response

from proctor.findings.comparison import compare_findings
from proctor.findings.comparison.many import MOST_RUNS, compare_many
from proctor.findings.run import Findings
from proctor.reports.comparison.json import as_dict as pair_as_dict
from proctor.reports.comparison.many import as_dict as many_as_dict
from proctor.web.api import shapes
from proctor.web.api.answers import answer
from proctor.web.site.site import site_of
from proctor.web.views.findings_cache import findings_cache_of

router = APIRouter(tags=["compare"])
_PATIENCE = 20.0


@router.get("/compare", response_model=shapes.ComparedBody)
def compare_runs(
    request: Request,
    a: str,
    b: str,
    k: Annotated[int | None, Query(ge=1, le=1_000_000)] = None,
    force: Annotated[bool, Query(description="Also runs that were evaluated differently")] = False,
) -> Response:
    """Compare run B with run A, case by case. 400: they were not evaluated in the same way."""
    return answer(pair_as_dict(compare_findings(_findings(request, a), _findings(request, b), k=k, force=force)))


@router.get("/compare/several", response_model=shapes.ManyComparedBody)
def compare_several(
    request: Request,
    run: Annotated[list[str], Query(min_length=2, max_length=MOST_RUNS, description="Once for each run")],
    force: Annotated[bool, Query(description="Also runs that were evaluated differently")] = False,
) -> Response:
    """Compare several runs: ranks, cost, all pairs and all cases. 400: they were not evaluated in the same way."""
    archive = site_of(request).store.archive
    chosen = dict.fromkeys(archive.find(each).id for each in run)
    return answer(many_as_dict(compare_many([_findings(request, each) for each in chosen], force=force)))


def _findings(request: Request, run: str) -> Findings:
    found = site_of(request).store.archive.find(run)
    read = findings_cache_of(request).findings(found, patience=_PATIENCE)
    if read is None:
        raise HTTPException(409, f"run {found.id} is still being read; ask again in a moment", {"retry-after": "5"})
    return read.findings
