from __future__ import annotations

from pathlib import Path

import pytest

from proctor.cli import main

CSV = '"What is 2 + 2?";"4"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.csv").write_text(CSV)
    (tmp_path / "four.py").write_text("def answer(question):\n    return '4'\n")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_destination_that_is_away_neither_changes_nor_fails_a_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk-lf-1234")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-lf-12345678")
    monkeypatch.setenv("LANGFUSE_BASE_URL", "http://127.0.0.1:9")
    code = main(["run", "b.csv", "--agent", "python:four:answer", "--sync", "langfuse"])
    told = capsys.readouterr()
    assert code == 0
    assert "✓ 1 passed" in told.out
    assert "langfuse: 0 of 1 attempts sent." in told.err
    assert "proctor sync --resume" in told.err
    assert "sk-lf-12345678" not in told.err + told.out


def test_a_destination_without_its_keys_is_refused_before_the_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("PUBLIC_KEY", "SECRET_KEY", "BASE_URL"):
        monkeypatch.delenv(f"LANGFUSE_{name}", raising=False)
    assert main(["run", "b.csv", "--agent", "python:four:answer", "--sync", "langfuse"]) == 2
    told = capsys.readouterr()
    assert "LANGFUSE_PUBLIC_KEY" in told.err
    assert not (folder / ".proctor").exists()


def test_run_sync_without_keys_is_told_and_the_run_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("PUBLIC_KEY", "SECRET_KEY", "BASE_URL", "HOST"):
        monkeypatch.delenv(f"LANGFUSE_{name}", raising=False)
    (folder / "proctor.toml").write_text('[run]\nsync = ["langfuse"]\n')
    assert main(["run", "b.csv", "--agent", "python:four:answer"]) == 0
    told = capsys.readouterr()
    assert "langfuse: nothing is sent: LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY, LANGFUSE_BASE_URL are" in told.err
    assert "✓ 1 passed" in told.out
