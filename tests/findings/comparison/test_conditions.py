"""Two runs under several conditions are compared on what their rates are of: the plain run, where there is one."""

from __future__ import annotations

import pytest

from proctor.benchmark import Case, Exam
from proctor.findings.comparison import Compared, compare_findings
from proctor.findings.gates import judge, parse
from proctor.findings.run import Findings, gather
from proctor.reports.comparison.json import as_dict
from proctor.reports.comparison.markdown import render as markdown
from proctor.reports.comparison.opening import opening
from proctor.reports.comparison.words import basis, rows, sentence
from proctor.run import Attempt, Failure, Key, Run, Settings

BROKE = Failure(stage="agent", owner="agent", reason="the agent raised ToolFailed")


def played(run: str, *, cases: int = 12, **under: str) -> Findings:
    """Cases that all end alike under each condition; `plain` is none: + passed, - not, trial by trial."""
    names = {"" if name == "plain" else name: ends for name, ends in under.items()}
    trials = max(map(len, names.values()))
    made = Run(
        id=run, name=run, benchmark="b", digest="d", agent="a", status="completed",
        settings=Settings(trials=trials, conditions=tuple(names)),
    )  # fmt: skip
    exams = [Exam(id=f"c{n}", cases=(Case(id=f"c{n}", question="?", answer="yes"),)) for n in range(cases)]
    attempts = [
        Attempt(
            key=Key(run=run, exam=exam.id, condition=name, trial=trial),
            passed=ended == "+",
            failure=None if ended == "+" else BROKE,
            finished=True,
        )
        for exam in exams
        for name, ends in names.items()
        for trial, ended in enumerate(ends, 1)
    ]
    return gather(made, exams, attempts)


def compared() -> Compared:
    return compare_findings(played("a", plain="-", slow="+"), played("b", plain="+", slow="+"))


def test_the_plain_runs_are_compared_and_what_other_conditions_came_to_makes_no_case_flaky() -> None:
    found = compared()
    assert found.pass_rate.difference.value == 1.0
    assert {change.flip for change in found.cases} == {"fixed"}
    assert [(change.a.counted, change.b.counted) for change in found.cases] == [(1, 1)] * 12
    [warning] = found.warnings
    assert warning.startswith("Failure rates differ: 12 of 12 attempts (12 by the agent) in A, 0 of 12 attempts in B.")


def test_the_report_says_that_it_is_the_plain_run_and_both_rates_are_those_of_the_runs() -> None:
    found = compared()
    assert basis(found) == "12 cases counted in both runs, of the plain run alone, without a condition"
    [rate] = [row for row in rows(found) if row.label == "Pass rate"]
    assert (rate.a, rate.b, rate.difference) == ("0 %", "100 %", "+100")
    told = as_dict(found)
    assert told["basis"] == basis(found)
    for side in ("a", "b"):
        assert told["pass_rate"][side] == told[side]["pass_rate"]["value"]


def test_k_tries_of_the_plain_runs_are_compared() -> None:
    found = compare_findings(played("a", plain="+-", slow="--"), played("b", plain="++", slow="--"))
    assert found.k == 2
    assert found.pass_hat_k is not None
    assert found.pass_hat_k.difference.value == 1.0


def test_not_worse_than_is_decided_on_the_plain_run() -> None:
    before, after = played("a", plain="-", slow="+"), played("b", plain="+", slow="-")
    [verdict] = judge([parse("not worse than a by 0.02")], after, {"a": before}.__getitem__)
    assert verdict.verdict == "met"
    assert verdict.estimate is not None
    assert verdict.estimate.value == 1.0


def test_without_a_plain_run_the_conditions_are_compared_together_and_the_report_says_so() -> None:
    found = compare_findings(played("a", late="-", slow="+"), played("b", late="+", slow="+"))
    assert found.pass_rate.difference.value == pytest.approx(0.5)
    assert basis(found) == "12 cases counted in both runs, under 2 conditions together"


def test_each_condition_of_both_runs_has_a_row_of_its_own_and_the_sentence_is_of_the_plain_run() -> None:
    found = compare_findings(
        played("a", plain="++", hiccup="--", late="++"), played("b", plain="++", hiccup="++", late="+-")
    )
    assert list(found.conditions) == ["", "hiccup", "late"]
    assert {name: (each.a, each.b) for name, each in found.conditions.items()} == {
        "": (1.0, 1.0), "hiccup": (0.0, 1.0), "late": (1.0, 0.5),
    }  # fmt: skip
    assert [name for name, each in found.conditions.items() if each.tested.changed] == ["hiccup", "late"]
    assert sentence(found).startswith(
        "No difference could be shown: A (a) and B (b) pass equally often in the plain run ("
    )
    assert "Better under hiccup (0 → 100 %)." in opening(found)
    assert "Worse under late (100 → 50 %)." in opening(found)
    told = as_dict(found)["conditions"]
    assert list(told) == ["none", "hiccup", "late"]
    assert told["hiccup"]["difference"]["value"] == 1.0
    assert told["hiccup"]["difference"]["low"] > 0
    assert "| hiccup | 12 | 0 → 100 % | +100 |" in markdown(found)


def test_runs_without_conditions_have_no_rows_of_them_and_are_not_said_to_be_plain() -> None:
    found = compare_findings(played("a", plain="+-"), played("b", plain="++"))
    assert found.conditions == as_dict(found)["conditions"] == {}
    assert "plain run" not in sentence(found)


def test_runs_with_unequal_trials_are_tested_under_a_condition_over_those_that_both_have() -> None:
    found = compare_findings(played("a", plain="+", slow="+"), played("b", plain="++++", slow="+---"))
    assert found.conditions["slow"].tested.comparison.difference.value == -0.75
    assert found.conditions["slow"].tested.comparison.p_value == 1.0
    assert not found.conditions["slow"].tested.changed
