"""One run: its results, live while it is playing, as a table and as files."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from itertools import chain
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from proctor.config import Config
from proctor.errors import InputError, RunBusy
from proctor.findings.failure_map import RunFailures
from proctor.reports.run.particulars import settings_of
from proctor.run import Run, Settings, StopRequest
from proctor.settings import check_labels, check_name
from proctor.web.pages import form_of
from proctor.web.pages.run_actions import offered_actions
from proctor.web.site import choices
from proctor.web.site.forms import write_criteria
from proctor.web.site.new_run import SETTINGS, read_labels, written_labels
from proctor.web.site.render import FORM_CACHE, render
from proctor.web.site.site import Site, site_of
from proctor.web.site.start import go_on
from proctor.web.views import addresses, parts, results
from proctor.web.views.findings_cache import findings_cache_of
from proctor.web.views.people_labels import count_disputed
from proctor.web.views.vocabulary import teach
from proctor.workflows.change import describe_run
from proctor.workflows.export import export_pieces
from proctor.workflows.failure_map import failures_shown_with, run_before

_KEPT = 16
_Key = tuple[str, str, float | None, float]
_kept: OrderedDict[_Key, RunFailures | None] = OrderedDict()
_lock = threading.Lock()


def shown_failures(site: Site, run: Run) -> RunFailures | None:
    """Return the failure groups of a finished run; None if nothing failed or it is too large to read for its page."""
    key = str(site.settings.store), run.id, run.ended, run.seconds
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    found = failures_shown_with(site.store, run)
    with _lock:
        _kept[key] = found
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return found


_PLAIN = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class Again:
    """Whether a run can be started again from the page and, if not, why."""

    address: str = ""
    """URL of the prefilled new-run form, or empty if something it needs is not available."""
    lacks_agent: bool = False
    lacks_benchmark: bool = False
    benchmark: str = ""
    """URL of the benchmark in the examined version."""
    version: str = ""


def again_of(site: Site, run: Run) -> Again:
    """Return how to start the run again; its benchmark is found by its cases, not by name."""
    agent = _agent(site.config_to_read_by, run)
    known = [
        (each, version) for each in site.library.all() for version in each.versions if version.digest == run.digest
    ]
    if not known:
        return Again(lacks_agent=agent is None, lacks_benchmark=True)
    found, version = next((each for each in known if each[0].name == run.benchmark), known[0])
    older = [] if version == found.newest else [("version", version.id)]
    page = f"/benchmarks/{found.id}{'?' if older else ''}{urlencode(older)}"
    if agent is None:
        return Again(lacks_agent=True, benchmark=page, version=version.id)
    form = urlencode([("benchmark", found.id), *older, *_fields(site, run, agent)])
    return Again(address=f"/runs/new?{form}", benchmark=page, version=version.id)


def _agent(config: Config, run: Run) -> str | None:
    """Return the name under which the run's agent is configured here: its own, or that of its spec without options."""
    if run.agent in [each.name for each in choices.agents(config)]:
        return run.agent
    alike = (name for name, part in config.agents.items() if part.spec == run.agent and not part.options)
    return next((name for name in alike if config.agents[name].kind == run.kind), None)


def _fields(site: Site, run: Run, agent: str) -> Iterator[tuple[str, str]]:
    settings, usual, config = run.settings, Settings(), site.config_to_read_by
    yield from (("type", settings.type), ("agent", agent))
    yield from _judges(config, settings)
    if settings.canaries in [each.name for each in choices.canaries(config)] and settings.canaries != usual.canaries:
        yield "canaries", settings.canaries
    if gates := run.gates or settings.stop_early:
        yield "gates", "\n".join(gates)
    yield from [("stop_early", "yes")] if settings.stop_early else []
    if settings.type == "abm-dynamic" and settings.examiner:
        yield "examiner", settings.examiner
    for name in SETTINGS:
        value = getattr(settings, name)
        if value is not None and value != getattr(usual, name):
            yield name, value if isinstance(value, str) else f"{value:g}"
    if settings.conditions != ("",):
        yield from (("condition", name or _PLAIN) for name in settings.conditions)
    labels = "\n".join(f"{name}={value}" for name, value in run.labels.items() if name not in _FOUND)
    yield from [("labels", labels)] if labels else []


