"""The table of results: cases with their trials, or single attempts; filtered, sorted, searched, paged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

from proctor.benchmark import Exam
from proctor.findings.run import CaseFinding
from proctor.reports import outcomes
from proctor.reports.checks import CheckLabels, Label
from proctor.reports.outcomes import OutcomeLabel
from proctor.run import PLACES, Attempt, Run
from proctor.storage import Store
from proctor.web.site.site import Site
from proctor.web.views.attempt_search import place_in, search_all, told_place
from proctor.web.views.findings_cache import CachedFindings
from proctor.web.views.people_labels import DISAGREE, disputed_places
from proctor.web.views.result_order import COLUMNS, order_in_store, sort_attempts, sort_cases
from proctor.workflows.read import spans
from proctor.workflows.run_filter import says

PAGE = 50
MOST_CASES = 20_000
"""Maximum number of cases that are sorted; a larger run is shown by attempts, which the store sorts."""
_MOST_LABELLED = 2_000
"""Maximum attempts of a page for which checks are counted."""
_OF_ATTEMPTS = {
    "passed": ("pass",),
    "not_passed": ("agent", "fail"),
    "agent_failed": ("agent",),
    "unscored": ("unscored",),
    "environment_failed": ("environment",),
}
"""Verdict filter → stored verdicts."""
_SIGNS = {outcome.name: outcome for outcome in (*outcomes.OF_CASES, outcomes.AGENT_FAILED)}
STAGES = ("agent", "examiner", "reviewer", "engine")
KNOWN: Mapping[str, Sequence[str]] = {
    "by": ("case", "attempt"),
    "verdict": (*_SIGNS,),
    "stage": STAGES,
    "people": (DISAGREE,),
    "sort": (*COLUMNS, *(f"-{name}" for name in COLUMNS)),
}
"""Allowed values of filters that are not free text."""

View = Literal["case", "attempt"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultFilter:
    """Filters and sort order of the table, from the URL."""

    by: str = ""
    verdict: str = ""
    category: str = ""
    check: str = ""
    stage: str = ""
    people: str = ""
    q: str = ""
    sort: str = ""
    """`score`, `time` or `case`, prefixed with − for descending; empty for the worst first, or plan order."""
    page: int = 1
    after: str = ""
    """Position where a search continues."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultRow:
    """A row of the table."""

    exam: Exam
    outcome: OutcomeLabel
    case: CaseFinding | None
    """The case, or None in a row of an attempt."""
    attempt: Attempt | None
    """The attempt, or None in a row of a case."""
    condition: str
    """Condition that is most worth reading."""
    labels: list[Label]
    """Results of its checks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultPage:
    """A page of the table."""

    view: View
    lines: list[ResultRow]
    found: int | None
    """Number of rows on all pages, or None if a search is not complete, whose results are neither counted nor sorted.
    """
    page: int
    """Number of the page, limited to the last one."""
    pages: int
    after: str
    """Position where the search continues; empty at its end or without a search."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chips:
    """Outcomes to filter by, with counts for the current search regardless of the outcome filter."""

    view: View
    all: int | None
    """Total number of rows, or None if a search is not complete."""
    kinds: list[tuple[OutcomeLabel, int | None]]


def table(
    site: Site,
    run: Run,
    exams: Mapping[str, Exam],
    read: CachedFindings | None,
    wanted: ResultFilter,
    *,
    in_place: bool = False,
) -> ResultPage:
    """Return a page of the table; `in_place` keeps plan order, so that rows do not move."""
    if read is not None and _view(read, wanted) == "case":
        return _cases(site.store, read, wanted, in_place=in_place)
    return _attempts(site, run, exams, read, wanted)


def fills_in_place(read: CachedFindings | None, wanted: ResultFilter, *, moving: bool) -> bool:
    """Whether the rows of an active run stay the same while further attempts end."""
    if not moving or read is None or _view(read, wanted) != "case":
        return False
    return not wanted.verdict and wanted.sort.removeprefix("-") in ("", "case")


