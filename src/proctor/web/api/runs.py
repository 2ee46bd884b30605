"""/api/runs: start, list, read, stop, resume, export, delete."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from proctor.errors import InputError
from proctor.reports import outcomes
from proctor.reports.run.json import as_dict, run_row
from proctor.reports.values import plain
from proctor.run import Attempt, Key, Run, Status
from proctor.settings import MOST_LABELS, settings_of
from proctor.storage.pages import Order
from proctor.web.api import shapes
from proctor.web.api.answers import STATES, answer
from proctor.web.api.run_requests import GoingOn, NewRescore, NewRun, judges_in
from proctor.web.pages.events import stream_run
from proctor.web.pages.run import export
from proctor.web.site.live import RunProgress
from proctor.web.site.run_list import RunsWanted
from proctor.web.site.site import Site, site_of
from proctor.web.site.start import NewRuns, estimate, go_on, start, start_rescore
from proctor.web.views import addresses
from proctor.web.views.findings_cache import findings_cache_of
from proctor.web.views.parts import gates_for_programs
from proctor.workflows.change import delete_run, describe_run
from proctor.workflows.read import spans

router = APIRouter(tags=["runs"])
Named = Annotated[str, Path(description="An id, a unique beginning of it, a unique name, or `last`")]
Form = Literal["html", "json", "csv", "junit", "markdown"]
Stage = Literal["agent", "examiner", "reviewer", "engine"]
Verdict = Literal["pass", "fail", "unscored", "agent", "environment", "open"]
Sorting = Literal["place", "score", "seconds", "-place", "-score", "-seconds"]
_SETTINGS = (*settings_of("api"), "weights")
_AS_GIVEN = ("benchmark", "version", "examiner", "checks", "name", "labels", "criteria", "stop_early")
_ORDERS: dict[str, Order] = {"place": "place", "score": "score", "seconds": "seconds"}
_PATIENCE = 20.0


@router.get("/runs", response_model=shapes.Runs)
def list_runs(
    request: Request,
    status: Status | None = None,
    benchmark: str | None = None,
    agent: str | None = None,
    label: Annotated[str, Query(max_length=500, pattern="^$|.=", description="`name=value`")] = "",
    since: Annotated[str, Query(max_length=40, description="An age such as 12h, 7d or 2w, or a date")] = "",
    until: Annotated[str, Query(max_length=40, description="A day, which is in it")] = "",
    q: Annotated[str, Query(max_length=200, description="Words in ids, names, benchmarks, agents and labels")] = "",
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Response:
    """List stored runs, newest first."""
    site = site_of(request)
    wanted = {"status": status or "", "benchmark": benchmark or "", "agent": agent or ""}
    found = RunsWanted(**wanted, label=label, since=since, until=until, q=q).of(site.store.archive.runs())
    return answer({"runs": [_row(site, run) for run in found[offset : offset + limit]], "found": len(found)})


@router.post("/runs", status_code=201, response_model=shapes.RunBody | shapes.StartedRuns)
def create_run(request: Request, new: NewRun) -> Response:
    """Create a run and start or queue it; with several agents, one run each."""
    site = site_of(request)
    runs = start(site, _read_run_request(new))
    where, rows = f"/api/runs/{runs[0].id}", [_row(site, run) for run in runs]
    if new.agent is not None:
        return answer(rows[0], status=201, location=where)
    compared = addresses.several(*(run.id for run in runs)) if len(runs) > 1 else None
    return answer({"runs": rows, "compare": compared}, status=201, location=where)


@router.post("/runs/estimate", response_model=shapes.RunEstimateBody)
def estimate_run(request: Request, new: NewRun) -> Response:
    """Estimate the calls, cost and time of a run, or of one per agent. Nothing is called or stored."""
    forecast = estimate(site_of(request), _read_run_request(new))
    return answer(
        {
            "runs": forecast.runs,
            "exams": forecast.exams,
            "planned": forecast.runs * forecast.run.planned,
            **plain(forecast.models),
            "seconds_by_last_run": forecast.seconds,
            "warnings": forecast.warnings,
        }
    )


@router.get("/runs/{run}", response_model=shapes.FindingsBody, responses={202: {"model": shapes.PendingFindingsBody}})
def read_run(request: Request, run: Named, cases: bool = False) -> Response:
    """Get the findings of a run so far and its gates; with `cases`, also each case.

    202: the run is large and still being read.
    """
    site = site_of(request)
    found = site.store.archive.find(run)
    read = findings_cache_of(request).findings(found, patience=_PATIENCE)
    if read is None:
        return answer({"run": found.id, "status": "gathering"}, status=202, **{"retry-after": "5"})
    left_out = () if cases else ("cases", "rows")
    record = as_dict(read.findings) | gates_for_programs(site.store, read.findings)
    return answer({name: value for name, value in record.items() if name not in left_out})


class RunChange(shapes.RequestBody):
    """What a run is called from now on; what is left out stays."""

    name: shapes.Name | None = None
    labels: Annotated[dict[shapes.Name, shapes.Value] | None, Field(max_length=MOST_LABELS)] = None


@router.patch("/runs/{run}", response_model=shapes.RunBody)
def change_run(request: Request, run: Named, change: RunChange) -> Response:
    """Change the name or labels of a run."""
    site = site_of(request)
    found = site.store.archive.find(run)
    name = found.name if change.name is None else change.name
    labels = found.labels if change.labels is None else change.labels
    return answer(_row(site, describe_run(found.id, name=name, labels=labels, store=site.settings.store)))


@router.delete("/runs/{run}", status_code=204, responses=STATES)
def remove_run(request: Request, run: Named) -> Response:
    """Delete a run. 409: it is running."""
    site = site_of(request)
    delete_run(site.store.archive.find(run).id, store=site.settings.store)
    return Response(status_code=204)


@router.get("/runs/{run}/progress", response_model=shapes.ProgressBody)
def read_progress(request: Request, run: Named) -> Response:
    """Get the progress of a run, as counted by the store."""
    store = site_of(request).store
    return answer(RunProgress(store, store.archive.find(run).id).look())


_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"text/event-stream": {}},
        "description": "`progress`, with the keys that /progress has, or `trouble`",
    }
}


@router.get("/runs/{run}/events", response_class=StreamingResponse, responses=_EVENTS)
async def watch_run(request: Request, run: Named) -> StreamingResponse:
    """Stream the progress of a run as server-sent events, one for each change, until it ends."""
    return await stream_run(request, run, to_its_end=True)


@router.post("/runs/{run}/pause", response_model=shapes.RunBody, responses=STATES)
def pause_run(request: Request, run: Named) -> Response:
    """Pause a run, wherever it is running."""
    site = site_of(request)
    return answer(_row(site, site.jobs.stop(run, "pause")))


@router.post("/runs/{run}/cancel", response_model=shapes.RunBody, responses=STATES)
def cancel_run(request: Request, run: Named) -> Response:
    """Cancel a run, wherever it is running. It can still be resumed."""
    site = site_of(request)
    return answer(_row(site, site.jobs.stop(run, "cancel")))


@router.post("/runs/{run}/resume", response_model=shapes.RunBody, responses=STATES)
def resume_run(request: Request, run: Named, how: GoingOn | None = None) -> Response:
    """Run what is missing; optionally at another pace, with more trials, past an early stop, or with timeouts
    retried.
    """
    site = site_of(request)
    given = {} if how is None else how.model_dump()
    return answer(_row(site, go_on(site, site.store.archive.find(run), **given)))


@router.post("/runs/{run}/rescore", status_code=201, response_model=shapes.RunBody, responses=STATES)
def rescore_run(request: Request, run: Named, how: NewRescore) -> Response:
    """Judge the stored replies again, as a new run. The agent is not called."""
    site = site_of(request)
    given = how.model_dump(exclude={"reviewer"})
    made = start_rescore(site, site.store.archive.find(run), reviewers=judges_in(how.reviewer), **given)
    return answer(_row(site, made), status=201, location=f"/api/runs/{made.id}")


@router.get("/runs/{run}/attempts", response_model=shapes.Attempts)
def list_attempts(
    request: Request,
    run: Named,
    verdict: Annotated[list[Verdict] | None, Query()] = None,
    category: str | None = None,
    check: Annotated[str | None, Query(description="One that failed")] = None,
    stage: Stage | None = None,
    sort: Sorting = "place",
    q: Annotated[str, Query(max_length=200, description="Words in questions and replies")] = "",
    after: Annotated[str | None, Query(max_length=5000, description="Where a search continues")] = None,
    offset: Annotated[int, Query(ge=0, le=100_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """List attempts of a run, page by page, without their transcripts."""
    site = site_of(request)
    found = site.store.archive.find(run)
    which = _which(request, found, verdict=verdict, category=category, check=check, stage=stage)
    if q.strip():
        searched = site.store.archive.search(found.id, q.strip(), after=_parse_cursor(after), limit=limit, **which)
        reached = None if searched.reached is None else _cursor(searched.reached)
        return answer({"attempts": [*map(_attempt_record, searched.attempts)], "found": None, "next": reached})
    shown = site.store.archive.page(
        found.id,
        order=_ORDERS[sort.removeprefix("-")],
        descending=sort.startswith("-"),
        offset=offset,
        limit=limit,
        **which,
    )
    count = site.summaries.count(found, **which)
    return answer({"attempts": [*map(_attempt_record, shown)], "found": count, "next": None})


@router.get("/runs/{run}/attempt", response_model=shapes.AttemptBody)
def read_attempt(
    request: Request,
    run: Named,
    case: str,
    condition: str = "",
    trial: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> Response:
    """Get one attempt with its transcript."""
    archive = site_of(request).store.archive
    key = Key(run=archive.find(run).id, exam=storable(case), condition=storable(condition), trial=trial)
    attempt = archive.attempt(key)
    if attempt is None:
        raise HTTPException(404, f"case {case!r}, trial {trial} has not been run in run {key.run}")
    return answer(_attempt_record(attempt))


@router.get("/runs/{run}/export/{form}", response_class=StreamingResponse, responses={200: {"content": {"*/*": {}}}})
def export_run(request: Request, run: Named, form: Form) -> StreamingResponse:
    """Download the run as a file."""
    return export(request, run, form)


def _read_run_request(new: NewRun) -> NewRuns:
    given = new.model_dump()
    return NewRuns(
        **{name: given[name] for name in _AS_GIVEN},
        agents=new.chosen_agents,
        reviewers=judges_in(new.reviewer),
        conditions=tuple(new.conditions),
        gates=tuple(new.gates),
        settings={name: given[name] for name in _SETTINGS if given[name] is not None},
    )


def _row(site: Site, run: Run) -> dict[str, Any]:
    return run_row(run, site.summaries.of(run))


def _attempt_record(attempt: Attempt) -> dict[str, Any]:
    return {"outcome": outcomes.of_attempt(attempt).name, "score": attempt.value, **plain(attempt)}


def _which(
    request: Request,
    run: Run,
    *,
    verdict: list[Verdict] | None,
    category: str | None,
    check: str | None,
    stage: str | None,
) -> dict[str, Any]:
    which: dict[str, Any] = {"verdicts": tuple(sorted(set(verdict or ())))}
    if category is not None:
        exams = findings_cache_of(request).exams(run).values()
        inside = [row for row, exam in enumerate(exams) if any(category in case.categories for case in exam.cases)]
        which["places"] = spans(run, inside)
    if check is not None:
        which["check"] = check
    if stage is not None:
        which["stage"] = stage
    return which


def _cursor(place: tuple[int, str, str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode()


def _parse_cursor(cursor: str | None) -> tuple[int, str, str] | None:
    if cursor is None:
        return None
    try:
        trial, condition, exam = json.loads(base64.urlsafe_b64decode(cursor))
        if not isinstance(trial, int) or abs(trial) > 2**31:
            raise TypeError(trial)
        return trial, storable(condition), storable(exam)
    except (ValueError, TypeError, AttributeError, binascii.Error) as error:
        raise InputError(f"after={cursor[:100]!r} is not what a search has given as `next`") from error


def storable(text: str) -> str:
    """Replace characters that a database cannot store (NUL, lone surrogates), since no stored text contains them."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
