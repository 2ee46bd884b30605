"""What a benchmark says of a case besides: names with values, as text."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.benchmark import Case
from proctor.reports.prose import as_json


def metadata_of(case: Case) -> Iterator[tuple[str, str]]:
    """Name and value; text as it is, anything else as JSON."""
    for name, value in case.metadata.items():
        yield name, value if isinstance(value, str) else as_json(value)
