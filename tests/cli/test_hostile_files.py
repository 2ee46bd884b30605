"""Files that are no files, never end, or hold more than any program can: one sentence, in bounded time and memory."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from tests.cli.desk import Desk

NINES = "9" * 5000
ALIASES = "".join(f"k{n}: &b{n + 1} [{', '.join([f'*b{n}'] * 10)}]\n" for n in range(9))
BOMB = f"b: &b0 [{', '.join('1' * 10)}]\n{ALIASES}cases: [{{question: q, expect: {{tools_used: *b9}}}}]\n"
FILES = {
    "deep.yaml": "cases: " + "[" * 5000,
    "keys.yaml": "cases: " + "{a: " * 5000 + "1" + "}" * 5000,
    "deep.jsonl": '{"question": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "bomb.yaml": BOMB,
    "huge.yaml": f"cases:\n- {{question: q, passing_score: {NINES}}}\n- {{question: r, expect: {{citations: 1}}}}",
    "huge.jsonl": f'{{"question": "q", "expect": {{"tool_calls": [{{"name": "t", "arguments": {{"n": {NINES}}}}}]}}}}',
    "half.jsonl": '{"question": "q \\ud800"}',
    "nul.jsonl": '{"question": "q", "id": "a\\u0000"}',
    "nul.yaml": 'cases:\n- {question: "q\\0"}\n',
    "quotes.csv": '"' * 200_000,
    "long.yaml": f"cases:\n- {{question: q, id: {'x' * 201}}}\n",
}


@pytest.mark.parametrize("name", FILES)
def test_what_no_reader_can_hold_is_exit_1_for_check_and_2_elsewhere(desk: Desk, name: str) -> None:
    desk.write(name, FILES[name])
    refused_everywhere(desk, name)


@pytest.mark.parametrize("ending", [".csv", ".yaml", ".jsonl"])
def test_a_device_without_an_end_is_read_up_to_the_limit(desk: Desk, ending: str) -> None:
    (desk.folder / f"endless{ending}").symlink_to("/dev/zero")
    refused_everywhere(desk, f"endless{ending}")


@pytest.mark.parametrize("ending", [".csv", ".yaml", ".jsonl"])
def test_a_pipe_that_nobody_writes_to_is_empty_and_not_waited_for(desk: Desk, ending: str) -> None:
    os.mkfifo(desk.folder / f"pipe{ending}")
    refused_everywhere(desk, f"pipe{ending}")


def refused_everywhere(desk: Desk, name: str) -> None:
    for command, code in (("check", 1), ("doctor", 2), ("run", 2)):
        said = desk(command, name, *(["--agent", "demo:librarian"] if command == "run" else []))
        assert said.code == code, said.err
        assert "itself failed" not in said.err
        assert len(said.out + said.err) < 10_000
    assert not (desk.folder / ".proctor").exists()


def test_a_folder_is_no_file(desk: Desk) -> None:
    for name in ("a.csv", "a.yaml"):
        (desk.folder / name).mkdir()
        for command in (("check", name), ("doctor", name), ("convert", "a.csv", "b.csv")):
            assert "Is a directory" in desk(*command).error


def test_tables_and_recordings_are_no_pipes_and_have_an_end(desk: Desk) -> None:
    os.mkfifo(desk.folder / "pipe.json")
    os.mkfifo(desk.folder / "pipe.xlsx")
    assert "is a pipe" in desk.run("recorded:pipe.json").error
    assert desk("convert", "pipe.xlsx", "out.csv").code == 2
    assert desk("convert", "benchmark.csv", f"{'x' * 300}.tsv").code == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = " + "[" * 5000, "too many brackets"),
        ("[" + ".".join("a" * 5000) + "]", "unknown key 'a'"),
        (f"[run]\ntrials = {NINES}", "is not valid TOML"),
        (f"[run]\nconcurrency = {10**30}", "expected a whole number from 1 to 10,000"),
        ("store = ''", 'store = "" is not usable'),
    ],
)
def test_a_configuration_that_cannot_be_is_exit_2(desk: Desk, text: str, words: str) -> None:
    desk.write("proctor.toml", text)
    said = desk("list")
    assert (said.code, said.out) == (2, "")
    assert words in said.error


def test_an_empty_store_is_refused_and_not_taken_for_the_default(desk: Desk) -> None:
    for command in (("list",), ("run", "benchmark.csv", "--agent", "demo:librarian")):
        said = desk(*command, "--store", "")
        assert (said.code, said.error) == (2, "Error: the store is empty; give a path, or leave it out")
    assert not (desk.folder / ".proctor").exists()


def test_a_part_that_is_weighed_twice_is_refused(desk: Desk) -> None:
    said = desk.run("demo:librarian", "--weights", "correctness=.5,correctness=.5")
    assert "'correctness' is given twice" in said.err
    said = desk.run("demo:librarian", "--label", "a=1", "--label", "a=2")
    assert "--label a= is given twice" in said.err


def test_slow_patterns_neither_pause_a_run_nor_hold_it_up(desk: Desk) -> None:
    slow = [f"re:(x+x+)+y|{number}" for number in range(120)]
    cases = [{"id": f"c{number}", "question": f"q {number}", "expect": {"exclusions": slow}} for number in range(2)]
    desk.write("suite.jsonl", "\n".join(map(json.dumps, cases)))
    agent = desk.agent("def answer(question): return 'y' + 'x' * 20_000\n")
    started = time.process_time()
    said = desk("run", "suite.jsonl", "--agent", agent, "--json")
    assert time.process_time() - started < 30
    assert said.json["status"] == "completed"
    assert said.json["attempts"]["failed"] == 0
    for attempt in desk.attempts():
        assert [check.passed for check in attempt.checks if check.name == "exclusions"] == [None]


def test_the_doctor_reads_15_000_cases_and_shows_a_hundred_of_a_kind(desk: Desk) -> None:
    rows = (f'"Is Paris{number} a town?";"Paris{number}"\n' for number in range(15_000))
    desk.write("large.csv", "".join(rows))
    started = time.process_time()
    said = desk("doctor", "large.csv")
    assert time.process_time() - started < 4  # seconds; about half of one where nobody else is at work
    assert len(said.out) < 50_000
    assert "more of leaked-answer; --all shows them all" in said.out
    told = desk("doctor", "large.csv", "--json").json
    assert len(told["complaints"]) == 100
    assert told["more"]["leaked-answer"] + 100 == told["cases"]
    assert len(desk("doctor", "large.csv", "--json", "--all").json["complaints"]) == told["cases"]


def test_concurrency_beyond_what_is_planned_plays_as_many_as_there_are(desk: Desk) -> None:
    agent = desk.agent("def answer(question): return 'yes'\n")
    assert desk.run(agent, "--concurrency", "10000").code == 0
    assert desk.run(agent, "--concurrency", str(10**30)).code == 2
    assert Path("calls").exists() is False
