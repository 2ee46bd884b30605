"""Benchmarks: the list, creating one from a file, and one benchmark with its cases, versions and the doctor's
findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from proctor.benchmark import Benchmark, Case
from proctor.errors import InputError
from proctor.formats.compatibility import Indicator, compatibility
from proctor.formats.convert import ConversionReport
from proctor.formats.rules import REQUIRED
from proctor.web.pages import form_of
from proctor.web.site.drafts import Draft, Drafts
from proctor.web.site.forms import Form
from proctor.web.site.in_thread import InThread, TooBusy
from proctor.web.site.render import FORM_CACHE, render
from proctor.web.site.site import Site, drafts_of, site_of
from proctor.web.views.vocabulary import teach
from proctor.workflows.doctor import BenchmarkProblem, find_problems
from proctor.workflows.intake import ACCEPTED, TABLE_FIELDS, Intake, names_read, take_in
from proctor.workflows.library import (
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    Library,
    NoSuchBenchmark,
    StoredBenchmark,
    Version,
)
from proctor.workflows.run_filter import says
from proctor.workflows.upload import ExaminedFile

router = APIRouter()
teach()
PAGE = 50
_PATIENCE = 0.5
"""Seconds that a page waits for the doctor's findings."""
_doctor = InThread[tuple[BenchmarkProblem, ...]]("doctor", kept=16, most=16, at_once=4)
_DIGITS = 5
_NOTHING_CHOSEN = "There is no file yet: choose one, or paste its rows."
_OUT_OF_REACH = "The file itself cannot be shown here; correct it where it is, and choose it again."


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchmarkRow:
    """A row of the list of benchmarks."""

    stored: StoredBenchmark
    runs: int
    """Number of runs on any of its versions."""
    types: dict[str, Indicator]


@router.get("/benchmarks")
def benchmarks(request: Request) -> HTMLResponse:
    """List all benchmarks."""
    site = site_of(request)
    played = Counter((run.benchmark, run.digest) for run in site.store.archive.runs())
    listed = [
        BenchmarkRow(
            stored=each,
            runs=sum(played[each.name, digest] for digest in {version.digest for version in each.versions}),
            types=compatibility(each.newest.cases),
        )
        for each in site.library.all()
    ]
    return render(request, "benchmarks.html.j2", listed=listed, own=any(each.stored.own for each in listed))


@router.get("/benchmarks/new")
def new(
    request: Request,
    of: str = "",
    kept: str = "",
    called: str = "",
    was: str = "",
    was_called: str = "",
    columns: Annotated[str, Query(max_length=200)] = "",
    beside: Annotated[str, Query(max_length=200)] = "",
    name: Annotated[str, Query(max_length=5000)] = "",
    description: Annotated[str, Query(max_length=5000)] = "",
) -> HTMLResponse:
    """Show the new-benchmark form: empty, for a new version (`of`), or as it was filled in (`kept`)."""
    site = site_of(request)
    known = site.library.find(of) if of else None
    if known is not None and known.own:
        name, description = name or known.name, description or known.description
    content = drafts_of(site).find(kept)
    if content is None:
        return _form(request, name=name, description=description)
    draft = Draft(file=called or "pasted.csv", content=content)
    came = drafts_of(site).find(was)
    chosen = _chosen_in(columns)
    origin = _take(site, draft if came is None else Draft(file=was_called, content=came), chosen, beside)
    return _form(
        request,
        name=name,
        description=description,
        draft=draft,
        kept=kept,
        examined=origin.examined if came is None else take_in(draft.file, draft.content).examined,
        was=(was, was_called),
        beside=beside,
        conversion=origin.conversion if came is not None else None,
        header=origin.header,
        chosen=chosen,
    )


