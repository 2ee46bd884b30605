"""Harvest draft cases for review from stored runs, recordings and traces."""

from typing import TYPE_CHECKING

from proctor.plugins import files_of

if TYPE_CHECKING:
    from proctor.workflows.harvest import (
        harvest as harvest,
    )
else:
    __getattr__ = files_of(__name__)
