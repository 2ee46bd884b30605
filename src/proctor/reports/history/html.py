"""Render a history as one self-contained HTML file with the chart and every run, without scripts."""

from __future__ import annotations

from proctor.findings.history import History
from proctor.reports import numbers, svg
from proctor.reports.history import words
from proctor.reports.history.svg import chart
from proctor.reports.run.environment import harmless
from proctor.reports.words import one_line


def page(history: History) -> str:
    """Return the HTML page."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader("proctor.reports.history"), PackageLoader("proctor.reports")]),
        autoescape=True,
        finalize=harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["one_line"] = one_line
    return environment.get_template("history.html.j2").render(
        history=history,
        calendar=words.calendar_of(history),
        chart=chart(history),
        numbers=numbers,
        svg=svg,
        words=words,
    )
