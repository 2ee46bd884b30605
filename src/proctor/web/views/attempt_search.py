"""Full-text search in the questions and replies of attempts, complete if it finishes in time."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

from proctor.run import PLACES, Attempt, Run
from proctor.storage import Store

MOST = 5_000
"""Maximum number of results that are collected for sorting and counting; beyond it, results are paged as found."""
_SECONDS = 0.4
_KEPT = 16

Place = tuple[int, str, str]
_Found = tuple[Attempt, ...] | None
_kept: OrderedDict[Hashable, _Found] = OrderedDict()
_lock = threading.Lock()


def search_all(store: Store, run: Run, words: str, which: dict[str, Any], *, as_of: float | None) -> _Found:
    """Return all attempts that contain these words, in plan order, or None if there are too many or the search is too
    slow.

    `as_of` identifies the state of the run; results are cached until it changes.
    """
    key = (run.id, as_of, words, repr(sorted(which.items())))
    with _lock:
        if as_of is not None and key in _kept:
            return _kept[key]
    searched = store.archive.search(run.id, words, limit=MOST, seconds=_SECONDS, **which)
    is_complete = searched.reached is None
    found = tuple(sorted(searched.attempts, key=lambda each: each.place)) if is_complete else None
    with _lock:
        _kept[key] = found
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return found


def told_place(reached: Place | None) -> str:
    """Encode the position where a search continues for a URL; empty at the end."""
    return json.dumps(reached) if reached is not None else ""


def place_in(after: str) -> Place | None:
    """Decode the position where a search continues; None (from the beginning) if it is missing or invalid."""
    try:
        cursor = json.loads(after) if after else None
    except ValueError:
        return None
    if not isinstance(cursor, list) or [type(each) for each in cursor] != [int, str, str] or abs(cursor[0]) >= PLACES:
        return None
    return cursor[0], cursor[1], cursor[2]
