"""Filter stored runs by agent, benchmark, label, status and age."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from proctor.errors import UsageError
from proctor.run import Run, Status
from proctor.settings import did_you_mean, given

_AGE = re.compile(r"(?P<number>[0-9]{1,6})\s*(?P<unit>[mhdw])")
_SECONDS = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFilter:
    """Criteria for runs; empty ones match all."""

    agent: str | None = None
    benchmark: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    status: Status | None = None
    since: float | None = None
    """Start time in seconds since the epoch."""

    def keeps(self, run: Run) -> bool:
        """Whether a run matches."""
        return (
            self.agent in (None, run.agent)
            and self.benchmark in (None, run.benchmark)
            and self.status in (None, run.status)
            and (self.since is None or run.created >= self.since)
            and all(run.labels.get(key) == value for key, value in self.labels.items())
        )

    def of(self, runs: Sequence[Run]) -> list[Run]:
        """Return the matching runs; raise an error for a name that no run has."""
        _refuse_unknown("agent", self.agent, [run.agent for run in runs])
        _refuse_unknown("benchmark", self.benchmark, [run.benchmark for run in runs])
        for key, value in self.labels.items():
            _refuse_unknown("label", key, [name for run in runs for name in run.labels])
            _refuse_unknown(f"value of {key}", value, [run.labels[key] for run in runs if key in run.labels])
        return [run for run in runs if self.keeps(run)]


def _refuse_unknown(what: str, wanted: str | None, known: Iterable[str]) -> None:
    names = list(dict.fromkeys(known))
    if wanted is None or wanted in names or not names:
        return
    hint = did_you_mean(wanted, names, otherwise=f"there are {', '.join(map(repr, names[:20]))}")
    raise UsageError(f"no stored run has the {what} {wanted!r}; {hint}")


def moment(text: str) -> float:
    """Parse `2026-11-01`, `2026-11-01T08:30` or an age such as `90m`, `12h`, `7d`, `2w` as seconds since the epoch."""
    age = _AGE.fullmatch(text.strip())
    if age:
        return time.time() - int(age["number"]) * _SECONDS[age["unit"]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            given("since", text),
            " is neither a date nor an age; expected one such as 2026-11-01, 2026-11-01T08:30, 12h, 7d or 2w",
        ) from None


def says(typed: str, *texts: str, id: str = "") -> bool:  # noqa: A002
    """Whether one of the texts contains the search text, ignoring case, or the id starts with it.

    The inside of an id is not searched: most ids are digests, which contain short words by chance.
    """
    wanted = _plain(typed)
    return not wanted or _plain(id).startswith(wanted) or any(wanted in _plain(text) for text in texts)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
