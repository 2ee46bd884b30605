"""proctor demo: a report that a newcomer understands, with no key, no network and no server."""

from __future__ import annotations

import pytest
from tests.cli.desk import Desk


def test_the_demonstration_shows_passes_failures_and_where_the_report_lies(desk: Desk) -> None:
    said = desk("demo")
    assert said.code == 0
    assert "completed" in said.out
    assert "flaky" in said.out
    assert "not passed" in said.out
    assert "embedded reviewer" in said.out
    assert ".proctor/demo.html" in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    html = (desk.folder / ".proctor" / "demo.html").read_text(encoding="utf-8")
    assert html.lower().startswith("<!doctype html>")
    assert "http://" not in html.replace("http://www.w3.org", "")
    assert desk("show", "last", "--json").json["attempts"]["scored"] == 90


def test_json_and_another_place_for_the_report(desk: Desk) -> None:
    said = desk("demo", "--json", "--trials", "1", "-o", "reports/demo.html", "--store", "store.db")
    assert said.code == 0
    assert (said.json["agent"], said.json["trials"], said.json["attempts"]["planned"]) == ("demo:librarian", 1, 30)
    assert (desk.folder / "reports" / "demo.html").exists()
    assert not (desk.folder / ".proctor").exists()


@pytest.mark.parametrize("output", ["/dev/null/demo.html", "/proc/demo/demo.html", "/proc"])
def test_a_report_that_cannot_be_written_is_said_before_the_first_question(desk: Desk, output: str) -> None:
    said = desk("demo", "-o", output)
    assert (said.code, said.out) == (2, "")
    assert output in said.error
    assert not (desk.folder / ".proctor").exists()


def test_a_report_that_cannot_be_written_after_all_does_not_hide_what_was_found(desk: Desk) -> None:
    said = desk("demo", "--trials", "1", "-o", "/proc/demo.html")
    assert said.code == 2
    assert "Pass rate" in said.out
    assert "cannot write '/proc/demo.html'" in said.error


def test_the_file_of_another_project_does_not_change_the_demonstration(desk: Desk) -> None:
    desk.write("proctor.toml", '[run]\nreviewer = "exact"\npassing_score = 1.0\ntrials = 9\n')
    said = desk("demo", "--json", "--trials", "1")
    assert (said.json["reviewer"], said.json["trials"], said.json["passing_score"]) == ("embedded", 1, 0.7)
