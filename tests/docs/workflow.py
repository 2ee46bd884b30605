"""A GitHub workflow's steps, run here: its `run:` lines in bash, and what its `uses:` steps would do to files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")
_GH = """#!/bin/sh
echo "$@" > gh-arguments
while [ "$1" != --body-file ]; do shift; done
cp "$2" gh-comment
"""
Step = Mapping[str, Any]


@dataclass(kw_only=True)
class Machine:
    """A runner with a checkout, a cache that outlives it, and the contexts that expressions read."""

    folder: Path
    cache: Path
    contexts: dict[str, Any]
    environment: dict[str, str] = field(default_factory=dict)
    output: str = ""
    artefacts: list[str] = field(default_factory=list)

    def play(self, steps: Sequence[Step]) -> int:
        """All steps until one fails; the exit code of the job."""
        self.install("gh", _GH)
        for step in steps:
            if not self._holds(step.get("if", "true == true")):
                continue
            if "run" in step and (code := self._run(step)):
                return code
            if "uses" in step:
                self._use(step["uses"], step.get("with", {}))
        return 0

    def command(self, line: str) -> str:
        """What a command of one's own prints."""
        ran = subprocess.run(line.split(), cwd=self.folder, env=self._surroundings(), capture_output=True, check=True)
        return ran.stdout.decode()

    def written(self, name: str) -> str:
        """The text of a file that a step wrote."""
        path = self.folder / name
        return path.read_text("utf-8") if path.exists() else ""

    def _run(self, step: Step) -> int:
        lines = self._filled(step["run"])
        if lines.startswith(("pip install", "python -m pip install")):
            return 0
        (self.folder / "outputs").unlink(missing_ok=True)
        flags = ["--noprofile", "--norc", "-eo", "pipefail"] if step.get("shell") == "bash" else ["-e"]
        own = {name: self._filled(str(value)) for name, value in step.get("env", {}).items()}
        ran = subprocess.run(
            ["bash", *flags, "-c", lines],
            cwd=self.folder,
            env=self._surroundings() | own,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        self.output += ran.stdout + ran.stderr
        told = dict(line.split("=", 1) for line in self.written("outputs").splitlines())
        self.contexts.setdefault("steps", {})[step.get("id", step["name"])] = {"outputs": told}
        return ran.returncode

    def _surroundings(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PROCTOR_")}
        path = os.pathsep.join([str(self.folder), str(Path(sys.executable).parent), os.environ["PATH"]])
        said = {name: self._filled(value) for name, value in self.environment.items()}
        files = {
            "GITHUB_OUTPUT": str(self.folder / "outputs"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary-of-the-job"),
        }
        return {**kept, "PATH": path, "GITHUB_ACTIONS": "true", **said, **files}

    def _use(self, action: str, given: Mapping[str, str]) -> None:
        if action.startswith("actions/cache/restore"):
            if self.cache.exists():
                shutil.copytree(self.cache, self.folder / given["path"])
        elif action.startswith("actions/cache/save"):
            shutil.copytree(self.folder / given["path"], self.cache)
        elif action.startswith("actions/upload-artifact"):
            self.artefacts += given["path"].split()
        else:
            assert action.startswith(("actions/checkout", "actions/setup-python")), action

    def install(self, name: str, program: str) -> None:
        """Put a program on the path, before any other of its name."""
        (self.folder / name).write_text(program)
        (self.folder / name).chmod(0o755)

    def _filled(self, text: str) -> str:
        return _EXPRESSION.sub(lambda found: self._value(found[1]), text)

    def _holds(self, condition: str) -> bool:
        pairs = (part.split(" == ") for part in condition.split(" && "))
        return all(self._value(left) == self._value(right) for left, right in pairs)

    def _value(self, expression: str) -> str:
        """Literals, names in contexts, and `a || b`."""
        for part in expression.split(" || "):
            if part.startswith("'"):
                return part.strip("'")
            found: Any = self.contexts
            for name in part.split("."):
                found = found.get(name, {}) if isinstance(found, dict) else {}
            if isinstance(found, str) and found:
                return found
        return expression if expression == "true" else ""
