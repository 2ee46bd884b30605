"""The REST API under /api: the same workflows as pages and command line, the same JSON as `--json` prints.

One file for each thing it is about. Answers are documented by the shapes in `shapes.py`; what goes wrong is always a
`Problem`. `/docs` shows the schema as a page, `/api/openapi.json` has it for programs.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI

from proctor.web.api import agents, benchmarks, compare, history, runs, settings
from proctor.web.api.answers import PROBLEMS

_FAMILIES = (runs, benchmarks, agents, compare, history, settings)
_ABOUT = (
    "Everything the pages do. Where the server has a token, send it as `Authorization: Bearer TOKEN`. "
    "A run can be named by its id, a unique beginning of it, its unique name, or `last`."
)


def include(app: FastAPI) -> None:
    """Add every operation, and the schema."""
    router = APIRouter(prefix="/api", responses=PROBLEMS)
    for family in _FAMILIES:
        router.include_router(family.router)
    app.include_router(router)
    app.add_api_route("/api/openapi.json", lambda: schema(app), include_in_schema=False)


def schema(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI schema."""
    made = app.openapi()
    made["info"]["description"] = _ABOUT
    made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    made["security"] = [{}, {"token": []}]
    return made
