"""Show the progress of a tally: in a terminal by commands, below the cell in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from proctor.reports.progress import Progress, in_notebook
from proctor.workflows.ledger import Watch
from proctor.workflows.tally import RunTally


def update_progress(shown: Progress, tally: RunTally) -> None:
    """Show the latest numbers."""
    shown.update(
        done=tally.done,
        failed=tally.failed,
        rate=tally.pass_rate(),
        tokens=tally.usage.input_tokens + tally.usage.output_tokens,
        cost=tally.usage.cost,
        interval=tally.interval(),
        asked=tally.asked,
        judged=tally.judged,
        no_test=tally.no_test,
        turns=tally.turns if tally.is_battle else 0,
        ahead=tally.ahead,
        steps=tally.steps,
    )


@contextmanager
def watch_in_notebook(watch: Watch | None) -> Iterator[Watch | None]:
    """Provide the given watcher or, in a notebook without one, two lines below the cell that disappear at the end."""
    if watch is not None or not in_notebook():
        yield watch
        return
    from proctor.reports.run.notebook import NotebookProgress

    shown = NotebookProgress()
    watched: RunTally | None = None

    def show(tally: RunTally) -> None:
        nonlocal watched
        if tally is not watched:
            watched = tally
            shown.start(tally.planned, tally.done, tally.steps)
        elif shown.is_due:
            update_progress(shown, tally)

    try:
        yield show
    finally:
        shown.stop()
