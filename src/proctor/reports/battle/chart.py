"""The survival curve drawn with characters: a column a turn, and its numbers beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from proctor.reports import numbers
from proctor.statistics.survival import Curve, Point

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_ROWS = 4
_AXIS = 7
_BESIDE = 34
_NARROW = 20


def chart(curve: Curve, width: int) -> Text:
    """Five lines: four of bars with the numbers of some turns beside them, and the turns below."""
    points = curve.points
    beside = _BESIDE if width - _AXIS - len(points) >= _BESIDE else _NARROW
    room = max(1, width - _AXIS - beside)
    step = 2 if 2 * len(points) <= room else 1
    shown = points[: room // step]
    told = list(_told(points, roomy=beside == _BESIDE))
    lines = []
    for row in range(_ROWS):
        share = 100 * (_ROWS - row) // _ROWS
        bars = "".join(_bar(point, _ROWS - 1 - row) * step for point in shown)
        lines.append(f"{share:>3} % │{bars:<{step * len(shown)}}  {told[row] if row < len(told) else ''}".rstrip())
    lines.append(f"turn  └{_turns(len(shown), step)}")
    return Text("\n".join(lines), no_wrap=True, overflow="ellipsis")


def _bar(point: Point, row: int) -> str:
    """How much of this row, counted from below, the turn's share fills; what is not 0 is seen."""
    share = point.survival.value or 0.0
    eighths = round(8 * _ROWS * share) or (1 if share else 0)
    return _EIGHTHS[min(8, max(0, eighths - 8 * row))]


def _told(points: Sequence[Point], *, roomy: bool) -> Iterator[str]:
    """The numbers of up to four turns, spread over the curve."""
    last = len(points) - 1
    places = sorted({round(last * share / (_ROWS - 1)) for share in range(_ROWS)})
    for place in places:
        point = points[place]
        said = numbers.say(point.survival)
        at_risk = f", {point.at_risk} asked" if roomy else ""
        yield f"turn {point.turn:>2} {said.value:>6} {said.interval}{at_risk}"


def _turns(count: int, step: int) -> str:
    """`1   5    10`: every fifth turn under its column."""
    line = [" "] * (count * step + 2)
    for turn in (1, *range(5, count + 1, 5)):
        for offset, digit in enumerate(str(turn)):
            line[(turn - 1) * step + offset] = digit
    return "".join(line).rstrip()
