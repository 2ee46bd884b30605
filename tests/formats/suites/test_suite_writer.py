"""What is written as a suite is read as what it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.benchmark import OWN_PART, Case, Expectation, ExpectedCall
from proctor.codec import benchmark_of
from proctor.errors import InputError
from proctor.formats.suites import suite, write

_FULL = Case(
    id="full",
    question="Two\nlines: of “text” # no comment",
    answer="yes",
    reasoning="- because",
    context="  system: be brief",
    categories=("a", "b"),
    passing_score=0.5,
    criteria={OWN_PART: "Is it polite?"},
    metadata={"level": 1, "deep": {"list": [1, "two", None, True]}},
    expect=Expectation(
        tools_used=("search",),
        keywords=("re:(?i:paris)", "=error"),
        exclusions=("no: colon",),
        citations=2,
        sources=("a.md",),
        quotes=True,
        tool_calls=(ExpectedCall(name="add", arguments={"x": 1}, ignore=("y",), match={"x": {"tolerance": 0.1}}),),
        ordered=True,
        limits={"seconds": 5.0},
        steps=({"kind": "plan"},),
    ),
)


@pytest.mark.parametrize("ending", ["yaml", "jsonl"])
def test_a_case_comes_back_as_it_was(tmp_path: Path, ending: str) -> None:
    cases = [_FULL, Case(id="1", question="1"), Case(id="no-calls", question="?", expect=Expectation(tool_calls=()))]
    path = tmp_path / f"suite.{ending}"

    with write.SuiteWriter(path, name="all") as made:
        for case in cases:
            made.add(case)

    read = suite.read_suite(path)
    assert read.digest == benchmark_of(cases, name="all").digest
    assert [case.metadata for case in read.cases] == [case.metadata for case in cases]


def test_a_suite_that_would_be_too_large_becomes_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "LIMIT", 4096 + 1000)

    with write.SuiteWriter(tmp_path / "suite.jsonl", name="many") as made:
        for number in range(30):
            made.add(Case(id=str(number), question=f"Question {number}? " + "x" * 60))

    assert [path.name for path in made.files][:3] == ["suite.jsonl", "suite-2.jsonl", "suite-3.jsonl"]
    read = [case.id for path in made.files for case in suite.read_suite(path).cases]
    assert read == [str(number) for number in range(30)]


def test_what_stood_there_stays_where_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text("before", encoding="utf-8")

    with pytest.raises(AttributeError), write.SuiteWriter(path) as made:
        _break_off(made)

    assert [(each.name, each.read_text(encoding="utf-8")) for each in tmp_path.iterdir()] == [("suite.yaml", "before")]


def _break_off(made: write.SuiteWriter) -> None:
    made.add(_FULL)
    made.add("no case")  # type: ignore[arg-type]


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a suite file ends in \.yaml, \.yml or \.jsonl"):
        write.SuiteWriter(tmp_path / "suite.csv")
