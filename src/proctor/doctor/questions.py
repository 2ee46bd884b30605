"""Duplicate questions, exact or near."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from proctor.benchmark import Case
from proctor.doctor.problem import BenchmarkProblem, problem, quote_list, shorten
from proctor.reading.text.choices import alternatives
from proctor.reading.text.fold import fold, squeeze
from proctor.reading.text.words import PAST, stem, words

Words = tuple[str, ...]
_SMALL = """
a an the is are was were be been being am do does did has have had will would can could shall please tell me us you
give know want like exactly currently that this it its of
"""
_FILLERS = frozenset(map(stem, _SMALL.split()))
"""Stems of filler words that do not change what a question asks."""
_PAST = "(past)"
_PAST_FORMS = PAST - {"is", "are", "has", "have"}
_TURNABLE = 5
"""Number of words below which word order may change the meaning, as in `A beats B`."""
_COMPARED = 40
"""Maximum words for near-duplicate detection, which takes quadratic time; longer ones are only compared verbatim."""
_LONG = 6
"""Minimum letters of a word for a one-letter difference to count as a typo."""


def same_questions(cases: Sequence[Case]) -> list[list[Case]]:
    """Group cases with the same question and context."""
    return list(_groups(cases, _wording, least=1))


def repeated_questions(asked: Sequence[list[Case]]) -> Iterator[BenchmarkProblem]:
    """Report repeated questions in the same context: they count twice; with different answers, one always fails."""
    for group in asked:
        if len(group) == 1:
            continue
        different = {_answer(case) for case in group if case.answer}
        if len(different) > 1 and not _compatible(group):
            yield problem(
                "different-answers",
                "warning",
                group,
                f"“{shorten(group[0].question)}” is asked {_times(group)}, with different answers: "
                + quote_list(case.answer for case in group if case.answer),
                "keep the right answer, or give each case the context that makes its answer right",
            )
        else:
            yield problem(
                "duplicate",
                "warning",
                group,
                f"“{shorten(group[0].question)}” is asked {_times(group)}, so it counts {_times(group)}",
                "keep one of them; to ask a question several times, run several trials",
            )


def similar_questions(asked: Sequence[list[Case]]) -> Iterator[BenchmarkProblem]:
    """Report questions that differ only in filler words, inflection, clause order, or one typo."""
    first_of_each = [group[0] for group in asked]
    telling = {case.id: _significant_words(case.question) for case in first_of_each}
    alike = list(_groups(first_of_each, lambda case: (_canonical_rotation(telling[case.id]), _context(case))))
    for group in alike:
        some = " / ".join(f"“{shorten(case.question)}”" for case in group[:3])
        yield problem(
            "near-duplicate",
            "warning",
            group,
            f"these questions say the same: {some}",
            "keep one of them, or make the difference clear",
        )
    met = {case.id for group in alike for case in group[1:]}
    yield from _slips([case for case in first_of_each if case.id not in met], telling)


def _slips(cases: Sequence[Case], telling: dict[str, Words]) -> Iterator[BenchmarkProblem]:
    """Report pairs of questions that differ by one letter in one long word that occurs nowhere else."""
    common = Counter(word for case in cases for word in set(telling[case.id]))
    holes: defaultdict[tuple[object, ...], list[tuple[Case, str]]] = defaultdict(list)
    for case in cases:
        found = telling[case.id] if len(telling[case.id]) <= _COMPARED else ()
        for place, word in enumerate(found):
            if common[word] == 1 and len(word) >= _LONG and word.isalpha():
                holes[(found[:place], found[place + 1 :], _context(case))].append((case, word))
    for (before, after, _), met in holes.items():
        if len(met) == 2 and (before or after) and _is_slip(met[0][1], met[1][1]):
            yield problem(
                "near-duplicate",
                "information",
                [case for case, _ in met],
                f"“{shorten(met[0][0].question)}” and “{shorten(met[1][0].question)}” differ in one letter",
                "keep one of them if it is a slip",
            )


def _groups(cases: Iterable[Case], key: Callable[[Case], Hashable], *, least: int = 2) -> Iterator[list[Case]]:
    found: defaultdict[Hashable, list[Case]] = defaultdict(list)
    for case in cases:
        found[key(case)].append(case)
    return (group for group in found.values() if len(group) >= least)


def _wording(case: Case) -> tuple[str, str]:
    return squeeze(case.question), _context(case)


def _context(case: Case) -> str:
    return squeeze(case.context or "")


def _answer(case: Case) -> str:
    return squeeze(case.answer or "")


def _compatible(group: Sequence[Case]) -> bool:
    """Whether all answers share an accepted spelling."""
    choices = [frozenset(map(squeeze, alternatives(case.answer))) for case in group if case.answer]
    return bool(frozenset.intersection(*choices))


def _times(group: Sequence[Case]) -> str:
    return "twice" if len(group) == 2 else f"{len(group)} times"


def _significant_words(question: str) -> Words:
    """Return the stems of a question without filler words; a marker at the end if it is in the past tense."""
    folded = fold(question, accents=False)
    every = words(folded)
    kept = tuple(word for word in every if word not in _FILLERS) or tuple(every)
    return (*kept, _PAST) if any(map(_is_past, folded.split())) else kept


def _is_past(word: str) -> bool:
    return word in _PAST_FORMS or (word.endswith("ed") and len(word) > 4)


def same_meaning(question: str, context: str | None = None) -> tuple[Words, str]:
    """Return a key that is equal for questions with the same meaning and context, as far as the doctor can tell."""
    return _canonical_rotation(_significant_words(question)), squeeze(context or "")


def _canonical_rotation(found: Words) -> Words:
    """Return one rotation for `In Lisbon, how many work?` and `How many work in Lisbon?`; keep short questions."""
    if not _TURNABLE <= len(found) <= _COMPARED:
        return found
    body, end = (found[:-1], found[-1:]) if found[-1] == _PAST else (found, ())
    return min(body[place:] + body[:place] for place in range(len(body))) + end


def _is_slip(one: str, other: str) -> bool:
    """Whether two words differ by one missing, wrong or swapped letter after the first."""
    if one[0] != other[0] or abs(len(one) - len(other)) > 1:
        return False
    place = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    tails = {
        (one[place + 1 :], other[place + 1 :]),
        (one[place:], other[place + 1 :]),
        (one[place + 1 :], other[place:]),
    }
    swapped = one[place : place + 2] == other[place : place + 2][::-1] and one[place + 2 :] == other[place + 2 :]
    return swapped or any(left == right for left, right in tails)
