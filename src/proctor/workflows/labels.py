"""Automatic labels of a run: the commit and branch that it examined."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE = 1.0
"""Total timeout in seconds of calling git: a run must not wait for its labels."""
_SHORT = 7


def found_labels(folder: Path) -> dict[str, str]:
    """Return `commit` (with `-dirty` if tracked files are changed) and `branch` of the repository that contains the
    folder.

    Empty without a repository, if git is not installed or does not answer in time, and if the folder is untracked in
    the repository around it: such a project does not belong to that repository.
    """
    # one call returns commit, branch and changes; untracked files, such as the store, are ignored
    status = ("status", "--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=dirty")
    until = time.monotonic() + _PATIENCE
    with (
        _git(folder, "rev-parse", "--verify", "--quiet", "HEAD:./") as head_process,
        _git(folder, *status) as status_process,
    ):
        answers = [_git_output(process, until) for process in (head_process, status_process)]
    return {} if None in answers else _read(answers[1] or "")


@contextmanager
def _git(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes] | None]:
    """Run git in the folder; None if it is not installed."""
    # git hooks set GIT_DIR and GIT_INDEX_FILE, which may belong to another repository
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        process = subprocess.Popen(
            ["git", "-c", "core.fsmonitor=false", *arguments],
            cwd=folder,
            env={**environment, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        yield None
        return
    with process:
        try:
            yield process
        finally:
            process.kill()


def _git_output(process: subprocess.Popen[bytes] | None, until: float) -> str | None:
    """Return git's output, or None if it failed or timed out."""
    if process is None:
        return None
    try:
        output, _ = process.communicate(timeout=max(0.01, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        return None
    return output.decode("utf-8", "replace") if process.returncode == 0 else None


def _read(status: str) -> dict[str, str]:
    headers = dict(line[2:].split(" ", 1) for line in status.splitlines() if line.startswith("# branch."))
    dirty = any(not line.startswith("#") for line in status.splitlines())
    labels = {"commit": headers["branch.oid"][:_SHORT] + ("-dirty" if dirty else "")}
    branch = headers["branch.head"]
    return labels if branch == "(detached)" else labels | {"branch": branch}
