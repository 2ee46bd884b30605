"""What is said of a history after its first sentence."""

from __future__ import annotations

from tests.made_histories import Known, a_run, counts, told

from proctor.findings.history import History
from proctor.reports.history.words import calendar_of, opening


def sentences(history: History) -> list[str]:
    return opening(history.series[0], calendar_of(history))


def test_real_changes_are_told_with_what_came_at_the_same_time() -> None:
    first, *others = sentences(told())
    assert first.startswith("Real changes: ")
    assert "on 9 Nov (with prompt v3, commit 9f2c1a7)" in first
    assert others[-1] == "1 run is shown and not compared."


def test_where_nothing_is_shown_nothing_is_said_to_have_changed() -> None:
    known: list[Known] = [(a_run(number), counts(range(fails))) for number, fails in enumerate((6, 5, 4), 1)]
    assert sentences(told(known)) == [
        "Nothing in 3 runs is shown to be more than chance.",
        "The newest run may be anything from 3 points worse to 10 points better than its baseline.",
    ]


def test_a_first_run_has_nothing_to_be_told_beside() -> None:
    assert sentences(told([(a_run(1), counts())])) == []


def test_a_run_that_is_the_first_of_its_kind_does_not_share_the_chance_of_those_before_it() -> None:
    known: list[Known] = [(a_run(number), counts(range(5))) for number in (1, 2)]
    known.append((a_run(3, passing_score=0.9), counts(range(5))))
    assert sentences(told(known))[0] == ("Nothing in 2 runs, examined in another way, is shown to be more than chance.")
