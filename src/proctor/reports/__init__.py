"""Render findings as text, HTML, JSON, CSV, JUnit and Markdown: all show the same numbers and compute none."""
# ruff: noqa: I001  one list, one name a line

from typing import TYPE_CHECKING

from proctor.plugins import files_of

if TYPE_CHECKING:
    from proctor.reports import (
        battle as battle,
        comparison as comparison,
        gates as gates,
        history as history,
        imports as imports,
        judges as judges,
        noise as noise,
        numbers as numbers,
        people as people,
        plan as plan,
        progress as progress,
        run as run,
        runs as runs,
        terminal as terminal,
        words as words,
    )
else:
    __getattr__ = files_of(__name__)
