"""Functions that templates of the reading pages use in addition to the common ones."""

from __future__ import annotations

from functools import cache

from proctor.reports import quotes as quoting
from proctor.reports.battle import conversation
from proctor.reports.comparison import cost as comparison_cost
from proctor.reports.comparison import opening as comparison_opening
from proctor.reports.comparison import words as comparison_words
from proctor.reports.history import words as history_words
from proctor.web.site.render import environment
from proctor.web.views import addresses, charts
from proctor.web.views.markdown import is_markdown, render_markdown


@cache
def teach() -> None:
    """Register the functions with the template environment."""
    environment().globals.update(
        addresses=addresses,
        conversation=conversation,
        charts=charts,
        comparison_cost=comparison_cost,
        comparison_opening=comparison_opening,
        comparison_words=comparison_words,
        history_words=history_words,
        is_markdown=is_markdown,
        quoting=quoting,
        render_markdown=render_markdown,
    )
