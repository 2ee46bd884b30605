"""URLs of runs, attempts and comparisons: every state of a reading page has a URL.

Ids of cases are untrusted text. They go into the query, where browsers do not interpret them as a path.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from proctor.run import Key


def run(name: str) -> str:
    """Return the URL of a run."""
    return f"/runs/{quote(name, safe='')}"


def attempt(key: Key) -> str:
    """Return the URL of an attempt."""
    return case(key.run, key.exam, trial=key.trial, condition=key.condition)


def case(name: str, exam: str, *, trial: int | None = None, condition: str = "") -> str:
    """Return the URL of a case; without a trial, it shows the attempt most worth reading."""
    where = {"case": exam, "trial": trial, "condition": condition}
    return f"{run(name)}/attempt?{_query(where)}"


FILTERS = ("by", "verdict", "category", "check", "stage", "people", "q", "sort")
"""Query parameters that filter rows of results and are kept on attempt pages."""


def with_filter(address: str, wanted: object) -> str:
    """Add the filter of the results table to a URL."""
    query = _query({name: getattr(wanted, name) for name in FILTERS})
    return f"{address}{'&' if '?' in address else '?'}{query}" if query else address


def disputed(name: str) -> str:
    """Return the URL of a run's replies on which people disagree."""
    return f"{run(name)}?{_query({'by': 'attempt', 'people': 'disagree'})}#results"


def comparison(a: str, b: str, *, force: bool = False) -> str:
    """Return the URL that compares two runs."""
    return f"/compare?{_query({'a': a, 'b': b, 'force': 1 if force else None})}"


def several(*runs: str) -> str:
    """Return the URL that compares several runs."""
    return f"/compare/several?{urlencode([('run', run) for run in runs])}"


def tournament(*runs: str, judge: str = "") -> str:
    """Return the URL of a tournament of runs, by a judge or by their stored scores."""
    return f"/tournament?{urlencode([*(('run', run) for run in runs), *([('judge', judge)] if judge else [])])}"


def pair(a: str, b: str, exam: str, *, trial: int | None = None, condition: str = "") -> str:
    """Return the URL of one case in both runs."""
    return f"/compare/case?{_query({'a': a, 'b': b, 'case': exam, 'trial': trial, 'condition': condition})}"


def label(name: str, **place: int | None) -> str:
    """Return the URL for labelling a run: `n` and `seed` select the sample, `at` the attempt in it."""
    return _with_query(f"{run(name)}/label", place)


def label_of(key: Key) -> str:
    """Return the URL for labelling one attempt."""
    return f"{run(key.run)}/label/attempt?{_query({'case': key.exam, 'trial': key.trial, 'condition': key.condition})}"


def label_sheet(name: str, **draw: int | None) -> str:
    """Return the URL of the sample as a CSV file."""
    return _with_query(f"{run(name)}/label/sheet", draw)


def _with_query(address: str, values: Mapping[str, object]) -> str:
    query = _query(values)
    return f"{address}?{query}" if query else address


def _query(values: Mapping[str, object]) -> str:
    return urlencode({name: value for name, value in values.items() if value not in (None, "")})
