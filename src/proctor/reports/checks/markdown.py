"""Checks in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.findings.run import CheckFinding
from proctor.reports import numbers
from proctor.reports.checks.words import passed_of
from proctor.reports.markup import draw_interval, plain

_MOST = 20


def by_check(checks: Sequence[CheckFinding]) -> Iterator[str]:
    """A table, the one that failed most first."""
    if not checks:
        return
    yield "| check | pass rate | 95 % interval | | passed | not checkable |"
    yield "|:--|--:|:--|:--|--:|--:|"
    for check in checks[:_MOST]:
        rate = numbers.say(check.rate)
        interval = rate.interval if check.rate.value is not None else ""
        unknown = numbers.whole(check.not_checkable) if check.not_checkable else ""
        cells = (plain(check.name, 60), rate.value, interval, draw_interval(check.rate), passed_of(check), unknown)
        yield f"| {' | '.join(cells)} |"
    if len(checks) > _MOST:
        yield f"| and {len(checks) - _MOST} more, which failed less often | | | | | |"
