"""The list of runs, and actions on several of them: compare, tournament, delete."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from proctor.errors import RunBusy
from proctor.findings.comparison.many import MOST_RUNS
from proctor.run import Run
from proctor.web.pages import form_of
from proctor.web.site.live import MOVING
from proctor.web.site.render import render
from proctor.web.site.run_list import AGES, SORTS, RunsWanted, choices, in_order, shown_runs, with_rates
from proctor.web.site.site import Site, site_of
from proctor.web.views import addresses
from proctor.workflows.change import delete_run

router = APIRouter()
PAGE = 50
MOST_DELETED = 200
Act = Literal["compare", "tournament", "delete"]


def _read_wanted(
    status: str = "",
    type: str = "",  # noqa: A002
    benchmark: str = "",
    agent: str = "",
    label: str = "",
    since: str = "",
    until: str = "",
    q: str = "",
    sort: str = "",
) -> RunsWanted:
    if sort.removeprefix("-") not in ("", *SORTS):
        raise HTTPException(422, f"runs cannot be sorted by {sort[:60]!r}; expected one of: {', '.join(SORTS)}")
    return RunsWanted(
        status=status,
        type=type,
        benchmark=benchmark,
        agent=agent,
        label=label,
        since=since,
        until=until,
        q=q,
        sort=sort,
    )


@router.get("/runs")
def runs(
    request: Request,
    wanted: Annotated[RunsWanted, Depends(_read_wanted)],
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> HTMLResponse:
    """List stored runs, by default the newest first."""
    site = site_of(request)
    every = site.store.archive.runs()
    found = in_order(site, shown_runs(site, every, wanted), wanted.sort)
    pages = max(1, -(-len(found) // PAGE))
    page = min(page, pages)
    return render(
        request,
        "runs.html.j2",
        listed=with_rates(site, found[(page - 1) * PAGE : page * PAGE]),
        found=len(found),
        stored=len(every),
        page=page,
        pages=pages,
        wanted=wanted,
        choices=choices(every, wanted),
        ages=AGES,
    )


@router.get("/chosen")
def chosen(
    request: Request,
    do: Act = "compare",
    run: Annotated[list[str] | None, Query(max_length=MOST_DELETED)] = None,
) -> Response:
    """Perform the chosen action on the selected runs."""
    meant = _find_all(site_of(request), run or [])
    if do == "delete":
        if not meant:
            raise HTTPException(422, "no run is chosen; tick those that are to be deleted")
        return render(
            request,
            "chosen.html.j2",
            meant=with_rates(site_of(request), meant),
            busy=[each for each in meant if each.status in MOVING],
        )
    if not 2 <= len(meant) <= MOST_RUNS:
        raise HTTPException(422, f"{len(meant)} runs are chosen; tick from 2 to {MOST_RUNS} of them")
    ids = [each.id for each in sorted(meant, key=lambda each: each.created)]
    if do == "tournament":
        address = addresses.tournament(*ids)
    elif len(ids) == 2:
        address = addresses.comparison(*ids)
    else:
        address = addresses.several(*ids)
    return RedirectResponse(address, status_code=HTTPStatus.SEE_OTHER)


@router.post("/chosen/delete")
def delete_chosen(request: Request) -> RedirectResponse:
    """Delete the selected runs, all or none: one that is still playing prevents it."""
    site = site_of(request)
    meant = _find_all(site, form_of(request).texts("run"))
    busy = [each.name for each in meant if each.status in MOVING]
    if busy:
        raise RunBusy(f"{busy[0]!r} is still running and cannot be deleted; stop it first. Nothing was deleted")
    for each in meant:
        delete_run(each.id, store=site.settings.store)
    return RedirectResponse("/runs", status_code=HTTPStatus.SEE_OTHER)


def _find_all(site: Site, names: list[str]) -> list[Run]:
    return [site.store.archive.find(name) for name in dict.fromkeys(names)]
