"""A case may say how often it is asked: every number counts it that often, and nothing of it is missing."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import proctor
from proctor.config import Config
from proctor.errors import InputError
from proctor.findings.comparison import compare_findings
from proctor.findings.history.history import rate_of
from proctor.findings.run import gather
from proctor.reports.run.junit import junit_pieces
from proctor.running.plan import exams_of
from proctor.spending.estimate import Caller, estimate
from proctor.storage import open_store
from proctor.workflows.evaluate import Evaluation
from proctor.workflows.load import load_benchmark
from proctor.workflows.prepare import prepare
from proctor.workflows.request import RunRequest
from proctor.workflows.tally import RunTally

OWN = {"often": 5, "once": 1}
NAMES = ["often", "once", "usual", "other"]


def suite(folder: Path, own: dict[str, int] = OWN) -> Path:
    cases = [
        {"id": name, "question": f"Is it {name}?", "reference": name} | ({"trials": own[name]} if name in own else {})
        for name in NAMES
    ]
    file = folder / "suite.yaml"
    file.write_text(json.dumps({"cases": cases}))
    return file


def play(folder: Path, *, asked: Counter[str] | None = None, **options: Any) -> Evaluation:
    """Right at every other time that a question is asked."""
    seen: Counter[str] = Counter() if asked is None else asked

    def agent(question: str) -> str:
        seen[question] += 1
        return question.removeprefix("Is it ").removesuffix("?") if seen[question] % 2 else "no idea"

    told = {"reviewer": "exact", "store": folder / "s.db", "trials": 2, **options}
    return proctor.evaluate(told.pop("suite", None) or suite(folder), agent=agent, **told)


def test_a_case_is_asked_as_often_as_it_says_and_the_others_as_often_as_the_run(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    result = play(tmp_path, asked=asked)
    assert asked == {"Is it often?": 5, "Is it once?": 1, "Is it usual?": 2, "Is it other?": 2}
    found = result.findings
    assert (result.run.status, result.run.planned, found.counts.pending) == ("completed", 10, 0)
    assert {case.id: (case.planned, case.counted, case.passed) for case in found.cases} == {
        "often": (5, 5, 3),
        "once": (1, 1, 1),
        "usual": (2, 2, 1),
        "other": (2, 2, 1),
    }
    assert found.pass_rate.value == pytest.approx((3 / 5 + 1 + 1 / 2 + 1 / 2) / 4)
    assert (found.pass_rate.attempts, found.pass_rate.missing) == (10, 0)
    assert found.pass_hat_k[2].n == 3, "a case that is asked once tells nothing of two tries"


@pytest.mark.parametrize("left", [0, 1, 4, 7, 9])
def test_progress_list_and_history_tell_the_same_rate_as_the_report(tmp_path: Path, left: int) -> None:
    result = play(tmp_path)
    with open_store(str(tmp_path / "s.db"), create=False) as store:
        exams = exams_of(store.archive.benchmark_of(result.run.id), result.run.settings)
        attempts = list(store.archive.full_attempts(result.run.id))[left:]
    found = gather(result.run, exams, attempts)
    tally = RunTally.of(result.run, exams)
    for attempt in attempts:
        tally.count(attempt)
    counts = {case.id: (case.counted, case.passed) for case in found.cases if case.counted}
    shown = ("value", "low", "high", "n", "attempts", "missing", "worst", "best")
    for other in (tally.estimate(), rate_of(result.run, counts)):
        assert [getattr(other, name) for name in shown] == [
            pytest.approx(getattr(found.pass_rate, name)) for name in shown
        ]
    assert found.counts.pending == left


def test_more_trials_of_a_run_leave_those_that_cases_say_themselves(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    first = play(tmp_path, asked=asked)
    grown = proctor.resume(first.run.id, store=tmp_path / "s.db", trials=4, agent=lambda question: "no idea")
    assert grown.run.planned == 5 + 1 + 4 + 4
    assert {case.id: case.counted for case in grown.findings.cases} == {"often": 5, "once": 1, "usual": 4, "other": 4}


def test_other_trials_leave_runs_comparable_and_are_cut_to_those_in_common(tmp_path: Path) -> None:
    before = play(tmp_path, suite=suite(tmp_path, {}))
    after = play(tmp_path)
    assert before.run.digest == after.run.digest
    found = compare_findings(before.findings, after.findings)
    assert (found.pass_rate.difference.n, found.pass_rate.difference.missing) == (4, 0)


def test_a_run_that_stops_early_looks_at_each_attempt_once(tmp_path: Path) -> None:
    cases = [{"question": f"What is {number}?", "reference": "x", "trials": 1 + number % 3} for number in range(100)]
    file = tmp_path / "many.yaml"
    file.write_text(json.dumps({"cases": cases}))
    asked: Counter[str] = Counter()
    result = play(tmp_path, suite=file, asked=asked, stop_early="pass_rate>=0.9")
    assert result.run.cut
    assert result.run.planned <= sum(asked.values()) < 199
    whole = proctor.resume(result.run.id, store=tmp_path / "s.db", to_the_end=True, agent=lambda question: "no idea")
    assert (whole.run.planned, whole.findings.counts.pending) == (199, 0)


def test_junit_lists_the_trials_that_were_planned_and_not_played(tmp_path: Path) -> None:
    result = play(tmp_path)
    with open_store(str(tmp_path / "s.db"), create=False) as store:
        exams = exams_of(store.archive.benchmark_of(result.run.id), result.run.settings)
        attempts = list(store.archive.full_attempts(result.run.id))
    found = gather(result.run, exams, attempts[:3])
    text = "".join(junit_pieces({exam.id: exam for exam in exams}, attempts[:3], found=lambda: found))
    names = [each.get("name", "") for each in ET.fromstring(text).iter("testcase")]
    assert len(names) == 10
    assert sum(name.startswith("often") for name in names) == 5
    assert [name for name in names if name.startswith("once")] == ["once Is it once?"]


def test_the_estimate_counts_the_calls_of_each_case(tmp_path: Path) -> None:
    result = play(tmp_path)
    with open_store(str(tmp_path / "s.db"), create=False) as store:
        exams = exams_of(store.archive.benchmark_of(result.run.id), result.run.settings)
    agent = Caller(role="agent", name="agent", price=None, tool_rounds=0)
    assert estimate(exams, result.run.settings, [agent]).calls.likely == 10
    assert estimate(exams, replace(result.run.settings, case_trials={}), [agent]).calls.likely == 8


def test_a_battle_says_that_it_leaves_them_aside(tmp_path: Path) -> None:
    result = play(tmp_path, type="abm-static", reviewer="embedded", max_turns=4)
    assert (result.run.settings.case_trials, result.run.planned) == ({}, 2)
    prepared = prepare(
        RunRequest(benchmark=suite(tmp_path), agent=str.upper, settings={"type": "abm-static"}), Config()
    )
    assert any("trials: of 2 cases" in each for each in prepared.warnings)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "two", 10_001, True])
def test_trials_that_are_no_number_of_times_are_refused(tmp_path: Path, wrong: object) -> None:
    file = tmp_path / "suite.yaml"
    file.write_text(json.dumps({"cases": [{"question": "Who?", "reference": "me", "trials": wrong}]}))
    with pytest.raises(InputError, match="trials"):
        load_benchmark(file)
