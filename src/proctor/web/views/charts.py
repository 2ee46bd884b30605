"""Charts used only by pages, as inline SVG without scripts, in the page's colours, suitable for print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

from proctor.reports import numbers
from proctor.reports.numbers import format_signed

if TYPE_CHECKING:
    from proctor.statistics.estimate import Estimate

HEIGHT = 120
_MOST_LABELS, _MOST_POINTS = 12, 24
_ASIDE = 6
"""Horizontal offset in pixels between the two curves, so that neither hides the other."""
_SCALES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1.0)


def over_k(at: Mapping[int, Estimate], hat: Mapping[int, Estimate]) -> Markup:
    """Draw pass@k and pass^k over k with intervals: the benefit and the cost of repeated attempts."""
    ks = _some(sorted(at))
    marks = [*_grid(), *_labels(ks), _series(hat, ks, "all-pass", -_ASIDE), _series(at, ks, "one-passes", _ASIDE)]
    label = "; ".join(f"k = {k}: pass@k {_value(at[k])}, pass^k {_value(hat[k])}" for k in ks)
    return Markup('<svg class="over-k" width="100%" height="{}" role="img" aria-label="{}">{}</svg>').format(
        HEIGHT + 24, label, Markup("").join(marks)
    )


def _some(ks: Sequence[int]) -> list[int]:
    """Return a distinguishable subset of the values, always including the first and the last."""
    every = -(-(len(ks) - 1) // _MOST_POINTS) or 1
    return sorted({*ks[::every], ks[-1]})


def _value(estimate: Estimate) -> str:
    return numbers.say(estimate).value


def _grid() -> Iterator[Markup]:
    for share in (0, 0.5, 1):
        y = _height(share)
        yield Markup('<line class="axis" x1="0" x2="100%" y1="{}" y2="{}"/>').format(y, y)
        yield Markup('<text x="-8" y="{}" text-anchor="end">{}</text>').format(f"{y + 4:g}", f"{share:.0%}"[:-1])


def _labels(ks: Sequence[int]) -> Iterator[Markup]:
    """Draw the first and last label and as many in between as fit, counted from the last."""
    every, last = -(-len(ks) // _MOST_LABELS), len(ks) - 1
    for place, k in enumerate(ks):
        if place == 0 or (place >= every and (last - place) % every == 0):
            yield Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(
                _across(place, ks), HEIGHT + 20, k
            )


def _series(by_k: Mapping[int, Estimate], ks: Sequence[int], style: str, aside: int) -> Markup:
    known = [(_across(place, ks), by_k[k]) for place, k in enumerate(ks) if by_k[k].value is not None]
    marks = [
        _line("course", x, further, one.value or 0.0, other.value or 0.0)
        for (x, one), (further, other) in pairwise(known)
    ]
    for x, estimate in known:
        if estimate.low is not None and estimate.high is not None:
            marks.append(_line("range", x, x, estimate.low, estimate.high))
        marks.append(
            Markup('<circle class="value" cx="{}" cy="{}" r="4"><title>{}</title></circle>').format(
                x, f"{_height(estimate.value or 0.0):g}", numbers.say(estimate).full
            )
        )
    return Markup('<g class="{}" transform="translate({})">{}</g>').format(style, aside, Markup("").join(marks))


def _line(style: str, x: str, further: str, low: float, high: float) -> Markup:
    return Markup('<line class="{}" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
        style, x, further, f"{_height(low):g}", f"{_height(high):g}"
    )


def _across(place: int, ks: Sequence[int]) -> str:
    return f"{100 * (place + 0.5) / len(ks):.2f}%"


def _height(share: float) -> float:
    return round(4 + (HEIGHT - 8) * (1 - min(1.0, max(0.0, share))), 1)


def scale_of(estimates: Iterable[Estimate]) -> float:
    """Return the smallest round scale that fits every difference, so that charts below each other are comparable."""
    ends = [abs(end) for estimate in estimates for end in (estimate.low, estimate.high) if end is not None]
    return next(scale for scale in _SCALES if scale >= max(ends, default=1.0) or scale == _SCALES[-1])


def difference(estimate: Estimate, scale: float, label: str) -> Markup:
    """Draw a difference with its interval, `├──●──┤`, on an axis centred at 0."""
    marks = ['<line class="axis" x1="0" x2="100%" y1="8" y2="8"/>']
    marks.append('<line class="zero" x1="50%" x2="50%" y1="0" y2="16"/>')
    if estimate.value is not None and estimate.low is not None and estimate.high is not None:
        low, value, high = (_beside_zero(end, scale) for end in (estimate.low, estimate.value, estimate.high))
        marks.append(f'<line class="range" x1="{low}" x2="{high}" y1="8" y2="8"/>')
        marks += [f'<line class="range" x1="{end}" x2="{end}" y1="4" y2="12"/>' for end in (low, high)]
        marks.append(f'<circle class="value" cx="{value}" cy="8" r="4"/>')
    return Markup('<svg class="interval" width="100%" height="16" role="img" aria-label="{}">{}</svg>').format(
        label, Markup("".join(marks))
    )


def ends(scale: float) -> tuple[str, str]:
    """Return the labels of both ends of the scale in percentage points: `−25` and `+25`."""
    return format_signed(-100 * scale, 0), format_signed(100 * scale, 0)


def _beside_zero(value: float, scale: float) -> str:
    return f"{50 + 50 * min(1.0, max(-1.0, value / scale)):.2f}%"
