"""Conditions side by side, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from proctor.findings.run import ConditionFinding, Findings
from proctor.reports import numbers
from proctor.reports.conditions import words
from proctor.reports.terminal import INDENT, ListCut, drawn, outcome_text, page_table
from proctor.reports.words import one_line

_CASES = 8
_COLUMNS = 6


def side_by_side(findings: Findings, width: int, cut: ListCut) -> Iterator[RenderableType]:
    """A line a condition, then the cases that do not have the same result under all of them."""
    table = page_table(width)
    table.add_column("Conditions", ratio=1, no_wrap=True, overflow="ellipsis", min_width=12)
    plain = words.has_plain(findings)
    for header in ("pass rate", "", "", *(("vs. plain", "") if plain else ()), "score", "time"):
        table.add_column(header, justify="right", no_wrap=True)
    axis = max(4, min(24, width - 74))
    for condition in findings.conditions:
        table.add_row(*_row(condition, axis, plain=plain))
    yield table
    if any(words.against(condition).verdict for condition in findings.conditions):
        yield Padding(Text(words.LEGEND, style="dim"), INDENT)
    yield Text()
    yield from _matrix(findings, width, cut)


def _row(condition: ConditionFinding, axis: int, *, plain: bool) -> Iterator[RenderableType]:
    rate, mark = numbers.say(condition.pass_rate), numbers.say(condition.mean_score, "score")
    against = words.against(condition)
    yield Text(one_line(words.condition_name(condition.name)))
    yield from (rate.value, drawn(condition.pass_rate, axis), rate.interval if condition.pass_rate.n else "")
    if plain:
        yield outcome_text(against.verdict, against.difference) if against.verdict else Text(against.difference)
        yield against.interval
    yield from (mark.value, words.time_of(condition))


def _matrix(findings: Findings, width: int, cut: ListCut) -> Iterator[RenderableType]:
    cases, conditions = words.telling(findings), findings.conditions[:_COLUMNS]
    if not cases:
        return
    table = page_table(width)
    table.add_column("Not alike", no_wrap=True, overflow="ellipsis", max_width=14)
    table.add_column("", ratio=1, no_wrap=True, overflow="ellipsis", min_width=8)
    for condition in conditions:
        table.add_column(
            Text(one_line(words.condition_name(condition.name))), no_wrap=True, overflow="ellipsis", max_width=14
        )
    for case in cut.shown(cases, _CASES):
        cells = (outcome_text(*words.cell(case, condition.name)) for condition in conditions)
        table.add_row(Text(one_line(case.id)), Text(one_line(case.question)), *cells)
    yield table
    yield from cut.rest(cases, _CASES)
    if len(findings.conditions) > _COLUMNS:
        left = numbers.plural(len(findings.conditions) - _COLUMNS, "further condition")
        yield Padding(Text(f"without {left}, as there is no room for more columns", style="dim"), INDENT)
    yield Text()
