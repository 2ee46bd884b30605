"""Agents page: the agents that can be examined, and a test question to one of them."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from proctor.config import NAME
from proctor.errors import ProctorError
from proctor.run import Run
from proctor.web.pages import form_of
from proctor.web.site import choices
from proctor.web.site.agent_test import ask
from proctor.web.site.render import render
from proctor.web.site.run_list import RunRow, with_rates
from proctor.web.site.site import Site, site_of
from proctor.web.views.vocabulary import teach
from proctor.workflows.agent_test import QUESTION, reply_in

router = APIRouter()
teach()
LONGEST_QUESTION = 6000
_WHOSE = {"agent": "agent failed", "environment": "environment failed", "setting": "misconfigured"}


@router.get("/agents")
def agents(request: Request, agent: str = "", question: str = QUESTION) -> HTMLResponse:
    """Show the configured agents and a form to test one."""
    return _page(request, agent=agent, question=question[:LONGEST_QUESTION])


@router.post("/agents/try")
def try_agent(request: Request) -> HTMLResponse:
    """Ask the question and show the reply; nothing is stored."""
    form = form_of(request)
    agent, question = form.text("agent"), form.text("question").strip()
    if not question or len(question) > LONGEST_QUESTION:
        trouble = f"Expected a question of 1 to {LONGEST_QUESTION:,} characters."
        return _page(request, agent=agent, question=question, trouble=trouble)
    try:
        result = ask(site_of(request), agent, question)
    except ProctorError as error:
        return _page(request, agent=agent, question=question, trouble=error.on_page)
    return _page(request, agent=agent, question=question, told=result)


def _page(
    request: Request, *, agent: str, question: str, trouble: str = "", told: dict[str, Any] | None = None
) -> HTMLResponse:
    site = site_of(request)
    config = site.config_to_read_by
    offered = choices.agents(config)
    reply = None if told is None else reply_in(told)
    return render(
        request,
        "agents.html.j2",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if trouble else HTTPStatus.OK,
        offered=offered,
        declared=bool(config.agents),
        last=_last_runs(site, [each.name for each in offered]),
        config=str(site.settings.config or Path(NAME)),
        chosen=agent if any(each.name == agent for each in offered) else offered[0].name,
        question=question,
        trouble=trouble,
        told=told,
        reply=reply,
        whose=_WHOSE.get(told["owner"], "trouble") if told is not None else "",
        longest=LONGEST_QUESTION,
    )


def _last_runs(site: Site, names: list[str]) -> dict[str, RunRow]:
    """Map each agent's name to the newest run that called it; rescored runs do not count."""
    newest: dict[str, Run] = {}
    runs = site.store.archive.runs()
    known = {run.id for run in runs}
    for run in runs:
        if run.agent in names and run.rescored_from not in known:
            newest.setdefault(run.agent, run)
    return {each.run.agent: each for each in with_rates(site, newest.values())}
