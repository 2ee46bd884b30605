"""Labels that a run finds by itself: which commit it examined, and on which branch."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE = 1.0
"""Seconds that looking may take altogether: a run must not wait for its labels."""
_SHORT = 7


def found_labels(folder: Path) -> dict[str, str]:
    """`commit` (with `-dirty` where tracked files are changed) and `branch` of the repository this folder is part of.

    Empty where there is none, where git is not installed or does not answer in time, and where the repository around
    the folder does not hold it: a project that lies untracked below some other repository is none of that one's.
    """
    # one call tells commit, branch and changes; what is untracked, such as the store, changes nothing that was examined
    status = ("status", "--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=dirty")
    until = time.monotonic() + _PATIENCE
    with _git(folder, "rev-parse", "--verify", "--quiet", "HEAD:./") as held, _git(folder, *status) as told:
        answers = [_said(process, until) for process in (held, told)]
    return {} if None in answers else _read(answers[1] or "")


@contextmanager
def _git(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes] | None]:
    """git, at work in the folder; None: it is not installed."""
    # a hook hands on GIT_DIR and GIT_INDEX_FILE, which may be another repository's than the folder's
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


def _said(process: subprocess.Popen[bytes] | None, until: float) -> str | None:
    """What git said in time and without trouble; None: nothing."""
    if process is None:
        return None
    try:
        told, _ = process.communicate(timeout=max(0.01, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        return None
    return told.decode("utf-8", "replace") if process.returncode == 0 else None


def _read(status: str) -> dict[str, str]:
    headers = dict(line[2:].split(" ", 1) for line in status.splitlines() if line.startswith("# branch."))
    dirty = any(not line.startswith("#") for line in status.splitlines())
    labels = {"commit": headers["branch.oid"][:_SHORT] + ("-dirty" if dirty else "")}
    branch = headers["branch.head"]
    return labels if branch == "(detached)" else labels | {"branch": branch}
