"""The embedded demonstration: agents, their knowledge base, a benchmark and a suite over it."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent

AGENTS = ("librarian", "orchestrator", "pushover")
"""Whom `demo:NAME` can name. They stand here so that whoever only lists them need not load them."""


def benchmark_path() -> Path:
    """The CSV benchmark of 30 questions over the knowledge base."""
    return _HERE / "handbook-30.csv"


def suite_path() -> Path:
    """The suite of 40 cases with checks, in six categories."""
    return _HERE / "library-skills.yaml"


def knowledge_path() -> Path:
    """The folder of Markdown documents: the handbook of an imaginary maker of harbour instruments."""
    return _HERE / "knowledge"
