"""Build the history of one benchmark from stored runs; reads only verdicts, and outcomes of battles, no transcripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from proctor.errors import NoSuchRun, UsageError
from proctor.findings.battle.replies import is_test
from proctor.findings.history import Counts, History, Order, build_history
from proctor.reports.history.html import page
from proctor.reports.history.svg import as_png, chart
from proctor.run import Attempt, Run
from proctor.settings import unwritable
from proctor.storage import Store, open_store
from proctor.usage import Usage
from proctor.workflows.people import rates_by_people
from proctor.workflows.run_filter import RunFilter
from proctor.workflows.stored_counts import verdict_counts, verdict_order

PICTURES = (".svg", ".png")


def read_history(
    *,
    store: str,
    benchmark: str | None = None,
    agent: str | None = None,
    only: RunFilter | None = None,
    by: str | None = None,
    last: int | None = None,
    strict: bool = False,
) -> History | None:
    """Return a benchmark's history, by default that of the newest run; None if nothing is stored yet."""
    with open_store(store, create=False) as opened:
        runs = opened.archive.runs()
        if not runs:
            return None
        names = list(dict.fromkeys(run.benchmark for run in runs))
        chosen = RunFilter(benchmark=benchmark).of(runs)[0].benchmark
        meant = only or RunFilter(agent=agent)
        wanted = meant.of([run for run in runs if run.benchmark == chosen])
        known = [(run, verdicts_of(opened, run)) for run in reversed(wanted)]
        others, order_of = tuple(name for name in names if name != chosen), partial(verdict_order_of, opened)
        return build_history(
            known, benchmark=chosen, by=by, last=last, strict=strict, others=others, order_of=order_of,
            people=rates_by_people(opened, wanted), spent={run.id: _spent(opened, run) for run in wanted},
        )  # fmt: skip


def _spent(opened: Store, run: Run) -> Usage:
    try:
        used = opened.archive.usage(run.id)
    except NoSuchRun:  # it has just been deleted
        return Usage()
    return used if run.canaries is None else used + run.canaries.usage


def verdicts_of(opened: Store, run: Run) -> Counts:
    """Map each exam to its numbers of verdicts and of passed attempts; conversations that were no test do not count."""
    try:
        if run.settings.type != "abm-dynamic":
            return verdict_counts(opened, run)
        found: Counter[tuple[str, bool]] = Counter()
        found.update((attempt.key.exam, bool(attempt.passed)) for attempt in _tests(opened, run))
    except NoSuchRun:  # it has just been deleted
        return {}
    return {exam: (found[exam, True] + found[exam, False], found[exam, True]) for exam, _ in found}


def verdict_order_of(opened: Store, run: Run) -> Order:
    """Map exam and condition to the verdicts in the order of trials, as + or -."""
    try:
        if run.settings.type != "abm-dynamic":
            return verdict_order(opened, run)
        found: dict[tuple[str, str], str] = {}
        for attempt in sorted(_tests(opened, run), key=lambda each: each.key.trial):
            key = attempt.key.exam, attempt.key.condition
            found[key] = found.get(key, "") + ("+" if attempt.passed else "-")
    except NoSuchRun:  # it has just been deleted
        return {}
    return found


def _tests(opened: Store, run: Run) -> Iterator[Attempt]:
    """Yield the conversations of a battle that have a verdict and were a test."""
    for attempt in opened.archive.attempts(run.id):
        under_faults = run.settings.has_plain_run and attempt.key.condition
        if attempt.finished and attempt.passed is not None and is_test(attempt) and not under_faults:
            yield attempt


def save_chart(history: History | None, output: Path) -> None:
    """Write the chart as SVG, or as PNG with the extra `charts`."""
    suffix = output.suffix.lower()
    if suffix not in PICTURES:
        raise UsageError(
            f"-o {str(output)!r} is not an image file; expected a name that ends in {' or '.join(PICTURES)}"
        )
    known_history = _require_history(history)
    _write(output, as_png(chart(known_history, literal=True)) if suffix == ".png" else chart(known_history).encode())


def save_page(history: History | None, output: Path) -> None:
    """Write the chart and all runs as one HTML file."""
    _write(output, page(_require_history(history)).encode())


def _require_history(history: History | None) -> History:
    if history is None:
        raise UsageError("there is no run to draw yet; make one with `proctor demo` or `proctor run`")
    return history


def _write(output: Path, content: bytes) -> None:
    try:
        output.write_bytes(content)
    except OSError as error:
        raise unwritable(output, error) from error
