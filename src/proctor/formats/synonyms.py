"""Aliases of column and key names, shared by tables, suites, JSONL and lists of cases."""

from __future__ import annotations

from collections.abc import Iterable

_ALIKE = (
    ("question", "input", "prompt", "query"),
    (
        "answer", "reference", "expected", "expected_answer", "expected_output", "reference_answer", "target", "ideal",
        "ground_truth",
    ),
    ("reasoning", "explanation", "rationale"),
    ("category", "categories", "tags"),
)  # fmt: skip


def other_names(name: str) -> tuple[str, ...]:
    """Return the aliases of a name."""
    return next((tuple(other for other in alike if other != name) for alike in _ALIKE if name in alike), ())


def synonyms(names: Iterable[str]) -> dict[str, str]:
    """Return alias → name, for these names."""
    return {other: name for name in names for other in other_names(name)}
