"""/api/agents: the agents, judges and examiners on offer, and testing an agent."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from proctor.web.api import shapes
from proctor.web.api.answers import answer
from proctor.web.site import choices
from proctor.web.site.agent_test import ask
from proctor.web.site.site import site_of

router = APIRouter(tags=["agents"])


@router.get("/agents", response_model=shapes.Players)
def list_agents(request: Request) -> Response:
    """List the agents, reviewers and examiners that can be used."""
    config = site_of(request).config
    return answer(
        {
            "agents": choices.agents(config),
            "reviewers": choices.reviewers(config),
            "examiners": choices.examiners(config),
        }
    )


@router.post("/agents/try", response_model=shapes.AgentTestBody)
def try_agent(request: Request, asked: shapes.QuestionBody) -> Response:
    """Ask an agent one question; nothing is stored."""
    return answer(ask(site_of(request), asked.agent, asked.question, patience=asked.timeout))
