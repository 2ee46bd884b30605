"""Helpers for Markdown reports: escaped text, and an interval as a picture."""

from __future__ import annotations

import re

from proctor.reports.terminal import draw_estimate
from proctor.reports.words import one_line
from proctor.statistics.estimate import Estimate

_AXIS = 21


_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+|~!])")


def plain(text: str, limit: int = 160) -> str:
    """Escape a text for Markdown: no markup, links, table cell ends or mentions."""
    escaped = _SPECIAL.sub(r"\\\1", one_line(text, limit)).replace("&", "&amp;").replace("<", "&lt;")
    return escaped.replace("@", "@\u200b").replace("://", ":\u200b//")


def draw_interval(estimate: Estimate) -> str:
    """Draw an interval as code, so that it is monospaced."""
    return f"`{draw_estimate(estimate, _AXIS).plain}`"
