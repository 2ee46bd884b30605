"""Render a comparison for the terminal and as JSON and Markdown, in the same words."""
# ruff: noqa: I001  one list, one name a line

from typing import TYPE_CHECKING

from proctor.plugins import files_of

if TYPE_CHECKING:
    from proctor.reports.comparison import (
        json as json,
        many as many,
        markdown as markdown,
        text as text,
        tournament as tournament,
    )
else:
    __getattr__ = files_of(__name__)
