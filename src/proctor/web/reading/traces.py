"""Where the trace of an attempt can be looked at, in programs that the run was sent to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from proctor.errors import ProctorError
from proctor.run import Key, Run

if TYPE_CHECKING:
    from proctor.workflows.destination import Destination

_PAGES = {"langfuse": "{base}/trace/{trace}", "phoenix": "{base}/redirects/traces/{trace}"}
"""Where these show a trace by its id alone."""
_VARIABLES = {
    "langfuse": ("LANGFUSE_BASE_URL", "LANGFUSE_HOST"),
    "phoenix": ("PHOENIX_ENDPOINT", "PHOENIX_COLLECTOR_ENDPOINT"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class SentTrace:
    """A trace that was sent somewhere."""

    to: str
    trace: str
    address: str
    """Empty: it has no page that could be named."""


def sent(run: Run, key: Key, *, store: str) -> list[SentTrace]:
    """Where an attempt was sent to."""
    from proctor.workflows.destination import (
        known_destinations,
        trace_of,
    )  # exporters come with it, which no other page needs

    try:
        return [_sent(each, trace_of(key)) for each in known_destinations(run, store, None)]
    except (OSError, ProctorError):
        return []


def _sent(destination: Destination, trace: str) -> SentTrace:
    given = (os.environ.get(name) for name in _VARIABLES.get(destination.to, ()))
    base = destination.endpoint or next(filter(None, given), "")
    page = _PAGES.get(destination.to, "") if _is_web(base) else ""
    return SentTrace(to=destination.to, trace=trace, address=page.format(base=base.rstrip("/"), trace=trace))


def _is_web(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
