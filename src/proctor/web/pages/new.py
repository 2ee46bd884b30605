"""New run: the form with an estimate, starting the run, and the one-click demonstration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from proctor.benchmark import Benchmark
from proctor.config import Config
from proctor.errors import GateError, ProctorError
from proctor.findings.comparison import unlike
from proctor.formats.compatibility import MAXIMUM, Indicator, compatibility
from proctor.formats.suites.suite import is_suite
from proctor.run import Run, Settings
from proctor.web.pages import form_of
from proctor.web.site import choices
from proctor.web.site.new_run import SETTINGS, NewRunForm, read_form, understand
from proctor.web.site.render import FORM_CACHE, TYPE_NAMES, render
from proctor.web.site.site import Site, site_of
from proctor.web.site.start import estimate, start, start_demonstration
from proctor.web.views import addresses
from proctor.workflows.dry_run import RunEstimate
from proctor.workflows.library import NoSuchBenchmark, StoredBenchmark
from proctor.workflows.settings import usual_reviewer, usual_weights

router = APIRouter()
_ABOUT = {
    "standard": "every question by itself, judged against its answer",
    "abm-static": "the questions in order, in one conversation",
    "abm-dynamic": "an examiner begins with a question and presses on",
}
_FOREMOST = ("trials", "passing_score", "max_turns", "seeds")
"""Settings shown at once; the others are collapsed."""
_INDICATORS = {"standard": "standard", "abm-static": "abm_static", "abm-dynamic": "abm_dynamic"}


@router.get("/runs/new")
def new_run(request: Request) -> HTMLResponse:
    """Show the form, prefilled from the URL; with an agent chosen, include an estimate."""
    site, given = site_of(request), request.query_params
    usual = [] if "type" in given else [("type", site.config.run.type or "")]
    asked = _by_id(site, read_form([*usual, *given.multi_items()]))
    understood = understand(asked, lambda: _usual_judges(site, asked))
    troubles, forecast = {**_no_benchmark(site, asked), **understood.troubles}, None
    if asked.text("agent") and asked.text("benchmark") and not troubles:
        try:
            forecast = estimate(site, understood.wanted)
        except ProctorError as error:
            troubles[_field_of(error, asked)] = error.on_page
    return _page(request, asked, troubles=troubles, forecast=forecast)


@router.post("/runs/new")
def start_run(request: Request) -> Response:
    """Start the run, or redirect to the form with an estimate if only that was asked for."""
    form = form_of(request)
    asked = read_form((name, value) for name, values in form.fields.items() for value in values)
    if form.text("do") != "start":
        return RedirectResponse(f"/runs/new?{asked.query()}", status_code=HTTPStatus.SEE_OTHER)
    site = site_of(request)
    asked = _by_id(site, asked)
    understood = understand(asked, lambda: _usual_judges(site, asked))
    troubles = {**_no_benchmark(site, asked), **understood.troubles}
    if not asked.text("benchmark"):
        troubles["benchmark"] = "choose a benchmark"
    if not troubles:
        try:
            return _to(*start(site, understood.wanted))
        except ProctorError as error:
            troubles[_field_of(error, asked)] = error.on_page
    return _page(request, asked, troubles=troubles, forecast=None)


@router.post("/demo")
def demonstration(request: Request) -> RedirectResponse:
    """Store and start the demonstration, and redirect to its first run."""
    return _to(start_demonstration(site_of(request))[0])


def _field_of(error: ProctorError, asked: NewRunForm) -> str:
    """Return the form field that an error is about, or empty."""
    if isinstance(error, GateError):
        return "gates"
    return next((each.name for each in error.given if asked.text(each.name)), "")


def _to(*runs: Run) -> RedirectResponse:
    """Redirect to the run's page; for several runs, to their comparison, or to the list if they are not comparable."""
    where = addresses.run(runs[0].id)
    if len(runs) > 1:
        alike = not any(unlike(runs[0], other) for other in runs[1:])
        where = addresses.several(*(run.id for run in runs)) if alike else "/runs"
    return RedirectResponse(where, status_code=HTTPStatus.SEE_OTHER)


