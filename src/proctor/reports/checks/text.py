"""Checks for the terminal: the table by check, and the line that says what a case failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.text import Text

from proctor.findings.run import CheckFinding
from proctor.reports import numbers
from proctor.reports.checks.words import FAILED, brief, first_and_more, passed_of
from proctor.reports.terminal import STYLES, ListCut, drawn, page_table
from proctor.reports.words import cut, full_line, one_line

_MOST = 20
_BETWEEN = "  "
_SHORTEST = 10
"""Columns below which cut evidence tells nothing."""


def by_check(checks: Sequence[CheckFinding], width: int, cut: ListCut) -> Iterator[RenderableType]:
    """Each check with its rate over cases, the one that failed most first."""
    if not checks:
        return
    apart = any(check.not_checkable for check in checks)
    table = page_table(width)
    table.add_column("By check", ratio=1, no_wrap=True, overflow="ellipsis", min_width=8)
    for header in ("pass rate", "", "", "passed", *(("not checkable",) if apart else ())):
        table.add_column(header, justify="right", no_wrap=True)
    axis = max(8, min(24, width - (66 if apart else 56)))
    for check in cut.shown(checks, _MOST):
        rate, unknown = numbers.say(check.rate), numbers.whole(check.not_checkable) if check.not_checkable else ""
        interval = rate.interval if check.rate.value is not None else ""
        cells = (rate.value, drawn(check.rate, axis), interval, passed_of(check), *((unknown,) if apart else ()))
        table.add_row(Text(one_line(check.name)), *cells)
    yield table
    yield from cut.rest(checks, _MOST, noun="that failed less often")
    yield Text()


def failed_in_full(failed: Mapping[str, str]) -> Text:
    """A line a check, with everything that it saw."""
    sign = (FAILED.sign, STYLES[FAILED.style])
    lines = (
        Text.assemble((f"{full_line(name)} ", sign[1]), sign, f" {full_line(seen)}") for name, seen in failed.items()
    )
    return Text("\n").join(lines)


def failed_line(failed: Mapping[str, str], width: int) -> Text:
    """`keywords ✗ “28 days” is missing  limits ✗`: all names, and evidence as far as there is room for it."""
    pieces = [Text.assemble((f"{one_line(name, 40)} {FAILED.sign}", STYLES[FAILED.style])) for name in failed]
    room = width - Text(_BETWEEN).join(pieces).cell_len
    for piece, evidence in zip(pieces, failed.values(), strict=True):
        told = Text(f" {brief(evidence)}".rstrip())
        if told.cell_len > room:
            if room < _SHORTEST:
                break
            told = Text(f" {_fit(evidence, room - 1)}")
        piece.append_text(told)
        room -= told.cell_len
    line = Text(_BETWEEN).join(pieces)
    line.truncate(width, overflow="ellipsis")
    return line


def _fit(evidence: str, room: int) -> str:
    """Its first thing, cut between words, and how many more there are if there is room for that too."""
    first, more = first_and_more(evidence)
    if len(first) + len(more) > room and room - len(more) < _SHORTEST:
        more = ""
    kept = Text(first)
    kept.truncate(room - len(more), overflow="ellipsis")
    return cut(first, len(kept.plain)) + more if len(first) > room - len(more) else first + more
