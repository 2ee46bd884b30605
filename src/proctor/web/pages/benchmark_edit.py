"""Edit benchmarks: rows, differences between versions, and a new benchmark from a run's failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from proctor.errors import InputError
from proctor.formats import csv
from proctor.formats.rules import COLUMNS, REQUIRED
from proctor.formats.suites import suite
from proctor.web.pages import form_of
from proctor.web.site.drafts import Draft
from proctor.web.site.forms import Form
from proctor.web.site.render import FORM_CACHE, render
from proctor.web.site.site import Site, drafts_of, site_of
from proctor.web.views.exchanges import difference
from proctor.web.views.findings_cache import findings_cache_of
from proctor.web.views.vocabulary import teach
from proctor.workflows.case_difference import compare_cases
from proctor.workflows.failed_cases import as_file, failed_cases
from proctor.workflows.library import NoSuchBenchmark, StoredBenchmark, Version

Row = tuple[str, ...]
"""Question, answer, reasoning, context; empty if absent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RowFault:
    """The row as typed, and why it cannot be saved."""

    row: Row
    messages: tuple[str, ...]


def rows_of(content: bytes) -> list[Row]:
    """Parse the rows of a benchmark file; raise InputError if it is invalid."""
    return [
        (case.question, case.answer or "", case.reasoning or "", case.context or "")
        for case in csv.benchmark(content, name="the draft").cases
    ]


def edit_rows(rows: Sequence[Row], form: Form, *, at: int | None) -> list[Row] | RowFault:
    """Return the rows with the one at index `at` replaced or removed as the form says; None appends a new row."""
    if form.text("do") == "remove" and at is not None:
        left = [*rows[:at], *rows[at + 1 :]]
        if not left:
            raise InputError("a benchmark needs a question; the only row cannot be removed")
        return left
    before = rows[at] if at is not None else ("",) * len(COLUMNS)
    typed = tuple(_clean_line_ends(form.text(name), old) for name, old in zip(COLUMNS, before, strict=True))
    if at is None and form.text("do") != "row" and not any(text.strip() for text in typed):
        return list(rows)  # an empty new row is ignored
    faults = tuple(csv.row_faults(typed, first=at == 0))
    if faults:
        return RowFault(row=typed, messages=faults)
    return [*rows[:at], typed, *rows[at + 1 :]] if at is not None else [*rows, typed]


def _clean_line_ends(text: str, before: str) -> str:
    """Normalise line ends of form input; keep the old text if only the line ends differ."""
    plain = text.replace("\r\n", "\n")
    return before if plain == before.replace("\r\n", "\n") else plain


def written(rows: Sequence[Row]) -> bytes:
    """Return the rows as a benchmark file."""
    return csv.write(rows)


def changes(before: Sequence[Row], after: Sequence[Row]) -> int:
    """Return the number of rows changed, added or removed, regardless of order."""
    old, new = Counter(before), Counter(after)
    return max((new - old).total(), (old - new).total())


def label_fields(row: Row) -> Iterator[tuple[str, str, bool]]:
    """Yield each field's name, its text, and whether it is required."""
    for place, (name, text) in enumerate(zip(COLUMNS, row, strict=True)):
        yield name, text, place < REQUIRED


router = APIRouter()
teach()
PAGE = 50
NEW = 0
"""Number of a row that does not exist yet; existing rows count from 1."""
_PATIENCE = 0.6
Number = Annotated[int | None, Query(ge=0, le=10_000_000)]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000)]


@router.get("/benchmarks/{benchmark}/edit")
def edit(
    request: Request,
    benchmark: str,
    kept: str = "",
    based_on: str = "",
    row: Number = None,
    page: PageNumber = 1,
    as_text: bool = False,
) -> Response:
    """Show the rows of the newest version or of an unsaved draft; redirect suites to their own page or text form."""
    site = site_of(request)
    stored = site.library.find(benchmark)
    path = site.library.path(benchmark)
    if as_text and suite.is_suite(path):
        return _as_text(site, stored)
    if suite.is_suite(path):
        return RedirectResponse(f"/benchmarks/{stored.id}/review?every=1", status_code=HTTPStatus.SEE_OTHER)
    based_on = based_on if kept else stored.newest.id
    rows = rows_of(_content_in_hand(site, stored, kept=kept, based_on=based_on or stored.newest.id))
    return _rows_page(request, stored, rows, kept=kept, based_on=based_on, row=row, page=page)


