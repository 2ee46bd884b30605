"""Which files are suites: those that were named, and those that the configuration matches. Never one by accident."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_ENDINGS = (".yaml", ".yml", ".jsonl", ".csv")
_TOLD_BY = {
    ".yaml": re.compile(rb"^[\"']?cases[\"']?\s*:", re.MULTILINE),
    ".yml": re.compile(rb"^[\"']?cases[\"']?\s*:", re.MULTILINE),
    ".jsonl": re.compile(rb"^\s*\{.*\"question\"\s*:", re.MULTILINE),
}
_READ = 2**18


def claims(path: Path, session: pytest.Session) -> bool:
    """Whether a file is collected as a suite.

    One that is named on the command line must look like one, too, unless --proctor-agent says what is meant: other
    plugins collect YAML files as well.
    """
    ending, config = path.suffix.lower(), session.config
    if ending not in _ENDINGS:
        return False
    if any(_below(path, config.rootpath).match(pattern) for pattern in config.getini("proctor_suites")):
        return True
    if not session.isinitpath(path):
        return False
    return config.getoption("proctor_agent") is not None or _looks_like_a_suite(path, ending)


def _below(path: Path, root: Path) -> Path:
    return path.relative_to(root) if path.is_relative_to(root) else path


def _looks_like_a_suite(path: Path, ending: str) -> bool:
    if ending not in _TOLD_BY:
        return False
    try:
        with path.open("rb") as file:
            return _TOLD_BY[ending].search(file.read(_READ)) is not None
    except OSError:
        return False