def _page(
    request: Request, asked: NewRunForm, *, troubles: Mapping[str, str], forecast: RunEstimate | None
) -> HTMLResponse:
    site = site_of(request)
    config, stored = site.config, _chosen_benchmark(site, asked)
    named = config.run.agent or []
    usual_agents = [named] if isinstance(named, str) else named
    shown = render(
        request,
        "new.html.j2",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if troubles and request.method == "POST" else HTTPStatus.OK,
        asked=asked,
        troubles=troubles,
        forecast=forecast,
        benchmarks=site.library.all(),
        stored=stored,
        unchosen=bool(_no_benchmark(site, asked)) or "benchmark" in troubles,
        types=_types(stored, asked),
        agents=choices.agents(config),
        agent=asked.text("agent") or next(iter(usual_agents), ""),
        beside=asked.texts("beside") if asked.text("agent") else usual_agents[1:],
        reviewers=choices.reviewers(config),
        canaries=choices.canaries(config),
        examiners=choices.examiners(config),
        suites=[each for each in site.library.all() if is_suite(each.newest.file) and each.id != stored.id],
        settings_of=SETTINGS,
        foremost=_FOREMOST,
        **_defaults(site, config, stored, asked),
    )
    shown.headers["cache-control"] = FORM_CACHE
    return shown


def _by_id(site: Site, asked: NewRunForm) -> NewRunForm:
    """Return the form with a benchmark given by name replaced by its id."""
    named = asked.text("benchmark")
    known = site.library.all()
    if not named or any(each.id == named for each in known):
        return asked
    found = next((each.id for each in known if each.name == named), named)
    return replace(asked, fields={**asked.fields, "benchmark": (found,)})


def _no_benchmark(site: Site, asked: NewRunForm) -> dict[str, str]:
    """Return what is wrong with the requested benchmark."""
    named = asked.text("benchmark")
    if not named or any(each.id == named for each in site.library.all()):
        return {}
    return {"benchmark": f"there is no benchmark {named[:60]!r} here; choose one"}


def _chosen_benchmark(site: Site, asked: NewRunForm) -> StoredBenchmark:
    """Return the chosen benchmark, by default the first."""
    try:
        return site.library.find(asked.text("benchmark"))
    except NoSuchBenchmark:
        return site.library.all()[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class TypeChoice:
    """A type of examination in the form."""

    name: str
    about: str
    serves: Indicator
    possible: bool
    """Whether it can be chosen: true even if not recommended, false if the benchmark does not support it."""


def _types(stored: StoredBenchmark, asked: NewRunForm) -> dict[str, TypeChoice]:
    """Map each type to its description and whether the benchmark supports it."""
    version = next((each for each in stored.versions if each.id == asked.text("version")), stored.newest)
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


def _usual_judges(site: Site, asked: NewRunForm) -> tuple[str, ...]:
    """Return the judges used by default."""
    named, stored = site.config.run.reviewer, _chosen_benchmark(site, asked)
    if named is not None:
        return (named,) if isinstance(named, str) else tuple(named)
    return (usual_reviewer(site.library.read(stored.id), asked.type, suite=is_suite(stored.newest.file)),)


def _defaults(site: Site, config: Config, stored: StoredBenchmark, asked: NewRunForm) -> dict[str, Any]:
    """Return the effective defaults of empty fields."""
    suite, benchmark = is_suite(stored.newest.file), site.library.read(stored.id)
    run_options = {name: value for name, value in config.run.model_dump().items() if value is not None}
    plain = {name: getattr(Settings(), name) for name in SETTINGS}
    plain |= {
        "reviewer": " + ".join(_usual_judges(site, asked)),
        "examiner": "prober",
        "canaries": "none",
    }
    run_options.pop("reviewer", None)
    return {
        "defaults": {**plain, **run_options},
        "weights": {**usual_weights(asked.type, suite=suite), **run_options.get("weights", {})},
        "checked": suite,
        "conditions": _conditions(benchmark, config),
    }


def _conditions(benchmark: Benchmark, config: Config) -> list[str]:
    return [*{**config.conditions, **benchmark.conditions}]
