"""What can be said of an A2A agent in `[agents.NAME]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from yarl import URL

from proctor.agents import options as checked
from proctor.agents.http.target import read_target
from proctor.errors import InputError

_KNOWN = (
    "headers",
    "card",
    "stream",
    "every",
    "requests_per_minute",
    "concurrency",
    "max_bytes",
    "ca",
    "proxy",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class A2AOptions:
    """Everything that can be said of an A2A agent."""

    url: URL
    """Where the agent is; its headers go to this host alone."""
    headers: Mapping[str, str]
    card: str | None
    """Where its card is, if not in one of the usual places; may be relative to `url`."""
    stream: bool | None
    """None: as the card says."""
    every: float
    """Seconds between two questions after a task that goes on."""
    requests_per_minute: float | None
    concurrency: int | None
    max_bytes: int
    ca: str | None
    proxy: bool


def read_options(address: str, options: Mapping[str, Any]) -> A2AOptions:
    """The options, checked; raises InputError, which shows no value that may be a secret."""
    checked.must_be_known(options, _KNOWN, whose="an a2a: agent")
    return A2AOptions(
        url=_url(address),
        headers=checked.headers(options),
        card=checked.text(options, "card"),
        stream=checked.truth(options, "stream"),
        every=checked.number(options, "every") or 0.5,
        requests_per_minute=checked.number(options, "requests_per_minute"),
        concurrency=checked.whole_or_none(options, "concurrency"),
        max_bytes=checked.whole(options, "max_bytes", checked.MAX_BYTES),
        ca=checked.text(options, "ca"),
        proxy=checked.truth(options, "proxy") or False,
    )


def _url(address: str) -> URL:
    target = read_target(address)
    if target.uses:
        raise InputError("the address of an a2a: agent has placeholders, which are not filled in there; remove them")
    return URL(address)
