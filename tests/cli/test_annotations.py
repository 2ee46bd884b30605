"""proctor run --annotations, and what proctor export tells of gates."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.cli.desk import Desk

HALF = "def answer(question): return 'yes' if question == 'q 1' else 'no'\n"
GATE = ("--gate", "pass_rate>=0.5", "--force")


@pytest.fixture
def examined(desk: Desk) -> Desk:
    """One case that passed and two that did not."""
    assert desk.run(desk.agent(HALF)).code == 0
    return desk


def annotated(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("::")]


def test_lines_of_the_file_are_annotated_on_standard_error(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(desk.folder.parent))
    said = desk.run(desk.agent(HALF), "--annotations", "--json")
    assert said.json["attempts"]["scored"] == 3
    first, second = annotated(said.err)
    assert first.startswith(f"::error file={desk.folder.name}/benchmark.csv,line=2,title=")
    assert second.startswith(f"::error file={desk.folder.name}/benchmark.csv,line=3,title=")


def test_nothing_is_annotated_unless_asked_for(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(desk.folder / "summary.md"))
    said = desk.run(desk.agent(HALF))
    assert annotated(said.out + said.err) == []
    assert not (desk.folder / "summary.md").exists()


def test_a_gate_that_is_not_met_is_annotated(desk: Desk) -> None:
    desk.benchmark(40)
    said = desk.run(desk.agent(HALF), "--annotations", *GATE)
    assert said.code == 1
    assert "title=gate not met%3A pass_rate>=0.5::The pass rate is 2.5 %" in annotated(said.err)[0]


def test_annotations_are_exported_without_a_file_to_mark(examined: Desk) -> None:
    said = examined("export", "last", "--format", "annotations", "-o", "-")
    assert said.code == 0
    assert [line.partition(" ")[0] for line in said.out.splitlines()] == ["::error", "::error"]
    assert "file=" not in said.out


@pytest.mark.parametrize("form", ["junit", "markdown", "annotations"])
def test_gates_are_exported_and_decide_the_exit_code(examined: Desk, form: str) -> None:
    said = examined("export", "last", "--format", form, "-o", "result", *GATE)
    assert said.code == 3
    text = (examined.folder / "result").read_text(encoding="utf-8")
    assert "inconclusive" in text
    assert "The pass rate is 33.3 %" in text


def test_junit_has_a_test_for_each_gate(examined: Desk) -> None:
    examined("export", "last", "--format", "junit", "-o", "run.xml", *GATE, "--gate", "failures<=0")
    gates = ET.parse(examined.folder / "run.xml").getroot()[0]
    assert [case.attrib["name"] for case in gates] == ["pass_rate>=0.5", "failures<=0"]
    assert [case[0].tag for case in gates] == ["skipped", "system-out"]


@pytest.mark.parametrize("form", ["html", "json", "csv"])
def test_a_gate_that_would_not_be_told_of_is_refused(examined: Desk, form: str) -> None:
    said = examined("export", "last", "--format", form, "-o", "result", *GATE)
    assert said.code == 2
    assert f"--gate cannot be used with {form}" in said.error
    assert not Path(examined.folder / "result").exists()
