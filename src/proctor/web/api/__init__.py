"""The REST API under /api: the same workflows as pages and command line, the same JSON as `--json` prints.

One file for each thing it is about. Answers are documented by the shapes in `shapes.py`; what goes wrong is always a
`Problem`. `/docs` shows the schema as a page, `/api/openapi.json` has it for programs.
"""

from __future__ import annotations

from fastapi import APIRouter, FastAPI

from proctor.web.api import agents, benchmarks, compare, history, judge_jobs, labels, runs, settings, shares
from proctor.web.api.answers import PROBLEMS
from proctor.web.site.openapi import schema

_FAMILIES = (runs, shares, labels, judge_jobs, benchmarks, agents, compare, history, settings)


def include(app: FastAPI) -> None:
    """Add every operation, and the schema."""
    router = APIRouter(prefix="/api", responses=PROBLEMS)
    for family in _FAMILIES:
        router.include_router(family.router)
    app.include_router(router)
    app.add_api_route("/api/openapi.json", lambda: schema(app), include_in_schema=False)
