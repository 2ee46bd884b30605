"""Log in with the server's token, and log out."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse

from proctor.web.pages import form_of
from proctor.web.site.clients import client_address, networks
from proctor.web.site.render import render
from proctor.web.site.security import local_path, set_cookie
from proctor.web.site.site import site_of

router = APIRouter()


@router.get("/login", response_model=None)
def ask(request: Request, next: str = "/") -> HTMLResponse | RedirectResponse:  # noqa: A002
    """Show the login form, or redirect if no login is needed."""
    if site_of(request).settings.token is None or request.state.session.known:
        return RedirectResponse(local_path(next), status_code=HTTPStatus.SEE_OTHER)
    return render(request, "login.html.j2", next=local_path(next), trouble="")


@router.post("/login", response_model=None)
def log_in(request: Request) -> HTMLResponse | RedirectResponse:
    """Check the token and start a new session, whatever session the browser had before."""
    site, form = site_of(request), form_of(request)
    wanted, token = local_path(form.text("next", "/")), form.text("token").strip()
    right = site.sessions.opens(token)
    wait = site.wrong_tokens.hear(client_address(request.scope, networks(site.settings.proxies)), token, right=right)
    if wait:
        trouble = f"Too many wrong tokens. Wait {wait} seconds and try again."
        answer = render(request, "login.html.j2", status=429, next=wanted, trouble=trouble)
        answer.headers["retry-after"] = str(wait)
        return answer
    if not right:
        trouble = "This is not the token of this server. It is what --token or PROCTOR_TOKEN said when it was started."
        return render(request, "login.html.j2", status=403, next=wanted, trouble=trouble)
    forward = RedirectResponse(wanted, status_code=HTTPStatus.SEE_OTHER)
    set_cookie(forward.headers, request.scope, site.sessions, site.sessions.begin(known=True))
    return forward


@router.post("/logout")
async def log_out(request: Request) -> RedirectResponse:
    """Log out all browsers, including those that only watch a run."""
    site = site_of(request)
    await run_in_threadpool(site.sessions.forget_all)
    await site.live.end()
    return RedirectResponse("/login", status_code=HTTPStatus.SEE_OTHER)
