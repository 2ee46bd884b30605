"""Render a history as text, JSON, a chart, and an HTML page."""
# ruff: noqa: I001  one list, one name a line

from typing import TYPE_CHECKING

from proctor.plugins import files_of

if TYPE_CHECKING:
    from proctor.reports.history import (
        json as json,
        text as text,
    )
else:
    __getattr__ = files_of(__name__)
