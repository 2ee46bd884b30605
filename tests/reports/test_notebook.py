"""What a notebook shows of an evaluation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.reports.pages import HOSTILE

import proctor


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
    shown = evaluated(tmp_path, name=HOSTILE)._repr_html_()
    assert shown.startswith("<pre")
    assert "Pass rate" in shown
    assert "<span style" in shown
    assert "<script" not in shown
    assert "<img" not in shown
