"""A run that another version of the reviewer goes on with: its marks are kept, told apart, and never taken for one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor.errors import GateError, UsageError
from proctor.findings.comparison import compare_findings
from proctor.findings.gates import judge, parse
from proctor.findings.run import Findings
from proctor.score import Part, Review
from proctor.storage import open_store
from proctor.workflows.evaluate import Evaluation

CASES = [("a", "yes"), ("b", "yes")]


class Reviewer:
    """Passes everything by its first rubric, nothing by a later one."""

    name = "strict"

    def __init__(self, rubric: str) -> None:
        self.rubric = rubric

    async def conclude(self, *_: Any, **__: Any) -> None:
        return None

    async def review(self, *_: Any, **__: Any) -> Review:
        return Review(parts=(Part(name="correctness", value=1.0 if self.rubric == "strict-1" else 0.0),))


@pytest.fixture
def resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluation:
    monkeypatch.chdir(tmp_path)
    options: dict[str, Any] = {"store": tmp_path / "store.db", "agent": lambda question: "yes"}
    first = proctor.evaluate(CASES, reviewer=Reviewer("strict-1"), **options)
    return proctor.resume(first.run.id, trials=2, reviewer=Reviewer("strict-2"), **options)


def no_baseline(name: str) -> Findings:
    raise AssertionError(name)


def test_a_run_that_was_judged_by_two_rubrics_says_so(resumed: Evaluation) -> None:
    assert (resumed.run.earlier_rubrics, resumed.run.settings.rubric) == (("strict-1",), "strict-2")
    assert any(
        "judged by strict-1 before it was resumed and by strict-2 since" in note for note in resumed.findings.notes
    )
    with open_store(resumed.store) as store:
        assert store.archive.find(resumed.run.id).earlier_rubrics == ("strict-1",)


def test_no_gate_is_met_by_marks_of_two_rubrics_unless_forced(resumed: Evaluation) -> None:
    gates = [parse("pass_rate>=0.1")]
    with pytest.raises(GateError, match=r"judge its stored replies again.*--reviewer object:strict --gate"):
        judge(gates, resumed.findings, no_baseline)
    assert judge(gates, resumed.findings, no_baseline, force=True)
    assert judge([parse("failures<=0")], resumed.findings, no_baseline)[0].verdict == "met"


def test_it_is_compared_with_no_other_run(resumed: Evaluation) -> None:
    with pytest.raises(UsageError, match="rubric"):
        compare_findings(resumed.findings, rescored(resumed).findings)


def test_judging_its_replies_again_makes_the_marks_alike(resumed: Evaluation) -> None:
    again = rescored(resumed)
    assert (again.run.earlier_rubrics, again.findings.pass_rate.value) == ((), 0.0)


def rescored(resumed: Evaluation) -> Evaluation:
    return proctor.rescore(resumed.run.id, reviewer=Reviewer("strict-2"), store=resumed.store)


def test_a_run_of_which_nothing_was_judged_takes_the_new_rubric(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def away(question: str) -> str:
        raise ConnectionError("the network is down")

    options: dict[str, Any] = {"store": tmp_path / "store.db"}
    first = proctor.evaluate(CASES, agent=away, reviewer=Reviewer("strict-1"), retries=0, **options)
    resumed = proctor.resume(first.run.id, agent=lambda question: "yes", reviewer=Reviewer("strict-2"), **options)
    assert (resumed.run.earlier_rubrics, resumed.run.settings.rubric) == ((), "strict-2")
