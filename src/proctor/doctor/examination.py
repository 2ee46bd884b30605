"""Run all checks of the doctor; those of sources, keywords and categories are defined here."""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path

from proctor.benchmark import Benchmark, Case
from proctor.doctor.answers import (
    EXACT,
    PATTERN,
    answers_in_context,
    find_unjudged,
    guessable,
    leaked_answers,
    stands_in,
    unequal_answers,
)
from proctor.doctor.judges import cases_of
from proctor.doctor.problem import BenchmarkProblem, plural, problem, quote_list
from proctor.doctor.questions import repeated_questions, same_questions, similar_questions
from proctor.doctor.tools import impossible_calls, unknown_tools
from proctor.reading.text.fold import fold
from proctor.reading.text.patterns import sharing_time
from proctor.settings import nearest
from proctor.statistics.intervals import wilson

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/?/", re.IGNORECASE)
_MOST_FILES = 100_000
_HINTED = 20
"""Maximum missing sources for which a similar file name is looked up."""


def missing_sources(cases: Sequence[Case], folder: str | None) -> Iterator[BenchmarkProblem]:
    """Find expected sources missing from the folder of sources, and quotes that cannot be verified."""
    if folder is None:
        yield from _quotes_without_folder(cases)
        return
    if not Path(folder).is_dir():
        yield problem(
            "no-sources",
            "error",
            [],
            f"there is no folder {folder!r}, where cited sources should be read",
            "give `sources` the folder that holds them",
        )
        return
    there = _files(Path(folder))
    wanted: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        for source in case.expect.sources:
            wanted[source].append(case)
    hinted = 0
    for source, concerned in wanted.items():
        if not _ADDRESS.match(source) and _plain(source) not in there:
            hinted += 1
            near = nearest(_plain(source), there) if hinted <= _HINTED else ""
            yield problem(
                "missing-source",
                "warning",
                concerned,
                f"“{source}” should be cited, but is not in the folder of sources",
                f"did you mean “{there[near]}”?" if near else "correct its path, which starts in that folder",
            )


def _quotes_without_folder(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    quoting = [case for case in cases if case.expect.quotes]
    if quoting:
        yield problem(
            "no-sources",
            "information",
            quoting,
            "quotes should be looked up, but the suite names no folder of `sources`: only tool results can be searched",
            "add `sources:` with the folder that holds them, unless the agent's tools return them",
        )


def _files(folder: Path) -> dict[str, str]:
    """Return every name by which a file may be cited → its path; the extension is optional."""
    paths = (
        Path(parent, name).relative_to(folder).as_posix() for parent, _, names in os.walk(folder) for name in names
    )
    found: dict[str, str] = {}
    for path in islice(paths, _MOST_FILES):
        found.setdefault(_plain(path), path)
        found.setdefault(_plain(posixpath.splitext(path)[0]), path)
    return found


def _plain(source: str) -> str:
    """Normalize a source's name: without anchor, ignoring case and differences in slashes and dots."""
    path = fold(source.partition("#")[0]).strip().replace("\\", "/")
    return posixpath.normpath(path).strip("/")


_COMPARED = 200
"""Maximum keywords and exclusions of a case that are compared with each other, which takes quadratic time."""


def contradicted_keywords(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    """Find keywords missing from the answer, exclusions present in it, and keywords that are excluded."""
    for case in cases:
        if case.answer:
            yield from _against_answer(case, case.answer)
        yield from _against_each_other(case)


def _against_answer(case: Case, answer: str) -> Iterator[BenchmarkProblem]:
    lacking = [word for word in case.expect.keywords if stands_in(word, answer) is False]
    held = [word for word in case.expect.exclusions if stands_in(word, answer)]
    if lacking:
        yield problem(
            "keyword-not-in-answer",
            "warning",
            [case],
            f"the reference answer itself lacks {quote_list(lacking)}, so a reply in its words fails the keywords",
            "take keywords from the answer, or loosen them with a pattern (`re:`)",
        )
    if held:
        yield problem(
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
        yield problem(
            "keyword-excluded",
            "error",
            [case],
            f"{quote_list(both)} must appear in the reply and must not: no reply passes",
            "remove it from the keywords or from the exclusions",
        )


def _is_excluded(keyword: str, excluded: str) -> bool:
    """Whether every text matching the keyword is excluded; an exclusion of one exact form leaves other forms."""
    if excluded.startswith(EXACT) and not keyword.startswith(EXACT):
        return False
    return bool(stands_in(excluded, keyword.removeprefix(EXACT)))


_FEWEST = 10
"""Number of cases below which a pass rate has a margin of error of about 25 points."""
_LISTED = 8


def small_categories(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    """Report categories too small for a precise pass rate, with their margin of error."""
    sizes = Counter(category for case in cases for category in dict.fromkeys(case.categories))
    small = {name: size for name, size in sizes.items() if size < _FEWEST}
    if len(cases) < _FEWEST:
        yield problem(
            "few-cases",
            "information",
            [],
            f"with {plural(len(cases), 'case')} the pass rate will be known to {_margin(len(cases))}",
            f"add cases: with 30 it is {_margin(30)}, with 100 {_margin(100)}",
        )
    elif small:
        listing = ", ".join(f"{name} ({size}: {_margin(size)})" for name, size in list(small.items())[:_LISTED])
        more = f" and {len(small) - _LISTED} more" if len(small) > _LISTED else ""
        yield problem(
            "small-category",
            "information",
            [case for case in cases if small.keys() & set(case.categories)],
            f"too few cases to know the pass rate by category: {listing}{more}",
            f"add cases, or join categories: with 30 cases a pass rate is known to {_margin(30)}",
        )


def _margin(cases: int) -> str:
    """Return the margin of error of a pass rate near 50 %: half its 95 % confidence interval, in points."""
    low, high = wilson(0.5, cases)
    return f"±{50 * (high - low):.0f} points"


_ORDER = {"error": 0, "warning": 1, "information": 2}


def examine(
    benchmark: Benchmark, *, tools: Collection[str] | None = None, reviewer: str | None = None
) -> tuple[BenchmarkProblem, ...]:
    """Find problems in a benchmark, worst first; `tools` are the agent's tools, None if unknown.

    `reviewer` is the intended judge, None for the default one. No agent or model is called. Time is linear in the
    number of cases.
    """
    cases = cases_of(benchmark)
    with sharing_time():
        found = [*_problems(cases, benchmark.sources)]
    found += find_unjudged(cases, passing_score=benchmark.passing_score, reviewer=reviewer)
    if tools is not None:
        found += unknown_tools(cases, tools)
    return tuple(sorted(found, key=lambda each: _ORDER[each.severity]))


def _problems(cases: Sequence[Case], folder: str | None) -> Iterator[BenchmarkProblem]:
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
