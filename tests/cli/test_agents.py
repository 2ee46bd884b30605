"""proctor agents, and what a run would take: what is said, and how wide it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.desk import Desk

from proctor.cli import main

LONG = "openai-compatible:a-model-with-a-name-that-is-rather-long-2026-11-15@http://127.0.0.1:8000/v1"
FILE = f"""
[models.small]
spec = "openai:small"
price = {{input = 1.0, output = 4.0}}
[agents.team]
spec = "python:own:answer"
kind = "orchestrator"
[agents.elsewhere]
spec = "{LONG}"
[agents.broken]
spec = "python:own:breaks"
[agents.mistyped]
spec = "ollama:m"
temprature = 1
[agents.keyless]
spec = "http://127.0.0.1:9/ask"
headers = {{ Authorization = "Bearer ${{NOT_SET_ANYWHERE}}" }}
"""
OWN = """
def answer(question):
    return "2"


def breaks(question):
    raise ValueError("cannot count")
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "proctor.toml").write_text(FILE)
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "b.csv").write_text('"1 + 1?";"2"\n"2 + 2?";"4"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none-of-yours")
    return tmp_path


Call = Callable[..., tuple[int, str]]
"""Arguments → exit code, and what stands on standard output."""


@pytest.fixture
def called(here: Path, capfd: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: str) -> tuple[int, str]:
        capfd.readouterr()
        code = main(list(arguments))
        return code, capfd.readouterr().out

    return call


def test_the_list_is_no_wider_than_a_page_and_breaks_no_address(called: Call) -> None:
    lines = called("agents")[1].splitlines()
    assert "small      openai:small" in lines
    assert "team       python:own:answer  (orchestrator)" in lines
    assert lines[lines.index("elsewhere") + 1] == f"    {LONG}"
    assert [line for line in lines if len(line.rstrip()) > 80] == [f"    {LONG}"]


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("team", 0, "it does not report its tokens"),
        ("broken", 4, "the agent failed: ValueError: cannot count"),
        ("openai-compatible:m@http://127.0.0.1:9/v1", 4, "the environment failed: cannot connect to"),
    ],
)
def test_a_try_shows_the_reply_or_exactly_what_is_wrong(name: str, code: int, words: str, called: Call) -> None:
    ended, said = called("agents", "test", name)
    assert ended == code
    assert words in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mistyped", "did you mean 'temperature'?"),
        ("keyless", "the environment has no NOT_SET_ANYWHERE; set it, or remove the option"),
        ("tem", "there is no agent 'tem': did you mean 'team'?"),
    ],
)
def test_what_cannot_be_called_is_an_error_as_of_any_command(
    here: Path, capfd: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    assert main(["agents", "test", name]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("Error: it cannot be called: ")
    assert words in err


def test_who_types_list_is_shown_what_lists_the_agents(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["agents", "list"]) == 2
    assert "there is no command 'list' here; `proctor agents` lists the agents" in capfd.readouterr().err


def test_an_agent_that_exits_is_said_to_have_done_so(here: Path, called: Call) -> None:
    (here / "leaving.py").write_text("import sys\ndef answer(question):\n    sys.exit(3)\n")
    ended, said = called("agents", "test", "python:leaving:answer")
    assert (ended, "✗ the agent failed: called sys.exit(3)" in said) == (4, True)


def test_what_a_run_would_take_is_told_and_so_is_what_cannot_be_known(called: Call) -> None:
    _, priced = called("run", "b.csv", "--agent", "small", "--dry-run")
    assert "2 attempts. Nothing was called." in priced
    assert "cost         0.0016 (< 0.0001 to 0.0080)" in priced
    _, own = called("run", "b.csv", "--agent", "team", "--dry-run")
    assert "What team may take of time, tokens and money is not known and not in it." in own
    _, unpriced = called("run", "b.csv", "--agent", "ollama:m", "--dry-run")
    assert "cost         unknown; give [prices] for ollama:m" in unpriced


def test_what_is_known_of_a_cost_is_told_where_one_price_is_not(called: Call) -> None:
    _, partly = called("run", "b.csv", "--agent", "small", "--reviewer", "openai:large", "--dry-run")
    line = re.search(r"cost +at least (.*?)\n  time", partly, re.DOTALL)
    assert line is not None
    assert " ".join(line[1].split()) == "0.0016 (< 0.0001 to 0.0080); give [prices] for openai:large"
    assert max(map(len, partly.splitlines())) <= 80


def test_what_a_run_would_take_as_json(called: Call) -> None:
    said = json.loads(called("run", "b.csv", "--agent", "ollama:m", "--dry-run", "--json")[1])
    assert (said["attempts"], said["cost"], said["unpriced"], said["untold"]) == (2, None, ["ollama:m"], [])


def test_a_budget_of_money_for_a_model_without_a_price_is_refused(called: Call) -> None:
    assert called("run", "b.csv", "--agent", "ollama:m", "--budget", "5")[0] == 2


@pytest.mark.parametrize("address", ["http://user:hunter2@127.0.0.1:1/ask", "http://127.0.0.1:1/ask?api_key=hunter2"])
def test_a_secret_in_an_address_is_refused_and_not_repeated(desk: Desk, address: str) -> None:
    for said in (desk("agents", "test", address), desk("agents", "test", address, "--json")):
        assert said.code == 2
        assert "hunter2" not in said.out + said.err
        assert "it is stored with the run" in " ".join((said.out + said.err).split())
