"""Review a suite's draft cases in the page (accept, edit or drop), or edit all cases; each save is a new version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from proctor.benchmark import Case
from proctor.errors import InputError
from proctor.formats.suites.suite import is_suite
from proctor.reports.prose import as_json
from proctor.web.pages import form_of
from proctor.web.site.drafts import plain_lines
from proctor.web.site.forms import Form
from proctor.web.site.render import render
from proctor.web.site.site import Site, site_of
from proctor.workflows.harvest.review import NEW_CASE, Decision, DraftCase, RefusedDecision, decide, drafts_in
from proctor.workflows.library import StoredBenchmark

router = APIRouter()
PAGE = 10
"""Drafts per page: as many as a person reviews in one go."""
ROWS = 50
"""Cases per page, collapsed until opened."""
_FURTHER = ("category", "reasoning", "context")
"""Further fields of a case that can be edited when all cases are shown."""
_ORIGIN = {
    "source": "from",
    "time": "when",
    "scores": "scores there",
    "failure": "what failed",
    "drafted_from": "expectations drafted from",
    "earlier": "said of it before",
}
"""Keys of a draft's origin → labels shown to users; other keys are shown as they are."""
_OVERTAKEN = (
    "somebody has saved a newer version in the meantime, in which a case that you changed is not as it was; "
    "nothing was saved yet. If you save all the same, your version becomes the newest, without the other changes"
)


@router.get("/benchmarks/{benchmark}/review")
def review(
    request: Request, benchmark: str, every: bool = False, page: Annotated[int, Query(ge=1, le=1_000_000)] = 1
) -> HTMLResponse:
    """Show a page of its drafts, or of all cases."""
    site = site_of(request)
    stored = site.library.find(benchmark)
    return _page(request, stored, _drafts(site, stored, every=every), every=every, page=page)


@router.post("/benchmarks/{benchmark}/review", response_model=None)
def save(request: Request, benchmark: str) -> HTMLResponse | RedirectResponse:
    """Save the decisions as a new version."""
    site, form = site_of(request), form_of(request)
    stored, every = site.library.find(benchmark), bool(form.text("every"))
    opened = form.text("version")
    drafts = _drafts(site, stored, every=every, version=opened)
    again = partial(_page, request, stored, drafts, every=every, form=form, version=opened)
    decisions = _changes(form, drafts) if every else _decisions(form, drafts)
    decided = sum(each.choice != "leave" for each in decisions.values())
    if not decided:
        return again(trouble="nothing was changed" if every else "nothing was decided: accept or drop at least one")
    if opened != stored.newest.id and not form.text("sure"):
        carried = _carried_over(decisions, drafts, _drafts(site, stored, every=every))
        if carried is None:
            return again(trouble=_OVERTAKEN, overtaken=True)
        opened, decisions = stored.newest.id, carried
    try:
        path = site.library.path(stored.id, opened)
        content = decide(path.read_bytes(), name=path.name, decisions=decisions)
        name = stored.name if stored.own else f"{stored.name} (edited)"
        file, content = site.library.edited_file(stored.id, opened, path.name, content)
        saved = site.library.save(file=file, content=content, name=name, description=stored.description)
    except RefusedDecision as error:
        return again(trouble=error.on_page, troubles=error.troubles)
    except InputError as error:
        return again(trouble=error.on_page)
    further = "/review" if len(drafts) > decided and not every else ""
    return RedirectResponse(f"/benchmarks/{saved.id}{further}", status_code=HTTPStatus.SEE_OTHER)


def _carried_over(
    decisions: Mapping[int, Decision], before: list[DraftCase], now: list[DraftCase]
) -> dict[int, Decision] | None:
    """Apply decisions on an older version to the newest; None if one of their cases was changed or removed."""
    places = {draft.case.id: draft for draft in now}
    carried = {}
    for draft in before:
        if (decision := decisions.get(draft.place)) is None or decision.choice == "leave":
            continue
        same = places.get(draft.case.id)
        if same is None or replace(same.case, line=None) != replace(draft.case, line=None):
            return None
        carried[same.place] = decision
    return carried | {place: decision for place, decision in decisions.items() if place == NEW_CASE}


