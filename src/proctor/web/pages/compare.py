"""Compare two runs: whether B is better, what broke, what was fixed, and both replies to a case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse

from proctor.errors import UsageError
from proctor.findings.comparison import CaseChange, Compared, SettingDifference, compare_findings, unlike
from proctor.reports.comparison import words
from proctor.run import Run
from proctor.storage import Store
from proctor.web.pages.attempt import find_exam, trials
from proctor.web.site import choices
from proctor.web.site.render import render
from proctor.web.site.site import Site, site_of
from proctor.web.views import addresses, charts
from proctor.web.views.exchanges import exchanges, telling_trial
from proctor.web.views.findings_cache import FindingsCache, findings_cache_of
from proctor.web.views.vocabulary import teach
from proctor.workflows.run_filter import says

router = APIRouter()
teach()
PAGE = 50
_OFFERED = 500
"""Maximum number of runs to choose from; others can be given in the URL."""
_RESCORED = {"--reviewer", "--passing-score"}
"""Differences that rescoring through the form can resolve."""
_TOLD = ("broken", "fixed", "changed", "flaky")


@router.get("/compare")
def compare(
    request: Request,
    a: str = "",
    b: str = "",
    k: Annotated[int | None, Query(ge=1)] = None,
    force: bool = False,
    flip: str = "",
    q: Annotated[str, Query(max_length=500)] = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> HTMLResponse:
    """Show the form to choose two runs and, once chosen, their differences."""
    site = site_of(request)
    store = site.store
    sides = [store.archive.find(name) if name else None for name in (a, b)]
    values: dict[str, Any] = {"runs": _runs_to_offer(store, sides), "a": sides[0], "b": sides[1], "force": force}
    before, after = sides
    if before is None or after is None:
        return render(request, "compare/choose.html.j2", **values, trouble="")
    if before.id == after.id:
        trouble = "A and B are the same run, so there is nothing to compare: choose another one for A or for B."
        return render(request, "compare/choose.html.j2", **values, trouble=trouble)
    apart = unlike(before, after)
    if apart and not force:
        return render(
            request, "compare/unlike.html.j2", **values, apart=apart, rescoring=_rescoring(site, before, after, apart)
        )
    found = _compare_runs(findings_cache_of(request), before, after, k=k, force=force)
    if found is None:
        return render(request, "compare/reading.html.j2", **values)
    cases = [change for change in found.cases if _fits(change, flip, q)]
    drawn = [row.comparison.difference for row in words.rows(found) if row.unit == "percent"]
    return render(
        request,
        "compare.html.j2",
        **values,
        compared=found,
        rows=list(words.rows(found)),
        scale=charts.scale_of(drawn),
        grouped=[
            (what, changes, charts.scale_of(each.tested.comparison.difference for each in changes.values()), legend)
            for what, changes, legend in (
                ("condition", found.conditions, words.HOLM_CONDITIONS),
                ("category", found.categories, words.HOLM),
            )
        ],
        counts={name: len(found.flipped(name)) for name in words.FLIPS},
        flip=flip,
        q=q,
        cases=cases[(page - 1) * PAGE : page * PAGE],
        found=len(cases),
        page=page,
        pages=max(1, -(-len(cases) // PAGE)),
    )


def _runs_to_offer(store: Store, chosen: Sequence[Run | None]) -> list[Run]:
    """Return the newest runs, always including the chosen ones."""
    every = [run for run in store.archive.runs() if run.planned]
    ids = {run.id for run in chosen if run is not None}
    return [*every[:_OFFERED], *(run for run in every[_OFFERED:] if run.id in ids)]


def _rescoring(site: Site, a: Run, b: Run, apart: Sequence[SettingDifference]) -> dict[str, Any] | None:
    """Return the form to rescore one run as the other was judged, or None if that is impossible."""
    options = {one.option.partition(" ")[0] for one in apart}
    run, like = (a, b) if b.settings.reviewer is not None else (b, a)
    judge, passing = like.settings.reviewer, like.settings.passing_score
    if not options <= _RESCORED or judge not in [each.name for each in choices.reviewers(site.config_to_read_by)]:
        return None
    fields = {"reviewer": judge, "passing_score": "" if passing is None else f"{passing:g}"}
    return {"run": run, "sides": "AB" if run is a else "BA", "fields": fields}


def _compare_runs(
    findings_cache: FindingsCache, a: Run, b: Run, *, k: int | None = None, force: bool = False
) -> Compared | None:
    """Compare two runs, or return None while one of them is still being read."""
    before, after = findings_cache.findings(a), findings_cache.findings(b)
    if before is None or after is None:
        return None
    return compare_findings(before.findings, after.findings, k=k, force=force)


def _fits(change: CaseChange, flip: str, q: str) -> bool:
    return (not flip or change.flip == flip) and says(q, change.b.question, id=change.b.id)


@router.get("/compare/case")
def compare_case(
    request: Request,
    a: str,
    b: str,
    case: str,
    trial: Annotated[int | None, Query(ge=1)] = None,
    condition: str = "",
) -> HTMLResponse:
    """Show both replies to one case with differences highlighted."""
    site, findings_cache = site_of(request), findings_cache_of(request)
    runs = [site.store.archive.find(name) for name in (a, b)]
    exams = [find_exam(findings_cache.exams(run), run, case) for run in runs]
    played = [
        trials(site.store, run, exam, condition=condition, around=trial) for run, exam in zip(runs, exams, strict=True)
    ]
    if not all(played):
        where = " and ".join(run.id for run, each in zip(runs, played, strict=True) if not each)
        raise HTTPException(404, f"case {case!r} has not been run in run {where} yet")
    number = trial if trial is not None else telling_trial(*played)
    sides = [next((each for each in attempts if each.key.trial == number), None) for attempts in played]
    if sides[0] is None or sides[1] is None:
        raise HTTPException(404, f"trial {number} of case {case!r} has not been run in both runs")
    changes = _neighbours(findings_cache, runs[0], runs[1], case)
    return render(
        request,
        "compare/case.html.j2",
        a=runs[0],
        b=runs[1],
        case=case,
        exam=exams[1],
        sides=sides,
        trials=sorted({each.key.trial for each in played[0]} & {each.key.trial for each in played[1]}),
        exchanges=list(exchanges(sides[0], sides[1], case)),
        **changes,
    )


def _neighbours(findings_cache: FindingsCache, a: Run, b: Run, case: str) -> dict[str, Any]:
    """Return this case's change, and the previous and next changed case."""
    try:
        found = _compare_runs(findings_cache, a, b, force=True)
    except UsageError:
        found = None
    changes = [change for change in found.cases if change.flip in _TOLD] if found is not None else []
    here = next((place for place, change in enumerate(changes) if change.b.id == case), None)
    this = next((change for change in found.cases if change.b.id == case), None) if found is not None else None
    links = {"previous": "", "next": changes[0].b.id if changes and here is None else ""}
    if here is not None:
        links = {
            "previous": changes[here - 1].b.id if here else "",
            "next": changes[here + 1].b.id if here + 1 < len(changes) else "",
        }
    addressed = {name: addresses.pair(a.id, b.id, each) if each else "" for name, each in links.items()}
    return {"change": this, "changed": len(changes), "place": None if here is None else here + 1, **addressed}
