"""Conditions side by side, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.findings.run import ConditionFinding, Findings
from proctor.reports import numbers
from proctor.reports.conditions import words
from proctor.reports.markup import draw_interval, plain


def side_by_side(findings: Findings) -> Iterator[str]:
    """A table, the plain run first."""
    against = words.has_plain(findings)
    yield f"| condition | pass rate | 95 % interval | |{' vs. plain | 95 % interval | |' * against} score | time |"
    yield f"|:--|--:|:--|:--|{'--:|:--|:--|' * against}--:|--:|"
    for condition in findings.conditions:
        yield f"| {' | '.join(_cells(condition, plain_run=against))} |"


def _cells(condition: ConditionFinding, *, plain_run: bool) -> Iterator[str]:
    rate, against = numbers.say(condition.pass_rate), words.against(condition)
    yield from (
        plain(words.condition_name(condition.name), 40),
        rate.value,
        rate.interval,
        draw_interval(condition.pass_rate),
    )
    if plain_run:
        yield from (against.difference, against.interval)
        yield f"{against.verdict.sign} {against.verdict.word}" if against.verdict else ""
    yield from (numbers.say(condition.mean_score, "score").value, words.time_of(condition))
