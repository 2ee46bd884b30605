"""Two runs, stored or just played, side by side."""

from __future__ import annotations

from pathlib import Path

from proctor.config import Config, load_config
from proctor.findings.comparison import Compared, compare_findings
from proctor.findings.run import Findings
from proctor.storage import open_store
from proctor.workflows.evaluate import Evaluation, store_url
from proctor.workflows.read import findings_of_run


def compare(
    a: str | Evaluation,
    b: str | Evaluation,
    *,
    k: int | None = None,
    force: bool = False,
    store: str | Path | None = None,
    config: Config | None = None,
) -> Compared:
    """B against A, paired by case; refuses runs that were not examined alike, unless forced.

    Each is an id, a unique prefix, a unique name, `last`, or what `evaluate` returned; `k` picks pass@k and pass^k.
    """
    url = store_url(store, config or load_config())
    return compare_findings(_findings(a, url), _findings(b, url), k=k, force=force)


def _findings(which: str | Evaluation, store: str) -> Findings:
    if isinstance(which, Evaluation):
        return which.findings
    with open_store(store, create=False) as opened:
        return findings_of_run(opened, opened.archive.find(which))
