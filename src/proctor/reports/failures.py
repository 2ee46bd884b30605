"""Render the groups of failures for the terminal, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from proctor.findings.failure_map import FailureGroup, FailureMap, RunFailures
from proctor.reports import numbers
from proctor.reports.markup import plain as in_markdown
from proctor.reports.terminal import Page, page_table
from proctor.reports.values import estimate, plain, where
from proctor.reports.words import one_line
from proctor.run import Outcome

_KINDS = {
    "failure": "agent failed:",
    "check": "check",
    "tool": "tool error",
    "call": "calls",
    "strategy": "broke under",
    "words": "says",
    "turn": "first fails at",
    "category": "category",
}
"""Kind of a group → prefix of its name; other kinds have none."""
_BROKE = {
    "timeout": "no reply in time",
    "blocked": "it held up everything else",
    "refused": "it refused the call",
    "unreachable": "it could not be reached",
    "dropped": "the connection was dropped",
    "rate_limit": "too many calls at once",
    "http": "it answered with an HTTP error",
    "resources": "it ran out of memory or files",
    "wrong_type": "what it returned is not a valid reply",
    "cancelled": "it cancelled the call",
    "exit": "it ended the program",
    "unknown": "not known why",
}
"""Kind of failure → description in plain words."""
_NOT_COUNTED: dict[Outcome, str] = {
    "environment_failed": "in which the environment failed, not the agent",
    "unscored": "that could not be scored",
    "undecided": "that could not be judged",
    "pending": "not run yet",
}

_NAMED = 4
"""Maximum number of conditions listed individually."""
ALONE = 10
"""Maximum number of ungrouped failed cases that are listed."""
LEGEND = "each failed attempt is in one group, by rules; a share is of the cases that failed"


def sentence(failures: RunFailures) -> str:
    """Summarise the failures in one sentence, including each condition of the run."""
    summary = _of_found(failures)
    if not failures.conditions:
        return summary
    return f"In the plain run {summary[0].lower()}{summary[1:]}{_of_conditions(failures)}"


def _of_conditions(failures: RunFailures) -> str:
    """Summarise by condition, worst first: ` Under hiccup 40 of 40 attempts failed, under stale 3 of 40.`"""
    failed = sorted(
        ((name, each) for name, each in failures.conditions.items() if each.failed_attempts),
        key=lambda each: -each[1].failed_attempts / each[1].counted_attempts,
    )
    if not failed:
        counted = any(each.counted_attempts for each in failures.conditions.values())
        return " Nor did anything fail under a condition." if counted and not failures.found.failed_cases else ""
    phrases = [
        f"under {one_line(name, 40)} {numbers.whole(each.failed_attempts)} of "
        f"{numbers.whole(each.counted_attempts)}{'' if place else ' attempts failed'}"
        for place, (name, each) in enumerate(failed[:_NAMED])
    ]
    more = f" and under {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
    text = ", ".join(phrases) + more
    return f" {text[0].upper()}{text[1:]}."


def _of_found(failures: RunFailures) -> str:
    found = failures.found
    if not found.counted_cases:
        return f"Nothing was counted{_left_out(failures, ': ')}."
    if not found.failed_cases:
        passed = numbers.plural(found.counted_cases, "case")
        return f"Nothing failed: {passed} passed{_left_out(failures, '; not counted: ')}."
    summary = f"{numbers.whole(found.failed_cases)} of {numbers.plural(found.counted_cases, 'case')} failed"
    first = found.groups[0]
    if first.kind == "other":
        return f"{summary}; they have nothing in common that shows." if found.failed_cases > 1 else f"{summary}."
    if first.cases == 1 < found.failed_cases:
        return f"{summary}, each in its own way, such as: {name(first)}."
    tied = len(found.groups) > 1 and found.groups[1].share.value == first.share.value
    often = "such as" if tied else "most often"
    return f"{summary}, {often} ({numbers.percent(first.share.value or 0)}): {name(first)}."


def _left_out(failures: RunFailures, before: str) -> str:
    """Describe attempts that do not count: `: 20 attempts in which the environment failed`; empty if there are none."""
    counts = failures.found.not_counted
    phrases = [
        f"{numbers.plural(counts[outcome], 'attempt')} {why}"
        for outcome, why in _NOT_COUNTED.items()
        if outcome in counts
    ]
    return f"{before}{', '.join(phrases)}" if phrases else ""


def name(group: FailureGroup) -> str:
    """Name a group: `says “no idea”`, `check keywords: …`; preceded by a model's title if there is one."""
    kind, what = _KINDS.get(group.kind), group.example or group.name.replace("#", "…")
    detail = one_line(_BROKE.get(group.name, what) if group.kind == "failure" else what, 120)
    own_words = group.kind in ("failure", "check")  # their text may contain quotes
    label = f"{kind} {detail}" if own_words else detail if kind is None else f"{kind} “{detail}”"
    label += " and alike" if group.varies else ""
    return f"{one_line(group.title, 80)}: {label}" if group.title else label


def alone(found: FailureMap) -> str:
    """Introduce the ungrouped cases: `5 cases failed each in its own way: `."""
    cases = len(found.alone)
    further = " more" if found.patterns else ""
    if cases == 1:
        return f"1{further} case failed in its own way: "
    return f"{numbers.whole(cases)}{further} cases failed each in its own way: "


