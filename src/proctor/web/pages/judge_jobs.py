"""Judge jobs on stored runs: estimate, start, progress, cancellation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse

from proctor.errors import InputError, ProctorError, RunBusy, UsageError
from proctor.findings.comparison.many import MOST_RUNS
from proctor.run import Run
from proctor.web.pages import form_of
from proctor.web.site.judge_jobs import JudgeJob
from proctor.web.site.judge_request import offered_judges, plan_request, start_request
from proctor.web.site.new_run import read_number
from proctor.web.site.site import Site, site_of
from proctor.web.views import addresses

router = APIRouter()


@router.post("/judge-jobs")
def ask_judge(request: Request) -> RedirectResponse:
    """Start a judge on what it has not judged yet; the page of the runs shows its progress."""
    site, form = site_of(request), form_of(request)
    names = form.texts("run")[: MOST_RUNS + 1]
    if not names:
        raise UsageError("no run is chosen; choose one to have its replies judged, or several to have them compared")
    runs = [site.store.archive.find(name) for name in dict.fromkeys(names)]
    return _to(start_request(site, runs, form.text("reviewer"), read_budget(form.text("budget"))))


@router.post("/judge-jobs/{job}/cancel")
def cancel_judge(request: Request, job: str) -> RedirectResponse:
    """Cancel a job; its verdicts so far are kept."""
    jobs = site_of(request).judge_jobs
    try:
        return _to(jobs.cancel(job))
    except RunBusy:  # it is still stopping, and its page shows when it has stopped
        return _to(jobs.find(job))


def judge_form(site: Site, runs: Sequence[Run], asked: Mapping[str, str]) -> dict[str, Any]:
    """Return the context for the form that starts a further judge: the judges and, for a chosen one, the estimate."""
    reviewer, typed = asked.get("reviewer", ""), asked.get("budget", "")
    planned, trouble = None, ""
    if reviewer:
        try:
            planned = plan_request(site, runs, reviewer, read_budget(typed))
        except ProctorError as error:
            trouble = error.on_page
    return {
        "asking": {
            "runs": [run.id for run in runs],
            "offered": offered_judges(site, runs),
            "reviewer": reviewer,
            "budget": typed,
            "planned": planned,
            "trouble": trouble,
        },
        "judge_jobs": site.judge_jobs.of(runs),
    }


def read_budget(typed: str) -> float | None:
    """Parse the budget, or return None if empty."""
    troubles: dict[str, str] = {}
    budget = read_number("budget", typed.strip(), float, troubles) if typed.strip() else None
    if troubles:
        raise InputError(f"budget={troubles['budget']}; give the most that judging may cost, or leave it empty")
    return budget


def _to(job: JudgeJob) -> RedirectResponse:
    one = len(job.runs) == 1
    where = f"{addresses.run(job.runs[0])}/judges" if one else addresses.tournament(*job.runs, judge=job.judge)
    return RedirectResponse(where, status_code=HTTPStatus.SEE_OTHER)
