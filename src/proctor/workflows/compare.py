"""Reading two stored runs and comparing them."""

from __future__ import annotations

from proctor.comparison import Compared, compared
from proctor.storage import open_store
from proctor.workflows.reading import findings_of_run


def compare_runs(a: str, b: str, *, store: str, force: bool = False) -> Compared:
    """B against A, paired by case; refuses runs that were not examined alike, unless forced."""
    with open_store(store, create=False) as opened:
        before = findings_of_run(opened, opened.archive.find(a))
        after = findings_of_run(opened, opened.archive.find(b))
    return compared(before, after, force=force)
