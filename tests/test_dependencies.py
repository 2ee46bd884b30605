"""What the package imports is declared, and nothing that only some systems have is imported unguarded."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import aiohttp
import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "proctor"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LOADED_BY_OTHERS = {
    "pytest": "the plugin is loaded by pytest",
    "_pytest": "the plugin is loaded by pytest",
    "IPython": "only a kernel that runs already is asked",
    "opentelemetry": "only an agent's own provider is listened to",
    "pydantic_core": "each version of pydantic comes with one",
}


def plain(requirement: str) -> str:
    """The name of a requirement as an index spells it."""
    name = re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def imports(tree: ast.AST, *, at_once: bool) -> Iterator[str]:
    """The packages that a module imports: when it is loaded itself, or later."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import) and at_once:
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level and at_once:
            yield node.module.partition(".")[0]
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from imports(node, at_once=at_once)
        elif not at_once:
            yield from imports(ast.Module(body=node.body, type_ignores=[]), at_once=True)


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")}


@cache
def imported(*, at_once: bool) -> dict[str, set[str]]:
    """Package → the files that import it, of those that belong neither to Python nor to us."""
    found: dict[str, set[str]] = {}
    for path, tree in trees().items():
        for name in imports(tree, at_once=at_once):
            if name not in sys.stdlib_module_names and name != "proctor":
                found.setdefault(name, set()).add(str(path.relative_to(SOURCE)))
    return found


DECLARED = {plain(each) for each in PROJECT["dependencies"]}
EXTRAS = {plain(each) for name, extra in PROJECT["optional-dependencies"].items() if name != "dev" for each in extra}


INSTALLED = packages_distributions()


def distributions(package: str) -> set[str]:
    return {plain(each) for each in INSTALLED.get(package, [package])}


def needs_an_extra(path: str) -> bool:
    """Files that are imported only by whoever has installed an extra."""
    return path.startswith(("web/", "agents/langchain", "agents/openai_agents", "agents/pydantic_ai", "agents/mcp"))


def test_what_is_imported_with_the_package_is_a_dependency() -> None:
    undeclared = {
        name: [path for path in files if not needs_an_extra(path)]
        for name, files in imported(at_once=True).items()
        if not distributions(name) & DECLARED and name not in LOADED_BY_OTHERS
    }
    assert {name: files for name, files in undeclared.items() if files} == {}


def test_what_is_imported_later_is_a_dependency_or_an_extra() -> None:
    both = imported(at_once=True) | imported(at_once=False)
    known = DECLARED | EXTRAS
    assert [name for name in both if not distributions(name) & known and name not in LOADED_BY_OTHERS] == []


def test_every_dependency_is_imported() -> None:
    used = {each for name in imported(at_once=True) | imported(at_once=False) for each in distributions(name)}
    assert DECLARED - used == set()


def test_aiohttp_whose_private_parts_are_used_is_bounded() -> None:
    assert any(each.startswith("aiohttp") and "<4" in each for each in PROJECT["dependencies"])
    assert "_retry_connection" in aiohttp.ClientSession.ATTRS


POSIX = {
    "modules": ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "readline", "curses"),
    "os": ("fork", "register_at_fork", "killpg", "setsid", "getuid", "geteuid", "O_NONBLOCK", "O_CLOEXEC"),
    "signal": ("SIGKILL", "SIGHUP", "SIGUSR1", "SIGALRM", "SIGCHLD"),
}
LIKE_WINDOWS = """
import importlib, os, signal, sys

names, missing = sys.argv[1].split(), eval(sys.argv[2])
for name in names:
    importlib.import_module(name)  # with all that others import
for name in [name for name in sys.modules if name.startswith("proctor.")]:
    del sys.modules[name]
sys.modules.update(dict.fromkeys(missing["modules"]))
for module in (os, signal):
    for name in missing[module.__name__]:
        delattr(module, name)
sys.platform = "win32"
for name in names:
    importlib.import_module(name)
"""


def modules_that_name(words: Iterable[str]) -> Iterator[str]:
    pattern = re.compile(rf"\b({'|'.join(words)})\b")
    for path in SOURCE.rglob("*.py"):
        if pattern.search(path.read_text("utf-8")) and path.name != "__main__.py":
            yield ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


def test_every_module_can_be_imported_where_there_is_no_posix() -> None:
    named = sorted(modules_that_name(word for words in POSIX.values() for word in words))
    assert "proctor.spending.shared_limits" in named
    command = [sys.executable, "-W", "ignore", "-c", LIKE_WINDOWS, " ".join(named), repr(POSIX)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-2000:]


@pytest.mark.parametrize("module", ["proctor", "proctor.running.workers"])
def test_it_can_be_started_as_a_module(module: str) -> None:
    assert (SOURCE.parent / module.replace(".", "/") / "__main__.py").exists()
