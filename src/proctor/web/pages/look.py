"""The rules that pages share with reports: one source, so that both look alike."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import Response

from proctor.reports.history.svg import RULES

router = APIRouter()
_REPORT = ("style.css", "checks.css", "battle.css")


@router.get("/static/look.css")
def look() -> Response:
    """The report's own rules, and those of the chart of a history."""
    return Response(_rules(), media_type="text/css", headers={"cache-control": "max-age=3600"})


@cache
def _rules() -> str:
    templates = files("proctor.reports") / "templates"
    return "\n".join([*((templates / name).read_text(encoding="utf-8") for name in _REPORT), RULES])
