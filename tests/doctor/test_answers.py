"""Answers that are given away, missing, guessable or out of proportion."""

from __future__ import annotations

import pytest

from proctor.benchmark import Case, Expectation
from proctor.codec import benchmark_of
from proctor.doctor import BenchmarkProblem, examine


def problems(kind: str, *cases: Case) -> list[BenchmarkProblem]:
    return [one for one in examine(benchmark_of(cases, name="b")) if one.kind == kind]


def case(question: str, answer: str | None = None, number: int = 1, **others: object) -> Case:
    return Case(id=f"c{number}", question=question, answer=answer, line=number, **others)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the main mineral in lithium batteries?", "Lithium"),
        ("What is the name of the Bergen office?", "the Bergen office"),
        ("Who wrote “Ada and the Sea”?", "Ada and the Sea"),
        ("In which town is the Whitby office?", "Whitby (North Yorkshire)"),
        ("Was kostet die MÜNCHENER Karte?", "münchener Karte."),
    ],
)
def test_an_answer_that_stands_in_its_question_is_a_warning(question: str, answer: str) -> None:
    (one,) = problems("leaked-answer", case(question, answer))
    assert (one.severity, one.cases, one.lines) == ("warning", ("c1",), (1,))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is it true that no dogs are allowed?", "No"),
        ("Is yes a word?", "Yes."),
        ("Is Murmur or Lantern louder?", "Lantern"),
        ("Which is louder: A) Murmur B) Lantern", "Lantern"),
        ("Which of the 3 documents has 3 pages?", "3"),
        ("What is the GS code of the GS part?", "GS"),
        ("What does the Bergenser say?", "Bergen"),
        ("What is 1,300 plus 1?", "1,301"),
        ("What do the staff do?", "do"),
        ("Where are the offices?", "Lisbon, Bergen and Whitby"),
    ],
)
def test_short_answers_choices_and_parts_of_words_are_no_leak(question: str, answer: str) -> None:
    assert problems("leaked-answer", case(question, answer)) == []


def test_an_answer_in_the_context_is_only_worth_knowing_and_told_once() -> None:
    reading = [case("Who founded it?", "Ada Gannet", n, context="Founded by Ada  Gannet in 1901.") for n in (1, 2)]
    other = case("And when?", "1902", 3, context="Founded in 1901.")
    (one,) = problems("answer-in-context", *reading, other)
    assert (one.severity, one.cases) == ("information", ("c1", "c2"))
    assert "in 2 of 3 cases" in one.message
    assert problems("leaked-answer", *reading) == []


def test_a_case_that_expects_nothing_is_told() -> None:
    (one,) = problems("nothing-expected", case("Tell me a story."), case("And?", expect=Expectation(citations=1)))
    assert one.cases == ("c1",)
    assert problems("nothing-expected", case("Who?", "Ada")) == []


def test_what_no_one_will_judge_is_told() -> None:
    cases = [case("Who?", "Ada", 1), case("Tell me a story.", None, 2, passing_score=0.5), case("Why?", None, 3)]
    (one,) = problems("unjudged", *cases)
    assert (one.severity, one.cases, one.lines) == ("warning", ("c2",), (2,))
    assert one.message == (
        "1 case cannot be judged: there is a passing score, but no reference and nothing to check (“c2”)"
    )
    suite = benchmark_of(cases, name="b", passing_score=0.7)
    (every,) = (one for one in examine(suite, reviewer="none") if one.kind == "unjudged")
    assert every.cases == ("c1", "c2", "c3")
    assert [one.cases for one in examine(suite) if one.kind == "unjudged"] == [("c2", "c3")]
    assert [one for one in examine(suite) if one.kind == "nothing-expected"] == []


def test_what_is_checked_is_judged() -> None:
    checked = case("Who?", "Ada", expect=Expectation(keywords=("Ada",)), passing_score=0.7)
    assert [one for one in examine(benchmark_of([checked], name="b"), reviewer="none") if one.kind == "unjudged"] == []


def test_a_passing_score_without_an_answer_is_told() -> None:
    expect = Expectation(keywords=("a",))
    (one,) = problems("score-without-answer", case("Who?", passing_score=0.8, expect=expect))
    assert "0.8" in one.message
    assert problems("score-without-answer", case("Who?", "Ada", passing_score=0.8)) == []


def test_an_answer_that_is_right_most_of_the_time_is_told_with_its_share() -> None:
    cases = [case(f"Is {name} allowed?", "Yes." if n < 8 else "No", n) for n, name in enumerate("abcdefghijkl")]
    (one,) = problems("guessable", *cases)
    assert "always answers “yes” is right in 67% of 12 cases" in one.message
    assert problems("guessable", *cases[4:]) == []


def test_a_few_very_long_answers_are_told_together() -> None:
    short = [case(f"What is {n}?", f"it is {n}", n) for n in range(20)]
    (one,) = problems("unequal-answers", *short, case("And all?", "word " * 200, 21))
    assert (one.severity, one.cases) == ("information", ("c21",))
    assert problems("unequal-answers", *short, case("And all?", "word " * 50, 21)) == []


def test_a_role_that_no_model_will_judge_is_told() -> None:
    held = case("Who?", expect=Expectation(role="a polite desk"))
    (one,) = problems("role-unjudged", held)
    assert one.severity == "warning"
    assert [each for each in examine(benchmark_of([held], name="b"), reviewer="openai:m") if "role" in each.kind] == []
