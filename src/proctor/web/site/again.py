"""A run once more: the form of a new run, filled in as the run was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from proctor.config import Config
from proctor.run import Run, Settings
from proctor.web.site import offer
from proctor.web.site.criteria import write_criteria
from proctor.web.site.new_run import NUMBERS
from proctor.web.site.site import Site

_PLAIN = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class Again:
    """Whether a run can be started again from the page, and if not, why."""

    address: str = ""
    """The form of a new run; empty: something is not to be had here."""
    lacks_agent: bool = False
    lacks_benchmark: bool = False


def again_of(site: Site, run: Run) -> Again:
    """Where it can be started again, with the benchmark of its cases, whatever others are called now."""
    agent = _agent(site.config, run)
    known = [
        (each, version) for each in site.library.all() for version in each.versions if version.digest == run.digest
    ]
    if not known or agent is None:
        return Again(lacks_agent=agent is None, lacks_benchmark=not known)
    found, version = next((each for each in known if each[0].name == run.benchmark), known[0])
    where = [("benchmark", found.id)]
    where += [] if version == found.newest else [("version", version.id)]
    return Again(address=f"/runs/new?{urlencode([*where, *_fields(site, run, agent)])}")


def _agent(config: Config, run: Run) -> str | None:
    """What its agent is called here: by its name, or by its spec alone, since with options it would be another one."""
    if run.agent in [each.name for each in offer.agents(config)]:
        return run.agent
    alike = (name for name, part in config.agents.items() if part.spec == run.agent and not part.options)
    return next((name for name in alike if config.agents[name].kind == run.kind), None)


def _fields(site: Site, run: Run, agent: str) -> Iterator[tuple[str, str]]:
    settings, usual = run.settings, Settings()
    yield from (("type", settings.type), ("agent", agent))
    yield from _judges(site.config, settings)
    if settings.canaries in [each.name for each in offer.canaries(site.config)] and settings.canaries != usual.canaries:
        yield "canaries", settings.canaries
    if gates := run.gates or settings.stop_early:
        yield "gates", "\n".join(gates)
    yield from [("stop_early", "yes")] if settings.stop_early else []
    if settings.type == "abm-dynamic" and settings.examiner:
        yield "examiner", settings.examiner
    for name in NUMBERS:
        value = getattr(settings, name)
        if value is not None and value != getattr(usual, name):
            yield name, f"{value:g}"
    if settings.conditions != ("",):
        yield from (("condition", name or _PLAIN) for name in settings.conditions)
    labels = "\n".join(f"{name}={value}" for name, value in run.labels.items() if name not in _FOUND)
    yield from [("labels", labels)] if labels else []


def _judges(config: Config, settings: Settings) -> Iterator[tuple[str, str]]:
    """Who judged, as far as they are still offered: one, the second after it, the rest of a panel, their criteria."""
    offered = {each.name for each in offer.reviewers(config)}
    first, *panel = settings.panel or (settings.reviewer or "none",)
    one, comma, second = (first, "", "") if first in offered else first.partition(",")
    if one in offered and (not comma or second in offered):
        yield "reviewer", one
        yield from [("second", second)] if comma else []
    yield from (("panel", name) for name in panel if name in offered)
    named = {name for judge in (first, *panel) for name in judge.split(",")} & config.reviewers.keys()
    declared = [config.reviewers[name].options.get("criteria") for name in named]
    told = (spec.options.get("criteria") for judge in settings.judges for spec in judge)
    own = next((each for each in told if isinstance(each, Mapping) and each not in declared), {})
    if own:
        yield "criteria", write_criteria(own)


_FOUND = ("commit", "branch", "demo")
"""Labels that a run finds by itself."""
