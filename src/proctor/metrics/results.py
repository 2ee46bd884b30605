"""What a run of the metric returns: a list of AgenticMetric with a summary beside it."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from proctor.errors import UsageError
from proctor.metrics.schemas import AgenticMetric, AgenticSummary


class AgenticResults(list[AgenticMetric]):
    """One AgenticMetric for each conversation, in the order they came."""

    def __init__(self, metrics: Iterable[AgenticMetric], *, summary: AgenticSummary) -> None:
        super().__init__(metrics)
        self.summary = summary

    def to_dataframe(self) -> Any:
        """A table with a row for each conversation: pandas where it is installed, else polars."""
        rows = [metric.model_dump() for metric in self]
        for library in ("pandas", "polars"):
            try:
                frames = importlib.import_module(library)
            except ImportError:
                continue
            return frames.DataFrame(rows)
        raise UsageError("to_dataframe() needs pandas or polars, and neither is installed: pip install pandas")
