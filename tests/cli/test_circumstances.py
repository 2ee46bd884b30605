"""Replies that were cut off are marked wherever they are read."""

from __future__ import annotations

import csv

from tests.cli.desk import Desk

CUT_OFF = """\
def answer(question):
    return {"text": "yes", "cut_off": question == "q 2"}
"""
MARK = "The reply was cut off at the model's output limit."


def test_a_reply_that_was_cut_off_is_marked_in_every_rendering(desk: Desk) -> None:
    said = desk.run(desk.agent(CUT_OFF))
    counted = "1 of 3 replies was cut off at the output limit; raise it."
    assert counted in said.out
    assert desk("show", "last", "--json").json["cut_off"] == 1
    assert "! the reply was cut off at the model's output limit" in desk("show", "last", "--case", "q 2").out
    assert "cut off" not in desk("show", "last", "--case", "q 1").out
    for form in ("html", "markdown", "csv", "json"):
        assert desk("export", "last", "--format", form, "-o", f"report.{form}").code == 0
    html = (desk.folder / "report.html").read_text(encoding="utf-8")
    assert counted in html
    assert html.count(MARK.replace("'", "&#39;")) == 1 or html.count(MARK) == 1
    assert counted in (desk.folder / "report.markdown").read_text(encoding="utf-8")
    with (desk.folder / "report.csv").open(encoding="utf-8-sig", newline="") as table:
        rows = list(csv.DictReader(table))
    assert sorted(row["cut_off"] for row in rows) == ["0", "0", "1"]
