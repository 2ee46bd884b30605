"""Compare several runs: possible ranks, significant differences, and the results of every case in each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from proctor.findings.comparison import unlike
from proctor.findings.comparison.many import MOST_RUNS, ManyCompared, MatrixRow, compare_many
from proctor.reports.comparison import many as words
from proctor.run import Run
from proctor.web.site.live import MOVING
from proctor.web.site.render import render
from proctor.web.site.site import site_of
from proctor.web.views.findings_cache import FindingsCache, findings_cache_of
from proctor.web.views.vocabulary import teach
from proctor.workflows.run_filter import says

router = APIRouter()
teach()
PAGE = 50
_OFFERED = 100
"""Maximum number of runs to choose from; others can be given in the URL."""


@router.get("/compare/several")
def several(
    request: Request,
    run: Annotated[list[str] | None, Query(max_length=MOST_RUNS)] = None,
    category: Annotated[str, Query(max_length=500)] = "",
    q: Annotated[str, Query(max_length=500)] = "",
    every: bool = False,
    better: Annotated[int, Query(ge=-1, lt=MOST_RUNS)] = -1,
    worse: Annotated[int, Query(ge=-1, lt=MOST_RUNS)] = -1,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> HTMLResponse:
    """Show the form to choose runs of one benchmark and, once chosen, their differences."""
    store = site_of(request).store
    chosen = [store.archive.find(name) for name in dict.fromkeys(run or ())]
    offered = [each for each in store.archive.runs() if each.planned][:_OFFERED]
    values: dict[str, Any] = {"runs": offered, "chosen": chosen, "most": MOST_RUNS}
    if len(chosen) < 2:
        return render(request, "several/choose.html.j2", **values)
    if apart := [(other, differs) for other in chosen[1:] if (differs := unlike(chosen[0], other))]:
        return render(request, "several/unlike.html.j2", status=422, **values, apart=apart)
    found = _compare(findings_cache_of(request), chosen)
    if found is None:
        return render(request, "several/reading.html.j2", **values)
    flip = (better, worse) if min(better, worse) >= 0 else None
    rows = [row for row in found.rows if _fits(row, category, q, every=every) and _flips(row, flip)]
    shown = rows[(page - 1) * PAGE : page * PAGE]
    return render(
        request,
        "several.html.j2",
        **values,
        many=found,
        words=words,
        moving=[each.id for each in chosen if each.status in MOVING],
        categories=sorted({name for row in found.rows for name in row.categories}),
        category=category,
        q=q,
        every=every,
        better=better,
        worse=worse,
        rows=shown,
        table=words.as_tsv(found, shown),
        found=len(rows),
        page=page,
        pages=max(1, -(-len(rows) // PAGE)),
    )


def _compare(findings_cache: FindingsCache, chosen: Sequence[Run]) -> ManyCompared | None:
    """Compare the runs, or return None while one of them is still being read."""
    read = [findings_cache.findings(each) for each in chosen]
    known = [each.findings for each in read if each is not None]
    return compare_many(known) if len(known) == len(chosen) else None


def _fits(row: MatrixRow, category: str, q: str, *, every: bool) -> bool:
    if not every and not row.spread:
        return False
    return (not category or category in row.categories) and says(q, row.question, id=row.id)


def _flips(row: MatrixRow, flip: tuple[int, int] | None) -> bool:
    """Whether the first of two runs passed the case more often than the second; always true if `flip` is None."""
    if flip is None:
        return True
    shares = row.shares
    if max(flip) >= len(shares):
        return False
    first, second = (shares[place] for place in flip)
    return first is not None and second is not None and first > second
