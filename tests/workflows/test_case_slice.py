"""What the cases with some metadata in common show, as if there were no others."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import proctor
from proctor.cli import main
from proctor.errors import InputError
from proctor.workflows.case_slice import read_slice

SUITE = """
name: meta
cases:
  - {question: one?, reference: "yes", category: easy, metadata: {team: search, level: 1, owners: [ann, bob]}}
  - {question: two?, reference: "no", metadata: {team: billing, level: 2}}
  - {question: three?, reference: "no", metadata: {team: search}}
  - {question: four?, reference: "yes"}
"""


@pytest.fixture
def store(tmp_path: Path) -> str:
    suite = tmp_path / "meta.yaml"
    suite.write_text(SUITE)
    proctor.evaluate(suite, agent=lambda question: "yes", reviewer="exact", store=tmp_path / "s.db", name="run")
    return str(tmp_path / "s.db")


@pytest.mark.parametrize(
    ("wanted", "questions", "rate"),
    [
        ({"team": "search"}, ["one?", "three?"], 0.5),
        ({"owners": "bob"}, ["one?"], 1.0),
        ({"level": "2"}, ["two?"], 0.0),
        ({"team": "search", "category": "easy"}, ["one?"], 1.0),
    ],
)
def test_only_the_cases_that_are_meant_count(
    store: str, wanted: dict[str, str], questions: list[str], rate: float
) -> None:
    found = read_slice("run", wanted, store=store)
    assert [case.question for case in found.cases] == questions
    assert (found.pass_rate.value, found.counts.pending, found.pass_rate.missing) == (rate, 0, 0)
    assert found.notes[0].startswith(f"Only the {len(questions)} of 4 cases with ")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"tem": "search"}, "expected one of category, level, owners, team"),
        ({"team": "x"}, "there are billing, search"),
    ],
)
def test_what_no_case_has_is_refused_with_what_there_is(store: str, wanted: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_slice("run", wanted, store=store)


def test_metadata_is_shown_and_exported_and_changes_no_digest(store: str, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(SUITE.replace("billing", "sales"))
    again = proctor.evaluate(other, agent=lambda question: "yes", reviewer="exact", store=tmp_path / "s.db")
    first = read_slice("run", {"team": "billing"}, store=store)
    assert again.run.digest == first.run.digest
    assert first.cases[0].metadata == {"team": "billing", "level": 2}
    table = tmp_path / "out.csv"
    assert main(["export", "run", "--format", "csv", "-o", str(table), "--store", store]) == 0
    rows = list(csv.DictReader(table.read_text(encoding="utf-8-sig").splitlines()))
    assert [row["metadata: team"] for row in rows] == ["search", "billing", "search", ""]
    assert rows[0]["metadata: owners"] == '["ann", "bob"]'


def test_the_command_tells_the_slice(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "run", "--where", "team=search", "--json", "--store", store]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["attempts"]["planned"] == 2
    assert told["cases"][0]["metadata"]["team"] == "search"
    assert main(["show", "run", "--where", "team", "--store", store]) == 2
    assert "--where 'team' is not KEY=VALUE" in capsys.readouterr().err
