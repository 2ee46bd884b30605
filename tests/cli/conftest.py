"""A desk to try the commands at."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.cli.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Desk:
    """An empty folder with a benchmark of three questions, and nothing set in the environment."""
    for name in ("PROCTOR_STORE", "PROCTOR_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    made = Desk(tmp_path, capfd)
    made.benchmark()
    return made
