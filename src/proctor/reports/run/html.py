"""Render the HTML report: one self-contained file without scripts, with every text escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from statistics import median
from typing import Any, TextIO

from markupsafe import Markup

from proctor.benchmark import Exam
from proctor.findings.failure_map import RunFailures
from proctor.findings.run import CaseFinding, Findings, ProblemGroup
from proctor.reports import outcomes
from proctor.reports.battle.conversation import talk
from proctor.reports.checks import CheckLabels, Label
from proctor.reports.headline import headline
from proctor.reports.run.environment import environment
from proctor.reports.run.particulars import settings_of
from proctor.run import Attempt

_READ_LAST = (outcomes.PASSED, outcomes.PENDING)


@dataclass(frozen=True, kw_only=True, slots=True)
class RenderedAttempt:
    """A rendered attempt, so that its transcript need not be kept in memory."""

    place: int
    outcome: outcomes.OutcomeLabel
    text: str


@dataclass(slots=True)
class _AttemptSelection:
    """A selection of attempts of one case, up to a maximum."""

    room: int
    kept: list[RenderedAttempt] = field(default_factory=list)

    def take(self, attempt: Attempt, render: Callable[[Attempt], str]) -> None:
        outcome = outcomes.of_attempt(attempt)
        if len(self.kept) >= self.room:
            spare = next((shown for shown in reversed(self.kept) if shown.outcome in _READ_LAST), None)
            if outcome in _READ_LAST or spare is None:
                return
            self.kept.remove(spare)
        self.kept.append(RenderedAttempt(place=attempt.place, outcome=outcome, text=render(attempt)))


def rooms(cases: Sequence[CaseFinding], *, limit: int) -> dict[str, int]:
    """Return case id → number of its attempts to show in full, worst cases first."""
    found: dict[str, int] = {}
    for case in outcomes.worst_first(cases):
        if limit <= 0:
            break
        found[case.id] = min(limit, case.attempts)
        limit -= case.attempts
    return found


def select(
    cases: Sequence[CaseFinding], attempts: Iterable[Attempt], render: Callable[[Attempt], str], *, limit: int
) -> dict[str, list[RenderedAttempt]]:
    """Return case id → its attempts rendered in full, worst cases first, at most `limit` in total."""
    shelves = {case: _AttemptSelection(room=room) for case, room in rooms(cases, limit=limit).items()}
    for attempt in attempts:
        if attempt.key.exam in shelves:
            shelves[attempt.key.exam].take(attempt, render)
    return {case: sorted(shelf.kept, key=lambda shown: shown.place) for case, shelf in shelves.items()}


_ATTEMPTS_IN_FULL = 500
_ROWS = 2_000
_FILTERS = 12
"""Maximum number of checks by which cases can be filtered: `checks.css` has that many rules."""
_ALWAYS_COUNTED = (outcomes.PASSED, outcomes.NOT_PASSED, outcomes.FLAKY)


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseRow:
    """A row of the table of cases; `anchor` is empty if the case is not shown in full."""

    case: CaseFinding
    outcome: outcomes.OutcomeLabel
    anchor: str
    labels: list[Label]
    """Results of its checks."""
    filters: list[int]
    """Indices of its failed checks, among those that have a filter."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseSection:
    """A case shown in full."""

    row: CaseRow
    exam: Exam | None
    attempts: list[RenderedAttempt]
    open: int
    """Index in `attempts` of the one that is unfolded."""


def write_html(
    findings: Findings, exams: Mapping[str, Exam], attempts: Iterable[Attempt], stream: TextIO, *, k: int | None = None
) -> None:
    """Write the report; attempts are streamed, and up to 500 are shown in full, worst cases first."""
    stream.writelines(html_pieces(findings, exams, attempts, k=k))


def html_pieces(
    findings: Findings,
    exams: Mapping[str, Exam],
    attempts: Iterable[Attempt],
    *,
    k: int | None = None,
    failures: RunFailures | None = None,
) -> Iterator[str]:
    """Yield the report piece by piece, with the groups of failures if given."""
    cases = outcomes.worst_first(findings.cases)
    labels = CheckLabels((case.id for case in cases[:_ROWS]), plain_alone=findings.run.settings.has_plain_run)
    shown = select(cases, labels.watching(attempts), _renderer(findings, exams), limit=_ATTEMPTS_IN_FULL)
    rows = list(_rows(findings, cases, shown, labels))
    page = environment().get_template("report.html.j2")
    yield from page.generate(**_page(findings, exams, shown, rows, k), failures=failures)


