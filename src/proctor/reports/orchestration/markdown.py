"""An orchestrator in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.findings.orchestration.findings import OrchestrationFindings
from proctor.reports import numbers
from proctor.reports.markup import draw_interval, plain
from proctor.reports.orchestration import words


def shares(found: OrchestrationFindings, *, conditions: int) -> Iterator[str]:
    """A table of the measures between 0 and 1."""
    known = words.shares(found)
    if not known:
        return
    yield f"| {words.heading(conditions).lower()} | | 95 % interval | | |"
    yield "|:--|--:|:--|:--|:--|"
    for each in known:
        said = numbers.say(each.estimate)
        yield f"| {each.label} | {said.value} | {said.interval} | {draw_interval(each.estimate)} | {each.meaning} |"


def facts(found: OrchestrationFindings) -> Iterator[str]:
    """A line for everything that is no share."""
    for label, said in words.facts(found).items():
        yield f"- {label}: {plain(said, 400)}"
