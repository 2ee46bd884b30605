"""A share with what it was computed from: Share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """How many of some things meet what is asked of them."""

    value: float | None
    """0 to 1; None: there was nothing to judge."""
    met: tuple[str, ...]
    """Those that do."""
    of: tuple[str, ...]
    """All that were judged."""


def share(judged: Iterable[tuple[str, bool]]) -> Share:
    """The share of these that are true, each with its name."""
    known = tuple(judged)
    met = tuple(name for name, meets in known if meets)
    return Share(value=len(met) / len(known) if known else None, met=met, of=tuple(name for name, _ in known))
