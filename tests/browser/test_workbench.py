"""What used to need a terminal, done in a browser: judges asked, runs planned, files imported, cases harvested."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.chromium import serving
from tests.browser.opening import PHONE, WIDE, Opening, follow, found_by, found_by_axe
from tests.web.test_judge_jobs import CASES, JUDGE, TOML
from tests.web.test_pages_import import log

from proctor import evaluate
from proctor.config import Config
from proctor.run import Key
from proctor.workflows.human_labels import put_label


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """Two runs, one of which people have labelled."""
    store = str(tmp_path / ".proctor" / "proctor.db")
    right = evaluate(CASES, agent=lambda question: f"number {question[8:-1]}", reviewer="exact", store=store).run
    wrong = evaluate(CASES, agent=lambda question: "no idea", reviewer="exact", store=store).run
    for exam in range(3):
        attempts = list(right_attempts(store, right.id))
        put_label(attempts[exam], passed=True, who="ann", store=store)
    return [right.id, wrong.id]


def right_attempts(store: str, run: str) -> Iterator[Key]:
    from proctor.storage import open_store

    with open_store(store) as opened:
        yield from [attempt.key for attempt in opened.archive.attempts(run)]


@pytest.fixture
def site(browser: Any, runs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "judge_of_jobs.py").write_text(JUDGE, encoding="utf-8")
    (tmp_path / "proctor.toml").write_text(TOML, encoding="utf-8")
    here = str(Path(__file__).parents[2])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), here]))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with serving(str(tmp_path / ".proctor" / "proctor.db"), processes=1) as address:
        yield address


def looked_over(page: Any) -> list[str]:
    """What is wrong with a page in dark, in light and on a phone."""
    found = []
    for size in (WIDE, PHONE):
        page.set_viewport_size(size)
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.wait_for_function("scheme => matchMedia(`(prefers-color-scheme: ${scheme})`).matches", arg=scheme)
            found += [f"{scheme} {size['width']}: {each}" for each in found_by_axe(page)]
        found += [f"{size['width']}: {each}" for each in found_by(page, "width.js")]
    page.set_viewport_size(WIDE)
    return found


def test_a_judge_compares_replies_and_its_result_comes_up_by_itself(opened: Opening, runs: list[str]) -> None:
    page = opened(f"/tournament?run={runs[0]}&run={runs[1]}")
    page.locator("#ask-reviewer").select_option("careful")
    follow(page, page.get_by_role("button", name="What will it take?"))
    assert "6 contests" in page.locator(".will-take").inner_text()
    assert looked_over(page) == []
    follow(page, page.get_by_role("button", name="Start"))
    page.get_by_role("heading", name="What the judge said").wait_for()
    page.locator(".judging").wait_for(state="detached")
    assert page.get_by_text("it answers").count() == 6
    assert looked_over(page) == []


def test_a_judge_at_work_is_left_alone_found_again_and_cancelled_by_keys(opened: Opening, runs: list[str]) -> None:
    page = opened(f"/tournament?run={runs[0]}&run={runs[1]}&reviewer=patient", java_script_enabled=False)
    follow(page, page.get_by_role("button", name="Start"))
    there = page.url
    page.close()
    page = opened(there.removeprefix(opened.site))
    assert "is judging: 0 of 6 contests" in page.locator(".judging").inner_text()
    assert looked_over(page) == []
    page.get_by_role("button", name="Cancel").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "was cancelled after 0 of 6 contests" in page.inner_text("main")


def test_another_judge_is_asked_beside_people(opened: Opening, runs: list[str]) -> None:
    page = opened(f"/runs/{runs[0]}/judges")
    page.locator("#ask-reviewer").select_option("embedded")
    follow(page, page.get_by_role("button", name="What will it take?"))
    assert looked_over(page) == []
    follow(page, page.get_by_role("button", name="Start"))
    page.get_by_role("cell", name="embedded", exact=True).wait_for()
    page.locator(".judging").wait_for(state="detached")
    assert looked_over(page) == []


def test_conditions_show_their_intervals_on_a_phone(opened: Opening, tmp_path: Path) -> None:
    store = str(tmp_path / ".proctor" / "proctor.db")
    config = Config(conditions={"slow": {"tool": "look_up", "delay": 1}})
    asked: dict[str, Any] = {"store": store, "reviewer": "exact", "conditions": ["none", "slow"], "config": config}
    run = evaluate(CASES, agent=lambda question: "number 1", **asked).run
    page = opened(f"/runs/{run.id}", viewport=PHONE)
    shown = page.locator(".conditions tbody .beneath").all()
    assert len(shown) == 4
    assert " – " in shown[0].inner_text()
    assert all(each.is_visible() for each in shown if each.inner_text())
    assert looked_over(page) == []


def test_a_run_is_planned_before_it_is_started(opened: Opening) -> None:
    page = opened("/runs/new")
    follow(page, page.get_by_role("link", name="How many cases does it take?"))
    follow(page, page.get_by_role("link", name="To stop early"))
    page.get_by_label("Cases").fill("100")
    page.get_by_label("Cases").press("Enter")
    page.get_by_role("heading", name="on 100 cases, looked at every 5 %").wait_for()
    assert looked_over(page) == []
    follow(page, page.get_by_role("link", name="New run with this gate"))
    assert page.locator("#gates").input_value() == "pass_rate>=0.9"


def test_choosing_another_column_changes_the_preview_at_once(opened: Opening) -> None:
    page = opened("/benchmarks/new")
    table = b"Prompt,Expected,Better\nWho wrote it?,Ada,Ada Lovelace\n"
    with page.expect_navigation():
        page.set_input_files("#file", {"name": "faq.csv", "mimeType": "text/csv", "buffer": table})
    assert page.locator(".preview tbody td").nth(2).inner_text() == "Ada"
    with page.expect_navigation():
        page.locator("#column-answer").select_option("Better")
    assert page.locator(".preview tbody td").nth(2).inner_text() == "Ada Lovelace"
    assert looked_over(page) == []


def test_a_log_of_another_tool_is_imported(opened: Opening, tmp_path: Path) -> None:
    page = opened("/benchmarks")
    follow(page, page.get_by_role("link", name="Import"))
    with page.expect_navigation():
        page.set_input_files("#file", {"name": "log.eval", "mimeType": "application/zip", "buffer": log(tmp_path)})
    assert "2 cases, 1 run" in page.inner_text("main")
    assert looked_over(page) == []
    page.get_by_label("Name of the benchmark").fill("Tiny")
    follow(page, page.get_by_role("button", name="Import"))
    assert "/runs/" in page.url
    assert "tiny_task" in page.inner_text("main")


def test_the_failures_of_a_run_are_harvested_by_keys_and_reviewed(opened: Opening, runs: list[str]) -> None:
    page = opened("/benchmarks")
    follow(page, page.get_by_role("link", name="Harvest cases"))
    page.get_by_label("From a stored run").select_option(runs[1])
    page.get_by_role("button", name="Look at it").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "6 drafts" in page.inner_text("main")
    assert looked_over(page) == []
    page.get_by_label("Maximum number of drafts").fill("50")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "limit=50" in page.url, "Enter looks, and keeps nothing"
    page.get_by_label("Name of the benchmark").fill("Mistakes")
    follow(page, page.get_by_role("button", name="Keep and review"))
    assert page.url.endswith("/benchmarks/mistakes/review")
    assert "6 drafts that nobody has reviewed" in page.inner_text("main")
