"""Problems of reference answers: leaked, missing, or guessable."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from proctor.benchmark import Case, Expectation
from proctor.doctor.judges import (
    cases_with_criteria,
    cases_with_role,
    criteria_warning,
    expects_nothing,
    is_by_rules,
    roles_warning,
    unjudged_cases,
    unjudged_warning,
)
from proctor.doctor.problem import BenchmarkProblem, plural, problem, shorten
from proctor.reading.text.choices import alternatives
from proctor.reading.text.fold import fold, squeeze
from proctor.reading.text.overlap import GENERIC, STOP
from proctor.reading.text.patterns import Unsearchable, search
from proctor.reading.text.phrases import find, find_inflected, prepare
from proctor.reading.text.words import words
from proctor.settings import NOBODY

_CHOICE = re.compile(r"\bor\b|\bversus\b|\bvs\b|\beither\b|\bbetween\b|(?:^|\s)\(?[a-d1-4][).:]\s", re.IGNORECASE)
_SHORTEST = 4
"""Minimum letters and digits of an answer for its occurrence in a question to count as a leak."""
_FEWEST = 10
"""Minimum number of cases for statements about shares."""
_GUESSED = 0.5
_LONG = 100
_UNEQUAL = 20
_NOTHING = Expectation()


def leaked_answers(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    """Find answers that appear verbatim in their own question."""
    for case in cases:
        given_away = _leak(case)
        if given_away is not None:
            yield problem(
                "leaked-answer",
                "warning",
                [case],
                f"the answer “{shorten(given_away)}” stands in the question “{shorten(case.question)}”",
                "ask so that the answer has to be known; to repeat the question is enough to pass",
            )


def answers_in_context(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    """Find contexts that contain the answer, which is fine for reading comprehension."""
    holding = [case for case in cases if case.answer and case.context and _stands_in(case.answer, case.context)]
    if holding:
        given = sum(case.context is not None for case in cases)
        yield problem(
            "answer-in-context",
            "information",
            holding,
            f"the context holds the answer in {len(holding):,} of {plural(given, 'case')} that have a context",
            "these cases test reading, not knowing; that is fine where it is meant",
        )


def find_unjudged(
    cases: Sequence[Case], *, passing_score: float | None, reviewer: str | None
) -> Iterator[BenchmarkProblem]:
    """Find cases that no one will judge, and say why."""
    lost = unjudged_cases(cases, reviewed=reviewer != NOBODY, passing_score=passing_score)
    if lost:
        yield problem(
            "unjudged",
            "warning",
            lost,
            unjudged_warning(lost),
            "give them a reference and leave the reviewer in, or something to `expect`; until then they stay undecided",
        )
    if is_by_rules(reviewer):
        yield from _waiting_for_a_model(cases)
    known = {case.id for case in lost}
    yield from _unexpecting([case for case in cases if case.id not in known])


def _waiting_for_a_model(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    advice = "name a model as the reviewer, such as openai:MODEL or ollama:MODEL"
    if unmarked := cases_with_criteria(cases):
        yield problem("criteria-unmarked", "warning", unmarked, criteria_warning(unmarked), advice)
    if unheld := cases_with_role(cases):
        yield problem("role-unjudged", "warning", unheld, roles_warning(unheld), advice)


def _unexpecting(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    for case in cases:
        if expects_nothing(case):
            yield problem(
                "nothing-expected",
                "warning",
                [case],
                f"“{shorten(case.question)}” has neither an answer nor an expectation, so any reply passes",
                "give it an answer (`reference` in a suite) or something to `expect`",
            )
        elif case.passing_score is not None and not (case.answer or "").strip():
            yield problem(
                "score-without-answer",
                "warning",
                [case],
                f"a passing score of {case.passing_score:g} is set, but there is no answer to score against",
                "give it a reference answer, or remove the passing score",
            )


def guessable(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    """Report a single answer that is right for most cases."""
    answered = [case for case in cases if (case.answer or "").strip()]
    if len(answered) < _FEWEST:
        return
    usual, times = Counter(squeeze(case.answer or "") for case in answered).most_common(1)[0]
    if times / len(answered) > _GUESSED:
        yield problem(
            "guessable",
            "warning",
            [],
            f"an agent that always answers “{shorten(usual)}” is right in {times / len(answered):.0%} "
            f"of {plural(len(answered), 'case')}",
            "balance the answers, and compare the agent with that guess",
        )


def unequal_answers(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    """Find a few answers that are far longer than the others."""
    lengths = {case.id: len((case.answer or "").split()) for case in cases if (case.answer or "").strip()}
    if len(lengths) < _FEWEST:
        return
    usual = median(lengths.values())
    long = [case for case in cases if lengths.get(case.id, 0) >= max(_LONG, _UNEQUAL * usual)]
    if long:
        longest = max(lengths.values())
        yield problem(
            "unequal-answers",
            "information",
            long,
            f"half of the answers have at most {usual:g} words, {plural(len(long), 'case')} up to {longest:,}",
            "keep what must be said in the answer, and move the rest to the reasoning",
        )


def _leak(case: Case) -> str | None:
    """Return the spelling of the answer that is in the question, if any; questions offering a choice are exempt."""
    if not case.answer or _CHOICE.search(case.question):
        return None
    return next((choice for choice in _leaking_spellings(case.answer) if _stands_in(choice, case.question)), None)


def _leaking_spellings(answer: str) -> Iterator[str]:
    """Yield the alternatives of an answer specific enough to be a leak: not yes, no, a digit, or `two years`."""
    for choice in alternatives(answer):
        found = words(fold(choice))
        names = [word for word in found if word not in STOP and word not in GENERIC and not word.isdecimal()]
        if names and sum(map(len, found)) >= _SHORTEST:
            yield choice


def _stands_in(answer: str, text: str) -> bool:
    return phrase_stands_in(squeeze(answer), fold(text))


PATTERN = "re:"
EXACT = "="


def stands_in(keyword: str, text: str) -> bool | None:
    """Whether a keyword occurs in a text; None if its pattern is invalid or too slow."""
    if keyword.startswith(PATTERN):
        return _pattern_stands_in(keyword.removeprefix(PATTERN).strip(), text)
    folded = fold(text)
    if keyword.startswith(EXACT):
        return phrase_stands_in(keyword.removeprefix(EXACT), folded)
    return phrase_stands_in(keyword, folded) or find_inflected(folded, prepare(keyword)) is not None


def phrase_stands_in(phrase: str, folded: str) -> bool:
    """Whether a phrase occurs in a folded text as whole words and numbers."""
    words = prepare(phrase)
    return bool(words) and find(folded, words) is not None


def _pattern_stands_in(pattern: str, text: str) -> bool | None:
    try:
        return search(pattern, text) is not None
    except Unsearchable:
        return None
