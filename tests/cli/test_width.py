"""What is said fits 80 columns, is said once, and ends where its words end."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest
from tests.cli.desk import Desk

AWAY = "def answer(question):\n    raise ConnectionError('no route to host')\n"
DUPLICATES = '"What is 1?";"one"\n"What is 1?";"two"\n'


def widest(text: str) -> int:
    return max(map(len, text.splitlines()), default=0)


def test_a_run_that_did_not_complete_says_so_within_80_columns_where_only_its_errors_are_read(desk: Desk) -> None:
    said = desk.run(desk.agent(AWAY), "--retries", "0")
    assert said.code == 4
    *_, sentence, command = said.err.splitlines()
    assert sentence == "The run did not complete: 3 attempts failed for reasons outside the agent."
    assert command.startswith("Continue with: proctor resume ")
    assert widest(said.err) <= 80


def test_whoever_reads_the_report_is_not_told_again_why_the_run_stopped(desk: Desk) -> None:
    agent = desk.agent(AWAY)
    arguments = ("run", "benchmark.csv", "--agent", agent, "--retries", "0")
    shown = subprocess.run(
        [sys.executable, "-m", "proctor", *arguments],
        cwd=desk.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert shown.returncode == 4
    assert shown.stdout.count("3 attempts failed for reasons outside the agent") == 1
    assert shown.stdout.count("proctor resume") == 1
    assert widest(shown.stdout) <= 80


def test_with_json_the_reason_is_told_wherever_it_is_read(desk: Desk) -> None:
    said = desk.run(desk.agent(AWAY), "--retries", "0", "--json")
    assert said.json["status"] == "failed"
    assert said.err.count("Continue with: proctor resume") == 1


@pytest.mark.parametrize("agent", ["http://127.0.0.1:9/a-rather-long-address/of-an-agent/v1", "openai:gpt"])
def test_what_a_run_would_take_fits_80_columns(desk: Desk, monkeypatch: pytest.MonkeyPatch, agent: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    said = desk.run(agent, "--reviewer", "openai:a-model-that-judges", "--dry-run")
    assert said.code == 0
    assert widest(said.out) <= 80


@pytest.mark.parametrize("command", ["doctor", "check", "list", "agents"])
def test_no_line_ends_in_blanks_where_it_is_piped(desk: Desk, command: str) -> None:
    path = desk.write("twice.csv", DUPLICATES)
    desk.run(desk.agent("def answer(question):\n    return 'yes'\n"))
    said = desk(command, *([str(Path(path).name)] if command in ("doctor", "check") else []))
    assert said.out
    assert [line for line in said.out.splitlines() if line != line.rstrip()] == []
    assert widest(said.out) <= 80


LONG = ("run", "benchmark.csv", "--agent", "smple")
"""What it is answered names every kind of agent."""


def test_an_error_is_one_line_where_a_program_reads_it(desk: Desk) -> None:
    said = desk.finish(desk.start(*LONG))
    assert said.code == 2
    [line] = [line for line in said.err.splitlines() if not line.startswith("See `")]
    assert line.startswith("Error: there is no agent 'smple': ")
    assert len(line) > 200


def test_an_error_is_wrapped_as_warnings_are_where_a_person_reads_it(desk: Desk) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        [sys.executable, "-m", "proctor", *LONG], cwd=desk.folder, stdin=theirs, stdout=theirs, stderr=theirs, env=env
    ) as process:
        os.close(theirs)
        sent = b""
        with suppress(OSError):  # how a terminal says that nobody writes any more
            while piece := os.read(ours, 65536):
                sent += piece
        os.close(ours)
    assert process.returncode == 2
    said = sent.decode()
    assert widest(said) <= 80
    wanted = "Error: there is no agent 'smple': name a function as python:MODULE:FUNCTION, or "
    assert " ".join(said.split()).startswith(wanted)


def test_plain_lines_of_progress_fit_80_columns(desk: Desk) -> None:
    desk.benchmark(12)
    agent = desk.agent(
        "import proctor\n\ndef answer(question):\n"
        "    used = proctor.Usage(input_tokens=123_456_789, output_tokens=987_654, cost=12.3456)\n"
        "    return proctor.Reply(text='yes', usage=used)\n"
    )
    said = desk.run(agent)
    assert said.code == 0
    assert "tokens, cost" in said.err
    assert widest(said.err) <= 80


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_the_ids_of_runs_are_never_cut(desk: Desk, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    assert desk.run(desk.agent("def answer(question): return 'yes'\n"), "--name", "a name of some length").code == 0
    (row,) = desk("list", "--json").json
    monkeypatch.setenv("COLUMNS", str(width))
    assert row["run"] in desk("list").out