def _judges(config: Config, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield the run's judges as form fields, as far as still available: the judge, its escalation, the panel,
    criteria."""
    offered = {each.name for each in choices.reviewers(config)}
    first, *panel = settings.panel or (settings.reviewer or "none",)
    one, comma, second = (first, "", "") if first in offered else first.partition(",")
    if one in offered and (not comma or second in offered):
        yield "reviewer", one
        yield from [("second", second)] if comma else []
    yield from (("panel", name) for name in panel if name in offered)
    named = {name for judge in (first, *panel) for name in judge.split(",")} & config.reviewers.keys()
    declared = [config.reviewers[name].options.get("criteria") for name in named]
    criteria_options = (spec.options.get("criteria") for judge in settings.judges for spec in judge)
    own = next((each for each in criteria_options if isinstance(each, Mapping) and each not in declared), {})
    if own:
        yield "criteria", write_criteria(own)


_FOUND = ("commit", "branch", "demo")
"""Labels that a run sets automatically."""


router = APIRouter()
teach()
EXPORTS = {
    "html": ("HTML report", "html", "text/html"),
    "json": ("JSON", "json", "application/json"),
    "csv": ("CSV", "csv", "text/csv"),
    "junit": ("JUnit", "xml", "application/xml"),
    "markdown": ("Markdown", "md", "text/markdown"),
}
"""Export format → label, file extension, media type."""


_FILTERS = {
    "by": "kind of row",
    "verdict": "verdict",
    "stage": "place where attempts fail",
    "people": "word of people",
    "sort": "column",
}
"""Filters of results → labels."""


def _read_filters(
    request: Request,
    by: str = "",
    verdict: str = "",
    category: str = "",
    check: str = "",
    stage: str = "",
    people: str = "",
    q: Annotated[str, Query(max_length=500)] = "",
    sort: str = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    after: str = "",
) -> results.ResultFilter:
    people = "" if request.state.shared else people  # human labels are not shown through a share link
    given = {"by": by, "verdict": verdict, "stage": stage, "people": people, "sort": sort}
    for name, value in given.items():
        if value and value not in results.KNOWN[name]:
            raise HTTPException(
                422,
                f"{value[:60]!r} is no {_FILTERS[name]}; expected one of: {', '.join(results.KNOWN[name])}",
            )
    return results.ResultFilter(**given, category=category, check=check, q=q, page=page, after=after)


Wanted = Annotated[results.ResultFilter, Depends(_read_filters)]


@router.get("/runs/{run}")
def run_page(request: Request, run: str, wanted: Wanted) -> Response:
    """Show a run and one page of its results."""
    site, findings_cache = site_of(request), findings_cache_of(request)
    found = site.store.archive.find(run)
    if found.id != run:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(addresses.run(found.id) + query, status_code=HTTPStatus.SEE_OTHER)
    exams = findings_cache.exams(found)
    read = findings_cache.findings(found)
    stands = parts.standing(site, found)
    in_place = results.fills_in_place(read, wanted, moving=stands["moving"])
    return render(
        request,
        "run.html.j2",
        run=found,
        findings=read.findings if read is not None else None,
        parts=parts.render_parts(request, found, read, wanted),
        settings=settings_of(found),
        **stands,
        exams=exams,
        wanted=wanted,
        disputes=count_disputed(read.labels if read is not None else ()),
        in_place=in_place,
        table=results.table(site, found, exams, read, wanted, in_place=in_place),
        categories=results.categories(exams),
        stages=results.STAGES,
        exports=EXPORTS,
        written_labels=written_labels,
        earlier=run_before(site.store.archive, found),
        failures=None if stands["moving"] or read is None else shown_failures(site, found),
        again=again_of(site, found),
        **offered_actions(site, found),
    )


@router.get("/runs/{run}/parts")
def changing_parts(request: Request, run: str, wanted: Wanted) -> JSONResponse:
    """Return the parts of the page that change while the run is playing, and the number of attempts they include."""
    found = site_of(request).store.archive.find(run)
    read = findings_cache_of(request).findings(found)
    done = read.findings.counts.played if read is not None else 0
    return JSONResponse({"done": done, **parts.render_parts(request, found, read, wanted)})


@router.get("/runs/{run}/compare")
def compare_with_earlier(request: Request, run: str) -> RedirectResponse:
    """Redirect to the comparison with the previous run on the same cases, or to the form to choose one."""
    archive = site_of(request).store.archive
    found = archive.find(run)
    earlier = run_before(archive, found)
    return RedirectResponse(
        addresses.comparison(earlier.id if earlier is not None else "", found.id), status_code=HTTPStatus.SEE_OTHER
    )


@router.post("/runs/{run}/pause")
def pause(request: Request, run: str) -> RedirectResponse:
    """Pause the run."""
    return _stop(request, run, "pause")


@router.post("/runs/{run}/cancel")
def cancel(request: Request, run: str) -> RedirectResponse:
    """Cancel the run; its attempts are kept, and it can be resumed."""
    return _stop(request, run, "cancel")


@router.post("/runs/{run}/resume")
def resume(request: Request, run: str) -> RedirectResponse:
    """Resume the run without repeating finished attempts."""
    site = site_of(request)
    return _back(go_on(site, site.store.archive.find(run)))


def _stop(request: Request, run: str, asked: StopRequest) -> RedirectResponse:
    """Stop the run and redirect to its page, even if it takes longer to stop."""
    site = site_of(request)
    try:
        return _back(site.jobs.stop(run, asked))
    except RunBusy:
        return _back(site.store.archive.find(run))


def _back(run: Run) -> RedirectResponse:
    return RedirectResponse(addresses.run(run.id), status_code=HTTPStatus.SEE_OTHER)


@router.post("/runs/{run}/describe")
def describe(request: Request, run: str) -> Response:
    """Change the run's name and labels; on errors, show the form again as it was filled in."""
    site, form = site_of(request), form_of(request)
    found = site.store.archive.find(run)
    troubles: dict[str, str] = {}
    labels = dict(read_labels(form.text("labels"), troubles))
    name = " ".join(form.text("name").split())
    _note_trouble(troubles, "name", check_name, "the run's name", name)
    _note_trouble(troubles, "labels", check_labels, labels)
    if not troubles:
        return _back(describe_run(found.id, name=name, labels=labels, store=site.settings.store))
    typed = {"name": form.text("name"), "labels": form.text("labels"), "troubles": troubles}
    shown = render(request, "describe.html.j2", status=HTTPStatus.UNPROCESSABLE_ENTITY, run=found, **typed)
    shown.headers["cache-control"] = FORM_CACHE
    return shown


def _note_trouble(troubles: dict[str, str], field: str, check: Callable[..., None], *given: object) -> None:
    try:
        check(*given)
    except InputError as error:
        troubles.setdefault(field, error.on_page)


@router.get("/runs/{run}/export/{form}")
def export(request: Request, run: str, form: str) -> StreamingResponse:
    """Stream the whole run as a download, never shown inline since it is untrusted text."""
    if form not in EXPORTS:
        raise HTTPException(404, f"runs are not exported as {form!r}; there are {', '.join(EXPORTS)}")
    site = site_of(request)
    found = site.store.archive.find(run)
    _, ending, kind = EXPORTS[form]
    pieces = export_pieces(found.id, form=form, store=site.settings.store)
    first = next(pieces)  # an early error becomes an error page
    named = f"attachment; filename*=utf-8''{quote(f'{found.id}.{ending}', safe='')}"
    return StreamingResponse(chain([first], pieces), media_type=kind, headers={"content-disposition": named})