def _view(read: CachedFindings, wanted: ResultFilter) -> View:
    """Return the kind of rows: filters on checks, failures or people's labels apply to attempts."""
    if wanted.by == "attempt" or wanted.check or wanted.stage or wanted.people or len(read.exams) > MOST_CASES:
        return "attempt"
    return "case"


def _cases(store: Store, read: CachedFindings, wanted: ResultFilter, *, in_place: bool) -> ResultPage:
    ordered = _sorted_cases(read, wanted, in_place=in_place)
    pages = _pages(len(ordered))
    page = min(wanted.page, pages)
    shown = ordered[(page - 1) * PAGE : page * PAGE]
    labels = _labels(store, read, [case.id for case in shown])
    return ResultPage(
        view="case",
        lines=[_case_line(read, case, labels) for case in shown],
        found=len(ordered),
        page=page,
        pages=pages,
        after="",
    )


def wanted_cases(read: CachedFindings, wanted: ResultFilter) -> list[str]:
    """Return the ids of matching cases, in the order of the table."""
    return [case.id for case in _sorted_cases(read, wanted)]


def _sorted_cases(read: CachedFindings, wanted: ResultFilter, *, in_place: bool = False) -> list[CaseFinding]:
    inside = _chosen(read, wanted, in_place=in_place)
    if wanted.verdict:
        inside = [case for case in inside if read.kinds[case.id].name == wanted.verdict]
    return sort_cases(inside, wanted.sort)


def attempts_beside(
    site: Site, run: Run, exams: Mapping[str, Exam], wanted: ResultFilter, shown: Attempt
) -> tuple[Attempt | None, Attempt | None]:
    """Return the previous and next matching attempt, in plan order."""
    which = _which(site.store, run, exams, wanted, _rows(exams, wanted.category))
    places = which.pop("places", [(0, len(exams) * len(run.settings.conditions) * PLACES)])
    before = [(first, min(last, shown.place - 1)) for first, last in places if first < shown.place]
    after = [(max(first, shown.place + 1), last) for first, last in places if last > shown.place]
    found = [
        site.store.archive.page(run.id, places=chosen, descending=chosen is before, limit=1, **which) if chosen else []
        for chosen in (before, after)
    ]
    return next(iter(found[0]), None), next(iter(found[1]), None)


def _chosen(read: CachedFindings, wanted: ResultFilter, *, in_place: bool = False) -> list[CaseFinding]:
    """Return the matching cases regardless of outcome, the worst first or in plan order."""
    ordered = [*read.findings.cases] if in_place else read.worst_first
    if not wanted.category and not wanted.q:
        return ordered
    return [case for case in ordered if _fits(case, wanted)]


def _fits(case: CaseFinding, wanted: ResultFilter) -> bool:
    if wanted.category and wanted.category not in case.categories:
        return False
    return says(wanted.q, case.question, id=case.id)


def _case_line(read: CachedFindings, case: CaseFinding, labels: CheckLabels | None) -> ResultRow:
    check_labels = labels.of(case.id) if labels is not None else []
    return ResultRow(
        exam=read.exams[case.id],
        outcome=read.kinds[case.id],
        case=case,
        attempt=None,
        condition=_worst_condition(case, read.run),
        labels=check_labels,
    )


def _worst_condition(case: CaseFinding, run: Run) -> str:
    """Return the first condition under which not every attempt passed, else the first condition."""
    unlike = (name for name, (counted, passed) in case.conditions.items() if passed < counted)
    return next(unlike, run.settings.conditions[0])


def _labels(store: Store, read: CachedFindings, cases: Sequence[str]) -> CheckLabels | None:
    """Count the checks of the cases on this page; None if there are none or too many trials."""
    most = len(cases) * read.run.settings.repeats
    if not read.findings.checks or most > _MOST_LABELLED or not cases:
        return None
    rows = {name: row for row, name in enumerate(read.exams)}
    found = store.archive.page(read.run.id, places=spans(read.run, (rows[case] for case in cases)), limit=most)
    labels = CheckLabels(cases, plain_alone=read.run.settings.has_plain_run)
    for _ in labels.watching(found):
        pass
    return labels


