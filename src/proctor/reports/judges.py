"""Render a comparison of judges for the terminal, in Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from proctor.findings.run.judges import ComparedJudge, JudgeDifference, JudgesFinding
from proctor.reports import numbers
from proctor.reports.markup import plain as escaped
from proctor.reports.numbers import format_signed, points
from proctor.reports.people import label_words
from proctor.reports.terminal import INDENT, Page, page_table
from proctor.reports.values import estimate, plain, where
from proctor.reports.words import one_line
from proctor.statistics.estimate import Estimate
from proctor.statistics.judges import JudgeAgreement

_HEADERS = ("agrees", "passes of people's passes", "fails of people's fails", "kappa", "a verdict costs", "takes")
SHORT = ("agrees", "of passes", "of fails", "kappa", "cost", "time")
LEGEND = (
    "agrees: says the same as people · of passes: of what people pass, how much it passes · of fails: of what people "
    "fail, how much it fails · cost and time: of a verdict"
)
_Cell = tuple[str, str]
"""A value and its interval."""
_FEW = 10
"""Minimum number of labels for a slice to be shown."""


def render(found: JudgesFinding) -> RenderableType:
    """Render for the terminal."""
    return Page(lambda width: _page(found, width))


def _page(found: JudgesFinding, width: int) -> Iterator[RenderableType]:
    yield Text(opening(found), style="bold")
    yield Text()
    yield from _table(rows(found), width)
    yield Padding(Text(LEGEND, style="dim"), INDENT)
    for title, part in slices(found):
        yield Text()
        yield from _table(part, width, first=title)
    yield Text()
    for sentence in sentences(found):
        yield Text(sentence)


def _table(rows: Mapping[str, tuple[_Cell, ...]], width: int, *, first: str = "judge") -> Iterator[RenderableType]:
    table = page_table(width)
    table.add_column(first, ratio=1, overflow="fold", min_width=12)
    for header in SHORT[: len(next(iter(rows.values()), ()))]:
        table.add_column(header, justify="right", no_wrap=True)
    for name, cells in rows.items():
        table.add_row(Text(one_line(name)), *(_two_lines(*cell) for cell in cells))
    yield table


def _two_lines(value: str, interval: str) -> Text:
    cell = Text(value)
    return cell.append(f"\n{interval}", style="dim") if interval else cell


def opening(found: JudgesFinding) -> str:
    """State the data of the comparison."""
    return f"Judges of run {found.run.id} compared with people, on {rests_on(found)}:"


def rests_on(found: JudgesFinding) -> str:
    """Format the number of labelled attempts: `14 labelled attempts`; with the labels if not all count."""
    count_text, basis = numbers.plural(found.labels, "labelled attempt"), found.basis
    if basis.given == found.labels:
        return count_text
    return f"{count_text} ({label_words(basis, found.labels, lacking='without a reply to judge')})"


def rows(found: JudgesFinding) -> dict[str, tuple[_Cell, ...]]:
    """Return judge → values with intervals, in the order of the headers."""
    return {
        _name(judge): (
            *_cells(judge.quality), (numbers.cost(judge.cost), ""), (numbers.duration(judge.seconds), "")
        )
        for judge in found.judges
    }  # fmt: skip


def _name(judge: ComparedJudge) -> str:
    return f"{judge.name} (the run's own)" if judge.is_own else judge.name


def _told_apart(judge: ComparedJudge, found: JudgesFinding) -> str:
    """Return the name of a judge; the run's own is marked if another has the same name."""
    alike = [other for other in found.judges if other.name == judge.name]
    return _name(judge) if len(alike) > 1 else judge.name


def _cells(quality: JudgeAgreement) -> tuple[_Cell, ...]:
    kappa = quality.kappa
    shares = [_share(each) for each in (quality.agreement, quality.sensitivity, quality.specificity)]
    kappa_cell = (numbers.NOTHING, "")
    if kappa.value is not None and kappa.low is not None and kappa.high is not None:
        ends = " to ".join(format_signed(end, 2, plus=False) for end in (kappa.low, kappa.high))
        kappa_cell = (format_signed(kappa.value, 2, plus=False), ends)
    return *shares, kappa_cell


def _share(known: Estimate) -> _Cell:
    share_text = numbers.say(known)
    return (share_text.value, share_text.interval) if known.value is not None else (numbers.NOTHING, "")


def slices(found: JudgesFinding) -> Iterator[tuple[str, dict[str, tuple[_Cell, ...]]]]:
    """Yield tables by category and by length, with the judges for each; only those with enough labels."""
    for title, attribute in (("by category", "categories"), ("by length", "lengths")):
        rows = {}
        names = dict.fromkeys(name for judge in found.judges for name in getattr(judge, attribute))
        for name in names:
            for judge in found.judges:
                quality = getattr(judge, attribute).get(name)
                if quality is not None and quality.agreement.n >= _FEW:
                    rows[f"{name}, {_told_apart(judge, found)}"] = _cells(quality)
        if rows:
            yield title, rows


