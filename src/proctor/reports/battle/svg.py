"""Draw the survival curve as inline SVG: steps with their interval, causes stacked above, bounds dashed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from markupsafe import Markup

from proctor.findings.battle.findings import BattleFindings
from proctor.reports.battle import words
from proctor.statistics.survival import Curve, Point

HEIGHT = 160
_BELOW = 40
_EVERY_TURN = 16
_SHADES = 4

Height = Callable[[Point], float]


def survival(battle: BattleFindings) -> Markup:
    """Draw the share of conversations still holding by turn; empty if there is no curve."""
    curve = battle.survival
    if curve is None or not curve.points:
        return Markup("")
    label = f"{words.mean_turns(curve)}; {words.causes(curve)}"
    return Markup('<svg class="survival" width="100%" height="{}" role="img" aria-label="{}">{}{}{}</svg>').format(
        HEIGHT + _BELOW, label, Markup("").join(_grid()), _plot(battle, curve), Markup("").join(_turns(curve.points))
    )


def causes_of(curve: Curve) -> list[tuple[str, float]]:
    """Return the causes of failure with their final shares, largest first, without those that never occurred."""
    shares = curve.points[-1].causes if curve.points else {}
    found = [(name, share.value) for name, share in shares.items() if share.value]
    return sorted(found, key=lambda item: (-item[1], item[0]))


def shade(place: int) -> str:
    """Return the CSS class of a cause."""
    return f"cause-{min(place, _SHADES - 1)}"


def _grid() -> Iterator[Markup]:
    for percent in (0, 25, 50, 75, 100):
        y = HEIGHT * (100 - percent) / 100
        yield Markup('<line class="axis" x1="0" x2="100%" y1="{}" y2="{}"/>').format(y, y)
        yield Markup('<text x="-8" y="{}" text-anchor="end">{}</text>').format(
            y + 4, f"{percent} %" if percent else "0"
        )


def _plot(battle: BattleFindings, curve: Curve) -> Markup:
    """Draw the plot in its own coordinates, one unit per turn and for a share of 1, stretched to the width."""
    points = curve.points
    shapes = [*_causes(curve, points), _band(points)]
    bounds = [bound.points[: len(points)] for bound in battle.bounds or ()]
    shapes += [_path("bounds", f"M0 0{_steps(bound, _share)}") for bound in bounds]
    shapes.append(_path("range", f"M0 0{_steps(points, _share)}"))
    return Markup(
        '<svg class="plot" width="100%" height="{}" viewBox="0 0 {} 1" preserveAspectRatio="none">{}</svg>'
    ).format(HEIGHT, len(points), Markup("").join(shapes))


def _causes(curve: Curve, points: Sequence[Point]) -> Iterator[Markup]:
    names = [name for name, _ in causes_of(curve)]
    for place in range(len(names)):
        yield _between(shade(place), points, _stacked_height(names[:place]), _stacked_height(names[: place + 1]))


def _stacked_height(names: Sequence[str]) -> Height:
    return lambda point: _share(point) + sum(point.causes[name].value or 0.0 for name in names)


def _band(points: Sequence[Point]) -> Markup:
    return _between("band", points, lambda point: point.survival.low or 0.0, lambda point: point.survival.high or 0.0)


def _between(style: str, points: Sequence[Point], low: Height, high: Height) -> Markup:
    """Draw the area between two curves."""
    there = f"M0 {_y(high(points[0]))}{_steps(points, high)}"
    back = "".join(f"V{_y(low(point))}H{turn}" for turn, point in reversed(list(enumerate(points))))
    return _path(style, f"{there}{back}Z")


def _steps(points: Sequence[Point], height: Height) -> str:
    """Return the SVG path commands of a step curve from left to right, to continue a path."""
    return "".join(f"V{_y(height(point))}H{turn}" for turn, point in enumerate(points, 1))


def _path(style: str, path: str) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(style, path)


def _share(point: Point) -> float:
    return point.survival.value or 0.0


def _y(share: float) -> str:
    return f"{1 - min(1.0, max(0.0, share)):.4f}".rstrip("0").rstrip(".")


def _turns(points: Sequence[Point]) -> Iterator[Markup]:
    """Label the columns: the turn, and in how many conversations it was asked before any failure."""
    for label, y in (("turn", 20), ("asked", 36)):
        yield Markup('<text x="-8" y="{}" text-anchor="end">{}</text>').format(HEIGHT + y, label)
    for place, point in enumerate(points):
        if len(points) <= _EVERY_TURN or place == 0 or point.turn % 5 == 0:
            x = f"{100 * (place + 0.5) / len(points):.2f}%"
            for number, y in ((point.turn, 20), (point.at_risk, 36)):
                yield Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(x, HEIGHT + y, number)
