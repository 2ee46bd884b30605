"""What is left to play."""

from __future__ import annotations

from dataclasses import replace

from proctor.benchmark import Case, Exam
from proctor.codec import benchmark_of
from proctor.run import Attempt, Key, Run, Settings
from proctor.running.plan import exams_of, pending_attempts

CASES = tuple(Case(id=f"c{number}", question=f"q{number}") for number in range(1, 8))
BENCHMARK = benchmark_of(CASES, name="b")


def run_of(**settings: object) -> Run:
    return Run(id="r", name="r", benchmark="b", digest="d", agent="a", settings=Settings(**settings))  # type: ignore[arg-type]


def test_a_standard_exam_is_one_case() -> None:
    assert [exam.id for exam in exams_of(BENCHMARK, Settings())] == [case.id for case in CASES]


def test_a_script_longer_than_the_turns_is_cut_so_that_every_question_is_asked() -> None:
    exams = exams_of(BENCHMARK, Settings(type="abm-static", max_turns=3))
    assert [[case.id for case in exam.cases] for exam in exams] == [["c1", "c2", "c3"], ["c4", "c5", "c6"], ["c7"]]
    assert [exam.id for exam in exams] == ["exam-1", "exam-2", "exam-3"]


def test_a_seed_question_opens_a_conversation() -> None:
    exams = exams_of(BENCHMARK, Settings(type="abm-dynamic", seeds=2))
    assert [(exam.id, exam.open) for exam in exams] == [("c1", True), ("c2", True)]


def test_given_conversations_are_played_as_they_are() -> None:
    given = (Exam(id="session", cases=CASES[:2]),)
    assert exams_of(benchmark_of(CASES, name="b", exams=given), Settings()) == given


def test_every_exam_is_played_once_before_any_is_played_twice() -> None:
    exams = exams_of(BENCHMARK, Settings())
    todo = list(pending_attempts(run_of(trials=2), exams))
    assert [pending.attempt.key.trial for pending in todo] == [1] * 7 + [2] * 7


def test_places_sort_by_exam_then_condition_then_trial_and_do_not_move_when_trials_are_added() -> None:
    exams = exams_of(BENCHMARK, Settings())
    few = {
        each.attempt.key: each.attempt.place
        for each in pending_attempts(run_of(trials=2, conditions=("", "slow")), exams)
    }
    many = {
        each.attempt.key: each.attempt.place
        for each in pending_attempts(run_of(trials=5, conditions=("", "slow")), exams)
    }
    assert few.items() <= many.items()
    ordered = sorted(many, key=many.__getitem__)
    assert ordered == sorted(many, key=lambda key: (key.exam, key.condition, key.trial))
    assert len(set(many.values())) == len(many)


def test_finished_attempts_are_left_out_and_begun_ones_go_on() -> None:
    exams = exams_of(BENCHMARK, Settings())
    begun = Attempt(key=Key(run="r", exam="c2"), started=5.0)
    finished = {(f"c{number}", "", 1) for number in (1, 3, 4, 5, 6)}
    todo = list(pending_attempts(run_of(), exams, finished=finished, under_way={("c2", "", 1): (begun, {})}))
    assert [pending.exam.id for pending in todo] == ["c2", "c7"]
    assert todo[0].attempt == replace(begun, place=1_000_001)
