"""The documentation shows a history as it is drawn."""

from __future__ import annotations

import re
from pathlib import Path

from tests.made_histories import told
from tests.reports.history.printing import printed

from proctor.reports.history.svg import chart

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "how-to" / "watch-quality-over-time.md").read_text("utf-8")


def test_the_page_shows_what_the_terminal_would() -> None:
    [shown] = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert printed(told()) == shown


def test_the_picture_is_the_chart_of_the_same_runs() -> None:
    assert (DOCS / "images" / "history.svg").read_text("utf-8") == chart(told())
