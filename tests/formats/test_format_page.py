"""The page that describes the format tells the truth: its examples are read, its words are those in use."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from proctor.cli.check import command as check
from proctor.formats.convert import FIELDS
from proctor.formats.csv import read_bytes
from proctor.formats.synonyms import other_names
from proctor.formats.tables import READERS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "csv-format.md").read_text("utf-8")
EXAMPLES = re.findall(r"```csv\n(.*?)```\n(?:\n```text\n(.*?)```)?", PAGE, re.DOTALL)


@pytest.mark.parametrize(("example", "said"), EXAMPLES)
def test_each_example_has_the_errors_that_stand_under_it_and_no_others(example: str, said: str) -> None:
    table = read_bytes(example.encode())
    assert [f"{error.line}:{error.column}: {error.message}" for error in table.errors] == said.splitlines()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 8


def test_the_json_on_the_page_is_what_check_writes(tmp_path: Path) -> None:
    shown = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "questions.csv"
    path.write_text('"What is 2 + 2?";"4"\n"What is 3 + 3?"\n')
    result = CliRunner().invoke(check, [str(path), "--json"])
    assert [json.loads(block) for block in shown] == [json.loads(result.stdout)]


def test_every_name_of_a_column_and_every_ending_is_on_the_page() -> None:
    for field, names in ((field, other_names(field)) for field in FIELDS):
        assert f"| {field} | {field}{', or: ' if names else ''}{', '.join(names)} |" in PAGE
    for ending in READERS:
        assert f"`{ending}`" in PAGE


DETAILS = [
    (b'"q";"a"\r"', "a lone CR ends the line"),
    (b'"q";"answer\r"', "the answer holds a lone CR as character 7"),
    (b"\0", "there is a NUL byte outside the fields"),
    (b'"what? \0";"a"', "the question holds a NUL byte as character 7"),
    (b'"What is a cafe?\x20\xe9";"a"', "byte 0xE9 at offset 17 is not UTF-8"),
    (b"\xff\xfe" + '"a long question"; '.encode("utf-16-le") + b"\x3d\xd8", "byte 0x3D at offset 40 is not UTF-16-LE"),
    ('"q"'.encode("utf-16-le"), "the NUL byte at offset 1 shows UTF-16 without its byte order mark"),
    ('"q"'.encode("utf-32"), "the file is UTF-32 by its first 4 bytes (offset 0)"),
    (b"PK\x03\x04", "the file is a workbook or another ZIP archive"),
]


@pytest.mark.parametrize(("data", "detail"), DETAILS)
def test_every_detail_on_the_page_is_one_that_is_told(data: bytes, detail: str) -> None:
    assert f"`{detail}`" in PAGE
    assert any(f": {detail}" in error.message for error in read_bytes(data).errors)
