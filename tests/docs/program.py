"""`proctor …` as somebody types it, again and again: each in a process of its own, forked after all imports."""

from __future__ import annotations

import multiprocessing
import os
import pkgutil
import shlex
import sys
import tempfile
from collections.abc import Mapping
from multiprocessing.context import ForkServerContext
from pathlib import Path

import proctor

_HEAVY = ("alembic.command", "numpy", "rich.table", "scipy.optimize", "scipy.special", "scipy.stats", "sqlalchemy")


def run(line: str, *, folder: Path, environment: Mapping[str, str]) -> tuple[int, str, str]:
    """The exit code, standard output and standard error of one command line."""
    with tempfile.TemporaryDirectory() as kept:
        said = Path(kept) / "stdout", Path(kept) / "stderr"
        words = shlex.split(line)[1:]
        process = _server().Process(target=_become, args=(words, str(folder), dict(environment), [*map(str, said)]))
        process.start()
        process.join()
        assert process.exitcode is not None
        stdout, stderr = (path.read_text("utf-8") for path in said)
        return process.exitcode, stdout, stderr


def _server() -> ForkServerContext:
    """The process that all of them are forked from; it ends with the tests."""
    context = multiprocessing.get_context("forkserver")
    ours = [
        module.name for module in pkgutil.walk_packages(proctor.__path__, "proctor.") if "migrations" not in module.name
    ]
    context.set_forkserver_preload([*_HEAVY, *ours])
    return context


def _become(words: list[str], folder: str, environment: dict[str, str], said: list[str]) -> None:
    """Be the program: its folder, its environment, its standard streams, its exit code."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in enumerate(said, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
    from proctor.cli import main

    status = main(words)
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(status)