@router.post("/benchmarks/{benchmark}/edit")
def change(request: Request, benchmark: str) -> Response:
    """Apply the changes to the open row, and save all rows as a new version if asked to."""
    site, form = site_of(request), form_of(request)
    stored, drafts = site.library.find(benchmark), drafts_of(site)
    kept, based_on = form.text("kept"), form.text("based_on") or stored.newest.id
    content = _content_in_hand(site, stored, kept=kept, based_on=based_on)
    save = partial(_save, request, stored, based_on=based_on, sure=bool(form.text("sure")))
    saves = form.text("do") == "save"
    if saves and not form.text("row"):
        return save(content, kept=kept)
    rows = rows_of(content)
    number = _open_row(form, len(rows))
    made = edit_rows(rows, form, at=number - 1 if number != NEW else None)
    page = _page_of(number or len(rows) + 1)
    if isinstance(made, RowFault):
        return _rows_page(request, stored, rows, kept=kept, based_on=based_on, row=number, page=page, fault=made)
    if made != rows:
        content = written(made)
        kept = drafts.keep(Draft(file=f"{stored.id}.csv", content=content))
    if saves:
        return save(content, kept=kept)
    following = _number(form.text("open"))
    filled = {"kept": kept, "based_on": based_on, "page": page} | ({} if following is None else {"row": following})
    place = min(number or len(made), len(made)) if following is None else following or "new"
    return RedirectResponse(f"/benchmarks/{stored.id}/edit?{urlencode(filled)}#row-{place}", HTTPStatus.SEE_OTHER)


def _content_in_hand(site: Site, stored: StoredBenchmark, *, kept: str, based_on: str) -> bytes:
    """Return the draft's content or, if there is none yet, that of the version on which editing began."""
    if not kept:
        return site.library.original(stored.id, based_on).read_bytes()
    content = drafts_of(site).find(kept)
    if content is None:
        raise HTTPException(404, "these changes are no longer kept; begin again from the newest version")
    return content


def _open_row(form: Form, rows: int) -> int:
    """Return the number of the row being edited."""
    number = _number(form.text("row"))
    if number is None or number > rows:
        raise HTTPException(422, f"there is no row {form.text('row')[:20]!r}; rows are numbered from 1 to {rows:,}")
    return number


def _save(
    request: Request, stored: StoredBenchmark, content: bytes, *, kept: str, based_on: str, sure: bool
) -> Response:
    site = site_of(request)
    if based_on != stored.newest.id and not sure:
        rows = rows_of(content)
        return _rows_page(request, stored, rows, kept=kept, based_on=based_on, row=None, page=1, overtaken=True)
    name = stored.name if stored.own else f"{stored.name} (edited)"
    saved = site.library.save(file=f"{stored.id}.csv", content=content, name=name, description=stored.description)
    return RedirectResponse(f"/benchmarks/{saved.id}", status_code=HTTPStatus.SEE_OTHER)


