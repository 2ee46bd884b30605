from __future__ import annotations

from tests.made_histories import day

from proctor.reports.history.words import Calendar


def test_days_that_differ_are_said_as_days() -> None:
    moments = [day(3), day(4), day(12)]
    assert [*map(Calendar(moments), moments)] == ["3 Nov", "4 Nov", "12 Nov"]


def test_several_runs_a_day_have_the_time_of_day() -> None:
    moments = [day(3, 2), day(3, 14), day(4)]
    assert [*map(Calendar(moments), moments)] == ["3 Nov 02:00", "3 Nov 14:00", "4 Nov 02:00"]
    assert Calendar(moments).say_when(moments[0]) == "on 3 Nov 02:00"


def test_runs_of_one_day_have_only_that() -> None:
    moments = [day(3, 2), day(3, 14)]
    assert [*map(Calendar(moments), moments)] == ["02:00", "14:00"]
    assert Calendar(moments).say_when(moments[0]) == "at 02:00"


def test_a_year_is_said_where_there_are_two() -> None:
    moments = [day(3) - 365 * 86400, day(3)]
    assert [*map(Calendar(moments), moments)] == ["3 Nov 2025", "3 Nov 2026"]


def test_replies_that_were_judged_twice_are_one_moment() -> None:
    assert Calendar([day(3), day(3), day(4)])(day(3)) == "3 Nov"


def test_a_single_run_has_its_day() -> None:
    assert Calendar([day(3)])(day(3)) == "3 Nov"
