"""A new run: the form with an estimate beside it, its start, and the demonstration in one click."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from proctor.benchmark import Benchmark
from proctor.config import Config
from proctor.doctor.judges import usual_reviewer
from proctor.errors import ProctorError
from proctor.findings.comparison import unlike
from proctor.formats.compatibility import MAXIMUM, Indicator, compatibility
from proctor.formats.suites.suite import is_suite
from proctor.run import Run, Settings
from proctor.score import JUDGE_WEIGHTS, weights_for
from proctor.web.pages import form_of
from proctor.web.reading import addresses
from proctor.web.site import offer
from proctor.web.site.estimate import RunEstimate, foretell
from proctor.web.site.new_run import NUMBERS, NewRunForm, understand, wish_of
from proctor.web.site.render import FORM_CACHE, TYPE_NAMES, render
from proctor.web.site.site import Site, site_of
from proctor.web.site.start import start, start_demonstration
from proctor.workflows.library import NoSuchBenchmark, StoredBenchmark

router = APIRouter()
_ABOUT = {
    "standard": "every question by itself, judged against its answer",
    "abm-static": "the questions in order, in one conversation",
    "abm-dynamic": "an examiner begins with a question and presses on",
}
_FOREMOST = ("trials", "passing_score", "max_turns", "seeds")
"""Numbers that stand in sight; the others are folded away."""
_INDICATORS = {"standard": "standard", "abm-static": "abm_static", "abm-dynamic": "abm_dynamic"}


@router.get("/runs/new")
def new_run(request: Request) -> HTMLResponse:
    """The form, filled in as the address says; once an agent is chosen, with what the run would take."""
    site, asked = site_of(request), request.query_params
    usual = [] if "type" in asked else [("type", site.config.run.type or "")]
    wish = wish_of([*usual, *asked.multi_items()])
    understood = understand(wish, lambda: _usual_judges(site, wish))
    troubles, foretold = dict(understood.troubles), None
    if wish.text("agent") and wish.text("benchmark") and not troubles:
        try:
            foretold = foretell(site, understood.wanted)
        except ProctorError as error:
            troubles[_field_of(error, wish)] = str(error)
    return _page(request, wish, troubles=troubles, foretold=foretold)


@router.post("/runs/new")
def start_run(request: Request) -> Response:
    """Start it; or, asked for an estimate only, show the form with one at its own address."""
    form = form_of(request)
    wish = wish_of((name, value) for name, values in form.fields.items() for value in values)
    if form.text("do") != "start":
        return RedirectResponse(f"/runs/new?{wish.query()}", status_code=HTTPStatus.SEE_OTHER)
    site = site_of(request)
    understood = understand(wish, lambda: _usual_judges(site, wish))
    troubles = dict(understood.troubles)
    if not troubles:
        try:
            return _to(*start(site, understood.wanted))
        except ProctorError as error:
            troubles[_field_of(error, wish)] = str(error)
    return _page(request, wish, troubles=troubles, foretold=None)


@router.post("/demo")
def demonstration(request: Request) -> RedirectResponse:
    """Store and start the demonstration; the page of its first run shows what goes on."""
    return _to(start_demonstration(site_of(request))[0])


def _field_of(error: ProctorError, wish: NewRunForm) -> str:
    """The field that an error is about, since errors say `name=value`; empty: none that was filled in."""
    said = str(error)
    if said.startswith(("--gate", "--stop-early")):
        return "gates"
    return next((name for name in re.findall(r"\b(\w+)=", said) if wish.text(name)), "")


def _to(*runs: Run) -> RedirectResponse:
    """The run's page; of several, the page that sets them side by side, or the list where they are not alike."""
    where = addresses.run(runs[0].id)
    if len(runs) > 1:
        alike = not any(unlike(runs[0], other) for other in runs[1:])
        where = addresses.several(*(run.id for run in runs)) if alike else "/runs"
    return RedirectResponse(where, status_code=HTTPStatus.SEE_OTHER)


def _page(
    request: Request, wish: NewRunForm, *, troubles: Mapping[str, str], foretold: RunEstimate | None
) -> HTMLResponse:
    site = site_of(request)
    config, shelved = site.config, _chosen_benchmark(site, wish)
    shown = render(
        request,
        "new.html.j2",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if troubles and request.method == "POST" else HTTPStatus.OK,
        wish=wish,
        troubles=troubles,
        foretold=foretold,
        benchmarks=site.library.all(),
        shelved=shelved,
        types=_types(shelved, wish),
        agents=offer.agents(config),
        agent=wish.text("agent") or config.run.agent or "",
        reviewers=offer.reviewers(config),
        canaries=offer.canaries(config),
        examiners=offer.examiners(config),
        suites=[each for each in site.library.all() if is_suite(each.newest.file) and each.id != shelved.id],
        numbers_of=NUMBERS,
        foremost=_FOREMOST,
        **_defaults(site, config, shelved, wish),
    )
    shown.headers["cache-control"] = FORM_CACHE
    return shown


def _chosen_benchmark(site: Site, wish: NewRunForm) -> StoredBenchmark:
    """The benchmark that was chosen, else the first."""
    try:
        return site.library.find(wish.text("benchmark"))
    except NoSuchBenchmark:
        return site.library.all()[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class TypeChoice:
    """A type of examination as the form offers it."""

    name: str
    about: str
    serves: Indicator
    possible: bool
    """Whether it can be chosen: what is not recommended can be, what is refused cannot."""


def _types(shelved: StoredBenchmark, wish: NewRunForm) -> dict[str, TypeChoice]:
    """Type → what it is, and whether the benchmark serves it."""
    version = next((each for each in shelved.versions if each.id == wish.text("version")), shelved.newest)
    indicators = compatibility(version.cases)
    return {
        kind: TypeChoice(
            name=name,
            about=_ABOUT[kind],
            serves=indicators[_INDICATORS[kind]],
            possible=version.cases >= 1 and (kind != "abm-static" or version.cases <= MAXIMUM),
        )
        for kind, name in TYPE_NAMES.items()
    }


def _usual_judges(site: Site, wish: NewRunForm) -> tuple[str, ...]:
    """Who judges where nobody is named."""
    named, shelved = site.config.run.reviewer, _chosen_benchmark(site, wish)
    if named is not None:
        return (named,) if isinstance(named, str) else tuple(named)
    judged = is_suite(shelved.newest.file) and wish.type == "standard"
    return (usual_reviewer(site.library.read(shelved.id)) if judged else "embedded",)


def _defaults(site: Site, config: Config, shelved: StoredBenchmark, wish: NewRunForm) -> dict[str, Any]:
    """What holds where nothing is typed."""
    suite, benchmark = is_suite(shelved.newest.file), site.library.read(shelved.id)
    judged = suite and wish.type == "standard"
    said = {name: value for name, value in config.run.model_dump().items() if value is not None}
    plain = {name: getattr(Settings(), name) for name in NUMBERS}
    plain |= {
        "reviewer": " + ".join(_usual_judges(site, wish)),
        "examiner": "prober",
        "canaries": "none",
    }
    said.pop("reviewer", None)
    return {
        "defaults": {**plain, **said},
        "weights": {**(JUDGE_WEIGHTS if judged else weights_for(wish.type)), **said.get("weights", {})},
        "checked": suite,
        "conditions": _conditions(benchmark, config),
    }


def _conditions(benchmark: Benchmark, config: Config) -> list[str]:
    return [*{**config.conditions, **benchmark.conditions}]
