"""Commands, options, keys and operations stand in the reference as they are declared."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from typing import Any

import pytest
from tests.docs.pages import ROOT

from proctor.cli import COMMANDS

tables: Any = SourceFileLoader("reference_tables", str(ROOT / "tools" / "reference_tables.py")).load_module()
PAGES = {path.name: path.read_text("utf-8") for path in sorted(tables.REFERENCE.glob("*.md"))}


@pytest.mark.parametrize("page", [name for name, text in PAGES.items() if tables.named_in(text)])
def test_a_page_has_its_tables_as_they_are_declared(page: str) -> None:
    assert tables.written(PAGES[page]) == PAGES[page], "run `make reference`"


def test_every_table_has_one_place() -> None:
    named = [name for text in PAGES.values() for name in tables.named_in(text)]
    assert sorted(named) == sorted(tables.TABLES), (
        "write `<!-- table: NAME -->` and `<!-- end -->`, then `make reference`"
    )


def test_every_command_has_a_section_and_its_options_stand_there() -> None:
    sections = dict(each.split("\n", 1) for each in PAGES["commands.md"].split("\n## proctor ")[1:])
    assert sorted(sections) == sorted(COMMANDS)
    for command, text in sections.items():
        assert {name.split()[2] for name in tables.named_in(text)} <= {command}


@pytest.mark.parametrize(
    ("told", "written"),
    [
        ("With --reviewer: as in proctor.toml", "With `--reviewer`: as in `proctor.toml`"),
        ("`--k` a|b, openai:MODEL", "`--k` a\\|b, `openai:MODEL`"),
        ("half-way -- or not; 12:30, re: x", "half-way -- or not; 12:30, re: x"),
    ],
)
def test_names_in_a_sentence_of_the_program_are_code(told: str, written: str) -> None:
    assert tables.in_markdown(told) == written
