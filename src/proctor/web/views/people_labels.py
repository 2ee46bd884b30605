"""Human labels of a run's replies: who labelled what, and where people disagree."""

from __future__ import annotations

from collections.abc import Container, Iterable

from proctor.run import HumanLabel, Key, Run
from proctor.storage import Store
from proctor.workflows.people import labels_in_rate, labels_of

DISAGREE = "disagree"
"""Filter value for replies on which people disagree."""


def count_disputed(labels: Iterable[HumanLabel]) -> int:
    """Return the number of replies that some people pass and others fail."""
    return len(_disputed(labels))


def disputed_places(store: Store, run: Run, exams: Container[str]) -> list[tuple[int, int]]:
    """Return the ranges of places in the run's plan of disputed replies to these exams."""
    keys = [key for key in _disputed(labels_in_rate(store, run)) if key.exam in exams]
    found = (store.archive.attempt(key) for key in keys)
    return [(attempt.place, attempt.place) for attempt in found if attempt is not None]


def labels_on(store: Store, run: Run, key: Key) -> list[HumanLabel]:
    """Return each person's label on one reply."""
    return [label for label in labels_of(store, run) if label.key == key]


def _disputed(labels: Iterable[HumanLabel]) -> list[Key]:
    verdicts_by_key: dict[Key, set[bool]] = {}
    for label in labels:
        verdicts_by_key.setdefault(label.key, set()).add(label.passed)
    return [key for key, verdicts in verdicts_by_key.items() if len(verdicts) > 1]
