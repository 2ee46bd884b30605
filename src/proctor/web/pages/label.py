"""Labelling: people decide which replies pass, one at a time; the judge's verdict is shown afterwards."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated
from urllib.parse import quote, unquote, urlencode

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from proctor.errors import InputError
from proctor.reports.people import people_sentences
from proctor.run import HumanLabel, Key, Run
from proctor.settings import check_name
from proctor.web.pages import form_of
from proctor.web.site.forms import Form
from proctor.web.site.in_thread import InThread
from proctor.web.site.render import render
from proctor.web.site.security import local_path
from proctor.web.site.site import Site, site_of
from proctor.web.views import addresses
from proctor.web.views.findings_cache import findings_cache_of
from proctor.web.views.vocabulary import teach
from proctor.workflows.human_labels import Drawn, draw, put_label, sheet_of, store_sheet, take_back

USUAL = 50
MOST = 500
"""Maximum number of attempts drawn at a time."""
_drawn = InThread[tuple[Drawn, ...]]("drawing", kept=8, most=16, at_once=4)


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelSheet:
    """Attempts sampled from a run, numbered from 1, and one person's labels on them."""

    run: Run
    drawn: Sequence[Drawn]
    mine: Mapping[Key, HumanLabel]

    @property
    def labelled(self) -> int:
        """Number of attempts that this person has labelled."""
        return sum(each.attempt.key in self.mine for each in self.drawn)

    def open_after(self, number: int = 0) -> int | None:
        """Return the first attempt after this one without a label, or None."""
        later = enumerate(self.drawn[number:], number + 1)
        return next((place for place, each in later if each.attempt.key not in self.mine), None)

    def number_of(self, name: str) -> int | None:
        """Return the number of the attempt with this name, or None if it was not sampled."""
        return next((place for place, each in enumerate(self.drawn, 1) if each.name == name), None)

    def place_of(self, key: Key) -> int | None:
        """Return the number of the attempt with this key, or None if it was not sampled."""
        return next((place for place, each in enumerate(self.drawn, 1) if each.attempt.key == key), None)

    def at(self, number: int) -> Drawn | None:
        """Return the attempt with this number, or None."""
        return self.drawn[number - 1] if 1 <= number <= len(self.drawn) else None

    def label_at(self, number: int) -> HumanLabel | None:
        """Return this person's label on the attempt, or None."""
        shown = self.at(number)
        return None if shown is None else self.mine.get(shown.attempt.key)


def sheet_for(site: Site, run: Run, *, n: int, seed: int, who: str, patience: float | None = None) -> LabelSheet:
    """Return the sampled attempts with this person's labels; raise TimeoutError if sampling exceeds `patience`."""
    mine = {label.key: label for label in site.store.human_labels.of_run(run.id) if label.who == who}
    store = site.settings.store
    drawn = _drawn.ask(
        (store, run.id, run.status, run.seconds, n, seed),  # cached until the run changes: it reads all attempts
        lambda: tuple(draw(run.id, store=store, count=n, seed=seed, who="")),  # includes attempts already labelled
        patience,
    )
    if drawn is None:
        raise TimeoutError(f"the attempts of run {run.id} are still being read")
    return LabelSheet(run=run, drawn=drawn, mine=mine)


router = APIRouter()
teach()
WHO_COOKIE = "proctor_who"
_PATIENCE = 0.6
_YEAR = 365 * 86400
_DAY = 86400.0
_VERDICTS = {"pass": True, "fail": False}


@dataclass(frozen=True, kw_only=True, slots=True)
class Draw:
    """Sample size and seed, from the URL."""

    n: int = USUAL
    seed: int = 0

    def address(self, run: Run, **place: int | None) -> str:
        """Return the URL of a labelling page."""
        usual = {"n": None if self.n == USUAL else self.n, "seed": self.seed or None}
        return addresses.label(run.id, **usual, **place)


def _read_draw(
    n: Annotated[int, Query(ge=1, le=MOST)] = USUAL, seed: Annotated[int, Query(ge=0, le=2**31)] = 0
) -> Draw:
    return Draw(n=n, seed=seed)


Drawing = Annotated[Draw, Depends(_read_draw)]
Number = Annotated[int | None, Query(ge=1, le=MOST + 1)]


