"""Render a comparison for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proctor.findings.comparison import CaseChange, CategoryChange, Compared
from proctor.reports import numbers, outcomes
from proctor.reports.comparison import words
from proctor.reports.comparison.cost import cost_per_pass_line, first_tokens
from proctor.reports.comparison.opening import opening
from proctor.reports.outcomes import OutcomeLabel
from proctor.reports.terminal import STYLES, Page, cut_line, outcome_text, page_table
from proctor.reports.words import clean, one_line
from proctor.statistics.compare import FEWEST_FOR_VERDICT
from proctor.statistics.estimate import Estimate
from proctor.statistics.flips import Flip

_SHOWN = 10
_INDENT = (0, 0, 0, 2)
_LABEL = 10
_SCALES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1.0)


def render(compared: Compared) -> RenderableType:
    """Render the report for a terminal."""
    return Page(lambda width: _report(compared, width))


def _report(compared: Compared, width: int) -> Iterator[RenderableType]:
    yield _sentence(compared)
    sentences = opening(compared)
    if sentences:
        yield Text(one_line(" ".join(sentences), 1200))
    yield Text()
    yield from _sides(compared)
    yield from _warnings(compared)
    yield from _measures(compared, width)
    yield from _facts(compared)
    for flip in ("broken", "fixed", "changed", "flaky"):
        yield from _cases(compared, flip, width)
    yield from _categories("By condition", compared.conditions, words.HOLM_CONDITIONS, width)
    yield from _categories("By category", compared.categories, words.HOLM, width)
    yield from _next(compared)


def _sentence(compared: Compared) -> Text:
    signs = {"better": outcomes.BETTER, "worse": outcomes.WORSE}
    sentence = words.sentence(compared)
    if compared.shown == "not shown":
        return Text(sentence, style="bold")
    outcome = signs[compared.shown]
    return Text(f"{outcome.sign} {sentence}", style=f"bold {STYLES[outcome.style]}")


def _sides(compared: Compared) -> Iterator[RenderableType]:
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    table.add_column(no_wrap=True)
    for side, run in (("A", compared.a.run), ("B", compared.b.run)):
        named = "" if run.name in ("", run.id) else f", {one_line(run.name)}"
        what = Text(one_line(words.title_of(run))).append(named, style="dim")
        table.add_row(Text(side, style="bold"), what, Text(f"run {run.id}", style="dim"))
    yield Padding(table, _INDENT)
    yield Text()


def _warnings(compared: Compared) -> Iterator[RenderableType]:
    warnings = list(words.warnings(compared))
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for warning in warnings:
        table.add_row(Text("!", style=STYLES["flaky"]), Text(one_line(warning, 2000)))
    if warnings:
        yield table
        yield Text()


def _measures(compared: Compared, width: int) -> Iterator[RenderableType]:
    rows = list(words.rows(compared))
    if not rows:
        return
    scale = scale_of([row.comparison.difference for row in rows])
    axis = _odd(max(9, min(41, width - 56)))
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, min_width=_LABEL)
    for _ in range(3):
        table.add_column(no_wrap=True, justify="right")
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    level = numbers.percent(rows[0].comparison.difference.level)
    table.add_row("", "A", "B", "B − A", ruler(scale, axis), f"{level} interval", style="dim")
    for row in rows:
        line = draw_difference(row.comparison.difference, axis, scale)
        table.add_row(row.label, row.a, row.b, Text(row.difference, style="bold"), line, row.interval)
    yield Padding(table, _INDENT)
    yield Text()


def _facts(compared: Compared) -> Iterator[RenderableType]:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, min_width=_LABEL)
    table.add_column(overflow="fold")
    facts = {
        "How sure": words.chance(compared),
        "Rests on": words.basis(compared),
        "Missing": words.missing(compared),
        "In reach": words.would_have_shown(compared),
        "By people": words.by_people(compared),
        "Cost": cost_per_pass_line(compared),
        "First token": first_tokens(compared),
    }
    for label, fact in facts.items():
        if fact:
            table.add_row(label, Text(fact))
    table.add_row("Cases", _flip_counts(compared))
    yield Padding(table, _INDENT)
    yield Text()


def _flip_counts(compared: Compared) -> Text:
    """Format the counts of changes: `✗ 2 broken   ✓ 8 fixed   ≈ 1 flaky   · 89 unchanged`."""
    counts = {flip: len(compared.flipped(flip)) for flip in words.FLIPS}
    kinds = [flip for flip in words.FLIPS if counts[flip] or flip in ("broken", "fixed")]
    return Text("   ").join(
        outcome_text(words.FLIPS[flip], f"{numbers.whole(counts[flip])} {words.FLIPS[flip].word}") for flip in kinds
    )


def _cases(compared: Compared, flip: Flip, width: int) -> Iterator[RenderableType]:
    changes = compared.flipped(flip)
    if not changes:
        return
    yield _case_table(changes[:_SHOWN], words.FLIPS[flip], width)
    if len(changes) > _SHOWN:
        yield cut_line(len(changes) - _SHOWN, words.list_command(compared))
    yield Text()


def _case_table(changes: Sequence[CaseChange], outcome: OutcomeLabel, width: int) -> Table:
    table = page_table(width)
    table.add_column("", no_wrap=True)
    table.add_column(outcome.word.capitalize(), no_wrap=True, overflow="ellipsis", max_width=15)
    table.add_column("", ratio=1, no_wrap=True, overflow="ellipsis")
    for header in ("A", "B", "score"):
        table.add_column(header, justify="right", no_wrap=True)
    for change in changes:
        table.add_row(
            outcome_text(outcome), Text(one_line(change.b.id)), Text(one_line(change.b.question)),
            words.passes(change, "a"), words.passes(change, "b"), words.marks(change),
        )  # fmt: skip
    return table


def _categories(title: str, changes: Mapping[str, CategoryChange], legend: str, width: int) -> Iterator[RenderableType]:
    if not changes:
        return
    judged = [each for each in changes.values() if each.cases >= FEWEST_FOR_VERDICT]
    scale = scale_of([each.tested.comparison.difference for each in judged])
    axis = _odd(max(9, min(31, width - 67)))
    table = page_table(width)
    table.add_column(title, ratio=1, no_wrap=True, overflow="ellipsis", min_width=8)
    for header in ("cases", "A → B", "B − A"):
        table.add_column(header, justify="right", no_wrap=True)
    for header in (ruler(scale, axis), "interval", ""):
        table.add_column(header, no_wrap=True)
    for name, category in changes.items():
        estimate = category.tested.comparison.difference
        difference, interval = numbers.difference_of(estimate)
        verdict = words.verdict_of(category)
        table.add_row(
            Text(one_line(words.condition_name(name))), numbers.whole(category.cases), words.from_to(category),
            difference,
            draw_difference(estimate, axis, scale), interval,
            Text(verdict, style="dim") if isinstance(verdict, str) else outcome_text(verdict, verdict.word),
        )  # fmt: skip
    yield table
    yield Padding(Text(legend, style="dim"), _INDENT)
    yield Text()


def _next(compared: Compared) -> Iterator[RenderableType]:
    command, why = words.next_command(compared)
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("Next", Text(clean(command), style="bold").append(f"  {why}", style="dim not bold"))
    yield table


def _odd(width: int) -> int:
    return width if width % 2 else width - 1


def scale_of(estimates: Sequence[Estimate]) -> float:
    """Return the smallest round scale that fits all intervals."""
    ends = [abs(end) for estimate in estimates for end in (estimate.low, estimate.high) if end is not None]
    return next(scale for scale in _SCALES if scale >= max(ends, default=1.0) or scale == _SCALES[-1])


def ruler(scale: float, width: int) -> str:
    """Label the axis in points: `−25     0     +25`."""
    left, right = f"−{100 * scale:g}", f"+{100 * scale:g}"
    half = width // 2
    return f"{left:<{half}}0{right:>{half}}"


def draw_difference(estimate: Estimate, width: int, scale: float) -> Text:
    """Draw an interval on an axis centred at 0, so that stacked rows align: `····:·├──●──┤····`."""
    middle = width // 2
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return Text("·" * middle + ":" + "·" * middle, style="dim")
    low, value, high = (_axis_column(end, width, scale) for end in (estimate.low, estimate.value, estimate.high))
    line = ["·"] * width
    line[low : high + 1] = "├" + "─" * (high - low - 1) + "┤" if high > low else "┤"
    line[middle] = ":" if middle not in (low, high) else line[middle]
    line[value] = "●"
    return Text.assemble(
        Text("".join(line[:low]), style="dim"), "".join(line[low : high + 1]), Text("".join(line[high + 1 :]), "dim")
    )


def _axis_column(value: float, width: int, scale: float) -> int:
    return min(width - 1, max(0, round((value / scale + 1) / 2 * (width - 1))))
