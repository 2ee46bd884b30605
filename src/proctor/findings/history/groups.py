"""What tells the courses of a history apart: the agent, the model, or any label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from proctor.errors import UsageError
from proctor.run import Run
from proctor.spending.providers import PROVIDERS

AGENT, MODEL = "agent", "model"
T = TypeVar("T")


def value_of(run: Run, by: str) -> str:
    """The run's agent, model or label of this name; empty: it has none."""
    if by in run.labels:
        return run.labels[by]
    if by == AGENT:
        return run.agent
    return _model(run) if by == MODEL else ""


def _model(run: Run) -> str:
    """As configured: an option `model` of the agent, or a spec that names one."""
    built = run.settings.built.get("agent")
    if built is None:
        return ""
    kind, _, rest = built.spec.partition(":")
    return str(built.options.get("model") or (rest if kind in PROVIDERS else ""))


def grouped(items: Iterable[tuple[Run, T]], by: str | None) -> dict[str, list[T]]:
    """Items by the value of their run, in the order in which the values first appear."""
    groups: dict[str, list[T]] = {}
    for run, item in items:
        groups.setdefault(value_of(run, by) if by else "", []).append(item)
    return groups


def check_by(runs: Sequence[Run], by: str) -> None:
    """Refuse to group by what no run has."""
    if by == AGENT or any(value_of(run, by) for run in runs):
        return
    known = sorted({label for run in runs for label in run.labels})
    labels = f"; labels here: {', '.join(known)}" if known else ""
    raise UsageError(
        f"no run has a label {by!r}{labels}. Group by agent, or give runs one with `proctor run --label {by}=VALUE`"
    )
