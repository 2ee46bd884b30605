"""Stored runs of one benchmark → its history; only verdicts are read, of battles outcomes too, and no transcript."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from proctor.errors import InputError, NoSuchRun, UsageError
from proctor.findings import rests_on_seeds_alone
from proctor.history import Counts, History, tell
from proctor.run import Run
from proctor.storage import Store, open_store

PICTURES = (".svg", ".png")


def read_history(
    *,
    store: str,
    benchmark: str | None = None,
    agent: str | None = None,
    by: str | None = None,
    last: int | None = None,
    strict: bool = False,
) -> History | None:
    """The history of a benchmark, of the newest run's unless one is named; None: nothing is stored yet."""
    with open_store(store, create=False) as opened:
        runs = opened.archive.runs()
        if not runs:
            return None
        names = list(dict.fromkeys(run.benchmark for run in runs))
        chosen = names[0] if benchmark is None else _one_of(benchmark, names, "--benchmark")
        wanted = [run for run in runs if run.benchmark == chosen]
        if agent is not None:
            _one_of(agent, list(dict.fromkeys(run.agent for run in wanted)), "--agent")
            wanted = [run for run in wanted if run.agent == agent]
        known = [(run, _verdicts(opened, run)) for run in reversed(wanted)]
    others = tuple(name for name in names if name != chosen)
    return tell(known, benchmark=chosen, by=by, last=last, strict=strict, others=others)


def _one_of(name: str, names: Sequence[str], option: str) -> str:
    if name in names:
        return name
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(map(repr, names))}"
    raise UsageError(f"no stored run has {option} {name!r}; {hint}")


def _verdicts(opened: Store, run: Run) -> Counts:
    """By case; none where a battle put no fair question."""
    try:
        if run.settings.type == "abm-dynamic" and rests_on_seeds_alone(run, opened.archive.attempts(run.id)):
            return {}
        return opened.archive.verdict_counts(run.id)
    except NoSuchRun:  # it was deleted meanwhile
        return {}


def save_chart(history: History | None, output: Path) -> None:
    """The chart as a file: SVG, or PNG with the extra `charts`."""
    from proctor.reports.history.svg import as_png, chart

    suffix = output.suffix.lower()
    if suffix not in PICTURES:
        raise UsageError(f"-o {str(output)!r} is no picture; expected a name in {' or '.join(PICTURES)}")
    told = _told(history)
    _write(output, as_png(chart(told, literal=True)) if suffix == ".png" else chart(told).encode())


def save_page(history: History | None, output: Path) -> None:
    """The chart and every run, as one HTML file."""
    from proctor.reports.history.html import page

    _write(output, page(_told(history)).encode())


def _told(history: History | None) -> History:
    if history is None:
        raise UsageError("there is no run to draw yet; make one with `proctor demo` or `proctor run`")
    return history


def _write(output: Path, content: bytes) -> None:
    try:
        output.write_bytes(content)
    except OSError as error:
        raise InputError(f"cannot write {str(output)!r}: {error.strerror}; choose another place") from error
