"""proctor check: preview, indicators and every error, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.cli.desk import Desk

from proctor.cli.check import command
from proctor.errors import InputError
from proctor.formats.csv import LIMIT

GOOD = '"What is 2 + 2?";"4";"Two and two make four.";"Sums"\n"And 3 + 3?";"6"\n'
BAD = '"q";"a"\n"only one"\n"";"a"\n'


def check(folder: Path, data: str | bytes, *options: str) -> Result:
    path = folder / "questions.csv"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return CliRunner().invoke(command, [str(path), *options])


def as_json(folder: Path, data: str | bytes) -> Any:
    return json.loads(check(folder, data, "--json").stdout)


def test_a_valid_file_exits_0_and_an_invalid_one_1(tmp_path: Path) -> None:
    assert check(tmp_path, GOOD).exit_code == 0
    assert check(tmp_path, GOOD, "--json").exit_code == 0
    assert check(tmp_path, BAD).exit_code == 1
    assert check(tmp_path, BAD, "--json").exit_code == 1
    assert check(tmp_path, "").exit_code == 1


def test_a_file_that_is_not_there_is_an_input_error_that_exits_2(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [str(tmp_path / "nowhere.csv")])
    assert isinstance(result.exception, InputError)
    assert result.exception.exit_code == 2


def test_json_holds_rows_errors_preview_and_compatibility(tmp_path: Path) -> None:
    assert as_json(tmp_path, GOOD) == {
        "rows": 2,
        "errors": [],
        "preview": [
            {"question": "What is 2 + 2?", "answer": "4", "reasoning": "Two and two make four.", "context": "Sums"},
            {"question": "And 3 + 3?", "answer": "6", "reasoning": None, "context": None},
        ],
        "compatibility": {
            "standard": {"indicator": "✓", "reason": "at least 1 question"},
            "abm_static": {"indicator": "✗", "reason": "under 10 questions: not recommended, but it runs"},
            "abm_dynamic": {"indicator": "✓", "reason": "at least 1 question"},
        },
    }


def test_json_errors_have_line_column_and_message(tmp_path: Path) -> None:
    first, second = as_json(tmp_path, BAD)["errors"]
    assert first.keys() == {"line", "column", "message"}
    assert (first["line"], first["column"]) == (2, 1)
    assert first["message"].startswith("Invalid number of fields: ")
    assert second["message"].startswith("Question field is required: ")


def test_json_says_how_many_errors_were_cut(tmp_path: Path) -> None:
    found = as_json(tmp_path, "x\n" * 130)
    assert len(found["errors"]) == 100
    assert found["more_errors"] == 30
    assert "more_errors" not in as_json(tmp_path, BAD)


def test_json_previews_the_first_ten_valid_rows(tmp_path: Path) -> None:
    found = as_json(tmp_path, "".join(f'"q{number}";"a"\nx\n' for number in range(15)))
    assert [row["question"] for row in found["preview"]] == [f"q{number}" for number in range(10)]
    assert found["rows"] == 15


def test_a_file_beyond_the_limit_is_invalid_in_json_too(tmp_path: Path) -> None:
    result = check(tmp_path, b'"q";"a"\n' * (LIMIT // 8 + 1), "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["errors"][0]["message"].startswith("File exceeds 2097152 bytes: ")


def test_people_see_the_preview_the_indicators_and_the_errors_at_80_columns(tmp_path: Path) -> None:
    result = check(tmp_path, f'"{"long " * 100}";"a";"";"c"\n"one\ntwo";"b"\n"only one"\n')
    lines = result.stdout.splitlines()
    assert lines[0].endswith("questions.csv: 2 valid rows, 1 error")
    assert lines[2].split() == ["line", "question", "answer", "context"]
    assert lines[3].split()[0] == "1"
    assert "long …" in lines[3]
    assert "one⏎two" in lines[4]
    assert all(len(line) <= 80 for line in lines[1:8])
    assert "✓ Standard BM  at least 1 question" in lines
    assert "✗ ABM Static   under 10 questions: not recommended, but it runs" in lines
    assert "Fix these errors before you run the file:" in lines
    assert lines[-1].endswith("questions.csv:4:1: " + "Invalid number of fields: 1, expected 2 to 4, as in "
                              "question;answer;reasoning;context")  # fmt: skip


def test_people_are_told_how_many_errors_were_cut(tmp_path: Path) -> None:
    assert check(tmp_path, "x\n" * 1300).stdout.endswith("and 1,200 more errors\n")


@pytest.mark.parametrize("text", ["\x1b[31mred", "[bold]no[/bold]", "[/]", ":smile:", "bell\x07"])
def test_what_a_cell_holds_cannot_command_the_terminal(tmp_path: Path, text: str) -> None:
    shown = check(tmp_path, f'"{text}";"a"\n').stdout
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert text.replace("\x1b", "�").replace("\x07", "�") in shown


def test_what_no_one_will_judge_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = tmp_path / "suite.yaml"
    suite.write_text("cases: [{id: a, question: q, reference: Paris}, {id: b, question: r, expect: {keywords: [c]}}]")
    said = "1 case cannot be judged: there is a reference and nothing to check, and the reviewer is none (“a”)"

    def checked(*options: str) -> str:
        result = CliRunner().invoke(command, ["suite.yaml", *options])
        assert result.exit_code == 0
        return result.stdout

    assert "cannot be judged" not in checked()
    assert f"warning: {said}" in checked("--reviewer", "none")
    assert json.loads(checked("--reviewer", "none", "--json"))["warnings"] == [said]
    (tmp_path / "proctor.toml").write_text('[run]\nreviewer = "none"\n')
    assert f"warning: {said}" in checked()
    assert "cannot be judged" not in checked("--reviewer", "embedded")
    assert "2 cases cannot be judged" in check(tmp_path, GOOD).stdout


SUITE = """\
cases:
  - {id: marked, question: A?, reference: B, criteria: Is it polite?}
  - {id: held, question: C?, expect: {role: a polite desk}}
  - {id: free, question: Tell me a story.}
