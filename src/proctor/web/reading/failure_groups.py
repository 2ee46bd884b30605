"""What failed in a run, in groups, kept at hand: all that was said is read for it."""

from __future__ import annotations

import threading
from collections import OrderedDict

from proctor.findings.failure_map import RunFailures
from proctor.run import Run
from proctor.web.site.site import Site
from proctor.workflows.failure_map import failures_shown_with

_KEPT = 16
_Key = tuple[str, str, float | None, float]
_kept: OrderedDict[_Key, RunFailures | None] = OrderedDict()
_lock = threading.Lock()


def shown_failures(site: Site, run: Run) -> RunFailures | None:
    """The groups of a run that is over; None: nothing failed, or it is too large to be read along with its page."""
    key = str(site.settings.store), run.id, run.ended, run.seconds
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    found = failures_shown_with(site.store, run)
    with _lock:
        _kept[key] = found
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return found
