"""The doing pages in a real browser: a benchmark from a file, an agent tried, a run started; also without a script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.chromium import serving
from tests.browser.opening import Opening, follow

GOOD = "".join(f'"Question {number}?";"Answer {number}"\n' for number in range(1, 13))
BAD = GOOD + '"no answer here"\n'


@pytest.fixture
def site(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that plays one run at a time."""
    monkeypatch.chdir(tmp_path)
    with serving(str(tmp_path / ".proctor" / "proctor.db"), processes=1) as address:
        yield address


def chosen(content: str) -> dict[str, Any]:
    return {"name": "faq.csv", "mimeType": "text/csv", "buffer": content.encode()}


def create(page: Any, name: str, content: str) -> None:
    """By choosing a file; with a script, that is enough to have it looked at."""
    page.fill("#name", name)
    with page.expect_navigation():
        page.set_input_files("#file", chosen(content))


def test_a_file_with_errors_is_corrected_on_the_page_saved_and_run(opened: Opening) -> None:
    page = opened("/benchmarks/new")
    page.fill("#description", "Asked most often")
    create(page, "FAQ", BAD)
    assert "Invalid number of fields" in page.inner_text(".faults")
    assert page.input_value("#name") == "FAQ"
    assert page.input_value("#description") == "Asked most often"
    page.fill("#text", page.input_value("#text").replace('"no answer here"', '"And now?";"Yes"'))
    follow(page, page.get_by_role("button", name="Check again"))
    assert page.get_by_text("13 questions").is_visible()
    assert page.locator(".preview tbody tr").count() == 10
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/benchmarks/faq")
    assert "Asked most often" in page.inner_text("main")
    follow(page, page.get_by_role("link", name="New run"))
    page.select_option("#agent", "demo:librarian")
    page.fill("#trials", "2")
    page.locator("#trials").blur()
    page.get_by_text("13 cases × 2 trials").wait_for()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(r"/runs/\d{6}-"))
    assert "FAQ" in page.inner_text("h1")
    page.wait_for_selector(".state:has-text('completed')")


def test_the_estimate_follows_what_is_chosen_and_so_does_the_address(opened: Opening) -> None:
    page = opened("/runs/new?benchmark=library-skills&agent=demo%3Alibrarian")
    page.select_option("#benchmark", "handbook-30")
    page.get_by_text("30 cases × 1 trial").wait_for()
    page.wait_for_url("**benchmark=handbook-30**")
    assert not page.locator("#max_turns").is_visible()
    page.check("[value=abm-dynamic]")
    page.wait_for_selector("#max_turns")
    page.wait_for_selector("#examiner")
    page.get_by_text("30 conversations × 1 trial").wait_for()
    page.reload()
    assert page.is_checked("[value=abm-dynamic]")


def test_a_type_that_the_benchmark_does_not_serve_cannot_be_chosen(opened: Opening) -> None:
    page = opened("/benchmarks/new")
    create(page, "Many", "".join(f'"Question {number}?";"Yes"\n' for number in range(201)))
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/benchmarks/many")
    follow(page, page.get_by_role("link", name="New run"))
    assert page.is_disabled("[value=abm-static]")
    assert "over 200 questions" in page.inner_text(".type.off")
    page.select_option("#benchmark", "handbook-30")
    page.locator("[value=abm-static]:enabled").wait_for()


def test_a_newcomer_comes_to_the_demonstration_in_one_click(opened: Opening) -> None:
    page = opened("/")
    page.get_by_role("button", name="Run the demonstration").click()
    page.wait_for_url(re.compile(r"/runs/\d{6}-"))
    assert "handbook-30" in page.inner_text("main")
    page.wait_for_selector(".state:has-text('completed')")


def test_one_question_is_asked_and_answered(opened: Opening) -> None:
    page = opened("/agents?agent=demo%3Alibrarian")
    page.fill("#question", "How many days of paid holiday do full-time staff have?")
    follow(page, page.get_by_role("button", name="Ask"))
    assert "28 days" in page.inner_text(".tried")


def test_all_forms_work_without_a_script(opened: Opening) -> None:
    page = opened("/benchmarks/new", java_script_enabled=False)
    page.fill("#name", "Quiet")
    page.set_input_files("#file", chosen(BAD))
    follow(page, page.get_by_role("button", name="Check the file"))
    assert "Invalid number of fields" in page.inner_text(".faults")
    page.set_input_files("#file", chosen(GOOD))
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/benchmarks/quiet")
    follow(page, page.get_by_role("link", name="New run"))
    page.select_option("#agent", "demo:librarian")
    follow(page, page.get_by_role("button", name="Estimate"))
    assert page.get_by_text("12 cases × 1 trial").is_visible()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(r"/runs/\d{6}-"))
    page.goto(f"{opened.site}/agents?agent=demo%3Alibrarian")
    follow(page, page.get_by_role("button", name="Ask"))
    assert page.locator(".tried").is_visible()


def test_enter_in_a_field_starts_nothing(opened: Opening) -> None:
    page = opened("/runs/new?benchmark=handbook-30&agent=demo%3Alibrarian", java_script_enabled=False)
    page.fill("#trials", "4")
    page.press("#trials", "Enter")
    page.get_by_text("30 cases × 4 trials").wait_for()
    assert "/runs/new" in page.url
