"""Quality over time: the runs of one benchmark as a chart and a table, and which changes are real."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse

from proctor.findings.history import tell
from proctor.reports.history.svg import drawn
from proctor.reports.history.words import calendar_of
from proctor.run import Run
from proctor.web.reading.findings_cache import shelf_of
from proctor.web.reading.vocabulary import teach
from proctor.web.site.render import TYPE_NAMES, render
from proctor.web.site.site import site_of
from proctor.workflows.history import verdict_order_of

router = APIRouter()
teach()
NOTHING = "nothing"
"""By which runs are set apart: all stand together."""
SHOWN = 20
MOST = 500


@router.get("/history")
def history(
    request: Request,
    benchmark: str = "",
    agent: str = "",
    type: str = "",  # noqa: A002
    by: str = "",
    last: Annotated[int, Query(ge=1, le=MOST)] = SHOWN,
    strict: bool = False,
) -> HTMLResponse:
    """The history of a benchmark in one type; of the newest run's, unless one is named; each agent by itself."""
    runs = site_of(request).store.archive.runs()
    if not runs:
        return render(request, "history.html.j2", history=None)
    chosen = benchmark or runs[0].benchmark
    asked = [run for run in runs if run.benchmark == chosen and agent in ("", run.agent)]
    inside = [run for run in asked if run.settings.type == (type or asked[0].settings.type)]
    if not inside:
        said = f" in the type {type!r}" if type else ""
        raise HTTPException(404, f"no stored run of {agent or 'any agent'} is on a benchmark {chosen!r}{said}")
    apart = by or ("agent" if len({run.agent for run in inside}) > 1 else NOTHING)
    shelf = shelf_of(request)
    known = [(run, shelf.verdicts(run)) for run in reversed(inside)]
    order_of = partial(verdict_order_of, site_of(request).store)
    found = tell(
        known, benchmark=chosen, by=None if apart == NOTHING else apart, last=last, strict=strict, order_of=order_of
    )
    return render(
        request,
        "history.html.j2",
        history=found,
        wanted={"agent": agent, "type": inside[0].settings.type, "by": apart, "last": last, "strict": strict},
        drawn=drawn,
        calendar=calendar_of(found),
        **_choices(runs, chosen),
    )


def _choices(runs: list[Run], benchmark: str) -> dict[str, Any]:
    """What can be asked for."""
    inside = [run for run in runs if run.benchmark == benchmark]
    labels = sorted({name for run in inside for name in run.labels})
    return {
        "benchmarks": list(dict.fromkeys(run.benchmark for run in runs)),
        "agents": sorted({run.agent for run in inside}),
        "types": [name for name in TYPE_NAMES if any(run.settings.type == name for run in inside)],
        "groupings": [NOTHING, "agent", *(name for name in labels if name != "agent")],
    }
