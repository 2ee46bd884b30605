"""The house stays small and in order: figures that may only get better."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "proctor"
LONGEST_FILE = 420
LONGEST_FUNCTION = 55
FIRST_LEVEL = 38
GERUNDS = 3
PARTICIPLES = 45
FORBIDDEN = {"utils", "helpers", "common", "base", "core", "manager"}
WEB_KNOWS = 12
INNER_IMPORTS = 120
_NOUNS_IN_ING = {"opening", "string", "ring", "spending", "reading", "running", "testing"}


@cache
def modules() -> dict[str, ast.Module]:
    return {name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


def name_of(path: Path) -> str:
    return ".".join(["proctor", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__")


def imports_of(name: str) -> Iterator[str]:
    """The modules of ours that one imports, inside functions too."""
    for node in ast.walk(modules()[name]):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("proctor"):
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                yield inner if inner in modules() else node.module
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith("proctor"))


def test_no_file_imports_another_in_a_circle() -> None:
    graph = {name: set(imports_of(name)) - {name} for name in modules()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_no_folder_imports_another_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for name in modules():
        if not (SOURCE.parent.joinpath(*name.split(".")) / "__init__.py").exists():  # these only list their files
            folder = _folder_of(name)
            found = {_folder_of(each) for each in imports_of(name)}
            graph.setdefault(folder, set()).update(found - {folder, "proctor"})
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def _folder_of(name: str) -> str:
    is_package = (SOURCE.parent.joinpath(*name.split(".")) / "__init__.py").exists()
    return name if is_package else name.rpartition(".")[0]


def test_no_class_name_stands_in_two_files() -> None:
    places: dict[str, set[str]] = {}
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, set()).add(name)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_files_are_no_longer_than_one_can_take_in() -> None:
    long = {
        str(path.relative_to(SOURCE)): len(path.read_text(encoding="utf-8").splitlines())
        for path in SOURCE.rglob("*.py")
    }
    assert {name: lines for name, lines in long.items() if lines > LONGEST_FILE} == {}


def test_functions_are_no_longer_than_one_can_take_in() -> None:
    functions = (
        (f"{name}.{node.name}", (node.end_lineno or 0) - node.lineno + 1)
        for name, tree in modules().items()
        if "migrations" not in name
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    )
    assert {name: lines for name, lines in functions if lines > LONGEST_FUNCTION} == {}


def test_the_first_level_stays_small() -> None:
    names = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert len(names - {"__init__", "__main__"}) <= FIRST_LEVEL


def test_no_file_is_named_by_what_says_nothing_and_hardly_any_by_a_gerund() -> None:
    names = [name.rpartition(".")[2] for name in modules()]
    assert FORBIDDEN.isdisjoint(names)
    assert len([name for name in names if name.endswith("ing") and name not in _NOUNS_IN_ING]) <= GERUNDS


def test_the_web_app_reaches_into_no_more_rooms() -> None:
    reached = {each.split(".")[1] for name in modules() if name.startswith("proctor.web") for each in imports_of(name)}
    assert len(reached - {"web"}) <= WEB_KNOWS


def test_few_files_are_imported_within_functions() -> None:
    """Only what is slow to import and seldom needed; never to get around a circle."""
    found = {
        (name, node.lineno)
        for name, tree in modules().items()
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("proctor")
    }
    assert len(found) <= INNER_IMPORTS


def test_what_pages_show_too_gives_no_advice_for_a_terminal() -> None:
    """Notes and verdicts stand in the terminal, in reports and on pages; errors say what to do in a terminal apart."""
    shared = ("proctor.findings.run.", "proctor.findings.battle.", "proctor.reports.gates", "proctor.doctor.")
    found = [
        f"{name}: {node.value}"
        for name, tree in modules().items()
        if name.startswith(shared) and name not in _ERRORS_FOR_A_TERMINAL
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.search(r"(?<![\w-])--[a-z]|\bproctor (?:run|resume|rescore|label|list)\b", node.value)
        and not _is_docstring(node, tree)
    ]
    assert found == []


_ERRORS_FOR_A_TERMINAL = {"proctor.findings.run.people"}


def _is_docstring(constant: ast.Constant, tree: ast.Module) -> bool:
    return any(isinstance(node, ast.Expr) and node.value is constant for node in ast.walk(tree))


def test_hardly_any_function_is_named_by_a_bare_participle() -> None:
    found = [
        f"{name}.{node.name}"
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _PARTICIPLE.fullmatch(node.name)
    ]
    assert len(found) <= PARTICIPLES, found


_PARTICIPLE = re.compile(r"_?(?:[a-z]+(?:ed|told|said|held|kept|known|given|shown|found|made|read)|told|said|heard)")


ROOT = SOURCE.parents[1]


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_pages_for_contributors_name_files_that_are_there(page: str) -> None:
    paths = re.findall(r"`((?:[a-z_]+/)+[a-z_]+/?(?:\.py)?)`", (ROOT / page).read_text(encoding="utf-8"))
    there = (SOURCE, ROOT)
    assert [each for each in paths if not any([*folder.glob(f"{each.rstrip('/')}*")] for folder in there)] == []


def test_the_files_that_read_a_reply_are_those_that_the_page_names() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+)`", page.partition("### How a reply is read")[2].partition("\n## ")[0])
    assert {*named} - {path.stem for path in SOURCE.glob("reading/**/*")} == set()
