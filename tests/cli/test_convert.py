"""proctor convert: what it says, what it writes, how it exits."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from proctor.cli.convert import command
from proctor.errors import InputError


def convert(folder: Path, name: str, text: str, target: str = "made.csv") -> Result:
    (folder / name).write_bytes(text.encode())
    return CliRunner().invoke(command, [str(folder / name), str(folder / target)])


def test_it_writes_the_file_and_names_the_columns_taken_and_left(tmp_path: Path) -> None:
    result = convert(tmp_path, "t.csv", 'id,prompt,answer\n1,"a, b",4\n')
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"wrote {tmp_path / 'made.csv'}: 1 row, a benchmark file",
        "  question  ← 'prompt'",
        "not taken: 'id'",
    ]
    assert (tmp_path / "made.csv").read_bytes() == b'"a, b";"4"\n'


def test_bad_rows_are_told_on_standard_error_and_nothing_is_written(tmp_path: Path) -> None:
    result = convert(tmp_path, "t.csv", "question,answer\n" + ",a\n" * 101)
    assert result.exit_code == 1
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0].startswith(f"{tmp_path / 't.csv'}:2: Question field is required: ")
    assert lines[-2:] == ["and 1 more", "Error: nothing was written; fix these rows and try again"]
    assert not (tmp_path / "made.csv").exists()


def test_a_benchmark_file_is_turned_into_json_lines(tmp_path: Path) -> None:
    result = convert(tmp_path, "t.csv", '"q";"é"\n', "made.jsonl")
    assert result.stdout == f"wrote {tmp_path / 'made.jsonl'}: 1 row, JSONL\n"
    assert (tmp_path / "made.jsonl").read_text("utf-8") == '{"question": "q", "answer": "é"}\n'


def test_a_table_without_the_columns_is_an_input_error(tmp_path: Path) -> None:
    result = convert(tmp_path, "t.csv", "a,b\n1,2\n")
    assert isinstance(result.exception, InputError)
    assert result.exception.exit_code == 2