def _named_alone(found: FailureMap) -> str:
    ids = [key.exam for key in found.alone]
    more = f" and {numbers.whole(len(ids) - ALONE)} more" if len(ids) > ALONE else ""
    return alone(found) + ", ".join(one_line(each, 40) for each in ids[:ALONE]) + more


def naming(failures: RunFailures) -> str:
    """Say which model named the groups, and its usage; empty if none did."""
    if failures.named_by is None:
        return ""
    used = numbers.usage(failures.usage) or "nothing, as it was asked before"
    lacking = f" Some have no name: {one_line(failures.unnamed, 200)}." if failures.unnamed else ""
    source_text = f"Names before the colon are by {one_line(failures.named_by, 80)}, which took {used}"
    return f"{source_text}; groups are by rules.{lacking}"


def render(failures: RunFailures) -> RenderableType:
    """Render the report for a terminal."""
    return Page(lambda width: _report(failures, width))


def _report(failures: RunFailures, width: int) -> Iterator[RenderableType]:
    yield Text(sentence(failures), style="bold")
    maps = failures.failed_maps
    for name, found in maps.items():
        yield Text()
        if found.patterns:
            yield _table(failures, heading(failures, name), found, width)
        elif failures.conditions:
            yield Text(heading(failures, name), style="dim")
        if found.alone:
            yield Text(_named_alone(found))
    if not maps:
        return
    yield Text()
    if named := naming(failures):
        yield Text(named, style="dim")
    first = next(iter(maps.values())).groups[0].examples[0]
    yield Text(f"Next  proctor show {failures.run.id} --case {first.exam}", style="dim")


def heading(failures: RunFailures, condition: str) -> str:
    """Return the heading of a condition's groups."""
    if not failures.conditions:
        return "What failed"
    return f"What failed under {one_line(condition, 40)}" if condition else "What failed in the plain run"


def _table(failures: RunFailures, title: str, found: FailureMap, width: int) -> RenderableType:
    table = page_table(width)
    table.add_column(title, ratio=1, no_wrap=True, overflow="ellipsis")
    for header in ("cases", "share", "interval"):
        table.add_column(header, justify="right", no_wrap=True)
    if failures.since is not None:
        table.add_column("", no_wrap=True)
    for group in found.patterns:
        share = numbers.say(group.share)
        new = [Text("new" if group.is_new else "", style="bold")] if failures.since is not None else []
        table.add_row(Text(name(group)), numbers.whole(group.cases), share.value, share.interval, *new)
        for key in group.examples[:2]:
            table.add_row(Text(f"  {one_line(key.exam, 40)}  {_question(failures, key.exam)}", style="dim"))
    return table


def _question(failures: RunFailures, exam: str) -> str:
    known = failures.exams.get(exam)
    return one_line(known.cases[0].question, 80) if known is not None else ""


def markdown(failures: RunFailures) -> str:
    """Render as Markdown for a pull request or a wiki."""
    return "\n".join(_markdown(failures)) + "\n"


def _markdown(failures: RunFailures) -> Iterator[str]:
    yield f"**{in_markdown(sentence(failures), 400)}**"
    for condition, found in failures.failed_maps.items():
        title = heading(failures, condition)
        yield from _markdown_table(failures, found, title)
        if failures.conditions and not found.patterns:
            yield f"\n{in_markdown(title)}:"
        if found.alone:
            yield f"\n{in_markdown(_named_alone(found), 600)}"
    if named := naming(failures):
        yield f"\n{in_markdown(named, 400)}"


def _markdown_table(failures: RunFailures, found: FailureMap, title: str) -> Iterator[str]:
    if found.patterns:
        yield ""
        yield f"| {in_markdown(title[0].lower() + title[1:])} | cases | share | interval | for example |"
        yield "|---|---:|---:|---|---|"
        for group in found.patterns:
            share, new = numbers.say(group.share), " (new)" if group.is_new else ""
            label = in_markdown(name(group), 240)
            shown = in_markdown(_question(failures, group.examples[0].exam), 160)
            yield f"| {label}{new} | {group.cases} | {share.value} | {share.interval} | {shown} |"


def as_dict(failures: RunFailures) -> dict[str, Any]:
    """Return the output of `proctor failures --json`. Keys may be added, but not removed."""
    found = failures.found
    return {
        "run": failures.run.id,
        "since": None if failures.since is None else failures.since.id,
        "sentence": sentence(failures),
        "failed_cases": found.failed_cases,
        "failed_attempts": found.failed_attempts,
        "counted_cases": found.counted_cases,
        "groups": [_group_dict(group) for group in found.groups],
        "conditions": {name: _map_dict(each) for name, each in failures.conditions.items()},
        "named_by": failures.named_by,
        "usage": plain(failures.usage) if failures.named_by else None,
    }


def _map_dict(found: FailureMap) -> dict[str, Any]:
    return {
        "failed_cases": found.failed_cases,
        "failed_attempts": found.failed_attempts,
        "counted_cases": found.counted_cases,
        "counted_attempts": found.counted_attempts,
        "groups": [_group_dict(group) for group in found.groups],
    }


def _group_dict(group: FailureGroup) -> dict[str, Any]:
    return {
        "kind": group.kind,
        "name": group.name,
        "example": group.example or None,
        "title": group.title or None,
        "cases": group.cases,
        "attempts": group.attempts,
        "share": estimate(group.share),
        "new": group.is_new,
        "examples": [where(key) for key in group.examples],
    }
