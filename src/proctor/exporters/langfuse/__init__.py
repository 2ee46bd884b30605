"""Langfuse: a run as an experiment over a dataset, as its own SDK files it."""

from __future__ import annotations

from proctor.exporters.langfuse.exporter import Langfuse

__all__ = ["Langfuse"]
