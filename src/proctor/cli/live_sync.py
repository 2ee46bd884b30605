"""`--sync`: attempts are sent while a run goes on, and what became of them is told afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proctor import workflows
from proctor.cli.output import echo
from proctor.errors import ProctorError, UsageError
from proctor.findings.run import Findings
from proctor.run import Record
from proctor.threads import run_anywhere
from proctor.workflows.prepare import PreparedRun

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
def following(
    prepared: PreparedRun, asked: Sequence[str], configured: Sequence[str], *, store: str
) -> Iterator[Followers]:
    """Let the destinations asked for follow a run, else those of `[run]`; say on standard error what they got.

    Nothing they do changes the run. One that was asked for and cannot be reached at all is refused beforehand; one that
    only stands in `[run]` is left out with a sentence, for not everybody who shares the file has its keys.
    """
    if asked:
        live = Followers([_follower(prepared, each, store) for each in dict.fromkeys(asked)])
    else:
        live = Followers([*_configured_followers(prepared, configured, store)])
    try:
        yield live
    finally:
        for follower in live.followers:
            _conclude(follower, live.findings, store)


def _follower(prepared: PreparedRun, destination: str, store: str) -> Follower:
    return workflows.destination.follow(
        prepared.run, prepared.benchmark, workflows.destination.Destination(to=destination), store=store
    )


def _configured_followers(prepared: PreparedRun, destinations: Sequence[str], store: str) -> Iterator[Follower]:
    for destination in dict.fromkeys(destinations):
        try:
            yield _follower(prepared, destination, store)
        except UsageError as error:
            echo(f"{destination}: nothing is sent: {error.in_terminal}", err=True)


def _conclude(follower: Follower, findings: Findings | None, store: str) -> None:
    report = run_anywhere(lambda: follower.finish(_PATIENCE, findings))
    echo(workflows.destination.sync_sentence(report), err=True)
    with suppress(ProctorError):  # the run was not stored, or its store is gone: that is told elsewhere
        workflows.destination.remember_page(report, store=store)