@router.get("/label/name")
def ask_name(request: Request, next: str = "/") -> HTMLResponse:  # noqa: A002
    """Ask for the labeller's name, once."""
    return render(request, "label/name.html.j2", next=local_path(next), who=_who(request), trouble="")


@router.post("/label/name", response_model=None)
def keep_name(request: Request) -> HTMLResponse | RedirectResponse:
    """Store the name in a cookie and continue."""
    form = form_of(request)
    who, wanted = " ".join(form.text("who").split()), local_path(form.text("next", "/"))
    try:
        check_name("your name", who)
    except InputError as error:
        return render(request, "label/name.html.j2", status=422, next=wanted, who=who, trouble=f"{error.on_page}.")
    forward = RedirectResponse(wanted, status_code=HTTPStatus.SEE_OTHER)
    forward.set_cookie(WHO_COOKIE, quote(who, safe=""), max_age=_YEAR, samesite="lax", httponly=True)
    return forward


@router.get("/runs/{run}/label", response_model=None)
def label_page(
    request: Request, run: str, drawing: Drawing, at: Number = None, after: Number = None, stored: int | None = None
) -> Response:
    """Show an attempt to label: the one with this number, or the first without a label."""
    site = site_of(request)
    found, who = site.store.archive.find(run), _who(request)
    if not who:
        return _to(f"/label/name?{urlencode({'next': _current_address(request)})}")
    sheet = _sheet(site, found, n=drawing.n, seed=drawing.seed, who=who)
    number = at or sheet.open_after() or len(sheet.drawn) + 1
    return _page(request, drawing, sheet, number=number, after=after, stored=stored)


def _sheet(site: Site, run: Run, *, n: int, seed: int, who: str) -> LabelSheet:
    """Return the sample, or respond with a page that reloads itself while the run is being read."""
    try:
        return sheet_for(site, run, n=n, seed=seed, who=who, patience=_PATIENCE)
    except TimeoutError:
        message = f"run {run.id} is being read; this page continues by itself when that is done"
        raise HTTPException(503, message, headers={"refresh": "2"}) from None


@router.get("/runs/{run}/label/attempt")
def label_one(
    request: Request, run: str, case: str, trial: Annotated[int, Query(ge=1)] = 1, condition: str = ""
) -> RedirectResponse:
    """Redirect to one attempt of the sample. Others cannot be labelled: hand-picked labels would bias the rate."""
    site = site_of(request)
    found = site.store.archive.find(run)
    key = Key(run=found.id, exam=case, trial=trial, condition=condition)
    for n in (USUAL, MOST):
        place = _sheet(site, found, n=n, seed=0, who="").place_of(key)
        if place is not None:
            return _to(Draw(n=n).address(found, at=place))
    raise HTTPException(
        404,
        f"this reply is not among those that are drawn to be labelled, one of each case and at most {MOST}; chosen "
        "ones would bend the rate as people judge",
    )


@router.post("/runs/{run}/label")
def label(request: Request, run: str, drawing: Drawing) -> RedirectResponse:
    """Store, skip or undo a label; continue with the next attempt."""
    site, form = site_of(request), form_of(request)
    found, who = site.store.archive.find(run), _must_have_name(request)
    sheet = sheet_for(site, found, n=drawing.n, seed=drawing.seed, who=who)
    number, does = _number_in(form, sheet), form.text("do")
    if does == "undo":
        back = _number_field(form, "after") or max(1, number - 1)
        if (previous_label := sheet.label_at(back)) is not None:
            take_back(previous_label, store=site.settings.store)
        return _to(drawing.address(found, at=back))
    shown = sheet.at(number)
    if does in _VERDICTS and shown is not None:
        put_label(
            shown.attempt.key,
            passed=_VERDICTS[does],
            who=who,
            store=site.settings.store,
            note=form.text("note").strip(),
            seconds=_seconds(form),
        )
    following = sheet.open_after(number) or len(sheet.drawn) + 1
    return _to(drawing.address(found, at=following, after=number))


@router.get("/runs/{run}/label/sheet")
def download_sheet(request: Request, run: str, drawing: Drawing) -> Response:
    """Download the sample as a CSV file to be labelled elsewhere."""
    site = site_of(request)
    found = site.store.archive.find(run)
    sheet = sheet_for(site, found, n=drawing.n, seed=drawing.seed, who="")
    named = f"attachment; filename*=utf-8''{quote(f'{found.id}-labels.csv', safe='')}"
    return Response(sheet_of(sheet.drawn), media_type="text/csv", headers={"content-disposition": named})