@router.post("/benchmarks/new")
def create(request: Request) -> Response:
    """Preview or save a file; on errors, show the form again as it was filled in."""
    site, form = site_of(request), form_of(request)
    name, description = form.text("name").strip(), form.text("description")
    drafts = drafts_of(site)
    draft, chosen = _file_in(drafts, form)
    saving = form.text("do") == "save"
    if draft is None:
        return _form(request, name=name, description=description, trouble=_NOTHING_CHOSEN)
    base_version = form.text("beside") if "file" not in form.files else ""
    taken = _take(site, draft, chosen, base_version)
    examined, was = taken.examined, (form.text("was"), form.text("was_called"))
    if taken.conversion is not None:
        was = drafts.keep(draft), draft.file
        draft = Draft(file=taken.file, content=taken.content)
    trouble = ""
    if saving and examined.benchmark is not None:
        try:
            saved = site.library.save(file=taken.file, content=taken.content, name=name, description=description)
            return RedirectResponse(f"/benchmarks/{saved.id}", status_code=HTTPStatus.SEE_OTHER)
        except InputError as error:
            trouble = error.on_page
    kept = "" if draft.too_large else drafts.keep(draft)
    if kept and not saving:  # redirect, so that Back and Reload work
        filled = {"kept": kept, "called": draft.file, "name": name, "description": description}
        filled |= {"beside": base_version} if base_version else {}
        filled |= {"was": was[0], "was_called": was[1]} if was[0] else {}
        filled |= {"columns": ",".join(f"{name}:{place}" for name, place in chosen.items())} if chosen else {}
        return RedirectResponse(f"/benchmarks/new?{urlencode(filled)}", status_code=HTTPStatus.SEE_OTHER)
    return _form(
        request,
        name=name,
        description=description,
        draft=draft,
        kept=kept,
        examined=examined,
        was=was,
        beside=base_version,
        conversion=taken.conversion,
        header=taken.header,
        chosen=chosen,
        trouble=trouble,
    )


