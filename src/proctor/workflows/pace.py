"""How patiently a run is played: the settings that it may go on with others of than it began with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from proctor.config import RunConfig
from proctor.run import Attempt, PendingAttempt, Settings
from proctor.workflows.settings import make_settings

PACE = ("timeout", "concurrency", "retries")
"""What may change: how a run is played, not what is asked or how it is judged."""
RETRIED = "retried_timeouts"
"""In `Attempt.changed`: how often it was played again because it had timed out."""


def pace_of(settings: Settings, defaults: RunConfig, **given: Any) -> dict[str, Any]:
    """What differs now from a run's own settings: as given, else as `[run]` says, else nothing. Raises UsageError."""
    make_settings({name: given.get(name) for name in PACE}, RunConfig())  # for what it refuses
    wanted = {name: getattr(defaults, name) if given.get(name) is None else given[name] for name in PACE}
    return {name: value for name, value in wanted.items() if value is not None and value != getattr(settings, name)}


def played_with(pending_attempts: Iterable[PendingAttempt], changed: Mapping[str, float]) -> Iterator[PendingAttempt]:
    """The same, each marked with what it is played with; what an earlier session left to keep was played as it says."""
    for pending in pending_attempts:
        if changed or pending.attempt.changed:
            attempt = replace(pending.attempt, changed={**_kept(pending.attempt), **changed})
            pending = replace(pending, attempt=attempt)
        yield pending


def _kept(attempt: Attempt) -> dict[str, float]:
    if any(turn.reply is not None for turn in attempt.transcript.turns):
        return attempt.changed
    return {name: value for name, value in attempt.changed.items() if name == RETRIED}
