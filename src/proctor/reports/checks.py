"""Phrase the results of checks, the same for all renderings."""

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
from proctor.reports.terminal import STYLES, ListCut, draw_estimate, page_table
from proctor.reports.values import estimate, where
from proctor.reports.words import cut, full_line, one_line, things_in
from proctor.run import Attempt
from proctor.score import NO_ERROR, CheckResult

_QUOTE, _WORD = re.compile(r"“[^”]*”"), re.compile(r"[^\W\d]+")
_WORST_FIRST = (FAILED, FLAKY, NOT_CHECKABLE, PASSED)


def of_tally(passed: int, failed: int) -> OutcomeLabel:
    """Return the outcome of a check over several trials."""
    if not passed and not failed:
        return NOT_CHECKABLE
    if passed and failed:
        return FLAKY
    return PASSED if passed else FAILED


def severity(outcome: OutcomeLabel) -> int:
    """Return a sort key: the worse the outcome, the lower."""
    return _WORST_FIRST.index(outcome)


def worst_first(results: Iterable[CheckResult]) -> list[CheckResult]:
    """Sort results: failed, not checkable, passed; otherwise in the order in which they were applied."""
    return sorted(results, key=lambda result: severity(of_result(result)))


def brief(evidence: str, limit: int = 80) -> str:
    """Shorten evidence to its first item and the number of others of its kind: `“28 days” is missing; and 2 more`."""
    first, more = first_and_more(evidence)
    return cut(first, limit - len(more)) + more if limit - len(more) > len(more) else cut(first, limit)


def first_and_more(evidence: str) -> tuple[str, str]:
    """Split evidence into its first item and the number of similar ones: `“28 days” is missing`, `; and 2 more`."""
    things = things_in(evidence)
    if not things:
        return full_line(evidence), ""
    more = sum(_kind(thing) == _kind(things[0]) for thing in things[1:])
    return things[0], f"; and {more:,} more" if more else ""


def _kind(thing: str) -> list[str]:
    """Return the kind of an evidence item: its last words outside quotes and numbers, such as `is missing`."""
    return _WORD.findall(_QUOTE.sub("", thing).partition(":")[0])[-2:]


def passed_of(check: CheckFinding) -> str:
    """Format the passed replies among those checkable: `30/40`."""
    return f"{numbers.whole(check.passed)}/{numbers.whole(check.passed + check.failed)}"


def what_passes(findings: Findings) -> str:
    """Describe what decides whether a checked case passes; empty without checks, in battles and imported runs."""
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
    """The result of one check on one case, over its trials."""

    name: str
    outcome: OutcomeLabel
    tally: str
    """`2/3` if it passed in some trials only, else empty."""

    @property
    def failed(self) -> bool:
        """Whether it failed in any trial."""
        return self.outcome in (FAILED, FLAKY)


class CheckLabels:
    """Collect the checks of the given cases; with `plain_alone`, only attempts without a condition count."""

    def __init__(self, cases: Iterable[str], *, plain_alone: bool = False) -> None:
        self._plain_alone = plain_alone
        self._counts: dict[str, dict[str, list[int]]] = {case: {} for case in cases}

    def watching(self, attempts: Iterable[Attempt]) -> Iterator[Attempt]:
        """Yield the attempts unchanged while counting their checks."""
        for attempt in attempts:
            checks = self._counts.get(attempt.key.exam)
            if checks is not None and not (self._plain_alone and attempt.key.condition):
                for result in attempt.checks:
                    counts = checks.setdefault(result.name, [0, 0])
                    if result.passed is not None:
                        counts[not result.passed] += 1
            yield attempt

    def of(self, case: str) -> list[Label]:
        """Return the checks of a case: failed first, then not checkable; the check for an answer at all comes last."""
        counted = self._counts.get(case, {})
        return sorted((_label(name, *counts) for name, counts in counted.items()), key=_sort_key)


def _sort_key(label: Label) -> tuple[int, bool]:
    return severity(label.outcome), label.name == NO_ERROR


def _label(name: str, passed: int, failed: int) -> Label:
    outcome = of_tally(passed, failed)
    return Label(name=name, outcome=outcome, tally=f"{passed}/{passed + failed}" if outcome is FLAKY else "")


def as_dict(check: CheckFinding) -> dict[str, Any]:
    """Return the value of a check in `checks` of `--json` output."""
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
    """Yield the rows of a table of checks, those that failed most often first."""
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
"""Minimum width in columns for truncated evidence to be useful."""


def terminal_table(checks: Sequence[CheckFinding], width: int, cut: ListCut) -> Iterator[RenderableType]:
    """Render the pass rate of each check over cases, those that failed most often first."""
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
        cells = (
            rate.value,
            draw_estimate(check.rate, axis),
            interval,
            passed_of(check),
            *((unknown,) if apart else ()),
        )
        table.add_row(Text(one_line(check.name)), *cells)
    yield table
    yield from cut.rest(checks, _MOST, noun="that failed less often")
    yield Text()


def failed_in_full(failed: Mapping[str, str]) -> Text:
    """Render one line per failed check with its full evidence."""
    sign = (FAILED.sign, STYLES[FAILED.style])
    lines = (
        Text.assemble((f"{full_line(name)} ", sign[1]), sign, f" {full_line(seen)}") for name, seen in failed.items()
    )
    return Text("\n").join(lines)


def failed_line(failed: Mapping[str, str], width: int) -> Text:
    """Render the failed checks in one line, with evidence if it fits: `keywords ✗ “28 days” is missing  limits ✗`."""
    pieces = [Text.assemble((f"{one_line(name, 40)} {FAILED.sign}", STYLES[FAILED.style])) for name in failed]
    room = width - Text(_BETWEEN).join(pieces).cell_len
    for piece, evidence in zip(pieces, failed.values(), strict=True):
        evidence_text = Text(f" {brief(evidence)}".rstrip())
        if evidence_text.cell_len > room:
            if room < _SHORTEST:
                break
            evidence_text = Text(f" {_fit(evidence, room - 1)}")
        piece.append_text(evidence_text)
        room -= evidence_text.cell_len
    line = Text(_BETWEEN).join(pieces)
    line.truncate(width, overflow="ellipsis")
    return line


def _fit(evidence: str, room: int) -> str:
    """Fit evidence into a width: its first item, cut between words, and the number of others if it fits."""
    first, more = first_and_more(evidence)
    if len(first) + len(more) > room and room - len(more) < _SHORTEST:
        more = ""
    kept = Text(first)
    kept.truncate(room - len(more), overflow="ellipsis")
    return cut(first, len(kept.plain)) + more if len(first) > room - len(more) else first + more
