"""The pages, one file a family. How a page is made:

1. A family is a file here with a `router = APIRouter()`, named in FAMILIES. One function a page, plain `def` (it runs
   in a thread, so it may read the store); `async def` only for what never blocks.

       @router.get("/runs/{run}")
       def run(request: Request, run: str) -> HTMLResponse:
           site = site_of(request)                          # store, config, settings, what is shared
           found = site.store.archive.find(run)             # NoSuchRun becomes the page "Not Found" by itself
           return render(request, "run.html.j2", run=found)

   A page that may answer with a redirect is annotated `-> Response`, or has `response_model=None` in its decorator.
2. Errors: raise a ProctorError, or `HTTPException(404, "…")`; `site/errors.py` makes the page. A form that has faults
   is shown again with what was typed, with status 422.
3. Templates extend `layout.html.j2` (blocks `title`, `main`) and take macros from `pieces/`; those of the HTML report
   are there as `reports/pieces.html.j2` and so on. Everything printed is escaped. Agents' words go through
   `|one_line(80)` or `|prose`; never `|safe`. No `style=`, no `<style>`, no `<script>` in a page: the policy of
   the server forbids them; rules go into `static/app.css`, behaviour into `static/app.js`.
   Templates know: request, path, now, theme, form_token, numbers, outcomes, svg, prose, noun_of, version.
4. Forms that change something are posted, begin with `{{ guard(form_token) }}` (pieces/page.html.j2) and are read with
   `form_of(request)`: `.text(name)`, `.texts(name)`, `.files[name]`. A form without the token never reaches the page.
   Answer with a redirect, status 303, so that reloading sends nothing twice.
5. Everything that a page shows is in its address: filters, order, page are query parameters;
   `{{ request|with_query(page=2) }}` gives this address with another value.
6. What it needs of a run is in the cache (`views/findings_cache.py`: findings, exams) or in `site.summaries` (pass
   rate, counts): both remember, so that a page answers in under 100 ms however large the run. Attempts come in pages
   from `site.store.archive.page` and `.search`; `bench/web.py` asks every page with a million of them.
7. Runs are started by `site/start.py`, stopped and resumed by `site.jobs`; `/runs/{run}/events` tells how they go on.
   Who can be chosen is in `site/choices.py`; nothing that names code is ever taken from a form.
8. A page reads without JavaScript. Rows that are links carry `data-row` (j and k walk through them), selects that
   filter carry `data-submit`, times are `{{ moment(at, now) }}`.
"""

from __future__ import annotations

from importlib import import_module

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request

from proctor.web.site.forms import Form, read_form
from proctor.web.site.site import site_of
from proctor.workflows.upload import largest

FAMILIES = (
    "assets", "login", "home", "benchmarks", "imports", "harvest", "benchmark_edit", "drafts_review", "agents", "runs",
    "new", "plan", "events", "run", "run_actions", "attempt", "label", "judges", "judge_jobs", "several", "compare",
    "tournament", "history", "settings", "docs",
)  # fmt: skip
"""Modules in routing order: `/runs/new` must come before `/runs/{run}`."""
_SAFE = ("GET", "HEAD", "OPTIONS")


def include(app: FastAPI) -> None:
    """Add every page, with form-token checks."""
    for router in routers():
        app.include_router(router, include_in_schema=False, dependencies=[Depends(_own_forms_only)])


def routers() -> list[APIRouter]:
    """Return the router of each family."""
    return [import_module(f"{__name__}.{family}").router for family in FAMILIES]


def form_of(request: Request) -> Form:
    """Return the posted form, whose token has been checked."""
    form: Form = request.state.form
    return form


async def _own_forms_only(request: Request) -> None:
    """Parse the posted form and reject it without the token of its session."""
    if request.method in _SAFE:
        return
    form = await read_form(request, file_limit=file_limit)
    if not site_of(request).sessions.vouches(request.state.session, form.text("form_token")):
        raise HTTPException(403, "this form is too old, or not from here; go back, reload the page and send it again")
    request.state.form = form


def file_limit(name: str) -> int:
    """Return the maximum size in bytes of an uploaded file with this name."""
    return largest(name)
