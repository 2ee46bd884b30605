"""Generate the OpenAPI schema of the API."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

_ABOUT = (
    "Everything the pages do. Where the server has a token, send it as `Authorization: Bearer TOKEN`. "
    "A run can be named by its id, a unique beginning of it, its unique name, or `last`."
)


def schema(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI schema."""
    made = app.openapi()
    made["info"]["description"] = _ABOUT
    made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    made["security"] = [{}, {"token": []}]
    return made
