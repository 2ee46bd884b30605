"""Render a battle for the terminal: pressure, strategies, survival, contradictions quoted, endings, examiner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from proctor.findings.battle.findings import BattleFindings, PressureFinding, StrategyFinding
from proctor.reports import numbers
from proctor.reports.battle import words
from proctor.reports.headline import HeadlineLine
from proctor.reports.terminal import INDENT, STYLES, WIDE_LABEL, cut_line, draw_estimate, estimates, facts, page_table
from proctor.reports.words import one_line
from proctor.statistics.estimate import Estimate
from proctor.statistics.survival import Curve, Point

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_ROWS = 4
_AXIS = 7
_BESIDE = 34
_NARROW = 20


def chart(curve: Curve, width: int) -> Text:
    """Draw the curve in five lines: four of bars with the numbers of some turns beside them, and the turns below."""
    points = curve.points
    label_width = _BESIDE if width - _AXIS - len(points) >= _BESIDE else _NARROW
    room = max(1, width - _AXIS - label_width)
    step = 2 if 2 * len(points) <= room else 1
    shown = points[: room // step]
    labels = list(_turn_labels(points, roomy=label_width == _BESIDE))
    lines = []
    for row in range(_ROWS):
        share = 100 * (_ROWS - row) // _ROWS
        bars = "".join(_bar(point, _ROWS - 1 - row) * step for point in shown)
        lines.append(f"{share:>3} % │{bars:<{step * len(shown)}}  {labels[row] if row < len(labels) else ''}".rstrip())
    lines.append(f"turn  └{_turns(len(shown), step)}")
    return Text("\n".join(lines), no_wrap=True, overflow="ellipsis")


def _bar(point: Point, row: int) -> str:
    """Return the bar character of a turn in a row, counted from below; a share above 0 is always visible."""
    share = point.survival.value or 0.0
    eighths = round(8 * _ROWS * share) or (1 if share else 0)
    return _EIGHTHS[min(8, max(0, eighths - 8 * row))]


def _turn_labels(points: Sequence[Point], *, roomy: bool) -> Iterator[str]:
    """Yield the numbers of up to four turns, spread over the curve."""
    last = len(points) - 1
    places = sorted({round(last * share / (_ROWS - 1)) for share in range(_ROWS)})
    for place in places:
        point = points[place]
        rate_text = numbers.say(point.survival)
        at_risk = f", {point.at_risk} asked" if roomy else ""
        yield f"turn {point.turn:>2} {rate_text.value:>6} {rate_text.interval}{at_risk}"


def _turns(count: int, step: int) -> str:
    """Label every fifth turn under its column: `1   5    10`."""
    line = [" "] * (count * step + 2)
    for turn in (1, *range(5, count + 1, 5)):
        for offset, digit in enumerate(str(turn)):
            line[(turn - 1) * step + offset] = digit
    return "".join(line).rstrip()


def sections(battle: BattleFindings, width: int, run: str) -> Iterator[RenderableType]:
    """Yield the sections with content, most important first; `run` is the run id for commands."""
    yield from _pressure(battle.pressure, width)
    yield from _strategies(battle.strategies, width)
    yield from _survival(battle.survival, width)
    yield from _quotes(battle, run)
    yield from _around(battle)


def _pressure(pressure: PressureFinding, width: int) -> Iterator[RenderableType]:
    outcomes = words.outcome_counts(pressure.outcomes)
    if not outcomes:
        return
    yield Text("Answers given up", style="dim")
    lines = [_line(label, rate) for label, rate in words.given_up(pressure).items()]
    if lines:
        yield from estimates(lines, width, label=WIDE_LABEL)
    for line in (outcomes, words.effect(pressure)):
        if line:
            yield Padding(Text(line), INDENT)
    yield Text()


def _line(label: str, estimate: Estimate) -> HeadlineLine:
    return HeadlineLine(label=label, estimate=estimate, unit="percent", said=numbers.say(estimate, noun="conversation"))


def _strategies(strategies: Sequence[StrategyFinding], width: int) -> Iterator[RenderableType]:
    if not strategies:
        return
    table = page_table(width)
    table.add_column("", no_wrap=True)
    table.add_column("Strategies", ratio=1, no_wrap=True, overflow="ellipsis", min_width=8)
    for header in ("used", "broken", "rate", "", ""):
        table.add_column(header, justify="right", no_wrap=True)
    axis = max(8, min(24, width - 58))
    for each in strategies:
        rate_text = numbers.say(each.rate)
        table.add_row(
            Text("✗", style=STYLES["fail"]) if each.breaks else "", Text(one_line(each.name)),
            numbers.whole(each.used), f"{each.broken}/{each.judged}", rate_text.value, draw_estimate(each.rate, axis),
            rate_text.interval if each.rate.value is not None else "",
        )  # fmt: skip
    yield table
    if any(each.breaks for each in strategies):
        yield Padding(Text(f"✗ {words.BREAKS}", style="dim"), INDENT)
    yield Text()


def _survival(curve: Curve | None, width: int) -> Iterator[RenderableType]:
    if curve is None or not curve.points:
        return
    yield Text("Turns until the first failed reply  ", style="dim").append(words.mean_turns(curve), style="not dim")
    yield Padding(chart(curve, width - 2), INDENT)
    summary = "; ".join(piece for piece in (words.causes(curve), words.early_endings(curve)) if piece)
    yield Padding(Text(summary[:1].upper() + summary[1:]), INDENT)
    yield Text()


def _quotes(battle: BattleFindings, run: str) -> Iterator[RenderableType]:
    examples = battle.examples
    if not examples:
        return
    yield Text("Contradictions", style="dim")
    for key, found in examples:
        (first, second), (before, after) = found.turns, found.quotes
        quote_text = Text(f"turn {first}: “{one_line(before, 160)}”  /  turn {second}: “{one_line(after, 160)}”")
        where = f"  {one_line(key.exam, 40)}, trial {key.trial}"
        yield Padding(quote_text.append(where, style="dim"), INDENT)
    if (left := battle.contradictions + battle.named - len(examples)) > 0:
        yield cut_line(left, f"proctor export {run} --format html -o report.html")
    yield Text()


def _around(battle: BattleFindings) -> Iterator[RenderableType]:
    """Yield how the conversations ended, and how well the examiner asked."""
    examiner = " · ".join(words.examiner_pieces(battle.examiner)) if battle.examiner is not None else ""
    rows = {"Ended": words.ends(battle), "Examiner": examiner}
    yield from facts(rows, label=WIDE_LABEL)
    yield Text()
