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
    with pytest.raises(Exception, match="there is no store"):
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
