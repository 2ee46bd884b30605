"""Actions on a run: rescore, extend, sync, share."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse

from proctor.errors import InputError
from proctor.run import Run
from proctor.web.pages import form_of
from proctor.web.site import choices
from proctor.web.site.forms import Form, read_criteria
from proctor.web.site.new_run import NewRunForm, judges_of, read_number
from proctor.web.site.security import set_share_cookie
from proctor.web.site.shares import USUAL
from proctor.web.site.site import Site, site_of
from proctor.web.site.start import go_on, start_rescore
from proctor.web.views import addresses
from proctor.workflows.destination import configured_destinations

router = APIRouter()


@router.post("/runs/{run}/rescore")
def rescore(request: Request, run: str) -> RedirectResponse:
    """Rescore the stored replies and redirect to the new run."""
    site, form = site_of(request), form_of(request)
    troubles: dict[str, str] = {}
    criteria = dict(read_criteria(form.text("criteria"), troubles))
    typed = form.text("passing_score").strip()
    passing = read_number("passing_score", typed, float, troubles) if typed else None
    if troubles:
        raise InputError("; ".join(troubles.values()))
    made = start_rescore(
        site,
        site.store.archive.find(run),
        reviewers=judges_of(form, lambda: ()),
        criteria=criteria,
        passing_score=passing,
        name=" ".join(form.text("name").split()) or None,
    )
    return _to(made)


@router.post("/runs/{run}/extend")
def extend(request: Request, run: str) -> RedirectResponse:
    """Add trials to each case, or play the rest of a run that stopped early."""
    site, form = site_of(request), form_of(request)
    trials, to_the_end = _whole_number(form, "trials"), form.text("to_the_end") == "yes"
    return _to(go_on(site, site.store.archive.find(run), trials=trials, to_the_end=to_the_end))


@router.post("/runs/{run}/sync")
def sync(request: Request, run: str) -> RedirectResponse:
    """Send the run to a service configured in the server's environment."""
    site, to = site_of(request), form_of(request).text("to")
    must_be_configured(to)
    found = site.store.archive.find(run)
    site.syncs.start(found.id, to)
    return _to(found, "#sent")


@router.post("/runs/{run}/share")
def share(request: Request, run: str) -> RedirectResponse:
    """Create a link that opens this run read-only for some days."""
    site, form = site_of(request), form_of(request)
    days = _whole_number(form, "days")
    found = site.store.archive.find(run)
    site.shares.make(found.id, days=USUAL if days is None else days)
    return _to(found, "#shared")


@router.post("/runs/{run}/unshare")
def unshare(request: Request, run: str) -> RedirectResponse:
    """Revoke a link."""
    site, form = site_of(request), form_of(request)
    found = site.store.archive.find(run)
    site.shares.revoke(found.id, form.text("link"))
    return _to(found, "#shared")


@router.get("/shared/{token}")
def open_shared(request: Request, token: str) -> RedirectResponse:
    """Redirect to the run that a link opens, and set a cookie limited to that run's URLs."""
    site = site_of(request)
    found = site.shares.read(token)
    if found is None:
        raise HTTPException(
            404, "this link opens nothing: it has expired, was revoked or is not whole; ask for another"
        )
    forward = RedirectResponse(addresses.run(found.run), status_code=HTTPStatus.SEE_OTHER)
    forward.headers["referrer-policy"] = "no-referrer"
    set_share_cookie(forward.headers, request.scope, found, token)
    return forward


def offered_actions(site: Site, run: Run) -> dict[str, Any]:
    """Return the template context for all actions on a run."""
    return {
        "reviewers": choices.reviewers(site.config_to_read_by),
        "nothing_chosen": NewRunForm(),
        "destinations": configured_destinations(),
        "deliveries": site.syncs.of(run.id),
        "has_token": site.settings.token is not None,
        "shares": [(share, site.shares.token(share)) for share in site.shares.of(run.id)],
        "days": USUAL,
    }


def must_be_configured(to: str) -> None:
    """Raise an error if the service is not configured in the environment."""
    known = configured_destinations()
    if to not in known:
        expected = " or ".join(known) or "none, until the server's environment has the address and keys of one"
        raise InputError(f"to={to[:60]!r} is not configured on this server; expected {expected}")


def _whole_number(form: Form, name: str) -> int | None:
    """Parse a whole number, or return None if empty."""
    typed, troubles = form.text(name).strip(), dict[str, str]()
    number = read_number(name, typed, int, troubles) if typed else None
    if troubles:
        raise InputError(troubles[name])
    return None if number is None else int(number)


def _to(run: Run, part: str = "") -> RedirectResponse:
    return RedirectResponse(addresses.run(run.id) + part, status_code=HTTPStatus.SEE_OTHER)