"""


def test_what_waits_for_a_model_and_what_expects_nothing_is_said_beforehand(tmp_path: Path) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text(SUITE, encoding="utf-8")
    said = json.loads(CliRunner().invoke(command, [str(suite), "--json"]).stdout)
    marked, held, free = said["warnings"]
    assert marked.startswith("1 case with criteria of its own will stay undecided")
    assert "“marked”" in marked
    assert held.startswith("1 case with a role to keep to will stay undecided")
    assert "“held”" in held
    assert free == ("any reply passes 1 case, which has neither a reference nor anything to expect (“free”)")
    named = json.loads(CliRunner().invoke(command, [str(suite), "--json", "--reviewer", "openai:m"]).stdout)
    assert named["warnings"] == [free]


def test_a_check_that_nobody_offers_is_an_error_in_its_case(tmp_path: Path) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text("cases:\n  - {question: A?, expect: {checks: [nope]}}\n", encoding="utf-8")
    found = CliRunner().invoke(command, [str(suite)])
    assert found.exit_code == 1
    assert f"{suite}:2:1: there is no check 'nope'" in found.output


MINE = "from functools import partial\n\nloud = 1 / 0\n\n\ndef own(reply):\n    return True\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("python:mine:own", None),
        ("python:mine:partial", None),
        ("python:mine:owm", "there is no 'owm' in mine; did you mean 'own'?"),
        ("python:mine", "expected package.module:attribute"),
        ("python:mine.py:own", "name the module, not its file"),
        ("python:nope_at_all:x", "there is no module 'nope_at_all' in this folder or the environment"),
        ("python:mine.inner:x", "there is no module 'mine.inner'"),
        ("python:json.decoder:JSONDecoder", None),
        ("python:json.nope:x", "there is no module 'json.nope'"),
    ],
)
@pytest.mark.parametrize("for_all", [False, True])
def test_a_function_of_ones_own_that_is_not_there_is_an_error_before_any_code_runs(
    desk: Desk, name: str, said: str | None, for_all: bool
) -> None:
    desk.write("mine.py", MINE)
    expect = f"expect: {{checks: [{name!r}]}}"
    desk.write(
        "s.yaml",
        f"{expect}\ncases:\n  - {{question: A?}}\n" if for_all else f"cases:\n  - {{question: A?, {expect}}}\n",
    )
    for verb in ("check", "doctor"):
        found = desk(verb, "s.yaml")
        assert found.code == (0 if said is None else 1), verb
        assert said is None or said in " ".join(found.out.split())
    if said is not None:
        assert desk("run", "s.yaml", "--agent", "sample").code == 2


@pytest.mark.parametrize("command", ["check", "doctor"])
def test_another_configuration_says_who_will_judge(desk: Desk, command: str) -> None:
    desk.write("open.yaml", "cases:\n- question: one?\n  criteria: {tone: Is it kind?}\n")
    desk.write("other.toml", '[run]\nreviewer = "nobody-of-this-name"\n')
    assert desk(command, "open.yaml", "--config", "other.toml").code in (0, 1)
    assert desk(command, "open.yaml", "--config", "nowhere.toml").code == 2
