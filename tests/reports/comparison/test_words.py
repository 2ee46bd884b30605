from __future__ import annotations

from dataclasses import replace

import pytest
from tests.made_runs import in_order, made, pair

from proctor.findings.comparison import Compared, compare_findings
from proctor.reports import numbers, outcomes
from proctor.reports.comparison import words
from proctor.statistics.estimate import Estimate


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=100, method="paired-cases")


def saying(value: float, low: float, high: float, better: float) -> str:
    """The sentence for a difference in pass rate."""
    found = compare_findings(*pair(1, 1, 98))
    comparison = replace(found.pass_rate, difference=estimate(value, low, high), better=better)
    return words.sentence(replace(found, pass_rate=comparison))


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((0.06, 0.01, 0.11, 0.984), "B is better by 6 points (1 to 11), probability 0.98."),
        ((-0.06, -0.11, -0.01, 0.016), "B is worse by 6 points (1 to 11), probability 0.98."),
        ((0.05, 0.0041, 0.0949, 0.9886), "B is better by 5 points (0.4 to 9.5), probability 0.99."),
        ((0.055, 0.0141, 0.0949, 0.9999), "B is better by 5.5 points (1 to 9), probability above 0.99."),
        ((0.01, 0.0003, 0.02, 0.98), "B is better by 1 point (0.03 to 2.00), probability 0.98."),
        ((0.011, 0.004, 0.018, 0.99), "B is better by 1.1 points (0.4 to 1.8), probability 0.99."),
        (
            (0.06, -0.0079, 0.1255, 0.974),
            "A difference is likely, but not beyond doubt: B passes 6 points more often (−1 to 13), "
            "probability 0.97 that it is better.",
        ),
        (
            (-0.06, -0.1255, 0.0079, 0.026),
            "A difference is likely, but not beyond doubt: B passes 6 points less often (−13 to 1), "
            "probability 0.97 that it is worse.",
        ),
        ((0.02, -0.05, 0.09, 0.72), "No difference could be shown: B passes 2 points more often (−5 to 9)."),
        ((-0.02, -0.09, 0.05, 0.06), "No difference could be shown: B passes 2 points less often (−9 to 5)."),
        (
            (0.05, -0.02, 0.12, 0.946),
            "A difference is likely, but not beyond doubt: B passes 5 points more often (−2 to 12), "
            "probability 0.95 that it is better.",
        ),
        (
            (0.0, -0.0551, 0.0551, 0.5),
            "No difference could be shown: A and B pass equally often (−6 to 6).",
        ),
    ],
)
def test_the_sentence_a_person_would_say(numbers: tuple[float, float, float, float], expected: str) -> None:
    assert saying(*numbers) == expected


def test_without_a_single_flip_no_probability_is_claimed() -> None:
    found = compare_findings(*pair(0, 0, 50))
    assert words.sentence(found) == "No difference could be shown: A and B pass equally often (−6 to 6)."


def test_missing_attempts_that_could_undo_it_are_in_the_sentence() -> None:
    a, b = pair(15, 5, 180)
    lost = {case.id: ["pass" if case.passed else "fail"] for case in b.cases} | {
        f"c{n}": ["lost"] for n in (30, 31, 32)
    }
    said = words.sentence(compare_findings(a, made(lost, id="b")))
    assert said.startswith("A difference is likely, but not beyond doubt: B passes 5.1 points more often (0.4 to 9.6)")
    assert said.endswith("but 3 missing attempts could undo it.")


def test_nothing_counted_in_both_says_so() -> None:
    found = compare_findings(made(in_order("lost", "pass"), id="a"), made(in_order("pass", "lost"), id="b"))
    assert words.sentence(found) == "Nothing can be said: no case was counted in both runs."


def test_runs_without_verdicts_are_said_in_marks() -> None:
    a, b = made(in_order(*["unscored"] * 40), id="a"), made(in_order(*["unscored"] * 40), id="b")
    a = replace(a, cases=tuple(replace(case, score=0.5) for case in a.cases))
    b = replace(b, cases=tuple(replace(case, score=1.0) for case in b.cases))
    assert words.sentence(compare_findings(a, b)) == "B is better by 0.50 (0.40 to 0.55), probability above 0.99."


def test_a_test_that_does_not_confirm_the_interval_is_said() -> None:
    found = compare_findings(*pair(11, 3, 86))
    assert found.shown == "better"
    assert words.chance(found) == (
        "P(B better) 0.99; exact sign-flip test p = 0.057, which alone would not have shown it"
    )


@pytest.mark.parametrize(
    ("value", "expected"), [(1.0, "p = 1"), (0.1094, "p = 0.11"), (0.0414, "p = 0.041"), (0.0004, "p < 0.001")]
)
def test_a_p_value_has_two_digits(value: float, expected: str) -> None:
    assert numbers.p_value(value) == expected


def test_where_nothing_was_shown_it_is_said_what_could_have_been() -> None:
    assert words.would_have_shown(compare_findings(*pair(8, 2, 90))) == (
        "100 cases find a difference of 9.5 points in 4 of 5 comparisons"
    )
    assert words.would_have_shown(compare_findings(*pair(15, 5, 180))) == ""


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        ((1, 1), "2 cases counted in both runs"),
        ((3, 3), "2 cases counted in both runs, 3 trials each"),
        ((1, 3), "2 cases counted in both runs, 1 trial in A and 3 in B"),
    ],
)
def test_what_it_rests_on(trials: tuple[int, int], expected: str) -> None:
    a, b = (made({"x": ["pass"] * m, "y": ["fail"] * m}, id=f"r{m}") for m in trials)
    assert words.basis(compare_findings(a, b)) == expected


def of_categories() -> Compared:
    many = {f"c{n}": ("many" if n < 20 else "few",) for n in range(23)}
    a = made(in_order(*["fail"] * 12, *["pass"] * 11), id="a", categories=many)
    return compare_findings(a, made(in_order(*["pass"] * 23), id="b", categories=many))


def test_a_category_with_fewer_than_five_cases_gets_its_value_and_no_verdict() -> None:
    few, many = of_categories().categories["few"], of_categories().categories["many"]
    assert words.verdict_of(few) == "too few"
    assert words.from_to(few) == "100 → 100 %"
    assert words.verdict_of(many) is outcomes.BETTER
    assert words.from_to(many) == "40 → 100 %"


def test_the_next_command_fits_what_was_found() -> None:
    assert words.next_command(compare_findings(*pair(8, 2, 90)))[0] == "proctor export b --format html -o b.html"
    assert words.next_command(compare_findings(*pair(1, 0, 90)))[0] == "proctor plan --difference 0.05 --run a --run b"
    assert words.next_command(compare_findings(*pair(60, 0, 90)))[0] == "proctor show b"


@pytest.mark.parametrize(
    ("kind", "noun"), [("abm-static", "6 rows"), ("abm-dynamic", "6 seeds"), ("standard", "6 cases")]
)
def test_what_is_paired_is_called_what_it_is(kind: str, noun: str) -> None:
    found = compare_findings(*pair(1, 1, 4, type=kind))
    assert words.basis(found).startswith(f"{noun} counted in both runs")
    assert words.would_have_shown(found).startswith(noun)


def test_runs_of_other_cases_that_were_judged_alike_are_not_said_to_have_other_scores() -> None:
    cases = in_order(*["pass"] * 5)
    a, b = made(cases), made(cases, id="b", run={"digest": "another"})
    [said] = words.warnings(compare_findings(a, b, force=True))
    assert (
        said == "Forced: the cases of the benchmark handbook were changed between them (version 9f2c against another)."
    )
