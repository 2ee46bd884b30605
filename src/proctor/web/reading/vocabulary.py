"""What templates of the reading pages know beside what every page knows."""

from __future__ import annotations

from functools import cache

from proctor.reports.comparison import words as comparison_words
from proctor.reports.history import words as history_words
from proctor.web.reading import addresses, charts
from proctor.web.reading import quotes as quoting
from proctor.web.site.render import environment


@cache
def teach() -> None:
    """Let templates know it."""
    environment().globals.update(
        addresses=addresses,
        charts=charts,
        comparison_words=comparison_words,
        history_words=history_words,
        quoting=quoting,
    )
