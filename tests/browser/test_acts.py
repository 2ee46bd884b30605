"""Working with runs in a real browser: several agents at once, judged again and extended, a link for a guest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.chromium import serving
from tests.browser.opening import Opening, follow
from tests.web.browsing import TOKEN

from proctor import evaluate


@pytest.fixture(scope="module")
def site(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with a token that plays one run at a time, over a store with one run."""
    store = str(tmp_path_factory.mktemp("acts") / ".proctor" / "proctor.db")
    evaluate([("How many days of holiday?", "28 days")], agent="demo:librarian", store=store, name="one question")
    folder = Path(store).parent.parent
    (folder / "proctor.toml").write_text('[agents.slow]\nspec = "demo:librarian"\ndelay = 0.4\n', encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with serving(store, processes=1, token=TOKEN, config=folder / "proctor.toml") as address:
            yield address


@pytest.fixture
def page(opened: Opening) -> Any:
    """The run's page, of somebody who has logged in."""
    page = opened("/login?next=/runs/one%20question")
    page.fill("[name=token]", TOKEN)
    follow(page, page.get_by_role("button", name="Log in"))
    return page


def test_several_agents_with_a_gate_are_started_by_one_form(page: Any) -> None:
    page.goto(re.sub(r"/runs/.*", "/runs/new", page.url))
    page.select_option("#agent", "demo:librarian")
    page.get_by_text("More agents on the same cases").click()
    page.get_by_role("checkbox", name="demo:pushover").check()
    page.get_by_text("2 agents × 30 cases").wait_for()
    page.get_by_text("Gates", exact=True).click()
    page.fill("#gates", "pass_rate>=0.3")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(r"/compare/several\?run="))
    follow(page, page.get_by_role("link", name="demo:librarian"))
    page.wait_for_selector(".state:has-text('completed')")
    assert "met" in page.inner_text(".gates")


def test_a_run_is_judged_anew_and_extended_from_its_page(page: Any) -> None:
    first = page.url
    page.get_by_text("Judge its replies again").click()
    page.select_option("#rescore-reviewer", "exact")
    page.get_by_role("button", name="Judge again").click()
    page.wait_for_url(lambda address: address != first)
    page.wait_for_selector(".state:has-text('completed')")
    assert "reviewed by exact" in page.inner_text("main")
    page.goto(first)
    page.get_by_text("More trials", exact=True).click()
    page.get_by_role("button", name="Run more trials").click()
    page.wait_for_selector("text=1 case × 2")
    page.wait_for_selector(".state:has-text('completed')")


def test_a_guest_reads_one_run_by_a_link_until_it_is_revoked(page: Any, opened: Opening) -> None:
    page.get_by_text("Share", exact=True).click()
    follow(page, page.get_by_role("button", name="Make a link"))
    link = page.input_value("input.share")
    guest = opened(link.partition(opened.site)[2])
    assert "shared with you to read" in guest.inner_text("header")
    assert guest.get_by_role("button").count() == guest.locator(".filters button, header button, footer button").count()
    follow(guest, guest.locator("table.cases tbody a").first)
    assert "28 days" in guest.inner_text("main")
    assert not guest.get_by_role("link", name="Runs").is_visible()
    follow(page, page.get_by_role("button", name="Revoke"))
    guest.reload()
    assert "/login" in guest.url


def test_a_benchmark_is_edited_while_a_run_of_it_is_played(page: Any, tmp_path: Path) -> None:
    site = page.url.partition("/runs/")[0]
    rows = "".join(f'"How many days of holiday, {number}?";"28 days"\n' for number in range(10))
    (tmp_path / "asked.csv").write_text(rows, encoding="utf-8")
    page.goto(f"{site}/benchmarks/new")
    with page.expect_navigation():
        page.locator("#file").set_input_files(str(tmp_path / "asked.csv"))
    follow(page, page.get_by_role("button", name="Save"))
    page.goto(f"{site}/runs/new?benchmark=asked&agent=slow&concurrency=1")
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector(".state:has-text('running')")
    run = page.url
    page.goto(f"{site}/benchmarks/asked/edit?row=1")
    page.get_by_label("Answer").fill("99 days")
    follow(page, page.get_by_role("button", name="Keep this row"))
    follow(page, page.get_by_role("button", name="Save as a new version"))
    assert page.get_by_text("What changed in the newest").count() == 1
    page.goto(run)
    page.wait_for_selector(".state:has-text('completed')")
    follow(page, page.locator("tr[data-row]", has_text="How many days of holiday, 0?").locator("a").first)
    assert "28 days" in page.inner_text("main")
    assert "99 days" not in page.inner_text("main")
