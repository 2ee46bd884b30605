"""Planning: the number of cases, trials and labels a question needs, before anything is run; all input is in
the URL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from proctor.errors import ProctorError
from proctor.reports.plan import PlanWords, words_of
from proctor.settings import shown
from proctor.web.site.new_run import read_number
from proctor.web.site.render import FORM_CACHE, render
from proctor.web.site.site import Site, site_of
from proctor.workflows.plan import PlanRequest, plan_for, read_trials

router = APIRouter()
_OFFERED = 100
_MOST_CASES = 2_000
"""Maximum number of cases for planning interim looks, which takes too long beyond."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanField:
    """A numeric field of the form."""

    label: str
    usual: str
    hint: str = ""
    kind: type = float


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanQuestion:
    """A planning question and the fields it needs."""

    title: str
    about: str
    fields: tuple[str, ...]
    runs: int = 0
    """Number of stored runs to plan from."""


FIELDS: dict[str, PlanField] = {
    "difference": PlanField(label="Difference to detect", usual="0.05", hint="in pass rate; 0.05 is five points"),
    "gate": PlanField(label="Gate", usual="pass_rate>=0.9", hint="as a run has it", kind=str),
    "labels": PlanField(label="Certainty wanted, ±", usual="0.03", hint="0.001 to 0.5; 0.03 is three points"),
    "flips": PlanField(label="Share of cases that flip", usual="", hint="between two runs, such as 0.10"),
    "noise": PlanField(label="Of these by chance alone", usual="0", hint="as a share of all cases"),
    "power": PlanField(label="Chance of success", usual="0.8", hint="between 0 and 1"),
    "trials": PlanField(label="Trials per case", usual="1,2,4", hint="planned for side by side", kind=str),
    "each": PlanField(label="Trials per case", usual="1", kind=str),
    "failures": PlanField(label="Failures to allow", usual="", hint="empty: 0, 1, 2 and 5", kind=int),
    "cases": PlanField(label="Cases", usual="500", hint=f"2 to {_MOST_CASES:,}", kind=int),
    "rate": PlanField(label="Pass rate expected", usual="0.9", hint="more than 0, less than 1"),
}
QUESTIONS: dict[str, PlanQuestion] = {
    "difference": PlanQuestion(
        title="To see a difference",
        about="How many cases and trials two runs need to show which of them is better.",
        fields=("difference", "flips", "noise", "power", "trials"),
        runs=2,
    ),
    "gate": PlanQuestion(
        title="To meet a gate",
        about="The fewest cases with which a gate can be met. One that compares with an earlier run needs the share "
        "of cases that flip.",
        fields=("gate", "failures", "flips", "power"),
    ),
    "early": PlanQuestion(
        title="To stop early",
        about="When a run that stops as soon as its gate is decided does so, and how many calls it makes.",
        fields=("gate", "cases", "each"),
    ),
    "labels": PlanQuestion(
        title="To trust the judge",
        about="How many replies people have to label before the pass rate as people judge is as sure as wanted.",
        fields=("labels", "rate"),
        runs=1,
    ),
}


@router.get("/plan")
def plan_page(request: Request) -> HTMLResponse:
    """Show a form for each question and, once filled in, its answer."""
    site, asked = site_of(request), dict(request.query_params)
    what = asked.get("what", "") if asked.get("what") in QUESTIONS else next(iter(QUESTIONS))
    runs = tuple(dict.fromkeys(run for run in request.query_params.getlist("run") if run))
    filled = any(name in asked for name in QUESTIONS[what].fields)
    troubles: dict[str, str] = {}
    words = _answer(site, what, asked, runs, troubles) if filled else None
    page = render(
        request,
        "plan.html.j2",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if troubles else HTTPStatus.OK,
        questions=QUESTIONS,
        what=what,
        fields_of=FIELDS,
        asked=asked,
        chosen=runs,
        offered=[run for run in site.store.archive.runs() if run.status == "completed"][:_OFFERED],
        troubles=troubles,
        words=words,
        in_fields=in_fields,
    )
    page.headers["cache-control"] = FORM_CACHE
    return page


def in_fields(message: str) -> str:
    """Replace command-line options in a sentence with the names of form fields."""
    names = {name: f"“{each.label}”" for name, each in FIELDS.items()} | {"run": "“From a stored run”"}
    return re.sub(r"--(\w+)", lambda option: names.get(option[1], option[1]), message)


def _answer(
    site: Site, what: str, asked: Mapping[str, str], runs: tuple[str, ...], troubles: dict[str, str]
) -> PlanWords | None:
    wanted = _read_options(what, asked, runs, troubles)
    if troubles:
        return None
    try:
        return words_of(plan_for(wanted, store=site.settings.store))
    except ProctorError as error:
        troubles[""] = in_fields(error.in_form({name: each.label for name, each in FIELDS.items()}))
        return None


def _read_options(what: str, asked: Mapping[str, str], runs: tuple[str, ...], troubles: dict[str, str]) -> PlanRequest:
    """Parse the form's values; add a message to `troubles` for each invalid one."""
    known: dict[str, object] = {}
    for name in QUESTIONS[what].fields:
        typed, each = asked.get(name, "").strip(), FIELDS[name]
        typed = typed or each.usual
        if name in ("trials", "each"):
            known["trials"] = _read_trials(name, typed, troubles)
        elif each.kind is str:
            known[name] = typed
        elif typed and (number := read_number(name, typed, each.kind, troubles)) is not None:
            known[name] = number
    if not 2 <= int(str(known.get("cases", 2))) <= _MOST_CASES:
        troubles["cases"] = f"{shown(known['cases'])} cannot be planned for here; expected 2 to {_MOST_CASES:,} cases"
    if what in ("gate", "early") and not str(known["gate"]).strip():
        troubles["gate"] = "there is no gate; give one such as pass_rate>=0.9"
    return PlanRequest(stop_early=what == "early", runs=runs, **known)  # type: ignore[arg-type]


def _read_trials(name: str, typed: str, troubles: dict[str, str]) -> tuple[int, ...]:
    try:
        trials = read_trials(typed)
    except ProctorError as error:
        troubles[name] = error.on_page
        return (1,)
    if name == "each" and len(trials) > 1:
        troubles[name] = f"{typed[:40]!r} are several numbers of trials; expected one, such as 2"
    return trials
