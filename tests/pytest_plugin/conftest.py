from __future__ import annotations

import sys

import pytest
from tests.pytest_plugin.folder import Folder


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A project with one suite of three cases and an agent that passes two of them."""
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("CI", "BUILD_NUMBER", "PROCTOR_STORE", "GITHUB_WORKSPACE", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delitem(sys.modules, "agent", raising=False)  # that of another test
    return Folder(pytester)
