"""A run's page as it goes on: the parts that changed, as server-sent events. All who watch share one reading."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from proctor.errors import ProctorError
from proctor.run import Run
from proctor.web.reading.shelf import Read, Shelf
from proctor.web.rendering import environment
from proctor.web.site import site_of

PARTS = ("state", "progress", "headline", "overview")
"""Templates `run/PART.html.j2`, which stand in elements that are called `data-part=PART`."""
_EVERY = 1.0
_ALIVE = 15.0
"""Seconds after which something is sent although nothing changed, so that nobody on the way hangs up."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """What there was to see at one moment."""

    parts: dict[str, str] = field(default_factory=dict)
    over: bool
    """Whether nothing more will come."""


def look(request: Request, run: Run, parts_of: Callable[[Read | None], Mapping[str, Any]], shelf: Shelf) -> Look:
    """Render the parts as they are now."""
    read = shelf.findings(run)
    session = request.state.session
    values = {
        "request": request,
        "now": time.time(),
        "form_token": site_of(request).sessions.form_token(session),
        **parts_of(read),
    }
    over = run.status not in ("queued", "running") and run.id not in site_of(request).jobs.waiting()
    return Look(parts={name: _rendered(name, values) for name in PARTS}, over=over)


def _rendered(part: str, values: Mapping[str, Any]) -> str:
    return environment().get_template(f"run/{part}.html.j2").render(values)


async def events(request: Request, look: Callable[[], Look]) -> AsyncIterator[str]:
    """What changed since the last event, once a second at most; `over` when the run has ended."""
    known: dict[str, str] = {}
    said = time.monotonic()
    yield "retry: 2000\n\n"
    while not await request.is_disconnected():
        try:
            seen = await run_in_threadpool(look)
        except ProctorError:  # it was deleted meanwhile, or the store is away: the page says so when it is loaded anew
            yield "event: over\ndata: {}\n\n"
            return
        changed = {name: text for name, text in seen.parts.items() if known.get(name) != text}
        known |= changed
        if changed or time.monotonic() - said > _ALIVE:
            said = time.monotonic()
            yield f"event: parts\ndata: {json.dumps(changed)}\n\n"
        if seen.over:
            yield "event: over\ndata: {}\n\n"
            return
        await asyncio.sleep(_EVERY)
