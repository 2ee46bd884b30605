"""Draft cases from real conversations (a stored run or an uploaded recording), previewed before they are saved."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from proctor.errors import InputError, ProctorError, UsageError
from proctor.web.pages import form_of
from proctor.web.site.in_thread import InThread
from proctor.web.site.new_run import read_number
from proctor.web.site.render import FORM_CACHE, render
from proctor.web.site.site import Site, drafts_of, site_of
from proctor.workflows.harvest.candidate import Only
from proctor.workflows.harvest.harvest import MOST, HarvestOptions, HarvestReport
from proctor.workflows.harvest.upload import ENDINGS, harvest_recording, harvest_run
from proctor.workflows.library import LONGEST_NAME

router = APIRouter()
ONLY: dict[str, str] = {
    "": "the default",
    "failed": "failed ones",
    "flaky": "flaky ones",
    "all": "all of them",
}
_USUAL = 200
_OFFERED = 100
_PATIENCE = 0.6
"""Seconds that a page waits for drafts; for a run with a million attempts they take minutes."""
_Drafted = tuple[HarvestReport, bytes]
_drafts = InThread[_Drafted]("harvest", kept=4, most=8, at_once=2)
_NOTHING_CHOSEN = "There is nothing to harvest yet: choose a run, or a file of recordings."
_TOO_LARGE = "The file is too large to be uploaded (8 MiB); split it, or harvest it on the server."


@dataclass(frozen=True, kw_only=True, slots=True)
class HarvestChoice:
    """Source and options of a harvest, as filled in."""

    run: str = ""
    kept: str = ""
    """Key of the uploaded file."""
    called: str = ""
    only: str = ""
    limit: str = ""
    replies: str = ""
    """Whether replies without a verdict count as correct."""

    def options(self) -> HarvestOptions:
        """Parse the options; raise InputError if they are invalid."""
        troubles: dict[str, str] = {}
        limit = read_number("limit", self.limit.strip(), int, troubles) if self.limit.strip() else _USUAL
        if troubles or limit is None or not 1 <= int(limit) <= MOST:
            why = troubles.get("limit", f"{self.limit.strip()!r} cannot be")
            raise InputError(f"the most drafts: {why}; expected 1 to {MOST:,}")
        only = next((each for each in get_args(Only) if each == self.only), None)
        return HarvestOptions(only=only, limit=int(limit), from_replies=bool(self.replies))

    def query(self) -> str:
        """Return the choice as a URL query."""
        fields = {name: getattr(self, name) for name in ("run", "kept", "called", "only", "limit", "replies")}
        return urlencode({name: value for name, value in fields.items() if value})


@router.get("/harvest")
def harvest_page(
    request: Request,
    run: Annotated[str, Query(max_length=200)] = "",
    kept: str = "",
    called: Annotated[str, Query(max_length=255)] = "",
    only: str = "",
    limit: Annotated[str, Query(max_length=20)] = "",
    replies: str = "",
) -> HTMLResponse:
    """Show the form to choose a source and, once chosen, a preview of the drafts; nothing is saved."""
    choice = HarvestChoice(run=run, kept=kept, called=called, only=only, limit=limit, replies=replies)
    if not (run or kept):
        return _page(request, choice)
    try:
        drafted = _draft(site_of(request), choice)
    except ProctorError as error:
        return _page(request, choice, trouble=error.on_page)
    return _page(request, choice, report=drafted[0] if drafted else None, reading=drafted is None)


@router.post("/harvest")
def take_source(request: Request) -> Response:
    """Preview a source, or save its drafts as a benchmark to be reviewed."""
    site, form = site_of(request), form_of(request)
    given = {name: form.text(name) for name in ("run", "kept", "called", "only", "limit", "replies")}
    upload = form.files.get("file")
    if upload is not None:
        if upload.too_large:
            return _page(request, HarvestChoice(**{**given, "kept": ""}), trouble=_TOO_LARGE)
        draft = drafts_of(site).file_in(form)
        kept = "" if draft is None else drafts_of(site).keep(draft)
        given |= {"run": "", "kept": kept, "called": upload.name}
    elif given["run"]:
        given |= {"kept": "", "called": ""}
    choice = HarvestChoice(**given)
    if not (choice.run or choice.kept):
        return _page(request, choice, trouble=_NOTHING_CHOSEN)
    if form.text("do") != "keep" or upload is not None:
        return RedirectResponse(f"/harvest?{choice.query()}", status_code=HTTPStatus.SEE_OTHER)
    try:
        drafted = _draft(site, choice)
        if drafted is None:
            return RedirectResponse(f"/harvest?{choice.query()}", status_code=HTTPStatus.SEE_OTHER)
        report, suite = drafted
        if not report.cases:
            raise UsageError("there is nothing to draft a case from; choose other cases, or another source")
        saved = site.library.save(file="drafts.yaml", content=suite, name=form.text("name").strip())
    except ProctorError as error:
        return _page(request, choice, trouble=error.on_page)
    return RedirectResponse(f"/benchmarks/{saved.id}/review", status_code=HTTPStatus.SEE_OTHER)


def _draft(site: Site, choice: HarvestChoice) -> _Drafted | None:
    """Return the drafts from the source, or None while it is still being read."""
    choice.options()
    run = site.store.archive.find(choice.run) if choice.run else None
    stands = None if run is None else (run.id, run.status, run.seconds)
    return _drafts.ask((site, choice, stands), lambda: _harvest(site, choice, run.id if run else ""), _PATIENCE)


def _harvest(site: Site, choice: HarvestChoice, run: str) -> _Drafted:
    if run:
        return harvest_run(run, store=site.settings.store, wanted=choice.options())
    content = drafts_of(site).find(choice.kept)
    if content is None:
        raise InputError("the file is no longer here; choose it again")
    return harvest_recording(choice.called, content, store=site.settings.store, wanted=choice.options())


def _page(
    request: Request,
    choice: HarvestChoice,
    *,
    report: HarvestReport | None = None,
    reading: bool = False,
    trouble: str = "",
) -> HTMLResponse:
    runs = [run for run in site_of(request).store.archive.runs() if run.status not in ("queued", "running")]
    page = render(
        request,
        "harvest.html.j2",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if trouble else HTTPStatus.OK,
        choice=choice,
        runs=runs[:_OFFERED],
        report=report,
        reading=reading,
        trouble=trouble,
        only=ONLY,
        usual=_USUAL,
        accepted=",".join(ENDINGS),
        longest_name=LONGEST_NAME,
    )
    page.headers["cache-control"] = FORM_CACHE
    return page
