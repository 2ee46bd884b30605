"""The embedded demonstration: an agent, its knowledge base and a benchmark over it."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent


def benchmark_path() -> Path:
    """The CSV benchmark of 30 questions over the knowledge base."""
    return _HERE / "handbook-30.csv"


def knowledge_path() -> Path:
    """The folder of Markdown documents: the handbook of an imaginary maker of harbour instruments."""
    return _HERE / "knowledge"
