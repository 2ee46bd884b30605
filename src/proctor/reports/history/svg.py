"""Draw the chart of a history as SVG: one panel per series, without scripts, in the page's or its own colours."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence

from markupsafe import Markup

from proctor.errors import InputError
from proctor.findings.history import History, Series
from proctor.reports.history import words
from proctor.reports.history.panel import EDGE, WIDTH, Panel, scale_of, text
from proctor.run import Run

_INSTALL = 'a PNG needs vl-convert-python; install it with: pip install "proctor[charts]" or choose a name in .svg'
_LIGHT = {
    "ink": "#1b1f24", "muted": "#5b6572", "paper": "#ffffff", "line": "#e1e5ea", "pass": "#1a7f4b", "fail": "#c4322b",
}  # fmt: skip
_DARK = {
    "ink": "#e6e9ee", "muted": "#9aa5b1", "paper": "#14171b", "line": "#2d333b", "pass": "#4cc38a", "fail": "#ff7b72",
}  # fmt: skip
_STYLE = """\
.history text { font: 12px system-ui, sans-serif; fill: var(--h-muted); font-variant-numeric: tabular-nums; }
.history .said, .history .now { font-size: 14px; font-weight: 600; fill: var(--h-ink); }
.history .paper { fill: var(--h-paper); }
.history .grid { stroke: var(--h-line); }
.history .apart { stroke: var(--h-muted); }
.history .course { fill: none; stroke: var(--h-muted); opacity: .5; }
.history .baseline { stroke: var(--h-ink); stroke-dasharray: 2 4; opacity: .7; }
.history .range { stroke: var(--h-ink); stroke-width: 1.5; }
.history .value { fill: var(--h-ink); stroke: var(--h-paper); stroke-width: 1.5; }
.history .sign { fill: none; stroke-width: 2; }
.history .better .range, .history .better .sign { stroke: var(--h-pass); }
.history .better text, .history .worse text { paint-order: stroke; stroke: var(--h-paper); stroke-width: 3; }
.history .better .value, .history .better text { fill: var(--h-pass); }
.history .worse .range, .history .worse .sign { stroke: var(--h-fail); }
.history .worse .value, .history .worse text { fill: var(--h-fail); }
.history .left_out .range { stroke: var(--h-muted); stroke-width: 1; stroke-dasharray: 1 3; }
.history .left_out .value { fill: var(--h-paper); stroke: var(--h-muted); }
.history .dense .range { stroke-width: 1; opacity: .5; }
.history .dense .value { stroke: none; }
.history .reach { fill: none; pointer-events: all; }
"""


def chart(history: History, *, literal: bool = False) -> Markup:
    """Draw the chart, for a page or a file; `literal` inlines the colours for programs without CSS variables."""
    calendar, scale = words.calendar_of(history), scale_of(history.entries)
    pieces: list[Markup] = []
    top = 0.0
    for series in history.series:
        sentence = words.sentence(history, series, calendar)
        panel = Panel(series=series, said=sentence, calendar=calendar, scale=scale, top=top)
        pieces += panel.pieces()
        top = panel.bottom
    pieces.append(text(EDGE, top + 6, words.legend(history.entries)))
    label = " ".join(words.sentence(history, series, calendar) for series in history.series)
    return _picture(pieces, label, width=WIDTH, height=round(top + 18), style=_style(literal))


def draw_series(history: History, series: Series, *, width: int, address: Callable[[Run], str] | None = None) -> Markup:
    """Draw a single series without text, for a page that includes RULES and has text of its own.

    If `address` returns the URL of a run's page, each run links to it.
    """
    calendar, scale = words.calendar_of(history), scale_of(history.entries)
    panel = Panel(series=series, said="", calendar=calendar, scale=scale, top=0.0, width=width, address=address)
    label = words.sentence(history, series, calendar)
    role = "img" if address is None else "group"
    return _picture([*panel.pieces()], label, width=width, height=round(panel.bottom), role=role)


def _picture(
    pieces: Sequence[Markup], label: str, *, width: int, height: int, style: str = "", role: str = "img"
) -> Markup:
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="history" viewBox="0 0 {w} {h}" width="{w}" height="{h}" '
        'role="{role}" aria-label="{label}">\n{style}'
        '<rect class="paper" width="100%" height="100%"/>\n{pieces}\n</svg>\n'
    ).format(w=width, h=height, role=role, label=label, style=style, pieces=Markup("\n").join(pieces))


def as_png(svg: str) -> bytes:
    """Convert an SVG picture to PNG at twice its size."""
    try:
        converter = importlib.import_module("vl_convert")
    except ImportError as error:
        raise InputError(_INSTALL) from error
    picture: bytes = converter.svg_to_png(svg, scale=2)
    return picture


def _style(literal: bool) -> Markup:
    rules = re.sub(r"var\(--h-(\w+)\)", lambda found: _LIGHT[found[1]], _STYLE) if literal else RULES
    return Markup("<style>\n{}</style>\n").format(Markup(rules))


def _tokens(colours: dict[str, str]) -> str:
    return ".history { " + " ".join(f"--h-{name}: var(--{name}, {value});" for name, value in colours.items()) + " }"


RULES = f"{_tokens(_LIGHT)}\n@media screen and (prefers-color-scheme: dark) {{ {_tokens(_DARK)} }}\n{_STYLE}"
"""CSS of the chart: the page's own colours, else light ones, or dark ones if the screen prefers them."""
