"""`--sync`: attempts are sent while a run goes on, and what became of them is told afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proctor.cli.output import echo
from proctor.findings.run import Findings
from proctor.run import Record
from proctor.threads import run_anywhere
from proctor.workflows.evaluate import PreparedRun

if TYPE_CHECKING:
    from proctor.workflows.destination import Follower

_PATIENCE = 30.0
"""Seconds that a destination may take for what is left when the run is over."""


@dataclass
class Followers:
    """Who follows a run, and what it found in the end."""

    followers: list[Follower]
    findings: Findings | None = None

    def feed(self, records: Sequence[Record]) -> None:
        """Tell everybody of what has just been stored."""
        for follower in self.followers:
            follower.feed(records)


@contextmanager
def following(prepared: PreparedRun, destinations: Sequence[str], *, store: str) -> Iterator[Followers]:
    """Let these destinations follow a run; say on standard error what they got. Nothing they do changes the run."""
    trail = Followers([_follower(prepared, destination, store) for destination in dict.fromkeys(destinations)])
    try:
        yield trail
    finally:
        for follower in trail.followers:
            _conclude(follower, trail.findings)


def _follower(prepared: PreparedRun, destination: str, store: str) -> Follower:
    from proctor.workflows.destination import Destination, follow

    return follow(prepared.run, prepared.benchmark, Destination(to=destination), store=store)


def _conclude(follower: Follower, findings: Findings | None) -> None:
    from proctor.exporters.summary import sentences

    report = run_anywhere(lambda: follower.finish(_PATIENCE, findings))
    arrived = sum(outcome.verdict.arrived for outcome in report.outcomes if outcome.kind == "attempt")
    told = [
        f"{report.destination}: {arrived} of {sum(report.counts('attempt').values())} attempts sent.",
        *sentences(report),
    ]
    echo(" ".join(told), err=True)
