"""Render the worst cases for the terminal: the question, the results, and the failed checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proctor.findings.run import CaseFinding, Findings
from proctor.reports import numbers, outcomes
from proctor.reports.checks import failed_in_full, failed_line
from proctor.reports.terminal import ListCut, outcome_text
from proctor.reports.words import full_line, one_line

_MOST = 8
_LONGEST_NAME = 14
_GAP = 2


def worst(findings: Findings, width: int, cut: ListCut) -> Iterator[RenderableType]:
    """Render failed and flaky cases, worst first, each with its failed checks below."""
    heading, cases = _worth_reading(findings)
    bad = [case for case in outcomes.worst_first(cases) if case.verdict in ("fail", "flaky")]
    if not bad:
        return
    shown = cut.shown(bad, _MOST)
    numbered = _numbers(findings, shown)
    widths = _widths(heading, shown, numbered, width)
    yield _row(["", Text(heading), "", *map(Text, numbered)], widths, style="dim")
    indent = sum(widths[:2]) + 2 * _GAP
    for place, case in enumerate(shown):
        name, question = (full_line(text) if cut.every else one_line(text) for text in (case.id, case.question))
        cells = [outcome_text(outcomes.of_case(case)), Text(name), Text(question)]
        yield _row([*cells, *(Text(column[place]) for column in numbered.values())], widths, whole=cut.every)
        if case.failed_checks:
            failed = case.failed_checks
            checks_text = failed_in_full(failed) if cut.every else failed_line(failed, width - indent)
            yield Padding(checks_text, (0, 0, 0, indent))
    yield from cut.rest(bad, _MOST)
    yield Text()


def _worth_reading(findings: Findings) -> tuple[str, Sequence[CaseFinding]]:
    """Return heading and cases: the rows of a script if there are any, as they tell more than its conversations."""
    if findings.rows:
        return "Worst rows", findings.rows
    return "Worst cases" if findings.battle is None else "Worst", findings.cases


def _numbers(findings: Findings, cases: Sequence[CaseFinding]) -> dict[str, list[str]]:
    """Return header → cells of the cases, without empty columns."""
    nothing = numbers.NOTHING
    columns = {
        "passed": [f"{case.passed}/{case.counted}" for case in cases],
        "replies": [nothing if case.share is None else numbers.percent(case.share) for case in cases],
        "score": [nothing if case.score is None else numbers.score(case.score) for case in cases],
        "time": [numbers.duration(case.seconds) for case in cases],
    }
    if findings.mean_score.value is None and findings.run.settings.reviewer is None:
        del columns["score"]
    if all(cell == nothing for cell in columns["replies"]):
        del columns["replies"]
    return columns


def _widths(heading: str, cases: Sequence[CaseFinding], numbered: Mapping[str, list[str]], width: int) -> list[int]:
    name = max(cell_len(heading), min(_LONGEST_NAME, max(cell_len(one_line(case.id)) for case in cases)))
    right = [max(map(cell_len, (header, *cells))) for header, cells in numbered.items()]
    question = width - 1 - name - sum(right) - _GAP * (2 + len(right))
    return [1, name, max(8, question), *right]


def _row(cells: Sequence[Text | str], widths: Sequence[int], *, style: str = "", whole: bool = False) -> Table:
    """Render one row as a table of its own, so that full-width lines can follow it."""
    grid = Table.grid(padding=(0, _GAP, 0, 0))
    for place, width in enumerate(widths):
        grid.add_column(
            width=width, no_wrap=not whole, overflow="fold" if whole else "ellipsis",
            justify="right" if place > 2 else "left",
        )  # fmt: skip
    grid.add_row(*cells, style=style)
    return grid