@router.get("/benchmarks/{benchmark}")
def benchmark_page(
    request: Request,
    benchmark: str,
    version: str = "",
    q: Annotated[str, Query(max_length=200)] = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> HTMLResponse:
    """Show one version of a benchmark."""
    site = site_of(request)
    stored = site.library.find(benchmark)
    shown = _version(stored, version)
    benchmark_read = _read_version(site.library, stored, shown.id)
    found = [case for case in benchmark_read.cases if says(q, *_words_of(case), id=case.id)]
    pages = max(1, -(-len(found) // PAGE))
    page = min(page, pages)
    return render(
        request,
        "benchmark.html.j2",
        stored=stored,
        earlier=_earlier(stored, shown),
        shown=shown,
        cases=found[(page - 1) * PAGE : page * PAGE],
        found=len(found),
        q=q,
        page=page,
        pages=pages,
        complaints=_complaints(site.library, stored, shown.id),
        conditions=benchmark_read.conditions,
        types=compatibility(shown.cases),
        runs=_runs(site, stored),
        places=_case_numbers(benchmark_read.cases),
        unreviewed=sum(case.review == "needed" for case in benchmark_read.cases),
    )


@router.get("/benchmarks/{benchmark}/file")
def download(request: Request, benchmark: str, version: str = "") -> FileResponse:
    """Download the original file."""
    path = site_of(request).library.original(benchmark, version or None)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


@router.post("/benchmarks/{benchmark}/delete")
def delete(request: Request, benchmark: str) -> RedirectResponse:
    """Delete a benchmark; runs keep their copies."""
    site_of(request).library.delete(benchmark)
    return RedirectResponse("/benchmarks", status_code=HTTPStatus.SEE_OTHER)


def _file_in(drafts: Drafts, form: Form) -> tuple[Draft | None, dict[str, int]]:
    """Return the form's file and, if columns were chosen by hand, the column mapping for it."""
    draft = drafts.file_in(form)
    if form.text("do") != "columns" or draft is None or "file" in form.files:
        return draft, {}
    columns = ",".join(f"{name}:{form.text(f'column.{name}')}" for name in TABLE_FIELDS)
    came = drafts.find(form.text("was"))
    return draft if came is None else Draft(file=form.text("was_called"), content=came), _chosen_in(columns)


def _take(site: Site, draft: Draft, chosen: Mapping[str, int], beside: str) -> Intake:
    """Parse the file as it would be saved; an edited suite keeps the sources of its version, `ID/VERSION`."""
    file, content = draft.file, draft.content
    identity, _, version = beside.partition("/")
    if beside and not draft.too_large:
        file, content = site.library.edited_file(identity, version, file, content)
    return take_in(file, content, too_large=draft.too_large, chosen=chosen)


def _chosen_in(told: str) -> dict[str, int]:
    """Parse `question:0,answer:2` as a mapping from column name to index; invalid parts are ignored."""
    pairs = (pair.partition(":") for pair in told.split(","))
    known = {name: place for name, _, place in pairs if name in TABLE_FIELDS}
    return {name: int(place) for name, place in known.items() if place.isdecimal() and len(place) < _DIGITS}


def _form(
    request: Request,
    *,
    name: str,
    description: str,
    draft: Draft | None = None,
    kept: str = "",
    examined: ExaminedFile | None = None,
    was: tuple[str, str] = ("", ""),
    beside: str = "",
    conversion: ConversionReport | None = None,
    header: tuple[str, ...] = (),
    chosen: Mapping[str, int] | None = None,
    trouble: str = "",
) -> HTMLResponse:
    wrong = bool(trouble or (examined is not None and examined.errors))
    shown = render(
        request,
        "create.html.j2",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK,
        name=name,
        description=description,
        draft=draft,
        text="" if draft is None else draft.text,
        lines=[] if draft is None else draft.text.split("\n"),
        unshown=_OUT_OF_REACH if draft is not None and not draft.text else "",
        kept=kept,
        examined=examined,
        was=was,
        beside=beside,
        conversion=conversion,
        header=header,
        fields=TABLE_FIELDS,
        required=REQUIRED,
        chosen=(chosen or {}) if conversion is None else conversion.places,
        read_as={} if draft is None or conversion is not None else names_read(draft.file, draft.content),
        accepted=",".join(ACCEPTED),
        trouble=trouble,
        longest_name=LONGEST_NAME,
        longest_description=LONGEST_DESCRIPTION,
        known=[each.name for each in site_of(request).library.all() if each.own],
    )
    shown.headers["cache-control"] = FORM_CACHE
    return shown


def _earlier(stored: StoredBenchmark, shown: Version) -> Version | None:
    """Return the version before this one."""
    later = [each.id for each in stored.versions].index(shown.id)
    return stored.versions[later + 1] if later + 1 < len(stored.versions) else None


def _version(stored: StoredBenchmark, version: str) -> Version:
    found = next((each for each in stored.versions if version in ("", each.id)), None)
    if found is None:
        raise NoSuchBenchmark(f"the benchmark {stored.name!r} has no version {version!r}")
    return found


@lru_cache(maxsize=16)
def _read_version(library: Library, stored: StoredBenchmark, version: str) -> Benchmark:
    """Parse a version's file, cached since versions never change."""
    return library.read(stored.id, version)


def _complaints(library: Library, stored: StoredBenchmark, version: str) -> tuple[BenchmarkProblem, ...] | None:
    """Return the doctor's findings, or None if not ready: the largest files take seconds."""
    try:
        key = (library, stored, version)
        return _doctor.ask(key, lambda: find_problems(_read_version(library, stored, version)), _PATIENCE)
    except TooBusy:
        return None


def _words_of(case: Case) -> tuple[str, ...]:
    return (case.question, case.answer or "", case.reasoning or "", *case.categories)


def _case_numbers(cases: Iterable[Case]) -> dict[str, int]:
    """Map each case id to its number, from 1."""
    return {case.id: number for number, case in enumerate(cases, 1)}


def _runs(site: Site, stored: StoredBenchmark) -> Counter[str]:
    """Count the runs in the benchmark's history by case digest."""
    return Counter(run.digest for run in site.store.archive.runs() if run.benchmark == stored.name)
