"""proctor export: a run as a file for somebody else."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.cli.desk import Desk

MIXED = """\
def answer(question):
    number = int(question.split()[1])
    if number == 1: raise ValueError("it broke")
    return "yes, naïve ✓" if number == 2 else "=1+1"
"""


@pytest.fixture
def examined(desk: Desk) -> Desk:
    """One case that failed, one that passed and one that did not, twice each."""
    assert desk.run(desk.agent(MIXED), "--trials", "2").code == 0
    return desk


@pytest.mark.parametrize(
    ("form", "name", "wanted"),
    [("parquet", "x.csv", r"\.parquet"), ("json", "x.HTML", r"\.json"), ("annotations", "x.md", "another name")],
)
def test_a_name_that_says_another_format_is_refused(examined: Desk, form: str, name: str, wanted: str) -> None:
    said = examined("export", "last", "--format", form, "-o", name)
    assert said.code == 2
    assert re.search(rf"-o '{name}' is not a name for --format {form}; expected .*{wanted}", said.error)
    assert not (examined.folder / name).exists()


@pytest.mark.parametrize("form", ["html", "json", "csv", "junit", "markdown"])
def test_every_form_is_written_to_a_file_and_alike_to_standard_output(examined: Desk, form: str) -> None:
    said = examined("export", "last", "--format", form, "-o", "result")
    assert (said.code, said.out) == (0, "")
    assert "wrote result" in said.err
    text = (examined.folder / "result").read_text(encoding="utf-8")
    assert len(text) > 200
    piped = examined("export", "last", "--format", form, "-o", "-")
    assert (piped.code, piped.err) == (0, "")
    assert piped.out.replace("\r\n", "\n") == text
    assert sorted(path.name for path in examined.folder.iterdir() if path.name.startswith(".")) == [".proctor"]


def test_a_parquet_file_has_a_row_an_attempt_and_is_not_printed(examined: Desk) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    assert examined("export", "last", "--format", "parquet", "-o", "run.parquet").code == 0
    table = parquet.read_table(examined.folder / "run.parquet")
    assert table["passed"].to_pylist() == [False, False, True, True, False, False]
    assert examined("export", "last", "--format", "csv", "-o", "run.csv").code == 0
    with (examined.folder / "run.csv").open(encoding="utf-8-sig", newline="") as file:
        assert table.column_names == csv.DictReader(file).fieldnames
    printed = examined("export", "last", "--format", "parquet", "-o", "-")
    assert printed.code == 2
    assert "name a file with -o" in printed.err


def test_the_json_holds_the_findings_and_every_attempt_with_its_transcript(examined: Desk) -> None:
    examined("export", "last", "--format", "json", "-o", "run.json")
    exported = json.loads((examined.folder / "run.json").read_text())
    shown = examined("show", "last", "--json").json
    assert {key: exported[key] for key in shown if key != "gates"} == {k: v for k, v in shown.items() if k != "gates"}
    assert len(exported["results"]) == 6
    assert {result["outcome"] for result in exported["results"]} == {"agent_failed", "passed", "not_passed"}
    replies = {turn["reply"]["text"] for r in exported["results"] for turn in r["transcript"]["turns"] if turn["reply"]}
    assert replies == {"yes, naïve ✓", "=1+1"}


def test_the_csv_has_a_row_an_attempt_and_no_cell_that_a_spreadsheet_would_run(examined: Desk) -> None:
    examined("export", "last", "--format", "csv", "-o", "run.csv")
    with (examined.folder / "run.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    assert {row["reply"] for row in rows if row["outcome"] == "not_passed"} == {"'=1+1"}
    assert {row["failure_reason"] for row in rows if row["outcome"] == "agent_failed"} == {"ValueError: it broke"}


def test_junit_tells_failures_from_errors(examined: Desk) -> None:
    examined("export", "last", "--format", "junit", "-o", "run.xml")
    tree = ET.parse(examined.folder / "run.xml")
    assert len(list(tree.iter("testcase"))) > 0
    assert list(tree.iter("failure"))


def test_a_run_that_is_not_complete_is_exported_as_far_as_it_got(desk: Desk) -> None:
    code = "def answer(question):\n    if question == 'q 1': raise ConnectionError('off')\n    return 'yes'\n"
    desk.run(desk.agent(code), "--retries", "0")
    for form in ("html", "json", "csv", "junit", "markdown"):
        assert desk("export", "last", "--format", form, "-o", f"run.{form}").code == 0
    assert json.loads((desk.folder / "run.json").read_text())["attempts"]["failed"] == 1


def test_an_existing_file_is_replaced_and_a_link_is_followed(examined: Desk) -> None:
    real = examined.write("real.csv", "old")
    (examined.folder / "link.csv").symlink_to(real.name)
    assert examined("export", "last", "--format", "csv", "-o", "link.csv").code == 0
    assert (examined.folder / "link.csv").is_symlink()
    assert real.read_text(encoding="utf-8-sig").startswith("run,case,")


def test_a_pipe_is_written_to_and_never_replaced(examined: Desk) -> None:
    pipe = examined.folder / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text(encoding="utf-8")), daemon=True)
    reader.start()
    assert examined("export", "last", "--format", "markdown", "-o", "pipe").code == 0
    reader.join(timeout=20)
    assert pipe.is_fifo()
    assert heard[0].startswith("### ")


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("", "is a folder"),
        (".", "is a folder"),
        ("/", "is a folder"),
        ("nowhere/run.csv", "No such file or directory"),
        ("/dev/null/run.csv", "Not a directory"),
        ("/proc/run.csv", "No such file or directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_one_sentence(examined: Desk, output: str, words: str) -> None:
    said = examined("export", "last", "--format", "csv", "-o", output)
    assert (said.code, said.out) == (2, "")
    assert words in said.error


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_one_sentence(examined: Desk) -> None:
    said = examined("export", "last", "--format", "html", "-o", "/dev/full")
    assert said.code == 4
    assert "No space left on device" in said.error
    assert Path("/dev/full").is_char_device()


def test_a_reader_that_goes_away_is_no_error(desk: Desk) -> None:
    desk.benchmark(400)
    desk.run(desk.agent("def answer(question): return 'yes'\n"), "--concurrency", "50")
    program = [sys.executable, "-m", "proctor", "export", "last", "--format", "json", "-o", "-"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=desk.folder) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_an_unknown_form_and_a_missing_output_are_refused(examined: Desk) -> None:
    assert "--format" in examined("export", "last", "--format", "pdf", "-o", "run.pdf").error
    assert "-o" in examined("export", "last", "--format", "csv").error
    assert examined("export", "nobody", "--format", "csv", "-o", "run.csv").code == 2
    assert not (examined.folder / "run.csv").exists()


@pytest.mark.parametrize(("name", "start"), [("r.html", "<!doctype html>"), ("r.md", "#"), ("r.json", "{")])
def test_without_a_format_the_ending_of_the_name_says_which(examined: Desk, name: str, start: str) -> None:
    assert examined("export", "last", "-o", name).code == 0
    assert (examined.folder / name).read_text().lower().startswith(start)


@pytest.mark.parametrize("name", ["r.txt", "-"])
def test_a_name_that_says_no_format_asks_for_one(examined: Desk, name: str) -> None:
    said = examined("export", "last", "-o", name)
    assert said.code == 2
    assert f"-o '{name}' does not say which format; add --format with one of html, json" in said.err
