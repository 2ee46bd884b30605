"""A project with suites, an agent and pytest, in a folder of its own."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

import proctor

# A session in this process forgets what it imported; two copies of one module would not know each other's classes.
for _package in ("agents", "formats", "pytest_plugin", "reports", "reviewers", "statistics", "storage", "workflows"):
    _path = [f"{folder}/{_package}" for folder in proctor.__path__]
    for _module in pkgutil.walk_packages(_path, f"proctor.{_package}."):
        if "migrations" not in _module.name:
            importlib.import_module(_module.name)

KNOWS = """\
def answer(question):
    with open("calls", "ab", buffering=0) as calls:
        calls.write(f"{question}\\n".encode())
    known = {"France": "Paris", "Italy": "Rome"}
    for country, capital in known.items():
        if country in question:
            return f"That is {capital}."
    if "Atlantis" in question:
        raise ConnectionError("no route to Atlantis")
    if "Utopia" in question:
        raise ValueError("there is no such place")
    return "I do not know."
"""
AGENT = "python:agent:answer"
CAPITALS = """\
name: capitals
cases:
  - {id: france, category: europe, question: What is the capital of France?, expect: {keywords: [Paris]}}
  - {id: italy, category: [europe, big boot], question: What is the capital of Italy?, expect: {keywords: [Rome]}}
  - {id: japan, category: asia, question: What is the capital of Japan?, expect: {keywords: [Tokyo]}}
"""


class Folder:
    """Files, and pytest started among them: in this process, or with workers in processes of their own."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path: Path = pytester.path
        self.write("agent.py", KNOWS)
        self.write("capitals.yaml", CAPITALS)

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def start(self, *arguments: str) -> pytest.RunResult:
        quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # what this session has imported it cannot rewrite
        return self.pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:asyncio", *quiet, *arguments)

    def test(self, *arguments: str, agent: str = AGENT) -> pytest.RunResult:
        return self.start("--proctor-agent", agent, *arguments)

    def elsewhere(self, *arguments: str, plugins: Sequence[str] = ()) -> pytest.RunResult:
        """In a process of its own, with these plugins and no others that happen to be installed."""
        named = [word for plugin in ("proctor.pytest_plugin", *plugins) for word in ("-p", plugin)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
            return self.pytester.runpytest_subprocess(*named, "-p", "no:cacheprovider", *arguments)

    def names(self, *arguments: str) -> list[str]:
        """The tests that are collected."""
        result = self.start("--collect-only", "-q", *arguments)
        return [line for line in result.outlines if "::" in line]

    def calls(self) -> Counter[str]:
        """What the agent was asked, and how often."""
        path = self.path / "calls"
        return Counter(path.read_text(encoding="utf-8").splitlines()) if path.exists() else Counter()
