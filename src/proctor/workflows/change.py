"""Change stored runs: cancel, rename, delete."""

from __future__ import annotations

import time
from collections.abc import Mapping

from proctor.errors import RunBusy, UsageError
from proctor.run import Run, Stop
from proctor.settings import check_labels, check_name
from proctor.storage import Store, open_store

_PATIENCE = 3.0
_LOOK_EVERY = 0.05


def cancel_run(name: str, *, store: str) -> Run:
    """Cancel a run wherever it is played, and wait until it has stopped."""
    with open_store(store, create=False) as opened:
        run = opened.archive.find(name)
        if run.status == "completed":
            raise UsageError(f"run {run.id} is already completed; there is nothing to cancel")
        until = time.monotonic() + _PATIENCE
        while (stopped := _try_to_stop(opened, run.id)) is None:
            if time.monotonic() > until:
                raise RunBusy(
                    f"run {run.id} was asked to stop and has not yet; look again",
                    terminal=f" with `proctor show {run.id}`",
                    page=" in a moment",
                )
            time.sleep(_LOOK_EVERY)
        return stopped


def _try_to_stop(opened: Store, run_id: str) -> Run | None:
    """Return the run, cancelled unless completed, if nobody plays it; else request a stop and return None.

    The request is repeated every time, since a process that starts to play the run clears earlier ones.
    """
    opened.journal.request_stop(run_id, "cancel")
    try:
        with opened.journal.writing(run_id):
            if opened.archive.find(run_id).status not in ("completed", "cancelled"):
                opened.journal.mark(run_id, "cancelled", reason="on request", stop=Stop(kind="asked"))
            return opened.archive.find(run_id)
    except RunBusy:
        return None


def describe_run(run_id: str, *, name: str, labels: Mapping[str, str], store: str) -> Run:
    """Set the run's name and replace its labels."""
    check_name("the run's name", name)
    check_labels(labels)
    with open_store(store, create=False) as opened:
        opened.journal.describe(run_id, name=name, labels=labels)
        return opened.archive.find(run_id)


def delete_run(run_id: str, *, store: str) -> None:
    """Delete a run that nobody is playing."""
    with open_store(store, create=False) as opened, opened.journal.writing(run_id):
        opened.journal.delete(run_id)
