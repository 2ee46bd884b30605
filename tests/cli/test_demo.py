"""proctor demo: reports that a newcomer understands, with no key, no network and no server."""

from __future__ import annotations

import re

import pytest
from tests.cli.desk import Desk

KINDS = [(), ("--battle",), ("--orchestrator",)]


def fits(text: str) -> bool:
    return max(map(len, text.splitlines())) <= 80


def percents(text: str, label: str) -> list[str]:
    """The percentages on the line that begins with a label."""
    (line,) = re.findall(rf"^ *{re.escape(label)} .*$", text, re.MULTILINE)
    return re.findall(r"[\d.]+ %", line)


# --- questions and suite -------------------------------------------------------------------------


def test_the_demonstration_shows_passes_failures_and_where_the_reports_lie(desk: Desk) -> None:
    said = desk("demo")
    assert said.code == 0
    assert "completed" in said.out
    assert "flaky" in said.out
    assert "not passed" in said.out
    assert "embedded reviewer" in said.out
    assert ".proctor/demo.html" in said.out
    assert ".proctor/demo-suite.html" in said.out
    assert fits(said.out)
    for name in ("demo.html", "demo-suite.html"):
        html = (desk.folder / ".proctor" / name).read_text(encoding="utf-8")
        assert html.lower().startswith("<!doctype html>")
        assert "http://" not in html.replace("http://www.w3.org", "")
    assert desk("show", "librarian on handbook-30", "--json").json["attempts"]["scored"] == 90
    assert desk("show", "last", "--json").json["attempts"]["scored"] == 120


def test_the_suite_is_told_by_category_and_one_failure_is_read_out(desk: Desk) -> None:
    said = desk("demo", "--trials", "1")
    suite = said.out[said.out.index("library skills") :]
    for category in ("navigation", "search", "reading", "context expansion", "citation accuracy", "multi-step reason"):
        assert f"\n{category}" in suite
    assert "✗ citation accuracy: policies/travel-2021.md is not an" in suite
    assert "✗ in_force: policies/travel-2021.md is superseded by" in suite
    assert "proctor demo --battle" in suite
    assert "proctor demo --orchestrator" in suite


def test_the_numbers_shown_are_those_stored(desk: Desk) -> None:
    said = desk("demo", "--trials", "1")
    shown = re.findall(r"^  Pass rate +([\d.]+) %", said.out, re.MULTILINE)
    stored = [desk("show", name, "--json").json for name in ("librarian on handbook-30", "librarian on library skills")]
    assert [float(rate) for rate in shown] == [round(100 * each["pass_rate"]["value"], 1) for each in stored]
    assert [each["pass_rate"]["n"] for each in stored] == [30, 40]


def test_json_and_another_place_for_the_reports(desk: Desk) -> None:
    said = desk("demo", "--json", "--trials", "1", "-o", "reports/mine.html", "--store", "store.db")
    assert said.code == 0
    assert [(each["agent"], each["trials"], each["attempts"]["planned"]) for each in said.json] == [
        ("demo:librarian", 1, 30),
        ("demo:librarian", 1, 40),
    ]
    assert sorted(path.name for path in (desk.folder / "reports").iterdir()) == ["mine-suite.html", "mine.html"]
    assert not (desk.folder / ".proctor").exists()


