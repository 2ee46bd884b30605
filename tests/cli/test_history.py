"""proctor history, from runs to what changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.lab import Lab, set_up
from tests.docs.test_reference import COMMANDS_PAGE, NAMES_OF_OTHERS, keys, section, words_in_code


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A benchmark of thirty cases."""
    return set_up(tmp_path, capsys, monkeypatch, cases=30)


@pytest.fixture
def watched(lab: Lab) -> Lab:
    """Three runs, of which the last fixed ten cases and broke none."""
    assert lab.run("one", "--label", "prompt=v1", wrong=range(12)).code == 0
    assert lab.run("two", "--label", "prompt=v1", wrong=range(11)).code == 0
    assert lab.run("three", "--label", "prompt=v2", wrong=range(2)).code == 0
    return lab


def test_a_real_change_is_marked_and_said(watched: Lab) -> None:
    said = watched("history")
    assert said.code == 0
    assert said.out.startswith("✓ bench: 93.3 % now (79 – 98), up 33.3 points since ")
    assert max(map(len, said.out.splitlines())) <= 80
    assert "prompt v2" in said.out


def test_json_has_a_row_for_each_run_and_every_key_is_documented(watched: Lab) -> None:
    rows = watched("history", "--json").json
    assert [row["name"] for row in rows] == ["one", "two", "three"]
    assert [row["change"] and row["change"]["verdict"] for row in rows] == [None, "not shown", "better"]
    added = keys(rows, but=(*NAMES_OF_OTHERS, "changed_labels")) - keys(watched("list", "--json").json)
    assert {"segment", "change", "p_value"} <= added
    assert sorted(added - words_in_code(section(COMMANDS_PAGE, "## proctor history"))) == []


def test_another_version_of_the_benchmark_is_not_compared(watched: Lab) -> None:
    watched.benchmark(29)
    assert watched.run("shorter", wrong=range(20)).code == 0
    said = watched("history")
    assert "Not comparable with the runs above: another version of the benchmark (" in " ".join(said.out.split())
    assert "the first run of its kind" in said.out


def test_runs_that_did_not_complete_are_shown_and_not_compared(watched: Lab) -> None:
    assert watched.run("offline", offline=range(30)).code == 4
    assert watched("history", "--json").json[-1]["left_out"].startswith("paused: ")
    assert "not compared; paused: " in watched("history").out


def test_a_rescored_run_is_marked_and_counted_once(watched: Lab) -> None:
    assert watched("rescore", "two", "--reviewer", "exact").code == 0
    rows = watched("history", "--json").json
    assert [row["name"] for row in rows][1:3] == ["two", "two, reviewed by exact"]
    assert rows[2]["left_out"] == f"the same replies as {rows[1]['run']}, judged again"
    assert rows[3]["change"]["look"] == 2


def test_the_benchmark_may_be_named_with_or_without_the_option(watched: Lab) -> None:
    named = watched("history", "bench", "--json")
    assert named.code == 0
    assert named.json == watched("history", "--benchmark", "bench", "--json").json
    assert "did you mean 'bench'?" in watched("history", "banch").err
    said = watched("history", "bench", "--benchmark", "other")
    assert said.code == 2
    assert "NAME='bench' and --benchmark 'other' are two benchmarks; expected one" in said.err


def test_series_by_a_label(watched: Lab) -> None:
    rows = watched("history", "--by", "prompt", "--json").json
    assert [(row["group"], row["change"] is None) for row in rows] == [("v1", True), ("v1", False), ("v2", True)]


def test_a_label_that_nobody_has_is_refused(watched: Lab) -> None:
    said = watched("history", "--by", "size")
    assert said.code == 2
    assert "no run has a label 'size'" in said.err


def test_the_last_run_alone_keeps_its_mark(watched: Lab) -> None:
    (row,) = watched("history", "--last", "1", "--json").json
    assert row["change"]["verdict"] == "better"


def test_chart_and_page_are_saved_and_the_terminal_goes_on(watched: Lab) -> None:
    said = watched("history", "-o", "chart.svg", "--html", "page.html")
    assert said.code == 0
    assert said.err == "wrote chart.svg\nwrote page.html\n"
    assert said.out.startswith("✓ bench")
    assert "<svg " in (watched.folder / "chart.svg").read_text("utf-8")
    assert "<svg " in (watched.folder / "page.html").read_text("utf-8")


def test_without_a_store_the_error_says_what_makes_one(lab: Lab) -> None:
    said = lab("history")
    assert said.code == 2
    assert "proctor run" in said.err
