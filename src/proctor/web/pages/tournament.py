"""Tournament of several runs, case by case: by stored scores, or as a judge has compared their replies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse

from proctor.errors import UsageError
from proctor.findings.comparison.many import MOST_RUNS
from proctor.findings.tournament import Tournament
from proctor.reports.comparison import tournament as words
from proctor.run import Run
from proctor.web.pages.judge_jobs import judge_form
from proctor.web.site.render import render
from proctor.web.site.site import site_of
from proctor.web.views.findings_cache import findings_cache_of
from proctor.web.views.vocabulary import teach
from proctor.workflows.tournament import StoredTournament, by_stored_scores, read_tournament, stored_judges

router = APIRouter()
teach()
_OFFERED = 100
_CONTESTS = 100
"""Maximum number of contests shown with reasons."""


@router.get("/tournament")
def tournament(
    request: Request,
    run: Annotated[list[str] | None, Query(max_length=MOST_RUNS)] = None,
    judge: Annotated[str, Query(max_length=500)] = "",
) -> HTMLResponse:
    """Show the form to choose runs of one benchmark and, once chosen, their ranking; no judge is called."""
    site = site_of(request)
    store = site.store
    chosen = [store.archive.find(name) for name in dict.fromkeys(run or ())]
    if len(chosen) < 2:
        offered = [each for each in store.archive.runs() if each.planned][:_OFFERED]
        choice: dict[str, Any] = {"runs": offered, "chosen": chosen, "most": MOST_RUNS, "action": "/tournament"}
        return render(request, "several/choose.html.j2", heading="Tournament", **choice)
    asking = judge_form(site, chosen, request.query_params)
    judges = sorted({*stored_judges(store, chosen), *(job.judge for job in asking["judge_jobs"])})
    if judge and judge not in judges:
        others = (
            f"expected one of {', '.join(judges)}" if judges else "nor has any other: their stored scores rank them"
        )
        raise HTTPException(404, f"no judge {judge[:80]!r} has compared these runs; {others}")
    try:
        found = _stored_contests(request, chosen, judge)
    except UsageError as refusal:
        raise HTTPException(422, refusal.on_page) from refusal
    if found is None:
        return render(request, "several/reading.html.j2", heading="Tournament")
    shown = {**_contest_values(found), **asking}
    return render(request, "tournament.html.j2", judges=judges, judge=judge, words=words, **shown)


def _stored_contests(request: Request, chosen: Sequence[Run], judge: str) -> StoredTournament | None:
    """Return the contests by this judge or by scores, or None while a run is still being read."""
    read = [findings_cache_of(request).findings(each) for each in chosen]
    known = [each.findings for each in read if each is not None]
    if len(known) < len(chosen):
        return None
    if judge:
        return read_tournament(site_of(request).store, known, judge)
    return StoredTournament(found=by_stored_scores(known), verdicts={})


def _contest_values(stored: StoredTournament) -> dict[str, Any]:
    found: Tournament = stored.found
    contests = [
        (outcome, stored.verdicts[outcome.place]) for outcome in found.outcomes if outcome.place in stored.verdicts
    ]
    return {"found": found, "contests": contests[:_CONTESTS], "left_out": len(contests[_CONTESTS:])}
