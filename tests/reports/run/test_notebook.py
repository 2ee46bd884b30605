"""What a notebook shows of an evaluation."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from tests.browser.chromium import chromium
from tests.reports.pages import HOSTILE

import proctor
from proctor.reports.run.notebook import NotebookProgress

NOTEBOOKS = {
    "light": ('<html><body style="color: #000">', (255, 255, 255)),
    "JupyterLab": ('<html><body data-jp-theme-light="false" style="color: #ddd">', (17, 17, 17)),
    "VS Code": ('<html><body class="vscode-dark" style="color: #ccc">', (30, 30, 30)),
    "Colab": ('<html theme="dark"><body style="color: #d5d5d5">', (56, 56, 56)),
}
"""What they are known by, and what is behind the report."""


def contrast(one: Sequence[int], other: Sequence[int]) -> float:
    """As WCAG 2 defines it: 4.5 is enough to read by."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(colour: Sequence[int]) -> float:
    shares = [part / 255 for part in colour]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def evaluated(tmp_path: Path, **others: str) -> proctor.Evaluation:
    async def right(question: str) -> str:
        return "yes"

    store = tmp_path / "store.db"
    return proctor.evaluate([("q", "yes"), ("r", "no")], agent=right, reviewer="exact", store=store, **others)


def test_an_evaluation_is_one_line_without_its_store(tmp_path: Path) -> None:
    evaluation = replace(evaluated(tmp_path), store="postgresql://me:hunter2@db/proctor")
    assert repr(evaluation).startswith(f"<Evaluation {evaluation.run.id}: ")
    assert repr(evaluation).endswith("completed, pass rate 50 % (9 – 91)>")
    assert "hunter2" not in repr(evaluation) + evaluation._repr_html_()


def test_a_notebook_shows_the_report_with_its_colours_and_nothing_of_others_markup(tmp_path: Path) -> None:
    shown = evaluated(tmp_path, name="".join(filter(str.isprintable, HOSTILE)))._repr_html_()
    assert shown.startswith("<style>")
    assert "Pass rate" in shown
    assert "<span style" in shown
    assert "<script" not in shown
    assert "<img" not in shown


def test_without_its_style_sheet_the_report_has_the_colours_for_light_ground(tmp_path: Path) -> None:
    shown = evaluated(tmp_path)._repr_html_()
    assert "color: var(--proctor-pass, #1a7f4b)" in shown
    colours = re.findall('color: ([^;"]+)', shown.partition("</style>")[2].partition(">")[2])
    assert [colour for colour in colours if not colour.startswith("var(--proctor-")] == []


def test_what_others_wrote_is_not_taken_for_a_colour(tmp_path: Path) -> None:
    assert "paint it #1a7f4b, " in evaluated(tmp_path, name="paint it #1a7f4b")._repr_html_()


def test_it_is_readable_in_light_and_dark_notebooks(tmp_path: Path) -> None:
    shown = evaluated(tmp_path)._repr_html_()
    with chromium() as browser:
        page = browser.new_page()
        for name, (opening, ground) in NOTEBOOKS.items():
            page.set_content(f"{opening}{shown}</body></html>")
            colours = page.eval_on_selector_all("pre span", "all => all.map(each => getComputedStyle(each).color)")
            seen = {tuple(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours}
            assert len(seen) >= 4, name
            assert min(contrast(colour, ground) for colour in seen) >= 4.5, name


class Output:
    """What a cell shows in one place."""

    def __init__(self, shown: object) -> None:
        self.history = [shown]

    def update(self, shown: object) -> None:
        self.history.append(shown)


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> list[Output]:
    """A kernel as rich and we know it, and all that its cells show."""
    shown: list[Output] = []

    def display(*things: object, display_id: bool = False, **_: object) -> Output:
        shown.append(Output(things[0]))
        return shown[-1]

    shell = type("ZMQInteractiveShell", (), {"kernel": object()})()
    ipython = ModuleType("IPython")
    pictures = ModuleType("IPython.display")
    ipython.get_ipython = lambda: shell  # type: ignore[attr-defined]
    pictures.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", pictures)
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
    return shown


def test_a_run_shows_its_progress_and_the_report_is_shown_once(outputs: list[Output], tmp_path: Path) -> None:
    result = evaluated(tmp_path)
    (progress,) = outputs
    assert [repr(progress.history[0]), repr(progress.history[-1])] == ["", ""]
    result._repr_html_()
    assert len(outputs) == 1


def test_progress_is_drawn_over_the_last(outputs: list[Output]) -> None:
    shown = NotebookProgress()
    shown.start(10)
    shown.update(done=4, failed=1, rate=0.75)
    shown.update(done=5, failed=1, rate=0.8)
    (progress,) = outputs
    assert ["4/10" in repr(progress.history[1]), "5/10" in repr(progress.history[2])] == [True, True]
    assert not shown.is_due


def test_whoever_watches_already_is_left_alone(outputs: list[Output], tmp_path: Path) -> None:
    seen: list[object] = []
    proctor.evaluate([("Yes?", "yes")], agent=lambda question: "yes", store=tmp_path / "s.db", watch=seen.append)
    assert (bool(seen), outputs) == (True, [])
