"""One attempt: the conversation, what was expected, what was thought of it, and the other trials beside it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from proctor.benchmark import Exam
from proctor.errors import ProctorError
from proctor.reports import outcomes
from proctor.reports.battle.conversation import ConversationView, TurnLink, talk
from proctor.reports.words import one_line
from proctor.run import Attempt, Key, Run
from proctor.storage import Store
from proctor.web.pages.run import Wanted
from proctor.web.site.render import render
from proctor.web.site.site import Site, site_of
from proctor.web.views import addresses, results
from proctor.web.views.exchanges import worth_reading
from proctor.web.views.findings_cache import CachedFindings, findings_cache_of
from proctor.web.views.markdown import is_markdown
from proctor.web.views.people_labels import labels_on
from proctor.web.views.vocabulary import teach

if TYPE_CHECKING:
    from proctor.workflows.destination import Destination


_PAGES = {"langfuse": "{base}/trace/{trace}", "phoenix": "{base}/redirects/traces/{trace}"}
"""Where these show a trace by its id alone."""
_VARIABLES = {
    "langfuse": ("LANGFUSE_BASE_URL", "LANGFUSE_HOST"),
    "phoenix": ("PHOENIX_ENDPOINT", "PHOENIX_COLLECTOR_ENDPOINT"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class SentTrace:
    """A trace that was sent somewhere."""

    to: str
    trace: str
    address: str
    """Empty: it has no page that could be named."""


def sent(run: Run, key: Key, *, store: str) -> list[SentTrace]:
    """Where an attempt was sent to."""
    from proctor.workflows.destination import (
        known_destinations,
        trace_of,
    )  # exporters come with it, which no other page needs

    try:
        return [_sent(each, trace_of(key)) for each in known_destinations(run, store, None)]
    except (OSError, ProctorError):
        return []


def _sent(destination: Destination, trace: str) -> SentTrace:
    given = (os.environ.get(name) for name in _VARIABLES.get(destination.to, ()))
    base = destination.endpoint or next(filter(None, given), "")
    page = _PAGES.get(destination.to, "") if _is_web(base) else ""
    return SentTrace(to=destination.to, trace=trace, address=page.format(base=base.rstrip("/"), trace=trace))


def _is_web(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None


_LANE, _EDGE, _TOP, _BEND = 10, 8, 23, 6
"""Points between two lanes, before the first, above the first joint, and of a rounded corner."""

_ROW = Markup(
    '<div class="wires" aria-hidden="true"><svg width="{width}" height="1"></svg>'
    '<svg class="strand" width="{width}" height="100%">{drawn}</svg></div>'
)
"""The first drawing only keeps the room: the height of the second must not have a say in the height of its row."""


def wires(talk: ConversationView) -> list[Markup]:
    """What is drawn beside each turn, the first turn first; nothing where no line passes."""
    width = _EDGE + _LANE * talk.lanes
    return [_row(talk, place, width) for place in range(1, len(talk.turns) + 1)] if talk.bonds else []


def _row(talk: ConversationView, place: int, width: int) -> Markup:
    passing = [(number, bond) for number, bond in enumerate(talk.bonds) if bond.rows[0] <= place <= bond.rows[1]]
    drawn = [_wire(talk, number, bond, place) for number, bond in passing]
    return _ROW.format(width=width, drawn=Markup("").join(drawn))


def _wire(talk: ConversationView, number: int, bond: TurnLink, place: int) -> Markup:
    """A part of one line, which leads to its other end."""
    first, last = bond.rows
    other = bond.found.turns[1 if place == first else 0]
    x, y = _EDGE + _LANE * bond.lane, _TOP + 5 * bond.lane
    told = f"turn {bond.found.turns[1]} contradicts turn {bond.found.turns[0]}: {one_line(bond.found.reason, 400)}"
    strokes = _strokes(x, y, begins=place == first, ends=place == last)
    return Markup('<a class="wire" href="#{}" tabindex="-1" data-bond="{}"><title>{}</title>{}{}</a>').format(
        talk.anchor(other), number, told, _reach(x, y, place, bond.rows), Markup("").join(strokes)
    )


def _strokes(x: int, y: int, *, begins: bool, ends: bool) -> Sequence[Markup]:
    if begins:
        bend = Markup('<path d="M0 {y}H{near}Q{x} {y} {x} {low}"/>').format(x=x, y=y, near=x - _BEND, low=y + _BEND)
        return bend, _straight(x, y + _BEND, "100%")
    if ends:
        bend = Markup('<path d="M{x} {high}Q{x} {y} {near} {y}H0"/>').format(x=x, y=y, near=x - _BEND, high=y - _BEND)
        return _straight(x, 0, y - _BEND), bend
    return (_straight(x, 0, "100%"),)


def _straight(x: int, top: int, bottom: int | str) -> Markup:
    return Markup('<line x1="{}" x2="{}" y1="{}" y2="{}"/>').format(x, x, top, bottom)


def _reach(x: int, y: int, place: int, rows: tuple[int, int]) -> Markup:
    """Room for a pointer around the line."""
    top, bottom = (y if place == rows[0] else 0), (y if place == rows[1] else "100%")
    return Markup('<line class="reach" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(x, x, top, bottom)


router = APIRouter()
teach()
MOST_BESIDE = 12
"""Trials that are set side by side."""
_QUICK = 0.5
"""Seconds that a page waits to learn which cases failed before and after this one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbours:
    """The nearest cases or attempts, in the order of the table of results that somebody came from."""

    previous: str
    """An address; empty: there is none."""
    next: str
    place: int
    """Which of them this one is, from 1; 0: it is none of them, or they are not counted."""
    count: int
    """How many there are in all; 0: they are not counted."""
    words: str
    """What they are, after their number."""


