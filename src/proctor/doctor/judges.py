"""Which cases can be judged by whom: the default reviewer of a benchmark, and cases that no one will judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from proctor.benchmark import Benchmark, Case, Expectation
from proctor.doctor.problem import plural, quote_list
from proctor.settings import BY_RULES, NOBODY

_NOTHING = Expectation()


def usual_reviewer(benchmark: Benchmark, passing_score: float | None = None) -> str:
    """Return the default reviewer of a suite: none if there is nothing to judge by."""
    scored = passing_score is not None or benchmark.passing_score is not None
    cases = cases_of(benchmark)
    return "embedded" if scored or any(map(_wants_mark, cases)) else NOBODY


def _wants_mark(case: Case) -> bool:
    return has_reference(case) or case.passing_score is not None or bool(case.criteria)


def cases_of(benchmark: Benchmark) -> tuple[Case, ...]:
    """Return all cases of a benchmark."""
    return benchmark.cases or tuple(case for exam in benchmark.exams for case in exam.cases)


def unjudged_cases(cases: Iterable[Case], *, reviewed: bool, passing_score: float | None) -> list[Case]:
    """Return cases decided by neither a check nor a score; `reviewed` if a reviewer compares with references."""
    return [case for case in cases if _is_unjudged(case, reviewed=reviewed, passing_score=passing_score)]


def _is_unjudged(case: Case, *, reviewed: bool, passing_score: float | None) -> bool:
    if case.expect != _NOTHING:
        return False
    if has_reference(case) or case.criteria:
        return not reviewed
    return case.passing_score is not None or passing_score is not None


def is_by_rules(reviewer: str | None) -> bool:
    """Whether a reviewer is purely rule-based, so it can judge neither criteria nor roles; None is the default one."""
    judges = (reviewer or NOBODY).split(",")
    return all(judge.partition(":")[0] in (*BY_RULES, NOBODY) for judge in judges)


def cases_with_criteria(cases: Iterable[Case]) -> list[Case]:
    """Return the cases with their own criteria, which only a model can score."""
    return [case for case in cases if case.criteria]


def cases_with_role(cases: Iterable[Case]) -> list[Case]:
    """Return the cases with a required role, which only a model can judge."""
    return [case for case in cases if case.expect.role is not None]


def criteria_warning(cases: Sequence[Case]) -> str:
    """Return the warning about cases with their own criteria."""
    named = quote_list(case.id for case in cases)
    return (
        f"{plural(len(cases), 'case')} with criteria of {'its' if len(cases) == 1 else 'their'} own will stay "
        f"undecided, because only a model can score them: name one as the reviewer ({named})"
    )


def roles_warning(cases: Sequence[Case]) -> str:
    """Return the warning about cases with a required role."""
    return (
        f"{plural(len(cases), 'case')} with a role to keep to will stay undecided unless something else fails, because "
        f"only a model can judge it: name one as the reviewer ({quote_list(case.id for case in cases)})"
    )


def expects_nothing(case: Case) -> bool:
    """Whether a case has no expectation, reference or criterion."""
    return case.expect == _NOTHING and not has_reference(case) and not case.criteria


def unexpecting_cases(cases: Iterable[Case], *, passing_score: float | None) -> list[Case]:
    """Return the cases that any reply passes."""
    if passing_score is not None:
        return []
    return [case for case in cases if expects_nothing(case) and case.passing_score is None]


def unexpecting_warning(cases: Sequence[Case]) -> str:
    """Return the warning about cases that any reply passes."""
    has = "has" if len(cases) == 1 else "have"
    return (
        f"any reply passes {plural(len(cases), 'case')}, which {has} neither a reference nor anything to expect "
        f"({quote_list(case.id for case in cases)})"
    )


def has_reference(case: Case) -> bool:
    """Whether the case has a reference answer or reasoning to compare with."""
    return bool((case.answer or "").strip() or (case.reasoning or "").strip())


def unjudged_warning(cases: Sequence[Case]) -> str:
    """Return the warning about cases that no one will judge."""
    whose = [case for case in cases if has_reference(case)]
    why = "there is a reference and nothing to check, and the reviewer is none"
    if not whose:
        why = "there is a passing score, but no reference and nothing to check"
    elif len(whose) < len(cases):
        why = "there is nothing to check, and no reference or no reviewer"
    return f"{plural(len(cases), 'case')} cannot be judged: {why} ({quote_list(case.id for case in cases)})"


def warnings_beforehand(cases: Sequence[Case], *, reviewer: str | None, passing_score: float | None) -> Iterator[str]:
    """Yield warnings about cases to show before a run, such as those that no one will judge."""
    if lost := unjudged_cases(cases, reviewed=reviewer != NOBODY, passing_score=passing_score):
        yield unjudged_warning(lost)
    if is_by_rules(reviewer):
        yield from model_cases_warning(cases)
    if unexpecting := unexpecting_cases(cases, passing_score=passing_score):
        yield unexpecting_warning(unexpecting)


def model_cases_warning(cases: Sequence[Case]) -> Iterator[str]:
    """Yield warnings about cases that need a model as judge."""
    if unmarked := cases_with_criteria(cases):
        yield criteria_warning(unmarked)
    if unheld := cases_with_role(cases):
        yield roles_warning(unheld)