def _drafts(site: Site, stored: StoredBenchmark, *, every: bool, version: str | None = None) -> list[DraftCase]:
    path = site.library.path(stored.id, version)
    return drafts_in(path.read_bytes(), name=path.name, every=every) if is_suite(path) else []


def _decisions(form: Form, drafts: list[DraftCase]) -> dict[int, Decision]:
    """Parse the decisions on drafts by number; drafts on other pages have none."""
    plain = {"drop": Decision(choice="drop"), "leave": Decision(choice="leave")}
    made = {}
    for place in (draft.place for draft in drafts):
        choice = form.text(f"do-{place}")
        found = _read_decision(form, place) if choice == "accept" else plain.get(choice)
        if found is not None:
            made[place] = found
    return made


def _changes(form: Form, drafts: list[DraftCase]) -> dict[int, Decision]:
    """Parse the changes to cases: edited, removed and added ones."""
    made = {}
    for draft in drafts:
        typed, place = _read_decision(form, draft.place), draft.place
        if form.text(f"do-{place}") == "drop":
            made[place] = Decision(choice="drop")
        elif form.texts(f"question-{place}") and typed != _as_it_was(draft, typed):
            made[place] = typed
    added = _read_decision(form, NEW_CASE)
    return made | ({NEW_CASE: added} if any((added.question, added.reference, added.expect)) else {})


def _read_decision(form: Form, place: int) -> Decision:
    sent = ("question", "reference", "expect", *(name for name in _FURTHER if form.texts(f"{name}-{place}")))
    return Decision(choice="accept", **{name: plain_lines(form.text(f"{name}-{place}")).strip() for name in sent})


def _as_it_was(draft: DraftCase, typed: Decision) -> Decision:
    """Return the decision with unchanged fields as they are in the file."""
    stored_texts = {"question": draft.case.question, "reference": draft.case.answer or "", "expect": draft.expect}
    stored_texts |= {name: text for name, text in further_of(draft.case).items() if getattr(typed, name) is not None}
    return Decision(choice="accept", **{name: plain_lines(text).strip() for name, text in stored_texts.items()})


def further_of(case: Case) -> dict[str, str]:
    """Return the further fields of a case as form text."""
    texts = ("; ".join(case.categories), case.reasoning or "", case.context or "")
    return dict(zip(_FURTHER, texts, strict=True))


def origin_of(case: Case) -> Iterator[tuple[str, str]]:
    """Yield the origin of a draft as (label, text) pairs."""
    for name, value in case.metadata.items():
        text = _in_words(value)
        if (name, value) == ("source", "run"):
            text = "a stored run"
        elif name == "asked" and type(value) is int:
            text = f"{text} times"
        yield _ORIGIN.get(name, name), text


def _in_words(value: Any, levels: int = 2) -> str:
    """Format an object as `case refund, trial 1`, with nested objects and lists as JSON."""
    if isinstance(value, str):
        return value
    if levels and value and isinstance(value, Mapping):
        return ", ".join(f"{_ORIGIN.get(name, name)} {_in_words(each, levels - 1)}" for name, each in value.items())
    return as_json(value)


def _page(
    request: Request,
    stored: StoredBenchmark,
    drafts: list[DraftCase],
    *,
    every: bool,
    page: int = 1,
    form: Form | None = None,
    trouble: str = "",
    troubles: Mapping[int, str] | None = None,
    version: str = "",
    overtaken: bool = False,
) -> HTMLResponse:
    each = ROWS if every else PAGE
    pages = max(1, -(-len(drafts) // each))
    page = min(page, pages)
    shown = drafts[(page - 1) * each : page * each]
    if form is not None:  # only what was on the submitted page
        shown = [draft for draft in drafts if form.texts(f"question-{draft.place}")] or shown
    return render(
        request,
        "drafts_review.html.j2",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if trouble else HTTPStatus.OK,
        stored=stored,
        every=every,
        new=NEW_CASE,
        drafts=shown,
        further_of=further_of,
        origin_of=origin_of,
        waiting=len(drafts),
        page=page,
        pages=pages,
        form=form or Form(),
        trouble=trouble,
        troubles=troubles or {},
        opened=version or stored.newest.id,
        overtaken=overtaken,
    )
