"""What is said of a comparison after its first sentence: nothing that is not shown."""

from __future__ import annotations

from tests.made_runs import in_order, made, pair

from proctor.findings.comparison import compare_findings
from proctor.reports.comparison.markdown import render as markdown
from proctor.reports.comparison.opening import opening, telling_case
from proctor.reports.comparison.words import is_likely


def test_changes_of_single_cases_are_not_said_to_mean_more_than_they_do() -> None:
    compared = compare_findings(*pair(fixed=3, broken=2, both=25))
    assert opening(compared)[0] == (
        "2 cases broke and 3 were fixed, which chance alone can bring where each is asked once."
    )
    assert opening(compared)[1].startswith("30 cases find a difference of 24.3 points in 4 of 5 comparisons;")
    assert telling_case(compared) == "c3"


def test_a_difference_that_is_shown_is_told_by_its_cases_and_categories() -> None:
    kinds = {f"c{number}": ("search" if number < 40 else "reading",) for number in range(80)}
    a = made(in_order(*["fail"] * 20, *["pass"] * 60), id="a", categories=kinds)
    b = made(in_order(*["pass"] * 80), id="b", categories=kinds)
    assert opening(compare_findings(a, b)) == [
        "0 cases broke and 20 were fixed.",
        "Better in search (50 → 100 %).",
    ]


def test_what_is_likely_though_not_shown_is_not_called_chance() -> None:
    compared = compare_findings(*pair(fixed=0, broken=5, both=5))
    assert (compared.shown, is_likely(compared.headline)) == ("not shown", True)
    assert opening(compared)[0] == "5 cases broke and 0 were fixed."


def test_where_nothing_changed_that_is_said_and_what_could_be_there_unseen() -> None:
    compared = compare_findings(*pair(fixed=0, broken=0, both=30))
    first, second = opening(compared)
    assert first == "None of 30 cases is shown to pass more or less often."
    assert second == (
        "30 cases find a difference of 13 points in 4 of 5 comparisons; "
        "what is possible here is what the interval holds, −9 to 9 points."
    )
    assert telling_case(compared) == ""


def test_cases_without_a_verdict_in_one_run_are_not_said_to_be_unchanged() -> None:
    a, b = made(in_order("pass", "pass", "fail"), id="a"), made(in_order("pass", "unscored", "fail"), id="b")
    assert opening(compare_findings(a, b))[0] == (
        "None of 2 cases that count in both runs is shown to pass more or less often."
    )


def test_one_case_alone_that_counts_in_both_runs_is_spoken_of_in_the_singular() -> None:
    a, b = made(in_order("pass", "pass"), id="a"), made(in_order("pass", "unscored"), id="b")
    said = "The 1 case that counts in both runs is not shown to pass more or less often."
    assert opening(compare_findings(a, b))[0] == said


def test_too_few_cases_to_find_any_difference_are_said_to_be() -> None:
    told = opening(compare_findings(*pair(fixed=1, broken=0, both=2)))
    assert any(each.startswith("3 cases are too few to find any difference in 4 of 5 comparisons;") for each in told)


def test_what_is_missing_is_said() -> None:
    a, b = made(in_order("pass", "pass", "fail"), id="a"), made(in_order("pass", "unscored", "fail"), id="b")
    assert opening(compare_findings(a, b))[-1] == "1 attempt has no verdict, so this is not the whole picture."


def test_where_nothing_can_be_said_nothing_is() -> None:
    a, b = made(in_order("unscored"), id="a"), made(in_order("unscored"), id="b")
    assert opening(compare_findings(a, b)) == []


def test_the_second_sentence_does_not_contradict_the_first() -> None:
    a = made({f"c{n}": ["fail"] * 3 if n < 24 else ["pass"] * 3 for n in range(30)}, id="a")
    compared = compare_findings(a, made(in_order(*["pass"] * 30), id="b"))
    assert compared.shown == "better"
    assert (
        opening(compared)[0] == "24 of 30 cases perhaps changed, none shown by its own trials; together they show it."
    )
    assert "↕ 24 perhaps changed" in markdown(compared)
    assert "flaky" not in markdown(compared)
