"""The page on installing tells every extra and every dependency, and what it says of completion works."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs/how-to/install.md").read_text("utf-8")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_every_extra_is_told_with_what_it_is_for() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    told = {name.strip("` ") for row in rows for name in row.split("|")[1].split(",")}
    assert told == set(PROJECT["optional-dependencies"]) - {"dev"}


def test_every_dependency_is_told_with_what_it_costs() -> None:
    names = [each.split(">")[0].split("<")[0] for each in PROJECT["dependencies"]]
    assert [name for name in names if name not in PAGE] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs/how-to").glob("*.md")), ids=lambda page: page.name)
def test_every_how_to_says_which_extra_it_needs(page: Path) -> None:
    opening = page.read_text("utf-8")[:1500].lower()
    assert "extra" in opening


def completed(shell: str, typed: str) -> str:
    program = [sys.executable, "-m", "proctor"]
    words = {"COMP_WORDS": f"proctor {typed}", "COMP_CWORD": str(len(typed.split(" ")))}
    environment = {**os.environ, "_PROCTOR_COMPLETE": f"{shell}_complete", **words}
    return subprocess.run(program, env=environment, capture_output=True, text=True).stdout


def test_commands_options_and_values_complete() -> None:
    assert "plain,tournament" in completed("bash", "tour")
    assert "plain,parquet" in completed("bash", "export last --format pa")
