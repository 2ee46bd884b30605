"""One attempt: the conversation, what was expected, the verdicts, and the other trials for comparison."""

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
"""Destination → URL template of a trace's page."""
_VARIABLES = {
    "langfuse": ("LANGFUSE_BASE_URL", "LANGFUSE_HOST"),
    "phoenix": ("PHOENIX_ENDPOINT", "PHOENIX_COLLECTOR_ENDPOINT"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class SentTrace:
    """A trace that was exported to a service."""

    to: str
    trace: str
    address: str
    """URL of its page, or empty if unknown."""


def sent(run: Run, key: Key, *, store: str) -> list[SentTrace]:
    """Return the services to which an attempt was exported."""
    from proctor.workflows.destination import (
        known_destinations,
        trace_of,
    )  # imports exporters, which no other page needs

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
"""Lines between contradicting turns, in pixels: distance of lanes, left margin, top margin, corner radius."""

_ROW = Markup(
    '<div class="wires" aria-hidden="true"><svg width="{width}" height="1"></svg>'
    '<svg class="strand" width="{width}" height="100%">{drawn}</svg></div>'
)
"""The first drawing only reserves the width, so that the height of the second does not affect the height of its row."""


def wires(talk: ConversationView) -> list[Markup]:
    """Draw the lines beside each turn, in order; empty if no turns are linked."""
    width = _EDGE + _LANE * talk.lanes
    return [_row(talk, place, width) for place in range(1, len(talk.turns) + 1)] if talk.bonds else []


def _row(talk: ConversationView, place: int, width: int) -> Markup:
    passing = [(number, bond) for number, bond in enumerate(talk.bonds) if bond.rows[0] <= place <= bond.rows[1]]
    drawn = [_wire(talk, number, bond, place) for number, bond in passing]
    return _ROW.format(width=width, drawn=Markup("").join(drawn))


def _wire(talk: ConversationView, number: int, bond: TurnLink, place: int) -> Markup:
    """Draw the part of a line in one row, linked to the turn at its other end."""
    first, last = bond.rows
    other = bond.found.turns[1 if place == first else 0]
    x, y = _EDGE + _LANE * bond.lane, _TOP + 5 * bond.lane
    title = f"turn {bond.found.turns[1]} contradicts turn {bond.found.turns[0]}: {one_line(bond.found.reason, 400)}"
    strokes = _strokes(x, y, begins=place == first, ends=place == last)
    return Markup('<a class="wire" href="#{}" tabindex="-1" data-bond="{}"><title>{}</title>{}{}</a>').format(
        talk.anchor(other), number, title, _reach(x, y, place, bond.rows), Markup("").join(strokes)
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
    """Return an invisible wider line that makes the line easier to hover."""
    top, bottom = (y if place == rows[0] else 0), (y if place == rows[1] else "100%")
    return Markup('<line class="reach" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(x, x, top, bottom)


router = APIRouter()
teach()
MOST_BESIDE = 12
"""Maximum number of trials shown side by side."""
_QUICK = 0.5
"""Seconds that a page waits for the neighbouring failed cases."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbours:
    """Links to the previous and next case or attempt, in the order of the results table that the user came from."""

    previous: str
    """URL, or empty if there is none."""
    next: str
    place: int
    """Position of the current one, from 1; 0 if it is not in the list or the list is not counted."""
    count: int
    """Total number, or 0 if not counted."""
    words: str
    """Noun shown after the number."""


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
    """Show one attempt; without a trial, the first that did not pass."""
    site, findings_cache = site_of(request), findings_cache_of(request)
    found = site.store.archive.find(run)
    exam = find_exam(findings_cache.exams(found), found, case)
    sibling_attempts = trials(site.store, found, exam, condition=condition, around=trial)
    shown = _chosen_attempt(site.store, found, exam, sibling_attempts, trial=trial, condition=condition)
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
        beside=sibling_attempts,
        around=_around(site, found, findings_cache.exams(found), read, wanted, shown),
        wanted=wanted,
        raw=text == "raw",
        has_markdown=any(is_markdown(turn.reply.text) for turn in shown.transcript.turns if turn.reply),
        traces=sent(found, shown.key, store=site.settings.store),
    )


def find_exam(exams: Mapping[str, Exam], run: Run, case: str) -> Exam:
    """Return the exam with this id, or the one that contains a case with this id."""
    if case in exams:
        return exams[case]
    for exam in exams.values():
        if any(row.id == case for row in exam.cases):
            return exam
    raise HTTPException(404, f"run {run.id} has no case {case!r}")


def trials(store: Store, run: Run, exam: Exam, *, condition: str, around: int | None = None) -> list[Attempt]:
    """Return the attempts of an exam under one condition, up to a maximum, around the given trial."""
    last = run.settings.trials_of(exam.id)
    first = max(1, min((around or 1) - MOST_BESIDE // 2, last - MOST_BESIDE + 1))
    trial_numbers = range(first, min(last, first + MOST_BESIDE - 1) + 1)
    return store.archive.trials(run.id, exam.id, condition=condition, which=trial_numbers)


def _chosen_attempt(
    store: Store, run: Run, exam: Exam, attempts: Sequence[Attempt], *, trial: int | None, condition: str
) -> Attempt:
    if condition not in run.settings.conditions:
        raise HTTPException(404, f"run {run.id} has no condition {condition!r}")
    if trial is None and attempts:
        return worth_reading(attempts)
    found = next((each for each in attempts if each.key.trial == trial), None)
    if found is not None:
        return found
    which = f"trial {trial}" if trial is not None else "attempt"
    raise HTTPException(404, f"no {which} of case {exam.id!r} has been run in run {run.id} yet")


def _of_whole(attempt: Attempt, held: ConversationView) -> dict[str, object]:
    """Return the findings on the conversation as a whole."""
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
    """Return the neighbours by the user's table filter, else among the failed cases; None if not known yet."""
    if wanted.by == "attempt" or wanted.check or wanted.stage or wanted.people:
        neighbours = results.attempts_beside(site, run, exams, wanted, shown)
        links = [
            "" if each is None else addresses.with_filter(addresses.attempt(each.key), wanted) for each in neighbours
        ]
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
    """Return the ids of failed cases, the worst first."""
    return [case.id for case in read.worst_first if read.kinds[case.id] in (outcomes.NOT_PASSED, outcomes.FLAKY)]
