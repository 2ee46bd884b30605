"""Import files from other tools: what was recognised, what has no counterpart, and the confirmed import."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from proctor.errors import InputError
from proctor.reports import imports as words
from proctor.web.pages import form_of
from proctor.web.site.drafts import Draft
from proctor.web.site.forms import Form
from proctor.web.site.render import FORM_CACHE, render
from proctor.web.site.site import Site, drafts_of, site_of
from proctor.web.views import addresses
from proctor.workflows.import_run import ENDINGS
from proctor.workflows.library import LONGEST_NAME, StoredBenchmark
from proctor.workflows.upload import ImportPreview, preview_import, store_import

router = APIRouter()
_NOTHING_CHOSEN = "There is no file yet: choose one that another tool has written."
_TOO_LARGE = "The file is too large to be uploaded (8 MiB); export less of it there, or import it on the server."
_NOTHING_WANTED = "Neither runs nor cases are wanted, so nothing would be kept: tick at least one."


@router.get("/import")
def import_page(request: Request, kept: str = "", called: Annotated[str, Query(max_length=255)] = "") -> HTMLResponse:
    """Show the form to choose a file and, once chosen, a preview of the import; nothing is saved."""
    content = drafts_of(site_of(request)).find(kept)
    if content is None:
        return _page(request)
    return _look(request, Draft(file=called or "import", content=content), kept)


@router.post("/import")
def take_file(request: Request) -> Response:
    """Preview a file, or import its contents."""
    site, form = site_of(request), form_of(request)
    draft = drafts_of(site).file_in(form)
    if draft is None or draft.too_large:
        return _page(request, trouble=_NOTHING_CHOSEN if draft is None else _TOO_LARGE)
    kept = drafts_of(site).keep(draft)
    if form.text("do") != "import" or "file" in form.files:
        query = urlencode({"kept": kept, "called": draft.file})
        return RedirectResponse(f"/import?{query}", status_code=HTTPStatus.SEE_OTHER)
    if not (form.text("runs") or form.text("cases")):
        return _look(request, draft, kept, trouble=_NOTHING_WANTED)
    try:
        return RedirectResponse(_keep(site, form, draft), status_code=HTTPStatus.SEE_OTHER)
    except InputError as error:
        return _look(request, draft, kept, trouble=error.on_page)


def _keep(site: Site, form: Form, draft: Draft) -> str:
    """Import what was chosen; return the URL of the result."""
    saved: StoredBenchmark | None = None
    if form.text("cases"):
        saved = _save_cases(site, preview_import(draft.file, draft.content), form.text("name").strip())
    if not form.text("runs"):
        return f"/benchmarks/{saved.id}" if saved is not None else "/benchmarks"
    runs = store_import(draft.file, draft.content, store=site.settings.store)
    return addresses.run(runs[0].id) if len(runs) == 1 else "/runs"


def _save_cases(site: Site, found: ImportPreview, name: str) -> StoredBenchmark | None:
    """Save the file's cases as a benchmark; further numbered ones take what does not fit into one file."""
    first: StoredBenchmark | None = None
    for number, suite in enumerate(found.suites, 1):
        called = name if first is None else _with_number(name or first.name, number)
        saved = site.library.save(file="imported.yaml", content=suite, name=called)
        first = first or saved
    return first


def _with_number(name: str, number: int) -> str:
    """Return `Support 2`, truncating the name if it leaves no room for the number."""
    end = f" {number}"
    return f"{name[: LONGEST_NAME - len(end)]}{end}"


def _look(request: Request, draft: Draft, kept: str, *, trouble: str = "") -> HTMLResponse:
    try:
        found = preview_import(draft.file, draft.content)
    except InputError as error:
        return _page(request, draft=draft, trouble=trouble or error.on_page)
    return _page(request, draft=draft, kept=kept, found=found, trouble=trouble)


def _page(
    request: Request,
    *,
    draft: Draft | None = None,
    kept: str = "",
    found: ImportPreview | None = None,
    trouble: str = "",
) -> HTMLResponse:
    page = render(
        request,
        "import.html.j2",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if trouble else HTTPStatus.OK,
        draft=draft,
        kept=kept,
        found=found,
        trouble=trouble,
        words=words,
        accepted=",".join(ENDINGS),
        longest_name=LONGEST_NAME,
    )
    page.headers["cache-control"] = FORM_CACHE
    return page
