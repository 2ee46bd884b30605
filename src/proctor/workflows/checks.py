"""Build the reviewer that checks expectations: a suite's own, those of cases made in Python, and `--checks SUITE`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from proctor import plugins
from proctor.benchmark import Benchmark, Case, Expectation
from proctor.doctor.problem import shorten
from proctor.errors import InputError
from proctor.formats.suites.suite import is_suite, read_suite
from proctor.roles import Reviewer
from proctor.settings import nearest

OWN = "own"
"""Value of `Settings.checks` if the expectations come from the benchmark itself."""
PYTHON = "python:"
"""Prefix of the names of checks that are user-defined functions."""
_NOTHING = Expectation()
_NAMED = 3
_LOOKED_AT = 5000
"""Maximum number of rows searched for the closest question."""


def with_checks(benchmark: Benchmark, suite: str | Path | None) -> Benchmark:
    """Add a suite's expectations to a benchmark: those of a case to rows with its question, the common ones to all
    rows."""
    if suite is None:
        return benchmark
    if not is_suite(suite):
        raise InputError(
            f"checks={str(suite)!r} is not a suite file; expected a name that ends in .yaml, .yml or .jsonl"
        )
    from proctor.reviewers.checks import merge

    added = read_suite(suite)
    by_question: dict[str, Expectation] = {}
    for case in added.cases:  # two cases with the same question both apply
        asked = case.question.strip()
        by_question[asked] = merge(by_question.get(asked, _NOTHING), case.expect)
    met = [case for case in _all_cases(benchmark) if case.question.strip() in by_question]
    if not met and added.expect == _NOTHING:
        raise InputError(f"no question of {str(suite)!r} is in {benchmark.name!r}, so it would check nothing")

    joined = frozenset(benchmark.joined_cases)

    def with_expectations(case: Case) -> Case:
        own = case.expect if case.id in joined else merge(benchmark.expect, case.expect)
        return replace(case, expect=merge(own, by_question.get(case.question.strip(), added.expect)))

    return replace(
        benchmark,
        cases=tuple(map(with_expectations, benchmark.cases)),
        exams=tuple(replace(exam, cases=tuple(map(with_expectations, exam.cases))) for exam in benchmark.exams),
        expect=merge(benchmark.expect, added.expect),
        joined_cases=tuple(dict.fromkeys(case.id for case in _all_cases(benchmark))),
        sources=benchmark.sources or added.sources,
    )


def describe_checks(benchmark: Benchmark, *, suite: bool, added: str | Path | None) -> str | None:
    """Return the value of `Settings.checks`: None without checks, else an identifier that makes runs comparable."""
    if added is not None:
        return f"{Path(added).name} {read_suite(added).digest}"
    expecting = benchmark.expect != _NOTHING or any(case.expect != _NOTHING for case in _all_cases(benchmark))
    return OWN if suite or expecting else None


def check_reviewer(benchmark: Benchmark) -> Reviewer:
    """Return the reviewer that checks replies against the benchmark's expectations."""
    from proctor.reviewers.checks import CheckReviewer, load_own

    names = {name for case in _all_cases(benchmark) for name in case.expect.checks} | set(benchmark.expect.checks)
    return CheckReviewer(
        sources=Path(benchmark.sources) if benchmark.sources else None,
        everywhere=benchmark.expect,
        joined=_already_joined(benchmark),
        own=load_own(sorted(names), _load_registered),
    )


def unknown_checks(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """Map an error message for each unknown check to the cases that use it. No user code is loaded."""
    named: dict[str, list[Case]] = {}
    for case in cases:
        for name in case.expect.checks:
            named.setdefault(name, []).append(case)
    whys = {name: _why_unknown(name) for name in named}
    return {why: named[name] for name, why in whys.items() if why is not None}


def unmet_checks(benchmark: Benchmark, suite: str | Path | None) -> str | None:
    """Return a message about cases of a suite whose question no row asks, so that their expectations are never
    checked."""
    if suite is None:
        return None
    added, rows = read_suite(suite), dict.fromkeys(case.question.strip() for case in _all_cases(benchmark))
    lost = [case.question.strip() for case in added.cases if case.expect not in (_NOTHING, added.expect)]
    lost = [question for question in dict.fromkeys(lost) if question not in rows]
    if not lost:
        return None
    shown = [_with_nearest(question, list(rows)[:_LOOKED_AT]) for question in lost[:_NAMED]]
    more = f" and {len(lost) - _NAMED:,} more" if len(lost) > _NAMED else ""
    which = "1 question" if len(lost) == 1 else f"{len(lost):,} questions"
    return (
        f"{which} of {Path(suite).name} {'is' if len(lost) == 1 else 'are'} in no row of {benchmark.name}, so what is "
        f"expected there is not checked: {', '.join(shown)}{more}"
    )


def _with_nearest(question: str, rows: list[str]) -> str:
    near = nearest(question, rows)
    return f"“{shorten(question)}” (did you mean “{shorten(near)}”?)" if near else f"“{shorten(question)}”"


def _why_unknown(name: str) -> str | None:
    if name.startswith(PYTHON):
        return plugins.why_missing(name.removeprefix(PYTHON), what="check")
    return None if name in plugins.known("checks") else _unknown_checks_message(name)


def _unknown_checks_message(name: str) -> str:
    message = plugins.unknown_name_message("checks", name, sorted(plugins.known("checks")))
    return f"{message}; a function of your own is {PYTHON}MODULE:NAME"


def _already_joined(benchmark: Benchmark) -> dict[str, list[Expectation]]:
    """Return the expectations of cases that already include the benchmark's common ones; conversations may share
    an id."""
    found: dict[str, list[Expectation]] = {name: [] for name in benchmark.joined_cases}
    for case in _all_cases(benchmark):
        if case.id in found:
            found[case.id].append(case.expect)
    return found


def _load_registered(name: str) -> Callable[..., Any]:
    """Load the check that an installed package registers under this name."""
    known: dict[str, EntryPoint] = plugins.known("checks")
    if name not in known:
        raise InputError(_unknown_checks_message(name))
    try:
        function: Callable[..., Any] = known[name].load()
    except ImportError as error:
        raise InputError(f"cannot load the check {name!r}: {known[name].value} does not import ({error})") from error
    return function


def _all_cases(benchmark: Benchmark) -> tuple[Case, ...]:
    return benchmark.cases + tuple(case for exam in benchmark.exams for case in exam.cases)
