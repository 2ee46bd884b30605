"""Static assets of pages: styles, scripts and the icon."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response

from proctor.web.site import render

router = APIRouter()
_FOR_GOOD = "public, max-age=31536000, immutable"
_FOR_NOW = "max-age=60"


@router.api_route("/static/{name}", methods=["GET", "HEAD"])
async def load(name: str) -> Response:
    """Return an asset; one requested by its fingerprinted name is cached permanently."""
    found = render.find_asset(name)
    if found is None:
        raise HTTPException(404, f"there is no file {name!r}")
    kept = _FOR_GOOD if name == found.name else _FOR_NOW
    return Response(found.content, media_type=found.kind, headers={"cache-control": kept})
