"""Everything the doctor looks at, in one round."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from proctor.benchmark import Benchmark, Case
from proctor.doctor.answers import answers_in_context, find_unjudged, guessable, leaked_answers, unequal_answers
from proctor.doctor.categories import small_categories
from proctor.doctor.expectations import contradicted_keywords
from proctor.doctor.judges import cases_of
from proctor.doctor.problem import BenchmarkProblem
from proctor.doctor.questions import repeated_questions, same_questions, similar_questions
from proctor.doctor.sources import missing_sources
from proctor.doctor.tools import impossible_calls, unknown_tools
from proctor.reading.text.patterns import sharing_time

_ORDER = {"error": 0, "warning": 1, "information": 2}


def examine(
    benchmark: Benchmark, *, tools: Collection[str] | None = None, reviewer: str | None = None
) -> tuple[BenchmarkProblem, ...]:
    """What is wrong with a benchmark, the worst first; `tools` are those that the agent has, None: not known.

    `reviewer` is who will judge; None: whoever does unless another is named. No agent and no model is asked. Time grows
    with the number of cases, not with its square.
    """
    cases = cases_of(benchmark)
    with sharing_time():
        found = [*_complaints(cases, benchmark.sources)]
    found += find_unjudged(cases, passing_score=benchmark.passing_score, reviewer=reviewer)
    if tools is not None:
        found += unknown_tools(cases, tools)
    return tuple(sorted(found, key=lambda complaint: _ORDER[complaint.severity]))


def _complaints(cases: Sequence[Case], folder: str | None) -> Iterator[BenchmarkProblem]:
    asked = same_questions(cases)
    yield from repeated_questions(asked)
    yield from similar_questions(asked)
    yield from leaked_answers(cases)
    yield from answers_in_context(cases)
    yield from guessable(cases)
    yield from unequal_answers(cases)
    yield from contradicted_keywords(cases)
    yield from impossible_calls(cases)
    yield from missing_sources(cases, folder)
    yield from small_categories(cases)
