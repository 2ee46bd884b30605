"""Detect which tool a file comes from, and open it with that tool's reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proctor.errors import InputError
from proctor.formats.imports import inspect_ai, langfuse, langsmith, openai_evals, promptfoo
from proctor.formats.imports.contract import ImportOptions, ImportSource
from proctor.formats.imports.source_file import SourceFile


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tool:
    recognises: Callable[[SourceFile], bool]
    open: Callable[[SourceFile, ImportOptions], ImportSource]


TOOLS: dict[str, _Tool] = {
    "inspect": _Tool(recognises=inspect_ai.recognises, open=inspect_ai.InspectLog),
    "promptfoo": _Tool(recognises=promptfoo.recognises, open=promptfoo.open_promptfoo),
    "langsmith": _Tool(recognises=langsmith.recognises, open=langsmith.open_langsmith),
    "langfuse": _Tool(recognises=langfuse.recognises, open=langfuse.open_langfuse),
    "openai": _Tool(recognises=openai_evals.recognises, open=openai_evals.open_openai),
}
"""Tool name for `--from` → its reader."""


def open_source(file: SourceFile, options: ImportOptions, tool: str | None = None) -> ImportSource:
    """Open a file with the reader of the named tool, or of the one it looks like."""
    if tool is not None:
        return TOOLS[tool].open(file, options)
    found = next((each for each in TOOLS.values() if each.recognises(file)), None)
    if found is None:
        keys = ", ".join(map(repr, [*file.first][:8]))
        detail = f"its keys are {keys}" if keys else "it has no keys"
        raise InputError(
            f"{file.path} does not look like a file of any tool that is known here ({', '.join(TOOLS)}); {detail}",
            terminal=". Say where it is from with --from, or make a plain table a benchmark with `proctor convert`",
            page=". A plain table is made a benchmark by Create, on the list of benchmarks",
        )
    return found.open(file, options)
