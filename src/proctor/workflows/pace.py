"""Pace of a run: settings that may change when it is resumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from proctor.config import RunConfig
from proctor.run import Attempt, PendingAttempt, Settings
from proctor.workflows.settings import make_settings

PACE = ("timeout", "concurrency", "retries")
"""Settings that may change, since they affect only how a run is played, not what is asked or how it is judged."""
RETRIED = "retried_timeouts"
"""Key in `Attempt.changed`: number of retries after timeouts."""


def pace_of(settings: Settings, defaults: RunConfig, **given: Any) -> dict[str, Any]:
    """Return the pace settings that differ from the run's own: as given, else from `[run]`. Raise UsageError if
    invalid."""
    make_settings({name: given.get(name) for name in PACE}, RunConfig())  # raises if a value is invalid
    wanted = {name: getattr(defaults, name) if given.get(name) is None else given[name] for name in PACE}
    return {name: value for name, value in wanted.items() if value is not None and value != getattr(settings, name)}


def played_with(pending_attempts: Iterable[PendingAttempt], changed: Mapping[str, float]) -> Iterator[PendingAttempt]:
    """Mark each attempt with the changed settings; one with replies from an earlier session also keeps its marks."""
    for pending in pending_attempts:
        if changed or pending.attempt.changed:
            attempt = replace(pending.attempt, changed={**_kept_changes(pending.attempt), **changed})
            pending = replace(pending, attempt=attempt)
        yield pending


def _kept_changes(attempt: Attempt) -> dict[str, float]:
    if any(turn.reply is not None for turn in attempt.transcript.turns):
        return attempt.changed
    return {name: value for name, value in attempt.changed.items() if name == RETRIED}
