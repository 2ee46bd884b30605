"""/api/runs/RUN/labels: human labels of a run's attempts, individually and as CSV files."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from proctor.formats import csv
from proctor.run import HumanLabel, Key
from proctor.web.api import shapes
from proctor.web.api.answers import answer
from proctor.web.api.runs import Named, storable
from proctor.web.pages.label import Drawing, download_sheet
from proctor.web.site.forms import read_limited_body
from proctor.web.site.site import site_of
from proctor.workflows.human_labels import put_label, store_sheet, take_back

router = APIRouter(tags=["labels"])
LabelVerdict = Literal["pass", "fail"]
Case = Annotated[str, Field(min_length=1, max_length=2000, description="The case, in battles the conversation")]
Trial = Annotated[int, Field(ge=1, le=1_000_000)]


class NewLabel(shapes.RequestBody):
    """What somebody says of an attempt; it replaces what the same person said of it before."""

    case: Case
    condition: str = ""
    trial: Annotated[Trial, Field(strict=True)] = 1
    verdict: LabelVerdict
    who: shapes.Name = Field(examples=["ann"])
    note: str = Field(default="", max_length=2000)
    seconds: float | None = Field(default=None, ge=0, le=1e6, description="How long it took")


class LabelBody(shapes.ResponseBody):
    """A label that is stored."""

    case: str
    condition: str
    trial: int
    verdict: LabelVerdict
    who: str
    note: str
    made: float = Field(description="Seconds since 1970")
    seconds: float | None


class Labels(shapes.ResponseBody):
    """Everything that people have said of a run."""

    labels: list[LabelBody]


class StoredSheet(shapes.ResponseBody):
    """What came of a CSV file."""

    stored: int = Field(description="Labels; rows without a verdict are left out")


@router.get("/runs/{run}/labels", response_model=Labels)
def list_labels(request: Request, run: Named) -> Response:
    """List the labels of a run. The resulting rate is `pass_rate_people` of the run."""
    store = site_of(request).store
    return answer({"labels": [*map(_label_record, store.human_labels.of_run(store.archive.find(run).id))]})


@router.post("/runs/{run}/labels", status_code=201, response_model=LabelBody)
def add_label(request: Request, run: Named, new: NewLabel) -> Response:
    """Label an attempt as pass or fail."""
    site = site_of(request)
    key = _key(request, run, new.case, new.condition, new.trial)
    made = put_label(
        key,
        passed=new.verdict == "pass",
        who=new.who,
        store=site.settings.store,
        note=storable(new.note),
        seconds=new.seconds,
    )
    return answer(_label_record(made), status=201)


@router.delete("/runs/{run}/labels", status_code=204)
def remove_label(
    request: Request,
    run: Named,
    case: Annotated[str, Query(max_length=2000)],
    who: Annotated[str, Query(max_length=2000)],
    condition: str = "",
    trial: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> Response:
    """Remove a label."""
    site = site_of(request)
    key = _key(request, run, case, condition, trial)
    found = (each for each in site.store.human_labels.of_run(key.run) if each.key == key and each.who == who)
    label = next(found, None)
    if label is None:
        raise HTTPException(404, f"{who!r} has not labelled case {case!r}, trial {trial} of run {key.run}")
    take_back(label, store=site.settings.store)
    return Response(status_code=204)


@router.get("/runs/{run}/labels/sheet", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
def read_label_sheet(request: Request, run: Named, drawing: Drawing) -> Response:
    """Download a random sample of attempts as a CSV file to fill in elsewhere."""
    return download_sheet(request, run, drawing)


async def _sheet(request: Request) -> bytes:
    """Read the request body up to the file size limit."""
    data = await read_limited_body(request, csv.LIMIT)
    if data is None:
        raise HTTPException(413, f"the file has more than {csv.LIMIT:,} bytes; split it into several")
    return data


_BODY = {"requestBody": {"required": True, "content": {"text/csv": {"schema": {"type": "string"}}}}}


@router.post("/runs/{run}/labels/sheet", response_model=StoredSheet, openapi_extra=_BODY)
async def store_label_sheet(
    request: Request,
    run: Named,
    content: Annotated[bytes, Depends(_sheet)],
    who: Annotated[str, Query(min_length=1, max_length=200, description="Who labelled rows without a name")],
) -> Response:
    """Upload a filled-in CSV file; all labels are stored, or none."""
    store = site_of(request).settings.store
    stored = await run_in_threadpool(lambda: store_sheet(run, content, source="the file", store=store, who=who))
    return answer({"stored": stored})


def _key(request: Request, run: str, case: str, condition: str, trial: int) -> Key:
    found = site_of(request).store.archive.find(run)
    return Key(run=found.id, exam=storable(case), condition=storable(condition), trial=trial)


def _label_record(label: HumanLabel) -> dict[str, Any]:
    key = label.key
    return {
        "case": key.exam,
        "condition": key.condition,
        "trial": key.trial,
        "verdict": "pass" if label.passed else "fail",
        "who": label.who,
        "note": label.note,
        "made": label.made,
        "seconds": label.seconds,
    }
