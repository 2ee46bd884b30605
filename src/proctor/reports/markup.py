"""What Markdown reports share: text without markup of its own, and an interval as a picture."""

from __future__ import annotations

import re

from proctor.reports.terminal import drawn
from proctor.reports.words import one_line
from proctor.statistics.estimate import Estimate

_AXIS = 21


_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+|~!])")


def plain(text: str, limit: int = 160) -> str:
    """Text that stays text: no markup, no link, no table cell's end, nobody mentioned."""
    escaped = _SPECIAL.sub(r"\\\1", one_line(text, limit)).replace("&", "&amp;").replace("<", "&lt;")
    return escaped.replace("@", "@\u200b").replace("://", ":\u200b//")


def draw_interval(estimate: Estimate) -> str:
    """An interval drawn, as code so that it keeps its width."""
    return f"`{drawn(estimate, _AXIS).plain}`"