def sentences(found: JudgesFinding) -> Iterator[str]:
    """Yield which judge agrees better with people, what could not be judged, and what was stopped."""
    for each in found.differences:
        yield difference_sentence(each)
    for judge in found.judges:
        yield from _lacking(judge)
    yield from _notes(found)


def say_unfinished(found: JudgesFinding) -> str:
    """Describe what is still to be judged and why, without a full stop; empty if nothing is."""
    lacking = [sentence for judge in found.judges if judge.pending for sentence in _open(judge)]
    return "; ".join([*(f"{name} was stopped: {why}" for name, why in found.stopped.items()), *lacking])


def _notes(found: JudgesFinding) -> Iterator[str]:
    yield from found.notes
    yield from (f"{name} was stopped: {why}; the same command continues" for name, why in found.stopped.items())


def difference_sentence(each: JudgeDifference) -> str:
    """State which of two judges agrees more often with people, or that this is not shown."""
    difference = each.difference
    if difference.value is None:
        return f"{each.a} and {each.b} cannot be compared: {difference.note}."
    low, high = (100 * (end or 0.0) for end in (difference.low, difference.high))
    low, high = (-high, -low) if difference.side < 0 else (low, high)  # for the judge named first
    ends = " to ".join(format_signed(end, 0) for end in (low, high))
    basis = f"95 % interval {ends} points, {numbers.plural(difference.n, 'attempt')}"
    if not difference.side:
        return f"Neither {each.a} nor {each.b} is shown to agree better with people ({basis})."
    better, other = (each.b, each.a) if difference.side > 0 else (each.a, each.b)
    return f"{better} agrees better with people than {other}, by {points(difference.value)} ({basis})."


def _lacking(judge: ComparedJudge) -> Iterator[str]:
    for reason, times in judge.unscored.items():
        yield f"{judge.name} gave no verdict on {numbers.plural(times, 'attempt')}: {one_line(reason)}."
    yield from (f"{sentence}." for sentence in _open(judge))


def _open(judge: ComparedJudge) -> Iterator[str]:
    """Yield what a judge can be asked again, without full stops."""
    for reason, times in judge.failures.items():
        yield f"{judge.name} failed on {numbers.plural(times, 'attempt')}: {one_line(reason)}"
    if judge.pending > sum(judge.failures.values()):
        yield f"{judge.name} has not judged {numbers.plural(judge.pending - sum(judge.failures.values()), 'attempt')}"


def in_markdown(found: JudgesFinding) -> str:
    """Render as Markdown for a pull request."""
    lines = [f"### {opening(found)}", "", *_markdown_table("judge", rows(found), _HEADERS)]
    for title, part in slices(found):
        lines += ["", *_markdown_table(title, part, _HEADERS)]
    lines += ["", *(f"- {escaped(sentence, 500)}" for sentence in sentences(found))]
    return "\n".join(lines) + "\n"


def _markdown_table(first: str, rows: Mapping[str, tuple[_Cell, ...]], headers: tuple[str, ...]) -> Iterator[str]:
    columns = len(next(iter(rows.values()), ()))
    yield f"| {' | '.join((first, *headers[:columns]))} |"
    yield f"|:--|{'--:|' * columns}"
    for name, cells in rows.items():
        cell_texts = (f"{value} ({interval})" if interval else value for value, interval in cells)
        yield f"| {' | '.join((escaped(name), *cell_texts))} |"


def as_dict(found: JudgesFinding) -> dict[str, Any]:
    """Return the output of `proctor judges --json`. Keys may be added, but not removed."""
    return {
        "run": found.run.id,
        "labels": found.labels,
        "labels_given": found.basis.given,
        "attempts_labelled": found.basis.attempts,
        "tied": [where(key) for key in found.basis.tied],
        "judges": [_judge(judge) for judge in found.judges],
        "differences": [
            {"a": each.a, "b": each.b, "difference": estimate(each.difference)} for each in found.differences
        ],
        "notes": list(_notes(found)),
    }


def _judge(judge: ComparedJudge) -> dict[str, Any]:
    return {
        "judge": judge.name,
        "rubric": judge.rubric,
        "own": judge.is_own,
        "judged": judge.judged,
        "unscored": judge.unscored,
        "pending": judge.pending,
        "failures": judge.failures,
        **plain(judge.quality),
        "cost_per_verdict": judge.cost,
        "seconds_per_verdict": judge.seconds,
        "by_category": plain(judge.categories),
        "by_length": plain(judge.lengths),
    }
