"""Compare two or several runs, stored or just played."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from proctor.config import Config, load_config
from proctor.findings.comparison import Compared, compare_findings
from proctor.findings.comparison.many import ManyCompared, compare_many
from proctor.findings.run import Findings
from proctor.storage import Store, open_store
from proctor.workflows.read import findings_of_run
from proctor.workflows.store_url import store_url

if TYPE_CHECKING:
    from proctor.workflows.evaluate import Evaluation


def compare(
    a: str | Evaluation,
    b: str | Evaluation,
    *,
    k: int | None = None,
    force: bool = False,
    store: str | Path | None = None,
    config: Config | None = None,
) -> Compared:
    """Compare B with A, paired by case; raise an error for runs that were not examined alike, unless forced.

    Each is an id, a unique prefix, a unique name, `last`, or what `evaluate` returned; `k` selects pass@k and pass^k.
    """
    stored = any(isinstance(which, str) for which in (a, b))
    url = store_url(store, config or load_config())
    with open_store(url, create=False) if stored else nullcontext() as opened:
        return compare_findings(_findings(a, opened), _findings(b, opened), k=k, force=force)


def compare_several(
    runs: Sequence[str | Evaluation],
    *,
    force: bool = False,
    store: str | Path | None = None,
    config: Config | None = None,
) -> ManyCompared:
    """Compare all pairs of these runs, their possible ranks, and where they disagree; each given as in `compare`."""
    stored = any(isinstance(which, str) for which in runs)
    url = store_url(store, config or load_config())
    with open_store(url, create=False) if stored else nullcontext() as opened:
        return compare_many([_findings(which, opened) for which in runs], force=force)


def _findings(which: str | Evaluation, opened: Store | None) -> Findings:
    if not isinstance(which, str):
        return which.findings
    assert opened is not None
    return findings_of_run(opened, opened.archive.find(which))
