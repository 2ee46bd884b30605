"""The program itself: help, unknown commands, and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.cli.desk import Desk

from proctor.cli import COMMANDS


def test_help_lists_every_command_and_each_explains_itself(desk: Desk) -> None:
    said = desk.finish(desk.start("--help"))
    assert said.code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in said.out
        helped = desk(name, "--help")
        assert (helped.code, helped.err) == (0, "")
        assert helped.out.startswith(f"Usage: proctor {name}")


def test_the_version_is_told(desk: Desk) -> None:
    said = desk("--version")
    assert said.code == 0
    assert said.out.startswith("proctor ")


def test_an_unknown_command_names_the_nearest(desk: Desk) -> None:
    said = desk.finish(desk.start("rnu"))
    assert (said.code, said.out) == (2, "")
    assert "there is no command 'rnu'; did you mean 'run'?" in said.err


def test_a_missing_argument_is_said_with_where_to_look(desk: Desk) -> None:
    said = desk("show")
    assert (said.code, said.out) == (2, "")
    assert "RUN" in said.err
    assert "See `proctor show --help`." in said.err


def test_a_traceback_only_on_request(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Traceback" not in desk("show", "nobody").err
    monkeypatch.setenv("PROCTOR_TRACEBACK", "1")
    with pytest.raises(Exception, match="there are no results"):
        desk("show", "nobody")


def test_the_program_is_quick_to_say_what_it_can_do() -> None:
    heavy = ("numpy", "scipy", "sqlalchemy", "langchain_core", "rich", "jinja2", "openpyxl", "pydantic", "asyncio")
    code = (
        "import sys; sys.argv = ['proctor', '--help']\n"
        "from proctor.cli import main\n"
        "code = main(['--help'])\n"
        f"sys.exit(code or ' '.join(name for name in {heavy!r} if name in sys.modules) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "80"}
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_bug_of_ours_is_one_sentence_and_never_reads_as_a_gate_that_was_not_met(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def buggy(*args: object, **options: object) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr("proctor.workflows.read.list_runs", buggy)
    said = desk("list")
    assert said.code == 4
    assert "Proctor itself failed: RuntimeError: a bug of ours" in said.err
    assert "Traceback" not in said.err


def test_a_reader_that_stops_listening_does_not_change_the_exit_code(desk: Desk) -> None:
    desk.run(desk.agent("def answer(question): return 'yes'"))
    for arguments in (["show", "last"], ["show", "last", "--json"], ["list"]):
        command = [sys.executable, "-m", "proctor", *arguments]
        process = subprocess.Popen(command, cwd=desk.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.close()
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")


def test_without_any_standard_output_a_run_still_ends_well(desk: Desk) -> None:
    agent = desk.agent("def answer(question): return 'yes'")
    line = f"{sys.executable} -m proctor run benchmark.csv --agent {agent} >&-"
    done = subprocess.run(line, shell=True, cwd=desk.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_ctrl_c_before_anything_is_stored_is_answered_with_a_line(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.benchmark(2)
    agent = desk.agent("def answer(question): return 'yes'\n")
    for place, said in (
        ("proctor.workflows.prepare.prepare", "Interrupted; `proctor list` shows what is stored.\n"),
        ("proctor.workflows.evaluate.start", "Interrupted before anything was asked: there is nothing to resume.\n"),
    ):

        def interrupt(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(place, interrupt)
            ended = desk.run(agent)
        assert (ended.code, ended.out) == (4, "")
        assert ended.err.endswith(said)
