"""The whole round: order of complaints, categories, and few false alarms on real benchmarks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proctor.benchmark import Benchmark, Case, Exam, Expectation
from proctor.codec import benchmark_of, case_id
from proctor.demo import __file__ as demo
from proctor.doctor import examine
from proctor.formats import csv
from proctor.formats.suites.suite import read_bytes

NQ301 = Path(__file__).parents[3] / "shared" / "data" / "nq301_dev.jsonl"


def test_the_benchmark_that_ships_with_the_package_is_healthy() -> None:
    path = Path(demo).with_name("handbook-30.csv")
    assert examine(csv.benchmark(path.read_bytes(), name="handbook")) == ()


def test_open_questions_asked_by_people_raise_hardly_a_complaint() -> None:
    if not NQ301.is_file():
        pytest.skip("the NQ301 answers are not beside the project")
    rows = [json.loads(line) for line in NQ301.read_text(encoding="utf-8").splitlines()]
    answers = {row["question"]: " / ".join(row["references"]) for row in rows}
    cases = [Case(id=case_id(question, None), question=question, answer=text) for question, text in answers.items()]
    found = examine(benchmark_of(cases, name="nq301"))
    assert {one.kind for one in found} == {"leaked-answer"}
    assert len(found) <= 2
    assert any("lithium batteries" in one.message for one in found)


def test_the_worst_comes_first_and_a_suite_is_examined_with_its_lines() -> None:
    text = (
        "expect: {exclusions: [sorry]}\n"
        "cases:\n"
        "  - {id: a, question: Anything else to say?}\n"
        "  - {id: b, question: Which policy?, reference: Sorry, category: search}\n"
        "  - {id: c, question: which policy, reference: 'Sorry!', category: search}\n"
    )
    benchmark = read_bytes(text.encode(), name="a.yaml").benchmark
    assert benchmark is not None
    found = examine(benchmark)
    assert [(one.severity, one.kind, one.cases, one.lines) for one in found] == [
        ("error", "exclusion-in-answer", ("b",), (4,)),
        ("error", "exclusion-in-answer", ("c",), (5,)),
        ("warning", "duplicate", ("b", "c"), (4, 5)),
        ("information", "few-cases", (), ()),
    ]


def test_few_cases_are_told_with_how_well_the_pass_rate_will_be_known() -> None:
    cases = [Case(id=str(place), question=f"What is {place}?", answer=f"it is {place}") for place in range(5)]
    (one,) = examine(benchmark_of(cases, name="b"))
    assert one.message == "with 5 cases the pass rate will be known to ±33 points"
    assert "with 30 it is ±17 points" in one.advice


def test_small_categories_are_told_together_with_their_margins() -> None:
    cases = [
        Case(id=str(n), question=f"What is {n}?", answer=f"it is {n}", categories=("large",) if n < 12 else ("small",))
        for n in range(15)
    ]
    (one,) = examine(benchmark_of(cases, name="b"))
    assert (one.kind, one.severity, one.cases) == ("small-category", "information", ("12", "13", "14"))
    assert "small (3: ±37 points)" in one.message
    assert "large" not in one.message


def test_cases_that_stand_only_in_exams_are_examined() -> None:
    case = Case(id="a", question="Who?", expect=Expectation(keywords=("x",), exclusions=("x",)))
    found = examine(Benchmark(name="b", digest="", cases=(), exams=(Exam(id="e", cases=(case,)),)))
    assert [one.kind for one in found] == ["keyword-excluded", "few-cases"]
