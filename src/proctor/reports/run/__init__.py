"""Render the report of one run in every format."""
# ruff: noqa: I001  one list, one name a line

from typing import TYPE_CHECKING

from proctor.plugins import files_of

if TYPE_CHECKING:
    from proctor.reports.run import (
        demo as demo,
        json as json,
        markdown as markdown,
        text as text,
    )
else:
    __getattr__ = files_of(__name__)