@router.post("/runs/{run}/label/sheet", response_model=None)
def upload_sheet(request: Request, run: str, drawing: Drawing) -> Response:
    """Store the labels of an uploaded CSV file, all or none."""
    site, form = site_of(request), form_of(request)
    found, who = site.store.archive.find(run), _must_have_name(request)
    upload = form.files.get("sheet")
    try:
        if upload is None or upload.too_large:
            raise InputError("no file was chosen" if upload is None else f"{upload.name} is too large; split it")
        stored = store_sheet(
            found.id, upload.content, source=upload.name or "the file", store=site.settings.store, who=who
        )
    except InputError as error:
        sheet = sheet_for(site, found, n=drawing.n, seed=drawing.seed, who=who)
        number = sheet.open_after() or len(sheet.drawn) + 1
        return _page(request, drawing, sheet, number=number, after=None, trouble=error.on_page)
    return _to(drawing.address(found, stored=stored))


def _page(
    request: Request,
    drawing: Draw,
    sheet: LabelSheet,
    *,
    number: int,
    after: int | None,
    stored: int | None = None,
    trouble: str = "",
) -> HTMLResponse:
    run, shown = sheet.run, sheet.at(number)
    before = after if after is not None and sheet.at(after) is not None else None
    return render(
        request,
        "label/attempt.html.j2" if shown is not None else "label/done.html.j2",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if trouble else HTTPStatus.OK,
        run=run,
        sheet=sheet,
        who=_who(request),
        number=number,
        shown=shown,
        said=sheet.label_at(number),
        before=before,
        before_said=None if before is None else sheet.label_at(before),
        before_shown=None if before is None else sheet.at(before),
        here=drawing.address(run),
        more=_more(drawing, sheet),
        share=str(request.base_url).rstrip("/") + drawing.address(run),
        sheet_address=addresses.label_sheet(run.id, n=drawing.n, seed=drawing.seed or None),
        told=[] if shown is not None else _label_sentences(request, run),
        stored=stored,
        trouble=trouble,
        since=int(time.time() * 10) / 10,  # never in the future
    )


def _more(drawing: Draw, sheet: LabelSheet) -> str:
    """Return the URL of a larger sample, or empty if there is none."""
    wanted = min(MOST, drawing.n + USUAL)
    is_complete = len(sheet.drawn) < drawing.n or wanted == drawing.n
    return "" if is_complete else Draw(n=wanted, seed=drawing.seed).address(sheet.run)


def _label_sentences(request: Request, run: Run) -> list[str]:
    """Return sentences that summarise the run's labels so far."""
    read = findings_cache_of(request).findings(run)
    if read is None:
        return []
    found = read.findings
    rate = found.battle.held_rate if found.battle is not None else found.pass_rate
    return [*people_sentences(rate, found.people, held=found.battle is not None)]


def _who(request: Request) -> str:
    """Return the name from this browser's cookie, or empty."""
    who = unquote(request.cookies.get(WHO_COOKIE, ""))
    try:
        check_name("your name", who)
    except InputError:
        return ""
    return who


def _must_have_name(request: Request) -> str:
    who = _who(request)
    if not who:
        raise HTTPException(403, "it is not known who you are; open the labelling page and give a name")
    return who


def _number_in(form: Form, sheet: LabelSheet) -> int:
    """Return the current number of the attempt that the form is about."""
    name = form.text("attempt")
    number = sheet.number_of(name) if name else _number_field(form, "at")
    if number is None:
        raise HTTPException(409, "the run was run again meanwhile, and other attempts are drawn; open the page again")
    return number


def _number_field(form: Form, name: str) -> int | None:
    text = form.text(name)
    return int(text) if text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MOST + 1 else None


def _seconds(form: Form) -> float | None:
    """Return the seconds since the page was rendered, or None if unknown."""
    try:
        took = time.time() - float(form.text("since"))
    except ValueError:
        return None
    return round(took, 1) if 0 <= took < _DAY else None


def _current_address(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def _to(address: str) -> RedirectResponse:
    return RedirectResponse(address, status_code=HTTPStatus.SEE_OTHER)
