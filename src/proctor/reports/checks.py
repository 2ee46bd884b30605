"""How checks are said, once for all renderings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from proctor.findings.run import CheckFinding, Findings
from proctor.reports import numbers
from proctor.reports.markup import draw_interval, plain
from proctor.reports.outcomes import FAILED, FLAKY, NOT_CHECKABLE, PASSED, OutcomeLabel, of_result
from proctor.reports.terminal import STYLES, ListCut, drawn, page_table
from proctor.reports.values import estimate, where
from proctor.reports.words import cut, full_line, one_line, things_in
from proctor.run import Attempt
from proctor.score import NO_ERROR, CheckResult

_QUOTE, _WORD = re.compile(r"“[^”]*”"), re.compile(r"[^\W\d]+")
_WORST_FIRST = (FAILED, FLAKY, NOT_CHECKABLE, PASSED)


def of_tally(passed: int, failed: int) -> OutcomeLabel:
    """What became of a check over several trials."""
    if not passed and not failed:
        return NOT_CHECKABLE
    if passed and failed:
        return FLAKY
    return PASSED if passed else FAILED


def severity(outcome: OutcomeLabel) -> int:
    """The worse, the lower."""
    return _WORST_FIRST.index(outcome)


def worst_first(results: Iterable[CheckResult]) -> list[CheckResult]:
    """Failed, not checkable, passed; else in the order in which they were applied."""
    return sorted(results, key=lambda result: severity(of_result(result)))


def brief(evidence: str, limit: int = 80) -> str:
    """The first thing that evidence tells, and how many more of its kind: `“28 days” is missing; and 2 more`."""
    first, more = first_and_more(evidence)
    return cut(first, limit - len(more)) + more if limit - len(more) > len(more) else cut(first, limit)


def first_and_more(evidence: str) -> tuple[str, str]:
    """`“28 days” is missing` and `; and 2 more`: what was found all right besides is not counted."""
    things = things_in(evidence)
    if not things:
        return full_line(evidence), ""
    more = sum(_kind(thing) == _kind(things[0]) for thing in things[1:])
    return things[0], f"; and {more:,} more" if more else ""


def _kind(thing: str) -> list[str]:
    """By its last words beside quotes and numbers: is missing, more than."""
    return _WORD.findall(_QUOTE.sub("", thing).partition(":")[0])[-2:]


def passed_of(check: CheckFinding) -> str:
    """`30/40`: of the replies that could be checked."""
    return f"{numbers.whole(check.passed)}/{numbers.whole(check.passed + check.failed)}"


def what_passes(findings: Findings) -> str:
    """What decides about a case that is checked, as a sentence; empty: nothing is, turns are, or others decided."""
    settings = findings.run.settings
    if not findings.checks or findings.battle is not None or findings.run.imported is not None:
        return ""
    if settings.reviewer is None:
        return "A case passes when all its checks do; no scores were asked for."
    if settings.passing_score is not None:
        needed = numbers.score(settings.passing_score)
        return f"A case passes when all its checks do and its score, if it has one, reaches {needed} or the case's own."
    return (
        "A case passes when all its checks do; its score is shown as well, unless the case sets a passing score or "
        "expects nothing but its reference."
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """One check of one case, over its trials."""

    name: str
    outcome: OutcomeLabel
    tally: str
    """`2/3` where it passed in some trials only; else empty."""

    @property
    def failed(self) -> bool:
        """In any trial."""
        return self.outcome in (FAILED, FLAKY)


class CheckLabels:
    """The checks of these cases; `plain_alone`: in the plain run, where the run has other conditions besides."""

    def __init__(self, cases: Iterable[str], *, plain_alone: bool = False) -> None:
        self._plain_alone = plain_alone
        self._counts: dict[str, dict[str, list[int]]] = {case: {} for case in cases}

    def watching(self, attempts: Iterable[Attempt]) -> Iterator[Attempt]:
        """The same attempts, counted as they go by."""
        for attempt in attempts:
            checks = self._counts.get(attempt.key.exam)
            if checks is not None and not (self._plain_alone and attempt.key.condition):
                for result in attempt.checks:
                    counts = checks.setdefault(result.name, [0, 0])
                    if result.passed is not None:
                        counts[not result.passed] += 1
            yield attempt

    def of(self, case: str) -> list[Label]:
        """Those that failed first, then those that could not be checked; that it answered at all comes last."""
        counted = self._counts.get(case, {})
        return sorted((_label(name, *counts) for name, counts in counted.items()), key=_place)


def _place(label: Label) -> tuple[int, bool]:
    return severity(label.outcome), label.name == NO_ERROR


def _label(name: str, passed: int, failed: int) -> Label:
    outcome = of_tally(passed, failed)
    return Label(name=name, outcome=outcome, tally=f"{passed}/{passed + failed}" if outcome is FLAKY else "")


def as_dict(check: CheckFinding) -> dict[str, Any]:
    """Under `checks` of `--json`, by its name."""
    return {
        "passed": check.passed,
        "failed": check.failed,
        "not_checkable": check.not_checkable,
        "rate": estimate(check.rate),
        "example": None if check.example is None else where(check.example),
        "evidence": check.evidence,
    }


_MOST = 20


def check_rows(checks: Sequence[CheckFinding]) -> Iterator[str]:
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


_BETWEEN = "  "
_SHORTEST = 10
"""Columns below which cut evidence tells nothing."""


def terminal_table(checks: Sequence[CheckFinding], width: int, cut: ListCut) -> Iterator[RenderableType]:
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
