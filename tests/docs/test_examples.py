"""Every example in the documentation does what the page says: commands, Python, and what they print."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.docs import program
from tests.docs.pages import PAGES, ROOT, Block, Command, agrees, blocks, commands, name_of, settled

TESTED_ELSEWHERE = {
    "docs/explanation/embedded-reviewer.md": "tests/reading/test_answer.py",
    "docs/explanation/statistics.md": "tests/statistics/test_explanation.py",
    "docs/how-to/review-with-a-model.md": "tests/reviewers/test_model.py",
    "docs/reference/agentic.md": "tests/metrics/test_documentation.py",
    "docs/reference/csv-format.md": "tests/formats/test_format_page.py",
}
RUN = ("proctor", "cat", "cp", "touch")
SET_UP = ("git", "make", "pip", "source", "export")
"""Done before the tests begin, or left to whoever installs."""


def has_examples(page: Path) -> bool:
    return name_of(page) not in TESTED_ELSEWHERE and any(
        block.language in ("python", "console") for block in blocks(page)
    )


def surroundings() -> dict[str, str]:
    """The environment, with the program on the path and without what would change its ways."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PROCTOR_")}
    return kept | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}


def _in_the_shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=surroundings(), capture_output=True, text=True, encoding="utf-8"
    )


@dataclass(kw_only=True, slots=True)
class Reader:
    """Somebody who does all that a page says, in a folder of their own."""

    folder: Path
    status: int = 0
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})

    def types(self, command: Command, *, checks_status: bool) -> None:
        """One line in the shell; it must succeed unless the next one asks for the exit code."""
        word, _, rest = command.line.partition(" ")
        if word in SET_UP:
            return
        if word == "cd":
            self.folder = self.folder / rest
            return
        said, errors = (f"{self.status}\n", "") if command.line == "echo $?" else self._runs(word, command.line)
        if self.status and not checks_status and command.line != "echo $?":
            pytest.fail(f"exit code {self.status} of:\n$ {command.line}\n{said}{errors}", pytrace=False)
        if command.shown.strip() and not agrees(command.shown, said or errors):
            pytest.fail(f"the page shows:\n{command.shown}\nbut:\n$ {command.line}\n{said or errors}", pytrace=False)

    def _runs(self, word: str, line: str) -> tuple[str, str]:
        assert word in RUN, f"{line!r}: is {word!r} a set-up command, or one to run?"
        if word == "proctor":
            self.status, said, errors = program.run(line, folder=self.folder, environment=surroundings())
            return said, errors
        done = _in_the_shell(line, self.folder)
        self.status = done.returncode
        return done.stdout, done.stderr

    def puts_into_a_file(self, block: Block) -> None:
        """What the sentence above the block asks for."""
        assert block.file is not None
        (self.folder / block.file).write_text(block.text, "utf-8")


@pytest.mark.parametrize("page", [page for page in PAGES if has_examples(page)], ids=name_of)
def test_a_reader_who_does_what_the_page_says_sees_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PROCTOR_STORE", raising=False)
    reader, printed = Reader(folder=tmp_path), ""
    for block in blocks(page):
        if block.not_run:
            continue
        if block.file:
            reader.puts_into_a_file(block)
        elif block.language == "console":
            _play(reader, commands(block))
        elif block.language == "python":
            monkeypatch.chdir(reader.folder)
            exec(compile(block.text, name_of(page), "exec"), reader.names)
            printed = capsys.readouterr().out
            continue
        elif block.language == "text" and block.follows and printed:
            assert settled(printed) == settled(block.text)
        printed = ""


def _play(reader: Reader, session: list[Command]) -> None:
    for command, following in zip(session, [*session[1:], None], strict=True):
        reader.types(command, checks_status=following is not None and following.line == "echo $?")


def test_the_readme_shows_the_demo_as_it_is(tmp_path: Path) -> None:
    page = blocks(PAGES[0])
    place = next(number for number, block in enumerate(page) if block.text == "$ make demo\n")
    done = _in_the_shell("proctor demo", tmp_path)
    assert agrees(page[place + 1].text, done.stdout), done.stdout + done.stderr


@pytest.mark.parametrize(("page", "place"), TESTED_ELSEWHERE.items())
def test_pages_that_are_left_out_here_are_tested_there(page: str, place: str) -> None:
    assert Path(page).name in (ROOT / place).read_text("utf-8")
