"""The REST API under /api, with the workflows of pages and command line and the JSON that `--json` prints.

One file per resource. Responses are documented by the models in `shapes.py`; every error is a `ProblemBody`. `/docs`
shows the schema as a page, `/api/openapi.json` returns it to programs.
"""

from __future__ import annotations

from fastapi import APIRouter, FastAPI

from proctor.web.api import agents, benchmarks, compare, history, judge_jobs, labels, runs, settings, shares
from proctor.web.api.answers import PROBLEMS
from proctor.web.site.openapi import schema

_FAMILIES = (runs, shares, labels, judge_jobs, benchmarks, agents, compare, history, settings)


def include(app: FastAPI) -> None:
    """Register every operation and the schema."""
    router = APIRouter(prefix="/api", responses=PROBLEMS)
    for family in _FAMILIES:
        router.include_router(family.router)
    app.include_router(router)
    app.add_api_route("/api/openapi.json", lambda: schema(app), include_in_schema=False)
