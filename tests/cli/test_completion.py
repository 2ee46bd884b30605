"""What shells offer for a word that is being typed: through their own protocols, and through bash itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import proctor
from proctor.cli import main

CASES = [("What is 2 + 2?", "4")]
CONFIG = """\
[agents.alpha]
spec = "http://127.0.0.1:9"
[agents.beta]
spec = "python:agent:answer"
[agents."two words"]
spec = "python:agent:answer"
[reviewers.strict]
spec = "openai:gpt-4o-mini"
[examiners.probing]
spec = "prober"
"""
Complete = Callable[..., list[str]]


def played(store: str | Path, name: str) -> str:
    return proctor.evaluate(CASES, agent=answer, reviewer="exact", store=store, name=name).run.id


def answer(question: str) -> str:
    return "4"


@pytest.fixture
def complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Complete:
    """What bash is offered for the last of these words, in a folder with a proctor.toml."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PROCTOR_STORE", raising=False)
    Path("proctor.toml").write_text(CONFIG)

    def offered(*words: str) -> list[str]:
        monkeypatch.setenv("_PROCTOR_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", "\n".join(("proctor", *words)))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        capsys.readouterr()
        assert main() == 0
        out, err = capsys.readouterr()
        assert err == "", "nobody who types wants to read that"
        return [line.removeprefix("plain,") for line in out.splitlines() if line]

    return offered


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("run", "b.csv", "--agent", ""), ["alpha", "beta"]),
        (("run", "b.csv", "--agent", "b"), ["beta"]),
        (("agents", "test", "a"), ["alpha"]),
        (("doctor", "b.csv", "--agent", "a"), ["alpha"]),
        (("run", "b.csv", "--reviewer", ""), ["strict", "embedded", "exact", "none"]),
        (("check", "b.csv", "--reviewer", "s"), ["strict"]),
        (("tournament", "a", "b", "--reviewer", ""), ["strict"]),
        (("run", "b.csv", "--examiner", ""), ["probing", "prober"]),
        (("sync", "p"), ["phoenix"]),
    ],
)
def test_names_of_the_configuration_complete(complete: Complete, words: tuple[str, ...], expected: list[str]) -> None:
    assert complete(*words) == expected


def test_another_configuration_is_read_where_it_was_named_before_the_word(complete: Complete) -> None:
    Path("other.toml").write_text('[agents.gamma]\nspec = "python:agent:answer"\n')
    assert complete("run", "b.csv", "--config", "other.toml", "--agent", "") == ["gamma"]
    assert complete("agents", "--config", "other.toml", "test", "") == ["gamma"]


@pytest.mark.parametrize(
    "words",
    [("show", ""), ("compare", ""), ("failures", "last", "--since", ""), ("plan", "--run", ""), ("sync", "otlp", "")],
)
def test_runs_complete_by_id_and_by_names_that_only_one_has(complete: Complete, words: tuple[str, ...]) -> None:
    ids = [played(".proctor/proctor.db", name) for name in ("nightly", "twice", "twice", "of two words")]
    assert complete(*words) == ["last", *ids[:0:-1], "nightly", ids[0]]
    assert complete(*words[:-1], "nig") == ["nightly"]
    assert complete(*words[:-1], ids[2]) == [ids[2]]


def test_what_is_named_already_is_not_offered_again(complete: Complete) -> None:
    ids = [played(".proctor/proctor.db", name) for name in ("one", "two")]
    before = sorted(Path(".proctor").iterdir())
    assert complete("compare", "one", ids[1], "") == ["last", "two", ids[0]]
    assert sorted(Path(".proctor").iterdir()) == before


def test_filters_complete_with_what_is_stored(complete: Complete) -> None:
    played(".proctor/proctor.db", "one")
    [agent] = complete("list", "--agent", "")
    assert agent.endswith("answer")
    assert complete("history", "") == complete("list", "--benchmark", "")


def test_sources_of_drafts_are_runs_or_else_files(complete: Complete) -> None:
    played(".proctor/proctor.db", "one")
    assert complete("harvest", "on") == ["one"]
    assert complete("harvest", "traces/") == ["file,traces/"]


def test_runs_complete_from_every_kind_of_store(complete: Complete, store_url: str) -> None:
    run = played(store_url, "one")
    assert complete("show", "--store", store_url, "") == ["last", "one", run]
    if "://" not in store_url:
        assert complete("show", "--store", f"sqlite:///{store_url}", "o") == ["one"]


@pytest.mark.parametrize(
    ("config", "store"),
    [("", None), ("[agents", None), ("[agents.a]\nno = 1", None), ("", "no database"), ("", "")],
    ids=["no store", "no TOML", "an unknown key", "a store that is text", "an empty store"],
)
def test_where_something_is_missing_or_broken_nothing_is_offered_said_or_made(
    complete: Complete, config: str, store: str | None
) -> None:
    Path("proctor.toml").write_text(config)
    if store is not None:
        Path(".proctor").mkdir()
        Path(".proctor/proctor.db").write_text(store)
    before = sorted(Path().rglob("*"))
    for words in (("show", ""), ("list", "--agent", ""), ("run", "b.csv", "--agent", "")):
        assert complete(*words) == []
    assert sorted(Path().rglob("*")) == before


def test_zsh_and_fish_are_told_what_a_name_stands_for(
    complete: Complete, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    complete("agents", "test", "a")
    for shell, word, expected in (
        ("zsh", "3", "plain\nalpha\nhttp://127.0.0.1:9\n"),
        ("fish", "a", "plain,alpha\thttp://127.0.0.1:9\n"),
    ):
        monkeypatch.setenv("_PROCTOR_COMPLETE", f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", "proctor agents test a")
        monkeypatch.setenv("COMP_CWORD", word)
        capsys.readouterr()
        assert main() == 0
        assert capsys.readouterr() == (expected, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_itself_completes_after_its_one_line(complete: Complete) -> None:
    del complete  # for the folder
    script = """\
eval "$(_PROCTOR_COMPLETE=bash_source proctor)"
COMP_WORDS=(proctor run b.csv --agent al); COMP_CWORD=4
$(complete -p proctor | sed 's/.*-F \\([^ ]*\\).*/\\1/') proctor
echo "${COMPREPLY[*]}"
"""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMP_", "_PROCTOR"))}
    said = subprocess.run(
        ["bash", "--norc", "-c", script], env={**environment, "PATH": path}, capture_output=True, text=True, timeout=60
    )
    assert (said.stdout, said.stderr) == ("alpha\n", "")
