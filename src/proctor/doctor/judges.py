"""Who judges which cases: the reviewer that serves a benchmark unless another is named, and what no one will judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proctor.benchmark import Benchmark, Case, Expectation
from proctor.doctor.problem import plural, quote_list
from proctor.settings import BY_RULES, NOBODY

_NOTHING = Expectation()


def usual_reviewer(benchmark: Benchmark, passing_score: float | None = None) -> str:
    """Who judges the cases of a suite unless somebody is named: nobody where there is nothing to judge by."""
    scored = passing_score is not None or benchmark.passing_score is not None
    cases = cases_of(benchmark)
    return "embedded" if scored or any(map(_wants_mark, cases)) else NOBODY


def _wants_mark(case: Case) -> bool:
    return has_reference(case) or case.passing_score is not None or bool(case.criteria)


def cases_of(benchmark: Benchmark) -> tuple[Case, ...]:
    """All that is asked."""
    return benchmark.cases or tuple(case for exam in benchmark.exams for case in exam.cases)


def unjudged_cases(cases: Iterable[Case], *, reviewed: bool, passing_score: float | None) -> list[Case]:
    """Those that neither a check nor a mark will decide; `reviewed`: by somebody who compares with the reference."""
    return [case for case in cases if _is_unjudged(case, reviewed=reviewed, passing_score=passing_score)]


def _is_unjudged(case: Case, *, reviewed: bool, passing_score: float | None) -> bool:
    if case.expect != _NOTHING:
        return False
    if has_reference(case) or case.criteria:
        return not reviewed
    return case.passing_score is not None or passing_score is not None


def unmarked_criteria(cases: Iterable[Case], reviewer: str | None) -> list[Case]:
    """Those with criteria of their own, where the reviewer is none that could mark them."""
    if reviewer is not None and reviewer.partition(":")[0] not in (*BY_RULES, NOBODY):
        return []
    return [case for case in cases if case.criteria]


def said_of_criteria(cases: Sequence[Case]) -> str:
    """The sentence on them."""
    named = quote_list(case.id for case in cases)
    return (
        f"{plural(len(cases), 'case')} with criteria of {'its' if len(cases) == 1 else 'their'} own will stay "
        f"undecided, because only a model can mark them: name one as the reviewer ({named})"
    )


def has_reference(case: Case) -> bool:
    """Whether there is anything that a judge can compare the reply with."""
    return bool((case.answer or "").strip() or (case.reasoning or "").strip())


def said_of_unjudged(cases: Sequence[Case]) -> str:
    """The sentence on cases that no one will judge."""
    whose = [case for case in cases if has_reference(case)]
    why = "there is a reference and nothing to check, and the reviewer is none"
    if not whose:
        why = "there is a passing score, but no reference and nothing to check"
    elif len(whose) < len(cases):
        why = "there is nothing to check, and no reference or no reviewer"
    return f"no one will judge {plural(len(cases), 'case')}: {why} ({quote_list(case.id for case in cases)})"
