"""docs/how-to/test-agents-with-pytest.md does what it says."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from tests.docs.pages import ROOT, Command, agrees, blocks, commands

pytest_plugins = ["pytester"]

PAGE = ROOT / "docs" / "how-to" / "test-agents-with-pytest.md"


def test_a_reader_who_does_what_the_page_says_sees_what_it_shows(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("CI", raising=False)
    played = 0
    for block in blocks(PAGE):
        if block.file:
            Path(pytester.path, block.file).write_text(block.text, "utf-8")
        elif block.language == "console":
            played += _play(pytester, commands(block))
    assert played == 2


def _play(pytester: pytest.Pytester, session: list[Command]) -> int:
    status, played = 0, 0
    for command in session:
        if command.line == "echo $?":
            assert command.shown.strip() == str(status)
            continue
        word, *words = shlex.split(command.line)
        assert word == "pytest"
        result = pytester.run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words)
        status, played = int(result.ret), played + 1
        assert agrees(command.shown, result.stdout.str()), result.stdout.str()
    return played
