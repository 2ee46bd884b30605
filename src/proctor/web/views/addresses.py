"""Where runs, attempts and comparisons stand: every state of a reading page has an address.

Ids of cases are other people's text. They stand in the query, where no browser takes them for a path.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from proctor.run import Key


def run(name: str) -> str:
    """A run's page."""
    return f"/runs/{quote(name, safe='')}"


def attempt(key: Key) -> str:
    """One attempt's page."""
    return case(key.run, key.exam, trial=key.trial, condition=key.condition)


def case(name: str, exam: str, *, trial: int | None = None, condition: str = "") -> str:
    """A case's page; without a trial, the one most worth reading."""
    where = {"case": exam, "trial": trial, "condition": condition}
    return f"{run(name)}/attempt?{_query(where)}"


FILTERS = ("by", "verdict", "category", "check", "stage", "people", "q", "sort")
"""What rows of results are chosen by, which the pages of attempts keep."""


def with_filter(address: str, wanted: object) -> str:
    """The same address, for somebody who came from these rows of results."""
    query = _query({name: getattr(wanted, name) for name in FILTERS})
    return f"{address}{'&' if '?' in address else '?'}{query}" if query else address


def disputed(name: str) -> str:
    """The replies of a run on which people disagree."""
    return f"{run(name)}?{_query({'by': 'attempt', 'people': 'disagree'})}#results"


def comparison(a: str, b: str, *, force: bool = False) -> str:
    """Two runs side by side."""
    return f"/compare?{_query({'a': a, 'b': b, 'force': 1 if force else None})}"


def several(*runs: str) -> str:
    """Several runs side by side."""
    return f"/compare/several?{urlencode([('run', run) for run in runs])}"


def tournament(*runs: str, judge: str = "") -> str:
    """Several runs against each other; by a judge, or by their stored scores."""
    return f"/tournament?{urlencode([*(('run', run) for run in runs), *([('judge', judge)] if judge else [])])}"


def pair(a: str, b: str, exam: str, *, trial: int | None = None, condition: str = "") -> str:
    """One case in both."""
    return f"/compare/case?{_query({'a': a, 'b': b, 'case': exam, 'trial': trial, 'condition': condition})}"


def label(name: str, **place: int | None) -> str:
    """Where attempts of a run are labelled: `n` and `seed` say which, `at` which of them."""
    return _with_query(f"{run(name)}/label", place)


def label_of(key: Key) -> str:
    """Where one attempt is labelled."""
    return f"{run(key.run)}/label/attempt?{_query({'case': key.exam, 'trial': key.trial, 'condition': key.condition})}"


def label_sheet(name: str, **draw: int | None) -> str:
    """The same attempts as a CSV file."""
    return _with_query(f"{run(name)}/label/sheet", draw)


def _with_query(address: str, values: Mapping[str, object]) -> str:
    query = _query(values)
    return f"{address}?{query}" if query else address


def _query(values: Mapping[str, object]) -> str:
    return urlencode({name: value for name, value in values.items() if value not in (None, "")})
