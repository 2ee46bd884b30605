"""Which commit and branch a run examined, found without waiting and without guessing."""

from __future__ import annotations

import os
import stat
import subprocess
import time
from pathlib import Path

import pytest

import proctor
from proctor.workflows import labels
from proctor.workflows.labels import found_labels


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit on the branch main."""
    folder = tmp_path / "project"
    (folder / "inside").mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    (folder / "inside" / "agent.py").write_text("one\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "first")
    return folder


def test_a_run_in_a_repository_has_its_commit_and_branch(repository: Path) -> None:
    short = git(repository, "rev-parse", "HEAD")[:7]
    assert found_labels(repository) == {"commit": short, "branch": "main"}
    assert found_labels(repository / "inside") == {"commit": short, "branch": "main"}


def test_changed_files_make_a_commit_dirty_and_untracked_ones_do_not(repository: Path) -> None:
    (repository / "store.db").write_text("results")
    assert not found_labels(repository)["commit"].endswith("-dirty")
    (repository / "inside" / "agent.py").write_text("two\n")
    assert found_labels(repository)["commit"].endswith("-dirty")
    git(repository, "add", "inside")
    assert found_labels(repository)["commit"].endswith("-dirty")


def test_a_detached_head_has_no_branch(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "--detach")
    assert set(found_labels(repository)) == {"commit"}


def test_a_folder_that_the_repository_around_it_does_not_hold_has_no_labels(repository: Path) -> None:
    (repository / "elsewhere").mkdir()
    assert found_labels(repository / "elsewhere") == {}


def test_no_repository_no_commit_and_no_folder_have_no_labels(tmp_path: Path) -> None:
    assert found_labels(tmp_path) == {}
    git(tmp_path, "init", "--quiet")
    assert found_labels(tmp_path) == {}
    assert found_labels(tmp_path / "nothing") == {}


def test_the_environment_cannot_point_to_another_repository(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(repository))
    assert found_labels(tmp_path) == {}


def test_without_git_there_are_no_labels(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert found_labels(repository) == {}


def test_a_git_that_hangs_is_not_waited_for(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = tmp_path / "bin" / "git"
    hanging.parent.mkdir()
    hanging.write_text("#!/bin/sh\nexec sleep 60\n")
    hanging.chmod(hanging.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{hanging.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(labels, "_PATIENCE", 0.1)
    began = time.monotonic()
    assert found_labels(repository) == {}
    assert time.monotonic() - began < 10


def test_labels_that_were_given_win(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    done = proctor.evaluate(
        [proctor.Case(id="one", question="One?", answer="1")],
        agent=lambda question: "1",
        labels={"branch": "mine", "prompt": "v2"},
        store=repository / "store.db",
    )
    assert done.run.labels == {"commit": git(repository, "rev-parse", "HEAD")[:7], "branch": "mine", "prompt": "v2"}
