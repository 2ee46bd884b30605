from __future__ import annotations

from typing import Any

import pytest

from proctor.reading.mentions import Mentions, result_used


def used(result: Any, answer: str, *, question: str = "", arguments: dict[str, Any] | None = None) -> bool | None:
    return result_used(result, (Mentions(question), Mentions(arguments or {})), (Mentions(answer),))


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (25, "100 divided by 4 is 25."),
        (1234567, "Revenue was 1,234,567 dollars."),
        (71.6, "It is about 72 degrees."),
        (3.14159265, "Pi is roughly 3.14."),
        (0.1234, "That is 12.3% of all."),
        (-7, "It is −7 outside."),
        (25.0, "It weighs 25kg."),
        ("2024-05-01", "The delivery is on May 1, 2024."),
        ("2024-05-01T10:00:00Z", "The delivery is on 1 May 2024."),
        ("May 1st, 2024", "On 2024-05-01."),
        ("2024-05-13", "It arrives on 5/13/2024."),
        (8, "The result is eight."),
        (1234567, "Revenue was about 1.2 million."),
        ({"order": {"id": "ORD-7781", "ok": True}}, "Your order ORD-7781 is on its way."),
        ('{"temperature": 21, "sky": "clear"}', "21 degrees."),
        ([{"city": "Lisbon"}], "The capital is Lisbon."),
        ({"carrier": "DHL"}, "It comes by DHL."),
        ("sunny", "Today is sunny."),
        ("The policies cover telework for contractors.", "The policy covers contractors."),
        ("東京", "首都は東京です。"),
    ],
)
def test_a_result_that_comes_back_was_used(result: Any, answer: str) -> None:
    assert used(result, answer) is True


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (25, "100 divided by 4 is 52."),
        (25, "It is 250."),
        (1234999, "Revenue was 1,234,567 dollars."),
        (1234999, "Revenue was 1 234 567 dollars."),
        (1300000, "Revenue was about 1.2 million."),
        (7.6, "There are 8 of them."),
        (7.6, "There are eight of them."),
        ("2024-05-01", "It arrives in 2024."),
        ("May 1, 2024", "There are 1 or 2 of them."),
        ("ORD-7781", "Your order 7781-A is on its way."),
        ({"city": "Lisbon"}, "The capital is Porto."),
        ("The policies cover telework for contractors.", "I have no policy on that."),
    ],
)
def test_a_result_that_does_not_come_back_was_not_used(result: Any, answer: str) -> None:
    assert used(result, answer) is False


@pytest.mark.parametrize("result", [None, True, "", [], {}, "ok", "success", {"status": "done", "found": False}])
def test_a_result_that_tells_nothing_cannot_be_judged(result: Any) -> None:
    assert used(result, "ok, success, done") is None


def test_what_stood_in_the_question_or_in_the_arguments_proves_nothing() -> None:
    assert used("Lisbon", "Lisbon.", question="What is the weather in Lisbon?") is None
    assert used({"city": "Lisbon", "t": 21}, "It is nice in Lisbon.", arguments={"city": "Lisbon"}) is False
    assert used({"city": "Lisbon", "t": 21}, "It is 21 in Lisbon.", arguments={"city": "Lisbon"}) is True
    assert used(5, "5", arguments={"a": 5.0}) is None
    assert used("2024-05-01", "2024-05-01", question="What happens on 1 May 2024?") is None
    assert used("2024-05-01T10:30:00Z", "no", question="What happens on 1 May 2024?") is None


def test_any_place_will_do() -> None:
    assert result_used("X-99", (), (Mentions("no"), Mentions({"key": ["X-99"]}))) is True
    assert result_used("X-99", (), ()) is False


def test_odd_results_are_read_as_far_as_they_go() -> None:
    assert used("{broken json 42", "42") is True
    assert used({1: {"a", "Berlin"}}, "Berlin") is True
    assert used(10**400, "no") is False
    assert used(10**5000, "no") is None
    assert used(float("nan"), "no") is None


def test_a_table_of_numbers_is_read_without_comparing_each_with_each() -> None:
    table = [number + 0.5 for number in range(10_000)]
    answer = " ".join(f"{number}.25" for number in range(1_000))
    assert used(table, answer) is False
    assert used(table, f"{answer} and 7777.5") is True
