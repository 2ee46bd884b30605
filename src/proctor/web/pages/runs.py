"""The list of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse

from proctor.findings.run import Summary
from proctor.run import Run
from proctor.web.site.render import render
from proctor.web.site.site import Site, site_of
from proctor.workflows.search import says

router = APIRouter()
PAGE = 50
_QUICK = 1000
"""Attempts of a run up to which a list that is sorted by rates waits until they are counted."""


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
    type: str = "",  # noqa: A002
    q: str = "",
    sort: str = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> HTMLResponse:
    """Stored runs, newest first unless they are sorted otherwise."""
    if sort.removeprefix("-") not in ("", *SORTS):
        raise HTTPException(422, f"runs cannot be sorted by {sort[:60]!r}; expected one of: {', '.join(SORTS)}")
    site = site_of(request)
    every = site.store.archive.runs()
    found = [run for run in every if _fits(run, status=status, benchmark=benchmark, agent=agent, type=type, q=q)]
    found = _sorted(site, found, sort)
    pages = max(1, -(-len(found) // PAGE))
    page, chosen = (
        min(page, pages),
        {
            "status": status,
            "type": type,
            "benchmark": benchmark,
            "agent": agent,
        },
    )
    return render(
        request,
        "runs.html.j2",
        listed=with_rates(site, found[(page - 1) * PAGE : page * PAGE]),
        found=len(found),
        stored=len(every),
        page=page,
        pages=pages,
        chosen={**chosen, "q": q, "sort": sort},
        choices={name: _values(every, name, value) for name, value in chosen.items()},
    )


def with_rates(site: Site, runs: Iterable[Run]) -> list[RunRow]:
    """Runs with what they came to."""
    return [RunRow(run=run, found=site.summaries.of(run)) for run in runs]


def _fits(run: Run, *, q: str, **wanted: str) -> bool:
    if any(value and _value(run, name) != value for name, value in wanted.items()):
        return False
    said = " ".join((run.name, run.benchmark, run.agent, *run.labels.values()))
    return all(says(word, said, id=run.id) for word in q.split())


def _value(run: Run, name: str) -> str:
    return str(run.settings.type if name == "type" else getattr(run, name))


def _sorted(site: Site, runs: list[Run], sort: str) -> list[Run]:
    """By a column; those for which nothing can be told come last, whichever way the others are sorted."""
    column, descending = sort.removeprefix("-"), sort.startswith("-")
    if not column:
        return runs
    keys = {run.id: SORTS[column](site, run) for run in runs}
    known = sorted((run for run in runs if keys[run.id] is not None), key=lambda run: keys[run.id], reverse=descending)
    return [*known, *(run for run in runs if keys[run.id] is None)]


def _rate(site: Site, run: Run) -> float | None:
    """Of a large run as far as it was counted before: else that is done for the next look."""
    known = site.summaries.known(run) if run.planned > _QUICK else site.summaries.of(run)
    if known is None:
        site.summaries.count_soon([run])
    return None if known is None else known.rate.value


SORTS: dict[str, Callable[[Site, Run], Any]] = {
    "name": lambda site, run: run.name.casefold(),
    "benchmark": lambda site, run: run.benchmark.casefold(),
    "rate": _rate,
    "attempts": lambda site, run: run.planned,
    "time": lambda site, run: run.seconds or None,
    "started": lambda site, run: run.started or run.created,
}
"""Column → what runs are sorted by."""


def _values(runs: Iterable[Run], name: str, chosen: str) -> list[str]:
    """What can be chosen, and what was, so that a filter that no run fits is seen."""
    return sorted({_value(run, name) for run in runs} | ({chosen} if chosen else set()))
