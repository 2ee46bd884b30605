"""Convert counts, estimates and dataclasses to plain values for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from proctor.codec import encode
from proctor.findings.run import Counts
from proctor.run import Key
from proctor.statistics.estimate import Estimate


def counts(known: Counts) -> dict[str, Any]:
    """Return how many planned attempts ended in each outcome."""
    return {
        "planned": known.planned,
        "scored": known.scored,
        "unscored": known.unscored,
        "failed": known.failed,
        "pending": known.pending,
        "failed_by": {"agent": known.failed_by_agent, "environment": known.failed_by_environment},
    }


def estimate(known: Estimate) -> dict[str, Any]:
    """Return an estimate as its value, confidence interval and sample sizes."""
    record: dict[str, Any] = {
        "value": known.value,
        "low": known.low,
        "high": known.high,
        "n": known.n,
        "attempts": known.attempts,
        "method": known.method,
    }
    if known.missing:
        record |= {"missing": known.missing, "worst": known.worst, "best": known.best}
    if known.clusters is not None:
        record["clusters"] = known.clusters
    if known.note:
        record["note"] = known.note
    return record


def where(key: Key) -> dict[str, Any]:
    """Return the exam, condition and trial that identify an attempt within its run."""
    return {"case": key.exam, "condition": key.condition, "trial": key.trial}


def plain(value: Any) -> Any:
    """Convert a dataclass to a dict of its fields, recursively; estimates are converted by `estimate`.

    Fields with `repr=False` are left out: they are only needed for calculations.
    """
    if isinstance(value, Estimate):
        return estimate(value)
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value) if each.repr}
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def to_json(value: object) -> str:
    """Serialise to JSON for programs; values that JSON cannot represent are kept as readable as possible."""
    return encode(value)
