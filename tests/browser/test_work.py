"""Working in a browser: several runs at once, rows of a benchmark, a table that is converted, a reply taken along."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.chromium import serving
from tests.browser.opening import PHONE, WIDE, Opening, follow, found_by, found_by_axe

from proctor import evaluate
from proctor.benchmark import Case

TABLE = "Prompt,Expected,Owner\nWhat is 2 + 2?,4,me\nWho wrote it?,Ada,you\n"
SAID = "**28** days, see `book()`"


@pytest.fixture(scope="module")
def site(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    store = str(tmp_path_factory.mktemp("work") / ".proctor" / "proctor.db")
    cases = [Case(id=str(place), question=f"{place}?", answer="28") for place in range(3)]
    for name in ("first", "second", "third"):
        evaluate(cases, agent=lambda question: SAID, store=store, reviewer="exact", name=name)
    with serving(store) as address:
        yield address


def test_runs_are_ticked_and_compared_by_keys_alone(opened: Opening) -> None:
    page = opened("/runs")
    for name in ("first", "second"):
        page.get_by_role("checkbox", name=f"choose {name}").focus()
        page.keyboard.press("Space")
    page.get_by_role("button", name="Compare").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "/compare?a=" in page.url
    assert page.locator("p.opening").count() == 1


def test_runs_are_deleted_only_after_one_more_question_and_without_a_script(opened: Opening) -> None:
    page = opened("/runs", java_script_enabled=False)
    page.get_by_role("checkbox", name="choose third").check()
    follow(page, page.get_by_role("button", name="Delete"))
    assert page.get_by_role("heading", level=1).inner_text() == "Delete 1 run?"
    follow(page, page.get_by_role("button", name="Delete 1 run"))
    assert page.get_by_role("link", name="third").count() == 0
    assert page.get_by_role("link", name="second").count() == 1


def test_a_table_is_converted_saved_and_edited_row_by_row(opened: Opening, tmp_path: Path) -> None:
    (tmp_path / "faq.csv").write_text(TABLE, encoding="utf-8")
    page = opened("/benchmarks/new", viewport=PHONE)
    page.get_by_label("Name").fill("FAQ")
    with page.expect_navigation():
        page.locator("#file").set_input_files(str(tmp_path / "faq.csv"))
    assert page.locator("#column-question option:checked").inner_text() == "Prompt"
    assert page.locator("#column-answer option:checked").inner_text() == "Expected"
    assert page.get_by_text("Left out: Owner").count() == 1
    follow(page, page.get_by_role("button", name="Save"))
    follow(page, page.get_by_role("link", name="Edit"))
    follow(page, page.get_by_role("link", name="Who wrote it?"))
    page.get_by_label("Answer").fill("")
    page.get_by_label("Answer").fill("Ada Lovelace")
    assert [*found_by_axe(page), *found_by(page, "width.js")] == []
    follow(page, page.get_by_role("button", name="Keep this row"))
    page.go_back()
    page.go_forward()
    follow(page, page.get_by_role("button", name="Save as a new version"))
    assert page.get_by_text("What changed in the newest").count() == 1
    follow(page, page.get_by_text("What changed in the newest"))
    assert page.locator("ins").inner_text() == "Lovelace"
    assert [*found_by_axe(page), *found_by(page, "width.js")] == []


def test_a_reply_is_copied_and_shown_as_it_was_written(opened: Opening) -> None:
    page = opened("/runs/first", permissions=["clipboard-read", "clipboard-write"])
    follow(page, page.locator("#results tbody a").first)
    assert page.locator(".rendered strong").inner_text() == "28"
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "28 days, see book()"
    follow(page, page.get_by_role("link", name="Show it as written"))
    assert page.locator(".said").inner_text() == SAID


def test_rows_of_the_matrix_are_taken_along_into_a_spreadsheet(opened: Opening) -> None:
    page = opened("/compare/several?run=first&run=second&every=1", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy these rows").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").splitlines()[:2] == [
        "case\tquestion\tfirst\tsecond",
        "0\t0?\tnot passed\tnot passed",
    ]
    assert [*found_by_axe(page), *found_by(page, "width.js")] == []


def test_what_is_typed_in_an_open_row_is_saved_with_the_others(opened: Opening) -> None:
    for script in (True, False):
        page = opened("/benchmarks/handbook-30/edit?row=1", viewport=PHONE, java_script_enabled=script)
        page.get_by_label("Answer").fill(f"first {script}")
        follow(page, page.locator("#row-2 .row-line"))
        page.get_by_label("Answer").fill(f"second {script}")
        if script:
            assert [*found_by_axe(page), *found_by(page, "width.js")] == []
        follow(page, page.get_by_role("button", name="Save as a benchmark of your own"))
        assert page.get_by_text(f"first {script}", exact=True).count()
        assert page.get_by_text(f"second {script}", exact=True).count()


def test_who_leaves_a_row_in_which_something_was_typed_is_asked_first(opened: Opening) -> None:
    first = opened("/benchmarks/handbook-30/edit?row=1")
    page, asked = first.context.new_page(), list[str]()
    page.goto(first.url)

    def agree(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", agree)
    page.get_by_label("Answer").fill("typed")
    follow(page, page.get_by_role("link", name="Cancel"))
    assert asked == [], "who cancels has said so"
    follow(page, page.locator("#row-1 .row-line"))
    page.get_by_label("Answer").fill("typed")
    follow(page, page.get_by_role("link", name="Agents"))
    assert asked == ["beforeunload"]


def test_intervals_in_the_list_stay_readable_beside_long_names_and_old_dates(opened: Opening) -> None:
    page = opened("/runs", viewport=WIDE)
    page.evaluate(
        """() => {
            const named = "orchestrator on handbook-30";
            for (const name of document.querySelectorAll(".runs bdi")) name.textContent = named;
            for (const time of document.querySelectorAll(".runs time")) time.textContent = "2026-01-01 00:00 UTC";
            for (const rate of document.querySelectorAll(".runs .strong")) {
                rate.append(document.createElement("br"), "87/604 judged");
            }
        }"""
    )
    widths = page.locator(".runs td.drawn").evaluate_all("cells => cells.map(cell => cell.offsetWidth)")
    assert min(widths) >= 80
    assert page.locator(".wide:has(.runs)").evaluate("table => table.scrollWidth <= table.clientWidth")
