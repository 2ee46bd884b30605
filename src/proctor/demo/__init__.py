"""The built-in demonstration: agents, their knowledge base, a benchmark and a suite."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent

AGENTS = ("librarian", "orchestrator", "pushover")
"""Names for `demo:NAME`, declared here so that listing them does not import the agents."""


def benchmark_path() -> Path:
    """Return the path of the CSV benchmark: 30 questions about the knowledge base."""
    return _HERE / "handbook-30.csv"


def suite_path() -> Path:
    """Return the path of the suite: 40 cases with checks, in six categories."""
    return _HERE / "library-skills.yaml"


def knowledge_path() -> Path:
    """Return the folder of the knowledge base: the handbook of a fictional maker of harbour instruments."""
    return _HERE / "knowledge"
