"""API responses: JSON as the command line prints it, and errors in one format."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from proctor.reports.values import to_json
from proctor.web.api.shapes import ProblemBody

PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": ProblemBody, "description": "What is wrong with the request"},
    503: {"model": ProblemBody, "description": "The store cannot be read or written at the moment"},
}
STATES: dict[int | str, dict[str, Any]] = {
    409: {"model": ProblemBody, "description": "The status of the run does not allow this"}
}


def answer(value: object, *, status: int = 200, **headers: str) -> Response:
    """Return a value as a JSON response without validating it against its model again, which is slow for large ones."""
    return Response(to_json(value), status_code=status, media_type="application/json", headers=headers)