def _attempts(
    site: Site, run: Run, exams: Mapping[str, Exam], read: CachedFindings | None, wanted: ResultFilter
) -> ResultPage:
    rows, words = _search_terms(exams, wanted)
    which = _which(site.store, run, exams, wanted, rows)
    if words:
        return _search_attempts(site.store, run, exams, read, which, wanted)
    found, shown = _page(site, run, exams, wanted, rows, which)
    return ResultPage(
        view="attempt",
        lines=[_attempt_line(exams, attempt) for attempt in shown if attempt.key.exam in exams],
        found=found,
        page=min(wanted.page, _pages(found)),
        pages=_pages(found),
        after="",
    )


def _search_terms(exams: Mapping[str, Exam], wanted: ResultFilter) -> tuple[Sequence[int] | None, str]:
    """Return the rows of matching exams in the plan, and the words to search for in them; none for an exact case id."""
    words = wanted.q.strip()
    exact = [row for row, name in enumerate(exams) if name.casefold() == words.casefold()] if words else []
    return (exact, "") if exact else (_rows(exams, wanted.category), words)


def _rows(exams: Mapping[str, Exam], category: str) -> Sequence[int] | None:
    """Return the rows of a category's exams in the plan, or None for all."""
    if not category:
        return None
    return [row for row, exam in enumerate(exams.values()) if category in exam.cases[0].categories]


def _which(
    store: Store, run: Run, exams: Mapping[str, Exam], wanted: ResultFilter, rows: Sequence[int] | None
) -> dict[str, Any]:
    which: dict[str, Any] = {}
    if wanted.verdict:
        which["verdicts"] = _OF_ATTEMPTS.get(wanted.verdict, ("none",))
    if wanted.people:
        names = [*exams]
        which["places"] = disputed_places(store, run, exams if rows is None else {names[row] for row in rows})
    elif rows is not None:
        which["places"] = spans(run, rows)
    if wanted.check:
        which["check"] = wanted.check
    if wanted.stage:
        which["stage"] = wanted.stage
    return which


