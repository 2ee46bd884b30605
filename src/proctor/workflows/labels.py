"""Labels that a run finds by itself: which commit it examined, and on which branch."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

_PATIENCE = 1.0
"""Seconds that looking may take altogether: a run must not wait for its labels."""
_SHORT = 7


def found_labels(folder: Path) -> dict[str, str]:
    """`commit` (with `-dirty` where tracked files are changed) and `branch` of the repository this folder is part of.

    Empty where there is none, where git is not installed or does not answer in time, and where the repository around
    the folder does not hold it: a project that lies untracked below some other repository is none of that one's.
    """
    until = time.monotonic() + _PATIENCE
    if _git(folder, until, "rev-parse", "--verify", "--quiet", "HEAD:./") is None:
        return {}
    # one call tells commit, branch and changes; what is untracked, such as the store, changes nothing that was examined
    told = _git(
        folder, until, "status", "--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=dirty"
    )
    return {} if told is None else _read(told)


def _git(folder: Path, until: float, *arguments: str) -> str | None:
    """What git says of the folder; None: nothing."""
    command = ["git", "-c", "core.fsmonitor=false", *arguments]
    # a hook hands on GIT_DIR and GIT_INDEX_FILE, which may be another repository's than the folder's
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**environment, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=max(0.01, until - time.monotonic()),
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace")


def _read(status: str) -> dict[str, str]:
    headers = dict(line[2:].split(" ", 1) for line in status.splitlines() if line.startswith("# branch."))
    dirty = any(not line.startswith("#") for line in status.splitlines())
    labels = {"commit": headers["branch.oid"][:_SHORT] + ("-dirty" if dirty else "")}
    branch = headers["branch.head"]
    return labels if branch == "(detached)" else labels | {"branch": branch}
