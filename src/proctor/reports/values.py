"""Numbers and nouns as plain values, for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from proctor.codec import encode
from proctor.findings.run import Counts
from proctor.run import Key
from proctor.statistics.estimate import Estimate


def counts(known: Counts) -> dict[str, Any]:
    """Where the planned attempts went."""
    return {
        "planned": known.planned,
        "scored": known.scored,
        "unscored": known.unscored,
        "failed": known.failed,
        "pending": known.pending,
        "failed_by": {"agent": known.failed_by_agent, "environment": known.failed_by_environment},
    }


def estimate(known: Estimate) -> dict[str, Any]:
    """A value with its interval, and what it rests on."""
    said: dict[str, Any] = {
        "value": known.value,
        "low": known.low,
        "high": known.high,
        "n": known.n,
        "attempts": known.attempts,
        "method": known.method,
    }
    if known.missing:
        said |= {"missing": known.missing, "worst": known.worst, "best": known.best}
    if known.clusters is not None:
        said["clusters"] = known.clusters
    if known.note:
        said["note"] = known.note
    return said


def where(key: Key) -> dict[str, Any]:
    """Which attempt is meant, within its run."""
    return {"case": key.exam, "condition": key.condition, "trial": key.trial}


def plain(value: Any) -> Any:
    """A noun as a dictionary of its fields, however deep; estimates as `estimate` gives them.

    Fields that are not shown (`repr=False`) are only there to compute with.
    """
    if isinstance(value, Estimate):
        return estimate(value)
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value) if each.repr}
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def to_json(value: object) -> str:
    """JSON as programs get it; what JSON has no word for is kept as readably as can be."""
    return encode(value)