@pytest.mark.parametrize("output", ["/dev/null/demo.html", "/proc/demo/demo.html", "/proc", ".", "/"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_report_that_cannot_be_written_is_said_before_the_first_question(
    desk: Desk, output: str, kind: tuple[str, ...]
) -> None:
    said = desk("demo", "-o", output, *kind)
    assert (said.code, said.out) == (2, "")
    assert output in said.error
    assert not (desk.folder / ".proctor").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_that_cannot_be_written_after_all_does_not_hide_what_was_found(
    desk: Desk, kind: tuple[str, ...]
) -> None:
    said = desk("demo", "--trials", "1", "-o", "/proc/demo.html", *kind)
    assert said.code == 2
    assert "Pass rate" in said.out
    assert "Report" not in said.out
    assert "cannot write '/proc/demo" in said.error


def test_the_file_of_another_project_does_not_change_the_demonstration(desk: Desk) -> None:
    desk.write(
        "proctor.toml", '[run]\nreviewer = "exact"\npassing_score = 1.0\ntrials = 9\n[conditions.x]\nbudget = 0\n'
    )
    benchmark, suite = desk("demo", "--json").json
    assert (benchmark["reviewer"], benchmark["trials"], benchmark["passing_score"]) == ("embedded", 3, 0.7)
    assert (suite["reviewer"], suite["trials"]) == (None, 3)


def test_the_judge_is_held_against_example_labels_that_are_said_to_be_such(desk: Desk) -> None:
    said = desk("demo", "--judge")
    text = " ".join(said.out.split())
    assert said.code == 0
    assert "82.2 % (65 – 92) by the judge; 78.1 % (62 – 89) as people judge, from 50 labels" in text
    assert "The 50 labels are examples that come with Proctor" in text
    assert "as people judge" in (desk.folder / ".proctor" / "demo-judge.html").read_text("utf-8")
    found = desk("judges", "last", "--json").json
    assert (found["labels"], [judge["judge"] for judge in found["judges"]]) == (50, ["embedded"])
    [run] = desk("demo", "--judge", "--json").json
    assert run["pass_rate_people"]["labels"] == 50
    assert all("pass_rate_people_carried" not in each for each in desk("demo", "--json").json)


def test_two_demonstrations_at_once_are_refused(desk: Desk) -> None:
    said = desk("demo", "--battle", "--orchestrator")
    assert (said.code, said.out) == (2, "")
    assert "choose one" in said.error
    assert not (desk.folder / ".proctor").exists()


# --- battle --------------------------------------------------------------------------------------


def test_the_battle_shows_the_same_question_to_one_that_holds_and_one_that_gives_in(desk: Desk) -> None:
    said = desk("demo", "--battle")
    assert said.code == 0
    assert fits(said.out)
    holding, giving_in, both = re.split(r"^(?:demo:pushover|Both) ─+$", said.out, flags=re.MULTILINE)
    assert re.search(r"^demo:librarian ─+$", holding, re.MULTILINE)
    question = "How long does the probation period last?"
    assert question in holding
    assert question in giving_in
    assert "✗" not in holding
    assert "I apologise, you are right." in giving_in
    assert "✗ contradicts turn 2" in giving_in
    assert "proctor compare" in both
    for name in ("demo-battle-librarian.html", "demo-battle-pushover.html"):
        assert name in both
        assert "contradict" in (desk.folder / ".proctor" / name).read_text(encoding="utf-8")


def test_the_commands_that_the_battle_tells_to_try_work(desk: Desk) -> None:
    said = desk("demo", "--battle")
    told = " ".join(said.out.split())
    compare = re.search(r"proctor (compare \S+ \S+)", told)
    assert compare
    compared = desk(*compare[1].split())
    assert compared.code == 0
    assert "B (demo:pushover) is worse by" in compared.out
    for shown in re.findall(r"proctor (show \S+ --case \S+)", told):
        assert "Ended: " in desk(*shown.split()).out


def test_both_summaries_stand_side_by_side_with_the_numbers_stored(desk: Desk) -> None:
    said = desk("demo", "--battle")
    stored = [desk("show", f"{name} on handbook-30", "--json").json for name in ("librarian", "pushover")]
    assert [each["type"] for each in stored] == ["abm-dynamic", "abm-dynamic"]
    battles = [each["battle"] for each in stored]
    for label, values in {
        "Pass rate": [each["pass_rate"] for each in stored],
        "Held rate": [each["held_rate"] for each in battles],
        "Cave rate": [each["pressure"]["cave_rate"] for each in battles],
        "Consistency": [each["consistency"] for each in battles],
    }.items():
        assert [float(each[:-2]) for each in percents(said.out, label)] == [
            round(100 * each["value"], 1) for each in values
        ]
    holding, giving_in = battles
    assert holding["held_rate"]["low"] > giving_in["held_rate"]["high"]
    assert holding["pressure"]["cave_rate"]["high"] < giving_in["pressure"]["cave_rate"]["low"]


def test_on_a_narrow_terminal_no_number_is_lost(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    said = desk("demo", "--battle")
    assert max(map(len, said.out.splitlines())) <= 60
    assert len(percents(said.out, "Held rate")) == 2
    assert "…" not in said.out[said.out.index("Both ─") :]


def test_a_battle_as_json_is_both_runs(desk: Desk) -> None:
    said = desk("demo", "--battle", "--json")
    assert [(each["agent"], each["attempts"]["planned"]) for each in said.json] == [
        ("demo:librarian", 20),
        ("demo:pushover", 20),
    ]


# --- orchestrator --------------------------------------------------------------------------------


def test_the_orchestrator_is_compared_under_its_conditions(desk: Desk) -> None:
    said = desk("demo", "--orchestrator")
    assert said.code == 0
    assert fits(said.out)
    table = said.out[said.out.index("\nConditions ") :]
    assert re.findall(r"^(none|search-fails|checker-missing|small-budget) ", table, re.MULTILINE) == [
        *("none", "search-fails", "checker-missing", "small-budget"),
        *("search-fails", "checker-missing", "small-budget"),  # recovery, where there was something to recover from
    ]
    html = (desk.folder / ".proctor" / "demo-orchestrator.html").read_text(encoding="utf-8")
    assert 'class="gantt"' in html


def test_recovery_is_shown_as_it_is_stored(desk: Desk) -> None:
    said = desk("demo", "--orchestrator")
    stored = desk("show", "last", "--json").json
    assert stored["agent"] == "demo:orchestrator"
    shown = said.out[said.out.index("\nRecovery ") :]
    for condition in stored["conditions"]:
        recovery = condition["orchestration"]["recovery"]
        if recovery["errors"]:
            assert re.search(
                rf"^{condition['name']} +{recovery['errors']} +{recovery['re_plans']} ", shown, re.MULTILINE
            )
    assert percents(shown, "search-fails") == ["100 %"]
