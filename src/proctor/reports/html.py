"""The HTML report: one file to read and to send. No script, nothing loaded from elsewhere, every text escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, TextIO

from markupsafe import Markup

from proctor.benchmark import Exam
from proctor.findings import CaseFinding, Findings, Trouble
from proctor.reports import numbers, outcomes, prose, svg
from proctor.reports.battle import svg as battle_svg
from proctor.reports.battle import words as battle_words
from proctor.reports.battle.conversation import pieces, quotes_in, talk
from proctor.reports.conditions import words as condition_words
from proctor.reports.headline import exam_noun, headline, noun_of
from proctor.reports.orchestration import words as orchestration_words
from proctor.reports.particulars import expectations_of, settings_of
from proctor.reports.selection import Shown, select
from proctor.reports.words import clean, one_line
from proctor.run import Attempt
from proctor.transcript import Step

if TYPE_CHECKING:
    from jinja2 import Environment

_ATTEMPTS_IN_FULL = 500
_ROWS = 2_000
_ALWAYS_COUNTED = (outcomes.PASSED, outcomes.NOT_PASSED, outcomes.FLAKY)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One line of the table of cases; `anchor` is empty where the case is not shown in full."""

    case: CaseFinding
    outcome: outcomes.Outcome
    anchor: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """One case in full."""

    row: Row
    exam: Exam | None
    attempts: list[Shown]
    open: int
    """The place in `attempts` of the one that is unfolded."""


def write_html(
    findings: Findings, exams: Mapping[str, Exam], attempts: Iterable[Attempt], stream: TextIO, *, k: int | None = None
) -> None:
    """Write the report; attempts stream by, and some 500 of them are shown in full, the ones that went wrong first."""
    shown = select(findings.cases, attempts, _renderer(findings, exams), limit=_ATTEMPTS_IN_FULL)
    page = _environment().get_template("report.html.j2")
    for piece in page.generate(**_page(findings, exams, shown, k)):
        stream.write(piece)


def _renderer(findings: Findings, exams: Mapping[str, Exam]) -> Callable[[Attempt], str]:
    """How one attempt is shown: as a conversation, or as a question with its reply."""
    battle = findings.battle is not None
    fragment = _environment().get_template("conversation.html.j2" if battle else "attempt.html.j2")
    places = count(1)

    def rendered(attempt: Attempt) -> str:
        exam = exams.get(attempt.key.exam)
        held = talk(attempt, exam, name=f"talk-{next(places)}")
        return Markup(fragment.render(attempt=attempt, talk=held, whole=_of_whole(attempt), exam=exam))

    return rendered


def _page(
    findings: Findings, exams: Mapping[str, Exam], shown: Mapping[str, list[Shown]], k: int | None
) -> dict[str, Any]:
    rows = list(_rows(findings, shown))
    counts = outcomes.counted(findings.cases)
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
        "troubles": _troubles(findings),
        "rows": rows[:_ROWS],
        "script": outcomes.worst_first(findings.rows),
        "rows_left_out": len(rows[_ROWS:]),
        "anchors": {row.case.id: row.anchor for row in rows},
        "sections": _sections(rows, exams, shown),
        "in_full": sum(map(len, shown.values())),
        "played": findings.counts.planned - findings.counts.pending,
        "settings": settings_of(findings.run),
    }


def _rows(findings: Findings, shown: Mapping[str, list[Shown]]) -> Iterator[Row]:
    for number, case in enumerate(outcomes.worst_first(findings.cases), 1):
        yield Row(case=case, outcome=outcomes.of_case(case), anchor=f"case-{number}" if shown.get(case.id) else "")


def _sections(rows: Iterable[Row], exams: Mapping[str, Exam], shown: Mapping[str, list[Shown]]) -> Iterator[Section]:
    for row in rows:
        attempts = shown.get(row.case.id)
        if attempts:
            bad = (place for place, each in enumerate(attempts) if each.outcome is not outcomes.PASSED)
            yield Section(row=row, exam=exams.get(row.case.id), attempts=attempts, open=next(bad, 0))


def _troubles(findings: Findings) -> list[tuple[outcomes.Outcome, str, list[Trouble]]]:
    grouped = [
        (outcomes.TROUBLES[owner], heading, [each for each in findings.troubles if each.owner == owner])
        for owner, heading in outcomes.TROUBLE_HEADINGS.items()
    ]
    return [(kind, heading, inside) for kind, heading, inside in grouped if inside]


def _of_whole(attempt: Attempt) -> dict[str, Any]:
    """What was said of the conversation as a whole."""
    return {
        "scores": [score for score in attempt.scores if score.turn is None],
        "unscored": [missing for missing in attempt.unscored if missing.turn is None],
    }


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("proctor.reports"),
        autoescape=True,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {"one_line": one_line, "prose": prose.set_as_prose, "as_code": prose.set_as_code}
    environment.globals |= {
        "numbers": numbers, "outcomes": outcomes, "svg": svg, "prose": prose, "noun_of": noun_of,
        "exam_noun": exam_noun, "expectations_of": expectations_of, "pieces": pieces, "quotes_in": quotes_in,
        "battle_svg": battle_svg, "battle_words": battle_words, "condition_words": condition_words,
        "orchestration_words": orchestration_words, "line_of_time": _line_of_time,
    }  # fmt: skip
    return environment


def _line_of_time(steps: Sequence[Step]) -> Markup:
    """An orchestrator's steps as a picture."""
    from proctor.orchestration.timeline import timeline
    from proctor.reports.gantt import gantt

    return Markup(gantt(timeline(steps)))


def _harmless(value: object) -> object:
    """Everything a template prints comes through here: control characters never reach the page."""
    return clean(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