@router.get("/runs/{run}/attempt")
def attempt(
    request: Request,
    run: str,
    case: str,
    wanted: Wanted,
    trial: Annotated[int | None, Query(ge=1)] = None,
    condition: str = "",
    text: Literal["", "raw"] = "",
) -> HTMLResponse:
    """What was said in one attempt; without a trial, the first that did not pass."""
    site, findings_cache = site_of(request), findings_cache_of(request)
    found = site.store.archive.find(run)
    exam = find_exam(findings_cache.exams(found), found, case)
    beside = trials(site.store, found, exam, condition=condition, around=trial)
    shown = _shown(site.store, found, exam, beside, trial=trial, condition=condition)
    held = talk(shown, exam, name="talk")
    read = findings_cache.findings(found, patience=_QUICK)
    return render(
        request,
        "attempt.html.j2" if found.settings.type == "standard" else "battle.html.j2",
        run=found,
        exam=exam,
        attempt=shown,
        outcome=outcomes.of_attempt(shown),
        talk=held,
        wires=wires(held),
        labels=[] if request.state.shared else labels_on(site.store, found, shown.key),
        whole=_of_whole(shown, held),
        beside=beside,
        around=_around(site, found, findings_cache.exams(found), read, wanted, shown),
        wanted=wanted,
        raw=text == "raw",
        has_markdown=any(is_markdown(turn.reply.text) for turn in shown.transcript.turns if turn.reply),
        traces=sent(found, shown.key, store=site.settings.store),
    )


def find_exam(exams: Mapping[str, Exam], run: Run, case: str) -> Exam:
    """The exam of that id, or the one in which a row of that id is asked."""
    if case in exams:
        return exams[case]
    for exam in exams.values():
        if any(row.id == case for row in exam.cases):
            return exam
    raise HTTPException(404, f"run {run.id} has no case {case!r}")


def trials(store: Store, run: Run, exam: Exam, *, condition: str, around: int | None = None) -> list[Attempt]:
    """What was played of an exam under one condition, at most so many, near a trial if one is named."""
    last = run.settings.trials_of(exam.id)
    first = max(1, min((around or 1) - MOST_BESIDE // 2, last - MOST_BESIDE + 1))
    beside = range(first, min(last, first + MOST_BESIDE - 1) + 1)
    return store.archive.trials(run.id, exam.id, condition=condition, which=beside)


def _shown(
    store: Store, run: Run, exam: Exam, beside: Sequence[Attempt], *, trial: int | None, condition: str
) -> Attempt:
    if condition not in run.settings.conditions:
        raise HTTPException(404, f"run {run.id} has no condition {condition!r}")
    if trial is None and beside:
        return worth_reading(beside)
    found = next((each for each in beside if each.key.trial == trial), None)
    if found is not None:
        return found
    which = f"trial {trial}" if trial is not None else "attempt"
    raise HTTPException(404, f"no {which} of case {exam.id!r} has been run in run {run.id} yet")


def _of_whole(attempt: Attempt, held: ConversationView) -> dict[str, object]:
    """What was said of the conversation as a whole."""
    return {
        "scores": [score for score in attempt.scores if score.turn is None],
        "unscored": [missing for missing in attempt.unscored if missing.turn is None],
        "ending": " ".join(filter(None, (held.ended, held.resumed))),
    }


def _around(
    site: Site,
    run: Run,
    exams: Mapping[str, Exam],
    read: CachedFindings | None,
    wanted: results.ResultFilter,
    shown: Attempt,
) -> Neighbours | None:
    """By the filter of the table that somebody came from, else the cases that did not pass; None: not known yet."""
    if wanted.by == "attempt" or wanted.check or wanted.stage or wanted.people:
        beside = results.attempts_beside(site, run, exams, wanted, shown)
        links = ["" if each is None else addresses.with_filter(addresses.attempt(each.key), wanted) for each in beside]
        return Neighbours(previous=links[0], next=links[1], place=0, count=0, words="attempts as they were chosen")
    if read is None or len(read.exams) > results.MOST_CASES:
        return None
    chosen = any(getattr(wanted, name) for name in addresses.FILTERS)
    cases = results.wanted_cases(read, wanted) if chosen else _failing(read)
    place = cases.index(shown.key.exam) + 1 if shown.key.exam in cases else 0
    links = [
        addresses.with_filter(addresses.case(run.id, cases[at]), wanted) if 0 <= at < len(cases) else ""
        for at in (place - 2, place)
    ]
    words = "as they were chosen" if chosen else "that did not pass"
    return Neighbours(previous=links[0], next=links[1], place=place, count=len(cases), words=words)


def _failing(read: CachedFindings) -> list[str]:
    """The worst first."""
    return [case.id for case in read.worst_first if read.kinds[case.id] in (outcomes.NOT_PASSED, outcomes.FLAKY)]
