"""Keywords and exclusions that contradict the answer or each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.benchmark import Case
from proctor.doctor.phrases import EXACT, PATTERN, stands_in
from proctor.doctor.problem import BenchmarkProblem, complaint, quote_list

_COMPARED = 200
"""Keywords and exclusions of one case that are held against each other, so that many do not cost their square."""


def contradicted_keywords(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    """Keywords that the answer lacks, exclusions that it holds, and keywords that are excluded."""
    for case in cases:
        if case.answer:
            yield from _against_answer(case, case.answer)
        yield from _against_each_other(case)


def _against_answer(case: Case, answer: str) -> Iterator[BenchmarkProblem]:
    lacking = [word for word in case.expect.keywords if stands_in(word, answer) is False]
    held = [word for word in case.expect.exclusions if stands_in(word, answer)]
    if lacking:
        yield complaint(
            "keyword-not-in-answer",
            "warning",
            [case],
            f"the reference answer itself lacks {quote_list(lacking)}, so a reply in its words fails the keywords",
            "take keywords from the answer, or loosen them with a pattern (`re:`)",
        )
    if held:
        yield complaint(
            "exclusion-in-answer",
            "error",
            [case],
            f"the reference answer holds {quote_list(held)}, which is excluded: the right reply fails",
            "remove the exclusion, or reword the answer",
        )


def _against_each_other(case: Case) -> Iterator[BenchmarkProblem]:
    phrases = [word for word in case.expect.keywords if not word.startswith(PATTERN)][:_COMPARED]
    exclusions = case.expect.exclusions[:_COMPARED]
    both = [word for word in phrases if any(_is_excluded(word, excluded) for excluded in exclusions)]
    both += [word for word in case.expect.keywords if word.startswith(PATTERN) and word in case.expect.exclusions]
    if both:
        yield complaint(
            "keyword-excluded",
            "error",
            [case],
            f"{quote_list(both)} must stand in the reply and must not: no reply passes",
            "remove it from the keywords or from the exclusions",
        )


def _is_excluded(keyword: str, excluded: str) -> bool:
    """Whether whatever meets the keyword is excluded; where one form alone is, the others may stand for it."""
    if excluded.startswith(EXACT) and not keyword.startswith(EXACT):
        return False
    return bool(stands_in(excluded, keyword.removeprefix(EXACT)))
