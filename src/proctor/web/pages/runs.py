"""The list of runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from proctor.findings.run import Summary
from proctor.run import Run
from proctor.web.site.render import render
from proctor.web.site.site import Site, site_of
from proctor.workflows.search import says

router = APIRouter()
PAGE = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRow:
    """One line of the list."""

    run: Run
    found: Summary | None
    """What it came to; None: it cannot be told (yet)."""


@router.get("/runs")
def runs(
    request: Request,
    status: str = "",
    benchmark: str = "",
    agent: str = "",
    q: str = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> HTMLResponse:
    """Stored runs, newest first."""
    site = site_of(request)
    every = site.store.archive.runs()
    found = [run for run in every if _fits(run, status=status, benchmark=benchmark, agent=agent, q=q)]
    pages = max(1, -(-len(found) // PAGE))
    page, chosen = min(page, pages), {"status": status, "benchmark": benchmark, "agent": agent}
    return render(
        request,
        "runs.html.j2",
        listed=with_rates(site, found[(page - 1) * PAGE : page * PAGE]),
        found=len(found),
        stored=len(every),
        page=page,
        pages=pages,
        chosen={**chosen, "q": q},
        choices={name: _values(every, name, value) for name, value in chosen.items()},
    )


def with_rates(site: Site, runs: Iterable[Run]) -> list[RunRow]:
    """Runs with what they came to."""
    return [RunRow(run=run, found=site.summaries.of(run)) for run in runs]


def _fits(run: Run, *, q: str, **wanted: str) -> bool:
    if any(value and getattr(run, name) != value for name, value in wanted.items()):
        return False
    said = " ".join((run.name, run.benchmark, run.agent, *run.labels.values()))
    return all(says(word, said, id=run.id) for word in q.split())


def _values(runs: Iterable[Run], name: str, chosen: str) -> list[str]:
    """What can be chosen, and what was, so that a filter that no run fits is seen."""
    return sorted({getattr(run, name) for run in runs} | ({chosen} if chosen else set()))
