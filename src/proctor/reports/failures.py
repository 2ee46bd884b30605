"""The map of what failed: for the terminal, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from proctor.findings.failure_map import FailureGroup, RunFailures
from proctor.reports import numbers
from proctor.reports.markup import plain as in_markdown
from proctor.reports.terminal import Page, page_table
from proctor.reports.values import estimate, plain, where
from proctor.reports.words import one_line
from proctor.run import Outcome

_KINDS = {
    "failure": "agent failed",
    "check": "check",
    "tool": "tool error",
    "call": "calls",
    "strategy": "broke under",
    "words": "says",
    "turn": "first fails at",
    "category": "category",
}
"""What stands before a group's name; a kind that is not here needs nothing."""
_NOT_COUNTED: dict[Outcome, str] = {
    "environment_failed": "in which the environment failed, not the agent",
    "unscored": "to which no mark could be given",
    "undecided": "that nobody could judge",
    "pending": "not played yet",
}

LEGEND = "each failed attempt is in one group, by rules; a share is of the cases that failed"


def sentence(failures: RunFailures) -> str:
    """What a person would say first."""
    found = failures.found
    if not found.counted_cases:
        return f"Nothing was counted{_left_out(failures, ': ')}."
    if not found.failed_cases:
        passed = numbers.plural(found.counted_cases, "case")
        return f"Nothing failed: {passed} passed{_left_out(failures, '; not counted: ')}."
    said = f"{numbers.whole(found.failed_cases)} of {numbers.plural(found.counted_cases, 'case')} failed"
    first = found.groups[0]
    if first.kind == "other":
        return f"{said}; they have nothing in common that shows."
    return f"{said}, most often ({numbers.percent(first.share.value or 0)}): {name(first)}."


def _left_out(failures: RunFailures, before: str) -> str:
    """`: 20 attempts in which the environment failed`; empty: all of them counted."""
    counts = failures.found.not_counted
    said = [
        f"{numbers.plural(counts[outcome], 'attempt')} {why}"
        for outcome, why in _NOT_COUNTED.items()
        if outcome in counts
    ]
    return f"{before}{', '.join(said)}" if said else ""


def name(group: FailureGroup) -> str:
    """`says “no idea”`, `check “keywords: …”`; after a model's name for it, where one was asked."""
    kind = _KINDS.get(group.kind)
    said = group.name if kind is None else f"{kind} “{one_line(group.name, 100)}”"
    return f"{one_line(group.title, 80)}: {said}" if group.title else said


def naming(failures: RunFailures) -> str:
    """Who named the groups, and what that took; empty: nobody was asked."""
    if failures.named_by is None:
        return ""
    used = numbers.usage(failures.usage) or "nothing, as it was asked before"
    lacking = f" Some have no name: {one_line(failures.unnamed, 200)}." if failures.unnamed else ""
    said = f"Names before the colon are by {one_line(failures.named_by, 80)}, which took {used}"
    return f"{said}; groups are by rules.{lacking}"


def render(failures: RunFailures) -> RenderableType:
    """The report for a terminal."""
    return Page(lambda width: _report(failures, width))


def _report(failures: RunFailures, width: int) -> Iterator[RenderableType]:
    yield Text(sentence(failures), style="bold")
    if not failures.found.groups:
        return
    yield Text()
    table = page_table(width)
    table.add_column("What failed", ratio=1, no_wrap=True, overflow="ellipsis")
    for header in ("cases", "share", "interval"):
        table.add_column(header, justify="right", no_wrap=True)
    if failures.since is not None:
        table.add_column("", no_wrap=True)
    for group in failures.found.groups:
        said = numbers.say(group.share)
        new = [Text("new" if group.is_new else "", style="bold")] if failures.since is not None else []
        table.add_row(Text(name(group)), numbers.whole(group.cases), said.value, said.interval, *new)
        for key in group.examples[:2]:
            table.add_row(Text(f"  {one_line(key.exam, 40)}  {_question(failures, key.exam)}", style="dim"))
    yield table
    yield Text()
    if named := naming(failures):
        yield Text(named, style="dim")
    yield Text(f"Next  proctor show {failures.run.id} --case {failures.found.groups[0].examples[0].exam}", style="dim")


def _question(failures: RunFailures, exam: str) -> str:
    known = failures.exams.get(exam)
    return one_line(known.cases[0].question, 80) if known is not None else ""


def markdown(failures: RunFailures) -> str:
    """For a pull request or a wiki."""
    return "\n".join(_markdown(failures)) + "\n"


def _markdown(failures: RunFailures) -> Iterator[str]:
    yield f"**{in_markdown(sentence(failures), 400)}**"
    if not failures.found.groups:
        return
    yield ""
    yield "| what failed | cases | share | interval | for example |"
    yield "|---|---:|---:|---|---|"
    for group in failures.found.groups:
        said, new = numbers.say(group.share), " (new)" if group.is_new else ""
        shown = in_markdown(_question(failures, group.examples[0].exam), 160)
        yield f"| {in_markdown(name(group), 240)}{new} | {group.cases} | {said.value} | {said.interval} | {shown} |"
    if named := naming(failures):
        yield f"\n{in_markdown(named, 400)}"


def as_dict(failures: RunFailures) -> dict[str, Any]:
    """What `proctor failures --json` prints. Keys may be added; these stay."""
    found = failures.found
    return {
        "run": failures.run.id,
        "since": None if failures.since is None else failures.since.id,
        "sentence": sentence(failures),
        "failed_cases": found.failed_cases,
        "failed_attempts": found.failed_attempts,
        "counted_cases": found.counted_cases,
        "groups": [_group_dict(group) for group in found.groups],
        "named_by": failures.named_by,
        "usage": plain(failures.usage) if failures.named_by else None,
    }


def _group_dict(group: FailureGroup) -> dict[str, Any]:
    return {
        "kind": group.kind,
        "name": group.name,
        "title": group.title or None,
        "cases": group.cases,
        "attempts": group.attempts,
        "share": estimate(group.share),
        "new": group.is_new,
        "examples": [where(key) for key in group.examples],
    }
