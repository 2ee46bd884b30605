"""Questions that are asked more than once are found, and those that only look alike are left alone."""

from __future__ import annotations

import time

import pytest

from proctor.benchmark import Case
from proctor.codec import benchmark_of
from proctor.doctor import BenchmarkProblem, examine


def found(*cases: tuple[str, str] | tuple[str, str, str]) -> list[BenchmarkProblem]:
    """The complaints about questions with their answers, and contexts."""
    made = [
        Case(id=f"c{place}", question=case[0], answer=case[1], context=(case[2:] or (None,))[0], line=place)
        for place, case in enumerate(cases, 1)
    ]
    kinds = {"duplicate", "near-duplicate", "different-answers"}
    return [one for one in examine(benchmark_of(made, name="b")) if one.kind in kinds]


def test_a_question_asked_twice_is_found_whatever_its_case_and_punctuation() -> None:
    (one,) = found(("Who founded it?", "Ada"), ("What is it?", "Gas"), ("  who FOUNDED it", "Ada"))
    assert (one.kind, one.severity) == ("duplicate", "warning")
    assert (one.cases, one.lines) == (("c1", "c3"), (1, 3))
    assert "“Who founded it?” is asked twice" in one.message


def test_a_question_with_different_answers_is_told_with_them() -> None:
    (one,) = found(("Who founded it?", "Ada"), ("Who founded it?", "Tomas"))
    assert one.kind == "different-answers"
    assert "“Ada”, “Tomas”" in one.message


def test_answers_that_share_a_spelling_are_not_different() -> None:
    (one,) = found(("How often?", "every 24 months / every two years"), ("How often?", "Every two years."))
    assert one.kind == "duplicate"


def test_the_same_question_in_another_context_is_another_question() -> None:
    assert found(("When does it open?", "09:00", "It is about Lisbon."), ("When does it open?", "08:00")) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What's the capital of France?", "Please tell me: what is the capital of France"),
        ("Which colour is the sky?", "Which color is the sky?"),
        ("How many people work in Lisbon?", "In Lisbon, how many people work?"),
        ("What is the limit of the three plans?", "What is the limit of the 3 plans?"),
    ],
)
def test_questions_that_say_the_same_are_found(one: str, other: str) -> None:
    (complaint,) = found((one, "a"), (other, "a"))
    assert (complaint.kind, complaint.severity) == ("near-duplicate", "warning")


def test_a_slip_of_the_pen_is_told_as_information() -> None:
    for slip in ("allowence", "allownce", "allowacne", "allowancce"):
        (one,) = found(("What is the daily allowance?", "a"), (f"What is the daily {slip}?", "a"))
        assert (one.kind, one.severity) == ("near-duplicate", "information")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("When was the company founded?", "Who founded the company?"),
        ("When was the company founded?", "Where was the company founded?"),
        ("How many people work in Lisbon?", "How many people work in Bergen?"),
        ("Flights from London to Paris?", "Flights from Paris to London?"),
        ("Does Ada manage Tomas?", "Does Tomas manage Ada?"),
        ("How far is Austria?", "How far is Australia?"),
        ("What does GS-417 cost?", "What does GS-418 cost?"),
        ("How long is the Lantern 4?", "How long is the Lantern 5?"),
        ("Is smoking allowed?", "Is smoking not allowed?"),
        ("Who manages the Bergen office?", "Who managed the Bergen office?"),
        ("Who is the president of Chad?", "Who was the president of Chad?"),
        ("What is the capital of Country1?", "What is the capital of Country2?"),
    ],
)
def test_questions_that_only_look_alike_are_left_alone(one: str, other: str) -> None:
    assert found((one, "a"), (other, "b")) == []


def test_ten_thousand_cases_take_seconds_and_long_questions_too() -> None:
    asked = ("capital", "population", "largest city", "currency")
    short = [(f"What is the {what} of Country{place}?", f"answer {place}") for place in range(2500) for what in asked]
    long = [(f"{place} " + " ".join(f"letters{word}ofaword" for word in range(400)), "a") for place in range(50)]
    started = time.process_time()
    assert found(*short, *long) == []
    assert time.process_time() - started < 20
