"""docs/how-to/test-agents-with-pytest.md does what it says."""

from __future__ import annotations

import shlex

from tests.docs.pages import ROOT, Command, agrees, blocks, commands
from tests.pytest_plugin.folder import Folder

pytest_plugins = ["pytester"]

PAGE = ROOT / "docs" / "how-to" / "test-agents-with-pytest.md"


def test_a_reader_who_does_what_the_page_says_sees_what_it_shows(folder: Folder) -> None:
    played = 0
    for block in blocks(PAGE):
        if block.file:
            folder.write(block.file, block.text)
        elif block.language == "console":
            played += _play(folder, commands(block))
    assert played == 2


def _play(folder: Folder, session: list[Command]) -> int:
    status, played = 0, 0
    for command in session:
        if command.line == "echo $?":
            assert command.shown.strip() == str(status)
            continue
        word, *words = shlex.split(command.line)
        assert word == "pytest"
        result = folder.start(*words)
        status, played = int(result.ret), played + 1
        assert agrees(command.shown, result.stdout.str()), result.stdout.str()
    return played
