"""A run once more: the form of a new run, filled in as the run was."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

from proctor.run import Run, Settings
from proctor.web.site import offer
from proctor.web.site.new_run import NUMBERS
from proctor.web.site.site import Site

_PLAIN = "none"


def address_again(site: Site, run: Run) -> str:
    """Where it can be started again; empty: its benchmark or its agent is not to be had here."""
    found = next((each for each in site.library.all() if each.name == run.benchmark), None)
    version = next((each for each in found.versions if each.digest == run.digest), None) if found is not None else None
    if found is None or version is None or run.agent not in [each.name for each in offer.agents(site.config)]:
        return ""
    where = [("benchmark", found.id)]
    where += [] if version == found.newest else [("version", version.id)]
    return f"/runs/new?{urlencode([*where, *_fields(site, run)])}"


def _fields(site: Site, run: Run) -> Iterator[tuple[str, str]]:
    settings, usual = run.settings, Settings()
    yield from (("type", settings.type), ("agent", run.agent))
    if settings.reviewer in [each.name for each in offer.reviewers(site.config)]:
        yield "reviewer", settings.reviewer or ""
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


_FOUND = ("commit", "branch", "demo")
"""Labels that a run finds by itself."""