def _page(
    site: Site,
    run: Run,
    exams: Mapping[str, Exam],
    wanted: ResultFilter,
    rows: Sequence[int] | None,
    which: dict[str, Any],
) -> tuple[int, list[Attempt]]:
    """Return the number of matching attempts, and those of this page.

    If everything was played and the filter only concerns places in the plan, no counting is needed: such a page is
    found at once, however deep it is.
    """
    order, descending = order_in_store(wanted.sort)
    each = run.settings.repeats  # with trials per case, this exceeds the actual number, so that attempts are counted
    of_plan = order == "place" and which.keys() <= {"places"} and not wanted.people
    if of_plan and site.summaries.count(run) == each * len(exams):
        chosen = range(len(exams)) if rows is None else rows
        found, inside = each * len(chosen), chosen[::-1] if descending else chosen
        offset = (min(wanted.page, _pages(found)) - 1) * PAGE
        which = {"places": spans(run, inside[offset // each : -(-(offset + PAGE) // each)])}
        offset %= each
    else:
        found = site.summaries.count(run, **which)
        offset = (min(wanted.page, _pages(found)) - 1) * PAGE
    shown = site.store.archive.page(run.id, order=order, descending=descending, offset=offset, limit=PAGE, **which)
    return found, shown


def _search_attempts(
    store: Store,
    run: Run,
    exams: Mapping[str, Exam],
    read: CachedFindings | None,
    which: dict[str, Any],
    wanted: ResultFilter,
) -> ResultPage:
    """Search questions and replies; if there are too many matches, return them page by page as found."""
    every = _holding(store, run, exams, read, wanted)
    if every is not None:
        chosen = sort_attempts([each for each in every if _has_verdict(each, wanted.verdict)], wanted.sort)
        pages = _pages(len(chosen))
        page = min(wanted.page, pages)
        lines = [_attempt_line(exams, attempt) for attempt in chosen[(page - 1) * PAGE : page * PAGE]]
        return ResultPage(view="attempt", lines=lines, found=len(chosen), page=page, pages=pages, after="")
    found = store.archive.search(run.id, wanted.q.strip(), after=place_in(wanted.after), limit=PAGE, **which)
    lines = [_attempt_line(exams, attempt) for attempt in found.attempts if attempt.key.exam in exams]
    after = told_place(found.reached)
    return ResultPage(view="attempt", lines=lines, found=None, page=1, pages=1, after=after)


def _holding(
    store: Store, run: Run, exams: Mapping[str, Exam], read: CachedFindings | None, wanted: ResultFilter
) -> list[Attempt] | None:
    """Return the attempts that contain the words regardless of outcome, in plan order; None if there are too many."""
    rows, words = _search_terms(exams, wanted)
    which = _which(store, run, exams, replace(wanted, verdict=""), rows)
    every = search_all(store, run, words, which, as_of=None if read is None else read.at)
    return None if every is None else [each for each in every if each.key.exam in exams]


def _has_verdict(attempt: Attempt, verdict: str) -> bool:
    name = outcomes.of_attempt(attempt).name
    return verdict in ("", name) or (verdict, name) == ("not_passed", "agent_failed")


def chips(site: Site, run: Run, read: CachedFindings | None, wanted: ResultFilter) -> Chips | None:
    """Return the outcomes to choose from, or None if not known yet."""
    if read is None:
        return None
    if _view(read, wanted) == "attempt":
        return _chips_of_attempts(site, run, read, wanted)
    counts = Counter(read.kinds[case.id].name for case in _chosen(read, wanted))
    kinds: list[tuple[OutcomeLabel, int | None]] = [(kind, counts.get(kind.name, 0)) for kind in outcomes.OF_CASES]
    return Chips(view="case", all=counts.total(), kinds=kinds)


def _chips_of_attempts(site: Site, run: Run, read: CachedFindings, wanted: ResultFilter) -> Chips:
    rows, words = _search_terms(read.exams, wanted)
    which = _which(site.store, run, read.exams, replace(wanted, verdict=""), rows)
    if not words and which:
        counted = {name: site.summaries.count(run, verdicts=kinds, **which) for name, kinds in _OF_ATTEMPTS.items()}
        return _attempt_chips(site.summaries.count(run, **which), counted)
    every = _holding(site.store, run, read.exams, read, wanted) if words else None
    if words and every is None:
        known = [name for name in _OF_ATTEMPTS if read.outcomes.get(name) or name in ("passed", "not_passed")]
        return Chips(view="attempt", all=None, kinds=[(_SIGNS[name], None) for name in known])
    counts = read.outcomes if every is None else Counter(outcomes.of_attempt(each).name for each in every)
    failed = counts.get("agent_failed", 0)
    return _attempt_chips(sum(counts.values()), {**counts, "not_passed": counts.get("not_passed", 0) + failed})


def _attempt_chips(total: int, counts: Mapping[str, int]) -> Chips:
    return Chips(view="attempt", all=total, kinds=[(_SIGNS[name], counts.get(name, 0)) for name in _OF_ATTEMPTS])


def _attempt_line(exams: Mapping[str, Exam], attempt: Attempt) -> ResultRow:
    labels = CheckLabels([attempt.key.exam])
    for _ in labels.watching([attempt]):
        pass
    return ResultRow(
        exam=exams[attempt.key.exam],
        outcome=outcomes.of_attempt(attempt),
        case=None,
        attempt=attempt,
        condition=attempt.key.condition,
        labels=labels.of(attempt.key.exam),
    )


def _pages(found: int) -> int:
    return max(1, -(-found // PAGE))


def categories(exams: Mapping[str, Exam]) -> list[str]:
    """Return all categories, in plan order."""
    return list(dict.fromkeys(chain.from_iterable(exam.cases[0].categories for exam in exams.values())))
