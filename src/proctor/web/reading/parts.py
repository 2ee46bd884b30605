"""The parts of a run's page that change while it goes on, rendered alone. All who watch share what is the same."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request

from proctor.findings import Findings
from proctor.reports import outcomes
from proctor.reports.headline import headline
from proctor.reports.particulars import settings_of
from proctor.run import Run
from proctor.web.reading.shelf import Read
from proctor.web.rendering import environment
from proctor.web.site import Site, site_of

SHARED = ("headline", "overview")
"""Templates `run/PART.html.j2`, which stand in elements with `data-part`; these are the same for everybody."""
PARTS = ("state", *SHARED)
_KEPT = 64

_kept: OrderedDict[tuple[str, float, str], str] = OrderedDict()
_lock = threading.Lock()


def values_of(site: Site, run: Run, read: Read | None) -> dict[str, Any]:
    """What the parts are made of."""
    findings = read.findings if read is not None else None
    moving = run.status in ("queued", "running")
    waiting = run.status != "running" and run.id in site.jobs.waiting()
    return {
        "run": run,
        "findings": findings,
        "where": outcomes.of_run(findings) if findings is not None else None,
        "headline": headline(findings) if findings is not None else [],
        "waiting": waiting,
        "moving": moving or waiting,
        "playable": "agent" in run.settings.built,
        "settings": settings_of(run),
        **_drawn(findings),
    }


def _drawn(findings: Findings | None) -> dict[str, Any]:
    cases = findings.cases if findings is not None else ()
    counts = outcomes.counted(cases)
    times = [case.seconds for case in cases if case.seconds is not None]
    return {
        "stack": [(kind.style, counts.get(kind.name, 0)) for kind in outcomes.OF_CASES],
        "stack_label": ", ".join(f"{counts.get(kind.name, 0)} {kind.word}" for kind in outcomes.OF_CASES),
        "scores": [case.score for case in cases if case.score is not None],
        "times": times,
        "longest": max(times, default=0.0),
    }


def rendered(request: Request, run: Run, read: Read | None, parts: Sequence[str] = PARTS) -> dict[str, str]:
    """Part → its HTML as of now."""
    site = site_of(request)
    known = {name: text for name in parts if (text := _recalled(run, read, name)) is not None}
    if len(known) == len(parts):
        return known
    token = site.sessions.form_token(request.state.session)
    values = {"request": request, "now": time.time(), "form_token": token, **values_of(site, run, read)}
    return {name: known.get(name) or _render(run, read, name, values) for name in parts}


def _recalled(run: Run, read: Read | None, part: str) -> str | None:
    if read is None or part not in SHARED:
        return None
    with _lock:
        return _kept.get((run.id, read.at, part))


def _render(run: Run, read: Read | None, part: str, values: Mapping[str, Any]) -> str:
    text = environment().get_template(f"run/{part}.html.j2").render(values)
    if read is not None and part in SHARED:
        with _lock:
            _kept[run.id, read.at, part] = text
            while len(_kept) > _KEPT:
                _kept.popitem(last=False)
    return text