def cases_in_full(findings: Findings) -> set[str]:
    """Return the cases whose attempts are shown in full."""
    return set(rooms(findings.cases, limit=_ATTEMPTS_IN_FULL))


def _renderer(findings: Findings, exams: Mapping[str, Exam]) -> Callable[[Attempt], str]:
    """Return a function that renders an attempt: as a conversation, or as a question with its reply."""
    battle = findings.battle is not None
    fragment = environment().get_template("conversation.html.j2" if battle else "attempt.html.j2")
    places = count(1)

    def render(attempt: Attempt) -> str:
        exam = exams.get(attempt.key.exam)
        held = talk(attempt, exam, name=f"talk-{next(places)}")
        return Markup(fragment.render(attempt=attempt, talk=held, whole=_of_whole(attempt), exam=exam))

    return render


def _page(
    findings: Findings,
    exams: Mapping[str, Exam],
    shown: Mapping[str, list[RenderedAttempt]],
    rows: list[CaseRow],
    k: int | None,
) -> dict[str, Any]:
    counts = outcomes.count_by_outcome(findings.cases)
    times = [case.seconds for case in findings.cases if case.seconds is not None]
    kinds = [(kind, n) for kind in outcomes.OF_CASES if (n := counts.get(kind.name, 0)) or kind in _ALWAYS_COUNTED]
    return {
        "findings": findings,
        "run": findings.run,
        "where": outcomes.of_run(findings),
        "headline": headline(findings, k=k),
        "kinds": kinds,
        "stack": [(kind.style, count) for kind, count in kinds],
        "stack_label": ", ".join(f"{count} {kind.word}" for kind, count in kinds),
        "scores": [case.score for case in findings.cases if case.score is not None],
        "times": times,
        "longest": max(times, default=0.0),
        "middle": median(times) if times else None,
        "troubles": _troubles(findings),
        "notes": list(findings.notes),
        "missing_marks": outcomes.missing_marks(findings),
        "rows": rows[:_ROWS],
        "filters": _filters(findings, rows),
        "marked": findings.mean_score.value is not None or findings.run.settings.reviewer is not None,
        "script": outcomes.worst_first(findings.rows),
        "rows_left_out": len(rows[_ROWS:]),
        "anchors": {row.case.id: row.anchor for row in rows},
        "sections": _sections(rows, exams, shown),
        "in_full": sum(map(len, shown.values())),
        "played": findings.counts.played,
        "settings": settings_of(findings.run),
    }


def _rows(
    findings: Findings, cases: Iterable[CaseFinding], shown: Mapping[str, list[RenderedAttempt]], labels: CheckLabels
) -> Iterator[CaseRow]:
    places = {check.name: place for place, check in enumerate(findings.checks[:_FILTERS])}
    for number, case in enumerate(cases, 1):
        known = labels.of(case.id)
        yield CaseRow(
            case=case,
            outcome=outcomes.of_case(case),
            anchor=f"case-{number}" if shown.get(case.id) else "",
            labels=known,
            filters=[places[label.name] for label in known if label.failed and label.name in places],
        )


def _filters(findings: Findings, rows: Iterable[CaseRow]) -> list[tuple[int, str, int]]:
    """Return (index, name, number of cases) for the checks that cases failed."""
    failed = Counter(place for row in rows for place in row.filters)
    return [(place, findings.checks[place].name, failed[place]) for place in sorted(failed)]


def _sections(
    rows: Iterable[CaseRow], exams: Mapping[str, Exam], shown: Mapping[str, list[RenderedAttempt]]
) -> Iterator[CaseSection]:
    for row in rows:
        attempts = shown.get(row.case.id)
        if attempts:
            bad = (place for place, each in enumerate(attempts) if each.outcome is not outcomes.PASSED)
            yield CaseSection(row=row, exam=exams.get(row.case.id), attempts=attempts, open=next(bad, 0))


def _troubles(findings: Findings) -> list[tuple[outcomes.OutcomeLabel, str, list[ProblemGroup]]]:
    grouped = [
        (outcomes.TROUBLES[owner], heading, [each for each in findings.troubles if each.owner == owner])
        for owner, heading in outcomes.TROUBLE_HEADINGS.items()
    ]
    return [(kind, heading, inside) for kind, heading, inside in grouped if inside]


def _of_whole(attempt: Attempt) -> dict[str, Any]:
    """Return the scores of the conversation as a whole, and why any are missing."""
    return {
        "scores": [score for score in attempt.scores if score.turn is None],
        "unscored": [missing for missing in attempt.unscored if missing.turn is None],
    }
