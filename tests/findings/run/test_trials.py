"""What each trial came to is kept, so that two runs, or two conditions, can be held against each other fairly."""

from __future__ import annotations

from itertools import product

import pytest

from proctor.benchmark import Case, Exam
from proctor.findings.run import Findings, gather
from proctor.findings.run.trials import Trials
from proctor.run import Attempt, Failure, Key, Run, Settings
from proctor.score import Part, Score


def test_trials_are_told_in_order_whenever_they_ended_and_those_without_a_value_are_left_out() -> None:
    trials = Trials(["x", "y"], conditions=["slow", ""], trials=4)
    for number, passed in ((4, True), (1, False), (3, None)):
        trials.add("y", Key(run="r", exam="y", trial=number), verdict=passed, mark=number / 10)
    trials.add("y", Key(run="r", exam="y", trial=2, condition="slow"), share=0.5)
    assert trials.verdicts("y") == [[0.0, 1.0], []]
    assert trials.verdicts("y", "slow") == [[]]
    assert trials.marks("y") == [[0.1, 0.3, 0.4], []]
    assert trials.shares("y") == [[], [0.5]]
    assert trials.verdicts("x") == [[], []]
    assert (trials.under("").marks("y"), trials.under("slow").shares("y")) == ([[0.1, 0.3, 0.4]], [[0.5]])


def under_two_conditions(verdicts: dict[str, dict[str, str]]) -> Findings:
    """Case → condition → verdicts in order: + passed, - not, ? lost."""
    trials = max(len(each) for case in verdicts.values() for each in case.values())
    run = Run(
        id="r", name="r", benchmark="b", digest="d", agent="a", status="completed",
        settings=Settings(trials=trials, conditions=("", "slow")),
    )  # fmt: skip
    exams = [Exam(id=case, cases=(Case(id=case, question="?", answer="yes"),)) for case in verdicts]
    lost = Failure(stage="agent", owner="environment", reason="no network")
    attempts = [
        Attempt(
            key=Key(run="r", exam=case, condition=condition, trial=trial),
            passed={"+": True, "-": False}.get(ended),
            failure=lost if ended == "?" else None,
            finished=True,
        )
        for case, under in verdicts.items()
        for condition, each in under.items()
        for trial, ended in enumerate(each, 1)
    ]
    return gather(run, exams, attempts)


def test_a_condition_is_held_against_none_over_the_trials_that_both_have() -> None:
    found = under_two_conditions({f"c{n}": {"": "+---", "slow": "+???"} for n in range(12)})
    slow = next(each for each in found.conditions if each.name == "slow")
    assert slow.difference is not None
    assert slow.difference.value == pytest.approx(0.75)
    assert slow.p_value == 1.0  # the first trials all passed, with and without
    whole = under_two_conditions({f"c{n}": {"": "+---", "slow": "++++"} for n in range(12)})
    assert next(each for each in whole.conditions if each.name == "slow").p_value == pytest.approx(2 / 2**12)


def rows_of(conversations: list[str], conditions: tuple[str, ...] = ("",)) -> Findings:
    """A script of two rows, once for each pair of verdicts; under further conditions no row passes."""
    settings = Settings(trials=len(conversations), type="abm-static", conditions=conditions)
    run = Run(
        id="r", name="r", benchmark="b", digest="d", agent="a", status="completed", settings=settings
    )  # fmt: skip
    rows = tuple(Case(id=name, question=f"{name}?", answer="yes") for name in ("first", "second"))
    attempts = []
    for condition, (trial, ended) in product(conditions, enumerate(conversations, 1)):
        passed = tuple(verdict == "+" and not condition for verdict in ended)
        scores = tuple(
            Score(turn=turn, of="agent", parts=(Part(name="correctness", value=1.0),), value=float(right), by="exact")
            for turn, right in enumerate(passed, 1)
        )
        key = Key(run="r", exam="script", condition=condition, trial=trial)
        attempts.append(
            Attempt(key=key, turn_passed=passed, passed=all(passed), scores=scores, finished=True)
        )  # fmt: skip
    return gather(run, [Exam(id="script", cases=rows)], attempts)


def test_the_rows_of_a_script_keep_their_trials_too() -> None:
    first, second = rows_of(["+-", "-+", "++"]).rows
    assert first.trials is not None
    assert [[*row] for row in first.trials.verdicts("first")] == [[1, 0, 1]]
    assert second.trials is not None
    assert [[*row] for row in second.trials.verdicts("second")] == [[0, 1, 1]]
    assert [[*under] for under in second.trials.marks("second")] == [[0.0, 1.0, 1.0]]


def test_the_rows_of_a_script_are_those_of_the_plain_run() -> None:
    first, second = rows_of(["+-", "-+", "++"], ("", "slow")).rows
    assert [(row.planned, row.counted, row.passed) for row in (first, second)] == [(3, 3, 2), (3, 3, 2)]
    assert second.trials is not None
    assert [[*row] for row in second.trials.verdicts("second")] == [[0, 1, 1]]


def test_a_case_that_is_played_once_keeps_no_more_than_its_count() -> None:
    found = rows_of(["+-"])
    assert all(case.trials is None for case in (*found.cases, *found.rows))
