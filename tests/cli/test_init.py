"""proctor init: the files to start from work as they are."""

from __future__ import annotations

import sys
import tomllib

import pytest
from tests.cli.desk import Desk


@pytest.fixture
def started(desk: Desk) -> Desk:
    """A folder with the starter files."""
    (desk.folder / "benchmark.csv").unlink()
    sys.modules.pop("agent", None)
    said = desk("init")
    assert said.code == 0
    assert "Now try: proctor run benchmark.csv --agent sample" in said.out
    return desk


def test_the_next_command_that_it_names_works(started: Desk) -> None:
    said = started("run", "benchmark.csv", "--agent", "sample", "--json")
    assert said.code == 0
    assert said.json["agent"] == "sample"
    assert 0 < said.json["pass_rate"]["value"] < 1
    assert said.json["attempts"]["scored"] == said.json["attempts"]["planned"] == 3


def test_every_commented_key_is_one_that_is_known(started: Desk) -> None:
    text = (started.folder / "proctor.toml").read_text()
    plain = "\n".join(line.removeprefix("# ") for line in text.splitlines() if " = " in line or "[" in line[:3])
    assert tomllib.loads(plain)["run"]["trials"] == 3
    started.write("proctor.toml", plain)
    said = started("run", "benchmark.csv", "--json")
    assert said.code == 0
    assert (said.json["agent"], said.json["trials"]) == ("sample", 3)


def test_nothing_is_overwritten_unless_it_is_forced(started: Desk) -> None:
    started.write("agent.py", "mine")
    (started.folder / "benchmark.csv").unlink()
    refused = started("init")
    assert (refused.code, refused.out) == (2, "")
    assert "agent.py" in refused.error
    assert "--force" in refused.error
    assert not (started.folder / "benchmark.csv").exists()
    assert started("init", "--force").code == 0
    assert (started.folder / "agent.py").read_text() != "mine"


def test_another_folder_is_made_and_named_in_the_next_command(desk: Desk) -> None:
    said = desk("init", "deep/er")
    assert said.code == 0
    assert "cd deep/er && proctor run" in said.out
    assert (desk.folder / "deep" / "er" / "proctor.toml").exists()


@pytest.mark.parametrize("folder", ["/dev/null/here", "/proc/here", "benchmark.csv"])
def test_a_place_that_cannot_be_written_is_one_sentence(desk: Desk, folder: str) -> None:
    said = desk("init", folder)
    assert (said.code, said.out) == (2, "")
    assert folder in said.error
