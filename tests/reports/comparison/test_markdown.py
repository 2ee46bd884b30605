from __future__ import annotations

from tests.made_runs import in_order, made, pair

from proctor.findings.comparison import compare_findings
from proctor.reports.comparison.markdown import render


def test_the_summary_stands_on_its_own() -> None:
    said = render(compare_findings(*pair(15, 5, 180, categories={f"c{n}": ("search",) for n in range(200)})))
    assert said.startswith("### ✓ B is better by 5 points (0.4 to 9.5), probability 0.99.\n")
    assert "| Pass rate | 92.5 % | 97.5 % | **+5** | +0.4 to +9.5 |" in said
    assert "- ✗ 5 broken · ✓ 15 fixed · · 180 unchanged" in said
    assert "| | | and 5 more: `proctor compare a b --json` | | | |" in said
    assert "| search | 200 | 92.5 → 97.5 % | +5 | +0.4 to +9.5 | ✓ better |" in said


def test_every_table_row_has_as_many_cells_as_its_header() -> None:
    said = render(compare_findings(*pair(15, 5, 180, categories={f"c{n}": ("a|b",) for n in range(200)})))
    for table in said.split("\n\n"):
        rows = [line.replace(r"\|", "") for line in table.splitlines() if line.startswith("|")]
        assert len({row.count("|") for row in rows}) <= 1


def test_other_peoples_text_stays_text() -> None:
    run = {"agent": "@all [link](http://x)", "benchmark": "<b>", "name": "|"}
    a, b = (made(in_order("pass"), id=name, run=run) for name in ("a", "b"))
    said = render(compare_findings(a, b))
    assert "@all" not in said
    assert "<b>" not in said
    assert "](http" not in said


def test_warnings_are_quoted_above_the_numbers() -> None:
    a, b = made(in_order("pass"), id="a"), made(in_order("pass"), id="b", passing_score=0.9)
    said = render(compare_findings(a, b, force=True))
    assert said.index("> ! Forced: passing score differs") < said.index("| Pass rate |")