def _rows_page(
    request: Request,
    stored: StoredBenchmark,
    rows: list[Row],
    *,
    kept: str,
    based_on: str,
    row: int | None,
    page: int,
    fault: RowFault | None = None,
    overtaken: bool = False,
) -> HTMLResponse:
    site = site_of(request)
    pages = max(1, -(-len(rows) // PAGE))
    row = None if row is not None and row > len(rows) else row
    page = pages if row == NEW else min(_page_of(row) if row else page, pages)
    first = (page - 1) * PAGE
    based_on = based_on or stored.newest.id
    before = rows_of(site.library.original(stored.id, based_on).read_bytes())
    shown = render(
        request,
        "rows.html.j2",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if fault else HTTPStatus.CONFLICT if overtaken else HTTPStatus.OK,
        stored=stored,
        rows=list(enumerate(rows[first : first + PAGE], first + 1)),
        count=len(rows),
        changed=changes(before, rows) if kept else 0,
        kept=kept,
        based_on=based_on,
        row=row,
        empty_row=fault.row if fault and row == NEW else ("",) * 4,
        fault=fault,
        overtaken=overtaken,
        label_fields=label_fields,
        page=page,
        pages=pages,
    )
    shown.headers["cache-control"] = FORM_CACHE
    return shown


def _as_text(site: Site, stored: StoredBenchmark) -> RedirectResponse:
    """Redirect to the new-version form with the suite's text."""
    path = site.library.path(stored.id)
    kept = drafts_of(site).keep(Draft(file=path.name, content=path.read_bytes()))
    name = stored.name if stored.own else f"{stored.name} (edited)"
    filled = {"kept": kept, "called": path.name, "name": name, "description": stored.description}
    filled["beside"] = f"{stored.id}/{stored.newest.id}"
    return RedirectResponse(f"/benchmarks/new?{urlencode(filled)}", status_code=HTTPStatus.SEE_OTHER)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def _page_of(number: int) -> int:
    return (max(1, number) - 1) // PAGE + 1


@router.get("/benchmarks/{benchmark}/difference")
def versions_side_by_side(
    request: Request, benchmark: str, a: str = "", b: str = "", page: PageNumber = 1
) -> HTMLResponse:
    """Show the differences between two versions, by default the last two."""
    site = site_of(request)
    stored = site.library.find(benchmark)
    if len(stored.versions) < 2:
        raise HTTPException(404, f"the benchmark {stored.name!r} has one version, so nothing has changed")
    before, after = (
        _find_version(stored, a or stored.versions[1].id),
        _find_version(stored, b or stored.versions[0].id),
    )
    read = [site.library.read(stored.id, each.id) for each in (before, after)]
    found = compare_cases(read[0].cases, read[1].cases)
    pages = max(1, -(-len(found) // PAGE))
    page = min(page, pages)
    return render(
        request,
        "difference.html.j2",
        stored=stored,
        before=before,
        after=after,
        counts=Counter(each.kind for each in found),
        found=found[(page - 1) * PAGE : page * PAGE],
        difference=difference,
        header=[name for name in ("expect", "passing_score", "conditions") if _differs(read, name)],
        page=page,
        pages=pages,
    )


def _differs(read: list[Any], name: str) -> bool:
    return bool(getattr(read[0], name) != getattr(read[1], name))


def _find_version(stored: StoredBenchmark, version: str) -> Version:
    found = next((each for each in stored.versions if each.id == version), None)
    if found is None:
        raise NoSuchBenchmark(f"the benchmark {stored.name!r} has no version {version!r}")
    return found


@router.get("/runs/{run}/failures")
def benchmark_of_failures(request: Request, run: str) -> RedirectResponse:
    """Redirect to the new-benchmark form with the failed cases of a run."""
    site, findings_cache = site_of(request), findings_cache_of(request)
    found = site.store.archive.find(run)
    read = findings_cache.findings(found, patience=_PATIENCE)
    if read is None:
        text = f"run {found.id} is being read; this page continues by itself when that is done"
        raise HTTPException(503, text, headers={"refresh": "2"})
    cases = failed_cases(read.findings, read.exams.values())
    benchmark = site.store.archive.benchmark_of(found.id)
    name = f"{found.benchmark}: failures of {found.name}"[:200]
    text = f"{len(cases):,} cases that {found.agent} did not pass, or not always, in run {found.id}."
    ending, content = as_file(cases, name=name, description=text, passing_score=benchmark.passing_score)
    return _as_new(site, f"failures{ending}", content, name=name, description=text)


@router.get("/runs/{run}/benchmark")
def benchmark_of_run(request: Request, run: str) -> RedirectResponse:
    """Redirect to the new-benchmark form with all cases of a run, such as an imported one."""
    site = site_of(request)
    found = site.store.archive.find(run)
    benchmark = site.store.archive.benchmark_of(found.id)
    description = f"The cases of run {found.id}."
    ending, content = as_file(
        benchmark.cases, name=found.benchmark, description=description, passing_score=benchmark.passing_score
    )
    return _as_new(site, f"{found.benchmark[:80]}{ending}", content, name=found.benchmark, description=description)


def _as_new(site: Site, file: str, content: bytes, *, name: str, description: str) -> RedirectResponse:
    kept = drafts_of(site).keep(Draft(file=file, content=content))
    filled = {"kept": kept, "called": file, "name": name, "description": description}
    return RedirectResponse(f"/benchmarks/new?{urlencode(filled)}", status_code=HTTPStatus.SEE_OTHER)
