"""A Python name to the object, or one clear sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from proctor.errors import InputError
from proctor.plugins import import_attribute


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def test_the_current_folder_is_importable(here: Path) -> None:
    (here / "found_here.py").write_text("class A:\n    b = 3\n")
    assert import_attribute("found_here:A.b", what="agent") == 3


@pytest.mark.parametrize("spec", ["", "module", ":attribute", "module:"])
def test_half_a_name_says_what_was_expected(spec: str) -> None:
    with pytest.raises(InputError, match=r"package\.module:attribute"):
        import_attribute(spec, what="agent")


@pytest.mark.parametrize(
    ("spec", "meant"), [("mine.py:answer", "mine:answer"), ("./bots/mine.py:answer", "bots.mine:answer")]
)
def test_a_file_is_answered_with_the_module_that_was_meant(spec: str, meant: str) -> None:
    with pytest.raises(InputError, match=f"not its file: {meant}$"):
        import_attribute(spec, what="agent")


def test_a_missing_module_and_a_missing_dependency_are_told_apart(here: Path) -> None:
    (here / "needs_more.py").write_text("import not_installed_anywhere\n")
    with pytest.raises(InputError, match="no module 'nowhere_at_all'"):
        import_attribute("nowhere_at_all:x", what="agent")
    with pytest.raises(InputError, match="needs the missing module 'not_installed_anywhere'"):
        import_attribute("needs_more:x", what="agent")


def test_a_misspelt_attribute_is_told_the_nearest(here: Path) -> None:
    (here / "spelling.py").write_text("def answer(q): return q\n")
    with pytest.raises(InputError, match="did you mean 'answer'"):
        import_attribute("spelling:anwser", what="agent")


@pytest.mark.parametrize("body", ["raise ValueError('at once')", "import sys; sys.exit(3)", "def broken(:"])
def test_a_module_that_breaks_on_import_is_one_sentence(here: Path, body: str) -> None:
    (here / "breaks.py").write_text(body)
    sys.modules.pop("breaks", None)
    with pytest.raises(InputError, match="cannot import the agent: 'breaks' raised"):
        import_attribute("breaks:x", what="agent")
