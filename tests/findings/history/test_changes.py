"""Which runs are marked, and against what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.made_histories import CASES, Known, a_run, counts, told
from tests.made_runs import made

from proctor.findings.comparison import compare_findings
from proctor.findings.history import Counts, Entry, History, Order
from proctor.reports.history import words
from proctor.run import Run

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
        assert shown.series[0].earlier == len(fails) - last


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
    found, expected = change(told(known).entries[1]), compare_findings(before, after).pass_rate
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


def test_under_conditions_beside_the_plain_run_nothing_is_missing_where_the_plain_run_is_whole() -> None:
    under: dict[str, Any] = {"trials": 1, "conditions": ("", "slow"), "planned": 2 * CASES}
    known = [(a_run(1, **under), counts(range(15), trials=1)), (a_run(2, **under), counts((), trials=1))]
    assert verdicts(told(known)) == ["first", "better"]


# unequal trials ----------------------------------------------------------------------------------------


def in_order(verdicts: dict[str, str]) -> tuple[Counts, Order]:
    """Counts of verdicts such as `++-`, and their order."""
    counted = {exam: (len(each), each.count("+")) for exam, each in verdicts.items()}
    return counted, {(exam, ""): each for exam, each in verdicts.items()}


def over(*runs: dict[str, str], **options: Any) -> History:
    """Runs day after day with these verdicts, exam by exam, in the order of their trials."""
    known, orders = [], {}
    for number, verdicts in enumerate(runs, 1):
        counted, order = in_order(verdicts)
        trials, cases = max(map(len, verdicts.values())), len(verdicts)
        run = a_run(number, trials=trials, cases=cases)
        known.append((run, counted))
        orders[run.id] = order
    return told(known, order_of=lambda run: orders[run.id], **options)


ONCE = {f"case-{n}": "+" for n in range(20)}
OFTEN = {f"case-{n}": "+" * (n % 8) + "-" + "+" * (7 - n % 8) for n in range(14)} | {
    f"case-{n}": "+" * 8 for n in range(14, 20)
}


def test_one_miss_in_eight_trials_is_no_change_from_one_trial_that_passed() -> None:
    for runs in ((ONCE, OFTEN), (OFTEN, ONCE)):
        history = over(*runs)
        assert verdicts(history) == ["first", "not shown"]
        assert change(history.entries[1]).p_value == 0.5  # two of the first trials failed


def test_what_the_first_trials_show_is_real_with_more_of_them_in_one_run() -> None:
    broken = {f"case-{n}": "-" * 8 if n < 12 else "+" * 8 for n in range(20)}
    assert verdicts(over(ONCE, broken)) == ["first", "worse"]
    assert verdicts(over(broken, ONCE)) == ["first", "better"]


def test_trials_in_an_unknown_order_are_not_taken_for_a_change() -> None:
    known = [
        (a_run(number, trials=len(next(iter(each.values()))), cases=20), in_order(each)[0])
        for number, each in enumerate((ONCE, OFTEN), 1)
    ]
    history = told(known)
    assert verdicts(history) == ["first", "not shown"]
    assert change(history.entries[1]).p_value == 1


def test_the_order_of_equal_trials_is_not_asked_for() -> None:
    def asked(run: Run) -> Order:
        raise AssertionError(f"the order of {run.id} was read")

    known: list[Known] = [(a_run(number), counts(each, {40})) for number, each in enumerate((range(12), ()), 1)]
    assert verdicts(told(known, order_of=asked)) == ["first", "better"]


@pytest.mark.parametrize(
    ("later", "side", "why"),
    [("++++-+++", 0, "its interval contains 0"), ("++--++-+", -1, "the trials that only one run has speak against it")],
)
def test_nothing_is_marked_unless_its_interval_is_on_the_same_side_of_0(later: str, side: int, why: str) -> None:
    first = {f"case-{n}": "-" for n in range(12)} | {f"case-{n}": "+" for n in range(12, 40)}
    luck = {f"case-{n}": "+-------" for n in range(12)} | {f"case-{n}": later for n in range(12, 40)}
    history = over(first, luck)
    found = change(history.entries[1])
    assert found.p_value < 0.005
    assert found.difference.side == side
    assert found.verdict == "not shown"
    assert words.change_of(found, words.calendar_of(history)).endswith(f"not marked, as {why}")


def test_missing_trials_of_the_longer_run_are_bounded_over_as_many_as_both_planned() -> None:
    once = {f"case-{n}": "-" if n < 12 else "+" for n in range(40)}
    mended = {f"case-{n}": "+" * 3 for n in range(40)}
    assert verdicts(over(once, mended)) == ["first", "better"]
    lost = mended | {f"case-{n}": "" for n in range(12, 40)}
    assert verdicts(over(once, lost)) == ["first", "not shown"]


@pytest.mark.parametrize("trials", [(1, 1), (1, 4), (1, 8), (4, 2)])
def test_the_same_agent_with_other_trials_is_hardly_ever_marked(trials: tuple[int, int]) -> None:
    rng = np.random.default_rng(11)
    marked = 0
    for _ in range(150):
        rates = rng.beta(1.6, 0.4, 20)
        runs = [
            {f"case-{n}": "".join("+" if x else "-" for x in rng.random(m) < rate) for n, rate in enumerate(rates)}
            for m in trials
        ]
        marked += verdicts(over(*runs))[1] != "not shown"
    assert marked <= 3


def test_what_a_run_that_stopped_early_has_not_asked_is_not_missing() -> None:
    asked = {f"case-{number}": (1, 0) for number in range(20)}
    early = replace(a_run(2), cut=True)
    history = told([(a_run(1), counts(())), (early, asked)])
    assert verdicts(history) == ["first", "worse"]
    assert change(history.entries[1]).difference.n == len(asked)
