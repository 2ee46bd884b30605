"""Contradictions worth quoting, picked while attempts stream by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from proctor.run import Attempt, Key
from proctor.score import Contradiction


@dataclass(frozen=True, kw_only=True, slots=True)
class Quoted:
    """A contradiction, and where it stands."""

    key: Key
    found: Contradiction


def quotes(attempts: Iterable[Attempt], *, limit: int = 3) -> list[Quoted]:
    """The first contradiction of each of the first conversations that have one."""
    found: list[Quoted] = []
    for attempt in attempts:
        if len(found) == limit:
            break
        if attempt.contradictions:
            found.append(Quoted(key=attempt.key, found=attempt.contradictions[0]))
    return found
