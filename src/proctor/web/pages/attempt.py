"""One attempt: the conversation, what was expected, what was thought of it, and the other trials beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse

from proctor.benchmark import Exam
from proctor.reports import outcomes
from proctor.reports.battle.conversation import ConversationView, talk
from proctor.run import Attempt, Run
from proctor.storage import Store
from proctor.web.pages.run import Wanted
from proctor.web.reading import addresses, results, traces
from proctor.web.reading.exchanges import worth_reading
from proctor.web.reading.findings_cache import CachedFindings, findings_cache_of
from proctor.web.reading.markdown import is_markdown
from proctor.web.reading.people_labels import labels_on
from proctor.web.reading.vocabulary import teach
from proctor.web.reading.wires import wires
from proctor.web.site.render import render
from proctor.web.site.site import Site, site_of

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
        traces=traces.sent(found, shown.key, store=site.settings.store),
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
    raise HTTPException(404, f"no {which} of case {exam.id!r} has been played in run {run.id} yet")


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
