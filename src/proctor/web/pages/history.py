"""Pass rates over time: the runs of one benchmark as a chart and a table, and which changes are significant."""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse

from proctor.findings.history import History, build_history
from proctor.findings.history.history import check_by, value_of
from proctor.reports.history.svg import draw_series
from proctor.reports.history.words import calendar_of
from proctor.reports.history.words import measure as measure_of
from proctor.run import Run
from proctor.web.site.live import MOVING
from proctor.web.site.render import TYPE_NAMES, render
from proctor.web.site.site import site_of
from proctor.web.views import addresses, measures
from proctor.web.views.findings_cache import findings_cache_of
from proctor.web.views.vocabulary import teach
from proctor.workflows.history import verdict_order_of

router = APIRouter()
teach()
NOTHING = "nothing"
"""Value of `by` for no grouping."""
SHOWN = 20
MOST = 500
_KEPT = 32
_remembered: OrderedDict[tuple[str, str, str, int, bool], History] = OrderedDict()
_lock = threading.Lock()


@router.get("/history")
def history(
    request: Request,
    benchmark: str = "",
    agent: str = "",
    type: str = "",  # noqa: A002
    by: str = "",
    last: Annotated[int, Query(ge=1, le=MOST)] = SHOWN,
    strict: bool = False,
    measure: Annotated[str, Query(max_length=500)] = "",
) -> HTMLResponse:
    """Show a benchmark's history by type and agent, or for one type, agent or other measure."""
    runs = site_of(request).store.archive.runs()
    if not runs:
        return render(request, "history.html.j2", histories=[])
    chosen = benchmark or runs[0].benchmark
    asked = [run for run in runs if run.benchmark == chosen and agent in ("", run.agent)]
    inside = [run for run in asked if type in ("", run.settings.type)]
    if not inside:
        type_text = f" in the type {type!r}" if type else ""
        raise HTTPException(404, f"no stored run of {agent or 'any agent'} is on a benchmark {chosen!r}{type_text}")
    if measure and not measures.is_measure(measure):
        raise HTTPException(422, f"{measure[:60]!r} is nothing that is followed over time; choose one from the list")
    apart = by or ("agent" if len({run.agent for run in inside}) > 1 else NOTHING)
    if apart != NOTHING:
        check_by(inside, apart)
    types = list(dict.fromkeys(run.settings.type for run in inside))
    found = [
        _read_cached(request, [run for run in inside if run.settings.type == each], by=apart, last=last, strict=strict)
        for each in types
    ]
    offered = measures.offered_measures(site_of(request), findings_cache_of(request), inside[:last])
    measured_series = (
        measures.series_of(site_of(request), findings_cache_of(request), found, measure) if measure else []
    )
    return render(
        request,
        "history.html.j2",
        histories=found,
        benchmark=chosen,
        wanted={"agent": agent, "type": type, "by": apart, "last": last, "strict": strict, "measure": measure},
        drawn=partial(draw_series, address=lambda run: addresses.run(run.id)),
        calendar_of=calendar_of,
        rates=list(dict.fromkeys(measure_of(each.entries) for each in found)),
        measures=offered,
        told=measured_series,
        **_choices(runs, chosen),
    )


def _read_cached(request: Request, inside: list[Run], *, by: str, last: int, strict: bool) -> History:
    """Return the history of runs of one type, the newest first; completed runs are cached."""
    if any(run.status in MOVING for run in inside):
        return _read(request, inside, by=by, last=last, strict=strict)
    key = (site_of(request).settings.store, repr(inside), by, last, strict)
    with _lock:
        known = _remembered.get(key)
    if known is None:
        known = _read(request, inside, by=by, last=last, strict=strict)
        with _lock:
            _remembered[key] = known
            while len(_remembered) > _KEPT:
                _remembered.popitem(last=False)
    return known


def _read(request: Request, inside: list[Run], *, by: str, last: int, strict: bool) -> History:
    findings_cache = findings_cache_of(request)
    known = [(run, findings_cache.verdicts(run)) for run in reversed(inside)]
    order_of = partial(verdict_order_of, site_of(request).store)
    apart = by if by == "agent" or any(value_of(run, by) for run in inside) else None
    return build_history(known, benchmark=inside[0].benchmark, by=apart, last=last, strict=strict, order_of=order_of)


def _choices(runs: list[Run], benchmark: str) -> dict[str, Any]:
    """Return the options of the form."""
    inside = [run for run in runs if run.benchmark == benchmark]
    labels = sorted({name for run in inside for name in run.labels})
    return {
        "benchmarks": list(dict.fromkeys(run.benchmark for run in runs)),
        "agents": sorted({run.agent for run in inside}),
        "types": [name for name in TYPE_NAMES if any(run.settings.type == name for run in inside)],
        "groupings": [NOTHING, "agent", *(name for name in labels if name != "agent")],
    }
