"""Which runs are marked, and against what."""

from __future__ import annotations

from typing import Any

import pytest
from tests.made_histories import CASES, Known, a_run, counts, told
from tests.made_runs import made

from proctor.comparison import compared
from proctor.history import Entry, History

ALL = range(CASES)


def series(*fails: Any, trials: int = 1, **options: Any) -> History:
    """Runs day after day, each failing these cases."""
    known: list[Known] = [
        (a_run(number, trials=trials), counts(each, trials=trials)) for number, each in enumerate(fails, 1)
    ]
    return told(known, **options)


def verdicts(history: History) -> list[str]:
    return [entry.change.verdict if entry.change else "first" for entry in history.entries]


def change(entry: Entry) -> Any:
    assert entry.change is not None
    return entry.change


def test_nine_cases_fixed_and_none_broken_are_real_and_eight_are_not() -> None:
    assert verdicts(series(range(9), ())) == ["first", "better"]
    assert verdicts(series(range(8), ())) == ["first", "not shown"]


def test_a_run_that_lost_what_was_had_is_worse() -> None:
    assert verdicts(series((), range(9))) == ["first", "worse"]


def test_a_marked_run_is_the_next_baseline_and_an_unmarked_one_is_not() -> None:
    history = series(range(20), range(19), range(5), range(4))
    assert [change(entry).baseline.run.id for entry in history.entries[1:]] == [
        history.entries[number].run.id for number in (0, 0, 2)
    ]


def test_slow_decay_is_seen_because_the_baseline_stays() -> None:
    drifting = [range(3 * step) for step in range(5)]
    assert verdicts(series(*drifting)) == ["first", "not shown", "not shown", "worse", "not shown"]


def test_marks_never_vanish_when_later_runs_come() -> None:
    fails = [range(12), range(2), range(3), range(16), range(16), (), range(1)]
    whole = verdicts(series(*fails))
    assert set(whole) == {"first", "better", "worse", "not shown"}
    for length in range(1, len(fails)):
        assert verdicts(series(*fails[:length])) == whole[:length]


def test_marks_do_not_depend_on_how_many_runs_are_shown() -> None:
    fails = [range(12), range(2), range(3), range(16), range(16)]
    whole = series(*fails)
    for last in range(1, 5):
        shown = series(*fails, last=last)
        assert shown.entries[1:] == whole.entries[-last:][1:]
        assert shown.entries[0].change == whole.entries[-last].change
        assert shown.courses[0].earlier == len(fails) - last


def test_the_difference_is_the_one_that_compare_finds() -> None:
    outcomes = [
        {f"case-{case}": ["fail" if case in fails else "pass"] * 2 + ["pass"] for case in ALL}
        for fails in (range(20), {1, 2, 40})
    ]
    before, after = (made(each, id=name) for each, name in zip(outcomes, "ab", strict=True))
    known = [
        (a_run(number), {case.id: (case.counted, case.passed) for case in findings.cases})
        for number, findings in enumerate((before, after), 1)
    ]
    found, expected = change(told(known).entries[1]), compared(before, after).pass_rate
    assert found.difference == expected.difference
    assert found.p_value == expected.p_value


def test_strict_holds_the_first_look_against_less_and_counts_looks() -> None:
    history = series(range(9), (), (), strict=True)
    assert verdicts(history) == ["first", "better", "not shown"]
    assert [change(entry).look for entry in history.entries[1:]] == [1, 2]
    assert change(history.entries[1]).level == pytest.approx(0.05 / 2.2857656)
    assert change(history.entries[2]).level == pytest.approx(0.05 * 2**-1.6 / 2.2857656 * 2)


def test_missing_attempts_that_could_undo_a_change_undo_its_mark() -> None:
    passing = counts((), trials=1)
    few = {**passing, **{f"case-{number}": (0, 0) for number in range(20, 22)}}
    many = {**passing, **{f"case-{number}": (0, 0) for number in range(20, 40)}}
    for lacking, verdict in ((few, "better"), (many, "not shown")):
        known = [(a_run(1, trials=1), counts(range(15), trials=1)), (a_run(2, trials=1), lacking)]
        assert verdicts(told(known)) == ["first", verdict]


def test_what_is_missing_makes_a_p_value_larger_and_never_smaller() -> None:
    whole = counts((), trials=1)
    lacking = {**whole, "case-30": (0, 0)}
    ends = [
        told([(a_run(1, trials=1), counts(range(12), trials=1)), (a_run(2, trials=1), each)])
        for each in (whole, lacking)
    ]
    assert change(ends[0].entries[1]).p_value < change(ends[1].entries[1]).p_value < 0.005
