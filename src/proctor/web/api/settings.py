"""/api/settings: the server's configuration."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from fastapi import APIRouter, Request, Response

from proctor.config import NAME
from proctor.web.api import shapes
from proctor.web.api.answers import answer
from proctor.web.pages.settings import read_declared
from proctor.web.site.site import site_of
from proctor.workflows.destination import configured_destinations

router = APIRouter(tags=["settings"])


@router.get("/settings", response_model=shapes.Server)
def read_settings(request: Request) -> Response:
    """Get version, store, configuration, access, queued runs, and what is `declared`.

    `declared` holds models, judges, prices, limits, workers and defaults; never a secret.
    """
    site = site_of(request)
    declared, trouble = read_declared(site)
    config = site.settings.config or Path(NAME)
    return answer(
        {
            "version": version("proctor"),
            "store": site.store.where,
            "config": str(config) if config.is_file() else None,
            "host": site.settings.host,
            "token": site.settings.token is not None,
            "processes": site.settings.processes,
            "waiting": site.jobs.waiting(),
            "destinations": configured_destinations(),
            "declared": declared,
            "trouble": trouble or None,
        }
    )
