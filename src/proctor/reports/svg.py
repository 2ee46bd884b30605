"""Draw charts as inline SVG: without scripts, in the page's own colours, fit for print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from proctor.score import LookPoint
from proctor.statistics.estimate import Estimate

_BAR_GAP = 0.12
_STROKE = 24
"""How wide a bound is drawn that is known at one look alone."""


def interval(estimate: Estimate, label: str) -> Markup:
    """Draw an interval on a scale from 0 to 1, `├──●─┤`, with bounds due to missing attempts as a thin line."""
    marks = ['<line class="axis" x1="0" x2="100%" y1="8" y2="8"/>']
    marks += [f'<line class="axis" x1="{end}" x2="{end}" y1="5" y2="11"/>' for end in ("0", "50%", "100%")]
    if estimate.worst is not None and estimate.best is not None:
        ends = f'x1="{_percent(estimate.worst)}" x2="{_percent(estimate.best)}"'
        marks.append(f'<line class="bounds" {ends} y1="14" y2="14"/>')
    if estimate.value is not None and estimate.low is not None and estimate.high is not None:
        low, high = _percent(estimate.low), _percent(estimate.high)
        marks.append(f'<line class="range" x1="{low}" x2="{high}" y1="8" y2="8"/>')
        marks += [f'<line class="range" x1="{end}" x2="{end}" y1="4" y2="12"/>' for end in (low, high)]
        marks.append(f'<circle class="value" cx="{_percent(estimate.value)}" cy="8" r="4"/>')
    return Markup('<svg class="interval" width="100%" height="16" role="img" aria-label="{}">{}</svg>').format(
        label, Markup("".join(marks))
    )


def bar(value: float) -> Markup:
    """Draw a share as a small bar."""
    return Markup(
        '<svg class="bar" width="64" height="8" aria-hidden="true"><rect class="track" width="100%" height="8"/>'
        '<rect class="fill" width="{}" height="8"/></svg>'
    ).format(_percent(value))


def stack(counts: Sequence[tuple[str, int]], label: str, *, width: str = "100%", height: int = 6) -> Markup:
    """Draw the counts of outcomes as one stacked bar."""
    total = sum(count for _, count in counts) or 1
    pieces, start = [], 0.0
    for style, count in counts:
        if count:
            place = f'x="{_percent(start / total)}" width="{_percent(count / total)}"'
            pieces.append(f'<rect class="{style}" {place} height="{height}"/>')
            start += count
    return Markup('<svg class="stack" width="{}" height="{}" role="img" aria-label="{}">{}</svg>').format(
        width, height, label, Markup("".join(pieces))
    )


def histogram(values: Iterable[float], *, top: float, label: str, bins: int = 20, mark: float | None = None) -> Markup:
    """Draw a histogram of values from 0 to `top`; `mark` is drawn as a line."""
    heights = _bin_values(values, top, bins)
    tallest = max(heights, default=0) or 1
    width = 100 / bins
    bars = [
        f'<rect class="fill" x="{place * width:.2f}%" width="{width * (1 - _BAR_GAP):.2f}%" '
        f'y="{44 - 40 * height / tallest:.1f}" height="{max(1.0, 40 * height / tallest):.1f}"/>'
        for place, height in enumerate(heights)
        if height
    ]
    bars.append('<line class="axis" x1="0" x2="100%" y1="44.5" y2="44.5"/>')
    if mark is not None:
        place = _percent(mark / top)
        bars.append(f'<line class="mark" x1="{place}" x2="{place}" y1="0" y2="48"/>')
    return Markup('<svg class="histogram" width="100%" height="48" role="img" aria-label="{}">{}</svg>').format(
        label, Markup("".join(bars))
    )


def path_between(points: Sequence[LookPoint], *, of: int, label: str) -> Markup:
    """Draw a path between two bounds, look by look, and the known bounds ahead of it."""
    ends = [end for point in points for end in (point.value, point.low, point.high) if end is not None]
    top, bottom = max([*ends, 0.0]), min([*ends, 0.0])
    height = (top - bottom) or 1.0

    def place(attempts: int, value: float) -> str:
        return f"{600 * attempts / of:.1f},{8 + 104 * (top - value) / height:.1f}"

    upper = _line([place(point.attempts, point.high) for point in points if point.high is not None])
    lower = _line([place(point.attempts, point.low) for point in points if point.low is not None])
    taken = [(point.attempts, point.value) for point in points if point.value is not None]
    walked = " ".join(place(*each) for each in [(0, 0.0), *taken])
    zero, last = place(0, 0.0).split(",")[1], walked.rpartition(" ")[2].split(",")
    named = Markup("").join((_name_end(upper, "met", -5), _name_end(lower, "not met", 13)))
    return Markup(
        '<svg class="path" viewBox="0 -14 600 148" width="100%" role="img" aria-label="{}">'
        '<line class="axis" x1="0" x2="600" y1="{}" y2="{}"/><polyline class="bounds" fill="none" points="{}"/>'
        '<polyline class="bounds" fill="none" points="{}"/><polyline class="range" fill="none" points="{}"/>'
        '<circle class="value" cx="{}" cy="{}" r="4"/>{}</svg>'
    ).format(label, zero, zero, upper, lower, walked, *last, named)


def _line(places: Sequence[str]) -> str:
    """The points of a line; where only one is known, a level stroke, as one point alone is not seen."""
    if len(places) != 1:
        return " ".join(places)
    x, y = places[0].split(",")
    left = max(0.0, float(x) - _STROKE / 2)
    return f"{left:.1f},{y} {left + _STROKE:.1f},{y}"


def _name_end(line: str, name: str, off: int) -> Markup:
    """Label the end of a line; empty if there is no line."""
    if not line:
        return Markup("")
    x, y = map(float, line.rpartition(" ")[2].split(","))
    anchor = "end" if x > 530 else "start"
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        min(x + 8, 600), y + off, anchor, name
    )


def _bin_values(values: Iterable[float], top: float, bins: int) -> list[int]:
    heights = [0] * bins
    for value in values:
        heights[min(bins - 1, max(0, int(value / top * bins)))] += 1
    return heights


def _percent(share: float) -> str:
    return f"{100 * min(1.0, max(0.0, share)):.2f}%"
