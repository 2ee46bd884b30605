"""Render the findings of a battle's conversations."""

from typing import TYPE_CHECKING

from proctor.plugins import files_of

if TYPE_CHECKING:
    from proctor.reports.battle import (
        dialogue as dialogue,
    )
else:
    __getattr__ = files_of(__name__)
