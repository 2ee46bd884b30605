"""Checks in the renderings for other programs: Markdown, JSON, CSV, JUnit."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from tests.reports.battles import RIGHT, Fight
from tests.reports.suites import LACKING, PASSED, suite

from proctor.codec import encode
from proctor.reports.run.csv import write_csv
from proctor.reports.run.json import as_dict
from proctor.reports.run.junit import write_junit
from proctor.reports.run.markdown import render

if TYPE_CHECKING:
    from tests.reports.battles import Battle
    from tests.reports.conftest import Maker, Sample


def rows_of(sample: Sample | Battle) -> list[dict[str, str]]:
    stream = io.StringIO(newline="")
    write_csv(sample.findings, sample.exams, sample.attempts, stream)
    return list(csv.DictReader(io.StringIO(stream.getvalue().removeprefix("\ufeff"), newline="")))


def cases_of(sample: Sample) -> dict[str, ET.Element]:
    stream = io.StringIO()
    write_junit(sample.findings, sample.exams, sample.attempts, stream)
    root = ET.fromstring(stream.getvalue().encode("utf-8"))
    return {case.attrib["name"].split()[0]: case for case in root.iter("testcase")}


def test_json_has_each_check_by_its_name_with_an_example(maker: Callable[..., Maker]) -> None:
    checks = json.loads(encode(as_dict(suite(maker).findings)))["checks"]
    assert list(checks) == ["keywords", "no error", "citation accuracy"]
    keywords = checks["keywords"]
    assert (keywords["passed"], keywords["failed"], keywords["not_checkable"]) == (5, 5, 0)
    assert (keywords["rate"]["value"], keywords["rate"]["n"], keywords["rate"]["attempts"]) == (0.5, 5, 10)
    assert keywords["example"] == {"case": "lacking", "condition": "", "trial": 1}
    assert keywords["evidence"] == LACKING.evidence
    assert checks["citation accuracy"]["not_checkable"] == 2


def test_json_of_a_check_that_never_failed_has_no_example(maker: Callable[..., Maker]) -> None:
    made = maker(reviewer=None)
    made.played(made.case("a"), checks=(PASSED,), passed=True, turn_passed=(True,))
    keywords = as_dict(made.sample().findings)["checks"]["keywords"]
    assert (keywords["example"], keywords["evidence"]) == (None, "")


def test_markdown_has_a_table_of_checks_and_the_failed_ones_of_each_case(maker: Callable[..., Maker]) -> None:
    sample = suite(maker)
    said = render(sample.findings)
    assert "A case passes when all its checks do" in said
    [keywords] = [line for line in said.splitlines() if line.startswith("| keywords |")]
    assert keywords.split(" | ")[1] == "50 %"
    assert keywords.split(" | ")[-2:] == ["5/10", " |"]
    assert "| | worst cases | | failed checks | passed | score |" in said
    worse = "keywords ✗ “28 days” is missing<br>citation accuracy ✗ hr/old.md is not an expected source"
    assert f"| ✗ | worse | How much paid holiday is there? | {worse} | 0/2 | – |" in said


def test_the_tables_of_markdown_are_whole(maker: Callable[..., Maker]) -> None:
    sample = suite(maker)
    for table in render(sample.findings).split("\n\n"):
        rows = [line for line in table.splitlines() if line.startswith("|")]
        assert len({line.count("|") for line in rows}) <= 1


def test_csv_has_a_column_for_each_check_to_filter_by(maker: Callable[..., Maker]) -> None:
    rows = {(row["case"], row["trial"]): row for row in rows_of(suite(maker))}
    assert rows["well", "1"]["check: keywords"] == "passed"
    assert rows["moody", "2"]["check: keywords"] == "failed"
    assert rows["unknown", "1"]["check: citation accuracy"] == "not checkable"
    assert rows["well", "1"]["check: citation accuracy"] == ""
    worse = rows["worse", "1"]["failed_checks"]
    assert worse == f"keywords: {LACKING.evidence}\ncitation accuracy: hr/old.md is not an expected source"


def test_csv_of_a_battle_has_the_checks_of_each_turn() -> None:
    fight = Fight()
    fight.held(fight.seed("a"), [RIGHT, RIGHT], checks=(replace(LACKING, turn=2),))
    first, second = rows_of(fight.battle())
    assert (first["check: keywords"], first["failed_checks"]) == ("", "")
    assert (second["check: keywords"], second["failed_checks"]) == ("failed", f"keywords: {LACKING.evidence}")


def test_a_formula_as_the_name_of_a_check_stays_text(maker: Callable[..., Maker]) -> None:
    made = maker(reviewer=None)
    check = replace(LACKING, name='=HYPERLINK("x")', evidence="=1+1")
    made.played(made.case("a"), checks=(check,), passed=False, turn_passed=(False,))
    [row] = rows_of(made.sample())
    assert not [cell for pair in row.items() for cell in pair if cell.startswith("=")]


def test_junit_says_what_failed_and_what_could_not_be_checked(maker: Callable[..., Maker]) -> None:
    cases = cases_of(suite(maker))
    failure = cases["worse"].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == (
        "keywords ✗ “28 days” is missing, citation accuracy ✗ hr/old.md is not an expected source"
    )
    assert f"keywords failed: {LACKING.evidence}" in (failure.text or "")
    assert cases["unknown"].find("failure") is None


def test_junit_files_a_case_under_its_first_category_and_names_all(maker: Callable[..., Maker]) -> None:
    cases = cases_of(suite(maker))
    assert cases["worse"].attrib["classname"] == "handbook.search"
    named = [each.attrib for each in cases["worse"].iter("property")]
    assert named == [{"name": "category", "value": "search"}, {"name": "category", "value": "reading"}]
    assert cases["breaking"].find("properties") is None
