"""Words in what attempts asked and said: all that hold them, where that can be told in time."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

from proctor.run import PLACES, Attempt, Run
from proctor.storage import Store

MOST = 5_000
"""Attempts that are found at most, and so sorted and counted; what holds for more is read on page by page."""
_SECONDS = 0.4
_KEPT = 16

Place = tuple[int, str, str]
_Found = tuple[Attempt, ...] | None
_kept: OrderedDict[Hashable, _Found] = OrderedDict()
_lock = threading.Lock()


def search_all(store: Store, run: Run, words: str, which: dict[str, Any], *, as_of: float | None) -> _Found:
    """Every attempt that holds these words, in the order of the plan; None: there are too many, or too much to read.

    `as_of`: the moment as of which the run is shown; until there is another one, nothing is searched twice.
    """
    key = (run.id, as_of, words, repr(sorted(which.items())))
    with _lock:
        if as_of is not None and key in _kept:
            return _kept[key]
    searched = store.archive.search(run.id, words, limit=MOST, seconds=_SECONDS, **which)
    whole = searched.reached is None
    found = tuple(sorted(searched.attempts, key=lambda each: each.place)) if whole else None
    with _lock:
        _kept[key] = found
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return found


def told_place(reached: Place | None) -> str:
    """Where a search continues, for an address; empty: it is at its end."""
    return json.dumps(reached) if reached is not None else ""


def place_in(after: str) -> Place | None:
    """What an address says of where to go on; anything else begins again."""
    try:
        said = json.loads(after) if after else None
    except ValueError:
        return None
    if not isinstance(said, list) or [type(each) for each in said] != [int, str, str] or abs(said[0]) >= PLACES:
        return None
    return said[0], said[1], said[2]
