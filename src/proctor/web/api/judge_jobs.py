"""/api/judge-jobs: ask a further judge about stored runs, to judge one run or to compare the replies of several."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from proctor.findings.comparison.many import MOST_RUNS
from proctor.run import Run
from proctor.web.api import shapes
from proctor.web.api.answers import STATES, answer
from proctor.web.site.judge_jobs import JudgeJob
from proctor.web.site.judge_request import plan_request, start_request
from proctor.web.site.site import Site, site_of

router = APIRouter(tags=["judges"])
Job = Annotated[str, Path(max_length=64, description="The id that starting it has given")]


class JudgeRequest(shapes.RequestBody):
    """Who judges what."""

    runs: list[shapes.Name] = Field(
        min_length=1,
        max_length=MOST_RUNS,
        description="One: its labelled attempts are judged. Several: their replies are compared, case by case",
    )
    reviewer: shapes.Name = Field(description="One that the configuration declares; to compare replies, a chat model")
    budget: float | None = Field(default=None, ge=0, le=1e9, description="The most that it may cost")


class JudgePlanBody(shapes.ResponseBody):
    """What a judge would take."""

    whole: int = Field(description="Attempts, or contests, that there are to judge")
    due: int = Field(description="Those that it has not judged yet, and is asked about")
    calls: shapes.RangeBody
    input_tokens: shapes.RangeBody
    output_tokens: shapes.RangeBody
    cost: shapes.RangeBody | None = Field(description="null: its price is not known")


class JudgeJobBody(shapes.ResponseBody):
    """A judge at work, or that was."""

    id: str
    runs: list[str]
    reviewer: str
    judge: str = Field(description="What its verdicts are kept under")
    state: Literal["going", "done", "cancelled", "stopped"]
    due: int = Field(description="Verdicts that it was asked for")
    done: int = Field(description="Answers that it has given since")
    unscored: int = Field(description="Of those, how many are no usable verdict; they are not asked for again")
    started: float
    said: str = Field(description="Why it stopped by itself; empty: it did not")


@router.post("/judge-jobs/estimate", response_model=JudgePlanBody, responses=STATES)
def estimate_judge(request: Request, wanted: JudgeRequest) -> Response:
    """Estimate the calls and cost of a judge, without calling it."""
    site = site_of(request)
    planned = plan_request(site, _runs(site, wanted), wanted.reviewer, wanted.budget)
    return answer({name: getattr(planned, name) for name in JudgePlanBody.model_fields})


@router.post("/judge-jobs", status_code=201, response_model=JudgeJobBody, responses=STATES)
def start_judge(request: Request, wanted: JudgeRequest) -> Response:
    """Start judging what the judge has not judged yet, in a separate process."""
    site = site_of(request)
    job = start_request(site, _runs(site, wanted), wanted.reviewer, wanted.budget)
    return answer(_body(job), status=201, location=f"/api/judge-jobs/{job.id}")


@router.get("/judge-jobs/{job}", response_model=JudgeJobBody)
def read_judge(request: Request, job: Job) -> Response:
    """Get the progress of a judge job."""
    return answer(_body(site_of(request).judge_jobs.find(job)))


@router.post("/judge-jobs/{job}/cancel", response_model=JudgeJobBody, responses=STATES)
def cancel_judge(request: Request, job: Job) -> Response:
    """Stop a judge job. Its judgements are kept and not paid for again."""
    return answer(_body(site_of(request).judge_jobs.cancel(job)))


def _runs(site: Site, wanted: JudgeRequest) -> list[Run]:
    found = [site.store.archive.find(name) for name in wanted.runs]
    return list({run.id: run for run in found}.values())


def _body(job: JudgeJob) -> dict[str, object]:
    return {name: getattr(job, name) for name in JudgeJobBody.model_fields}
