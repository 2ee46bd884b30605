"""Settings page: the server's configuration, without secrets, and its appearance."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from proctor.config import NAME
from proctor.web.pages import form_of
from proctor.web.site.render import KEYS_COOKIE, THEME_COOKIE, THEMES, render
from proctor.web.site.settings import describe_config
from proctor.web.site.site import Site, site_of
from proctor.workflows.destination import configured_destinations

router = APIRouter()
_YEAR = 365 * 86400


@router.get("/settings")
def settings(request: Request) -> HTMLResponse:
    """Show store, configuration with its declarations, access and appearance."""
    site = site_of(request)
    path = site.settings.config or Path(NAME)
    declared, trouble = read_declared(site)
    return render(
        request,
        "settings.html.j2",
        store=site.store.where,
        config=str(path) if path.is_file() else "",
        token=site.settings.token is not None,
        host=site.settings.host,
        processes=site.settings.processes,
        said=declared,
        trouble=trouble,
        destinations=configured_destinations(),
    )


def read_declared(site: Site) -> tuple[dict[str, Any] | None, str]:
    """Return what the configuration declares, or None with an error message if it cannot be read."""
    trouble = site.config_problem
    return (None, trouble) if trouble else (describe_config(site.config), "")


@router.post("/settings/theme")
def choose_theme(request: Request) -> RedirectResponse:
    """Set the theme: light, dark, or the system's."""
    back = RedirectResponse("/settings", status_code=HTTPStatus.SEE_OTHER)
    chosen = form_of(request).text("theme")
    if chosen in THEMES:
        back.set_cookie(THEME_COOKIE, chosen, max_age=_YEAR, samesite="lax")
    else:
        back.delete_cookie(THEME_COOKIE)
    return back


@router.post("/settings/keys")
def choose_keys(request: Request) -> RedirectResponse:
    """Enable or disable single-key shortcuts."""
    back = RedirectResponse("/settings", status_code=HTTPStatus.SEE_OTHER)
    if form_of(request).text("keys") == "off":
        back.set_cookie(KEYS_COOKIE, "off", max_age=_YEAR, samesite="lax")
    else:
        back.delete_cookie(KEYS_COOKIE)
    return back
