"""Labelling in a real browser: by keys, without JavaScript, by two people at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.chromium import serving
from tests.browser.opening import PHONE, Opening, follow, found_by

from proctor import evaluate
from proctor.benchmark import Case
from proctor.storage import open_store

_CASES = 6


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A run of an agent that knows half of the answers."""
    cases = [Case(id=f"n-{place}", question=f"{place}?", answer=str(place)) for place in range(_CASES)]
    place = str(tmp_path / ".proctor" / "proctor.db")
    evaluate(cases, agent=lambda question: str(min(2, int(question[:-1]))), store=place, reviewer="exact")
    return place


@pytest.fixture
def site(browser: Any, store: str) -> Iterator[str]:
    with serving(store) as address:
        yield address


def introduce(page: Any, name: str) -> None:
    page.fill("[name=who]", name)
    follow(page, page.get_by_role("button", name="Go on"))


def press(page: Any, key: str) -> None:
    with page.expect_navigation():
        page.keyboard.press(key)


def test_two_people_label_at_once_one_by_keys_and_one_without_scripts(opened: Opening, store: str) -> None:
    ann = opened("/runs/last/label")
    introduce(ann, "ann")
    shared = ann.locator(".share").input_value().removeprefix(opened.site)
    bob = opened(shared, java_script_enabled=False, viewport=PHONE)
    introduce(bob, "bob")
    press(ann, "f")
    ann.get_by_text("You: ✗fail").wait_for()
    press(ann, "u")
    ann.get_by_text(f"0 of {_CASES} labelled").wait_for()
    ann.keyboard.press("n")
    ann.keyboard.type("pass, f or s: a note")
    ann.keyboard.press("Escape")
    for number in range(_CASES):
        press(ann, "p")
        follow(bob, bob.get_by_role("button", name="Pass" if number else "Fail"))
    for page in (ann, bob):
        page.get_by_text(f"All {_CASES} are labelled").wait_for()
        assert found_by(page, "width.js") == [] if page is ann else True
    with open_store(store) as read:
        labels = read.human_labels.of_run(read.archive.find("last").id)
    said = {who: [label.passed for label in labels if label.who == who] for who in ("ann", "bob")}
    assert (len(said["ann"]), sum(said["ann"])) == (_CASES, _CASES)
    assert (len(said["bob"]), sum(said["bob"])) == (_CASES, _CASES - 1)
    assert [label.note for label in labels if label.note] == ["pass, f or s: a note"]


def test_no_key_is_told_to_do_two_things(opened: Opening, store: str) -> None:
    page = opened("/runs/last/label")
    introduce(page, "ann")
    page.keyboard.press("?")
    keys = page.locator("dialog.keys-told kbd").all_inner_texts()
    assert {"n", "p", "f", "j"} <= set(keys)
    assert len(keys) == len(set(keys))


def test_keys_that_are_turned_off_do_nothing(opened: Opening, store: str) -> None:
    page = opened("/settings")
    page.get_by_label("no single keys").check()
    follow(page, page.locator("#keys button"))
    page.goto(f"{opened.site}/runs/last/label")
    introduce(page, "ann")
    page.keyboard.press("p")
    page.keyboard.press("?")
    follow(page, page.get_by_role("button", name="Skip"))
    assert page.locator("dialog").count() == 0
    with open_store(store) as read:
        assert read.human_labels.of_run(read.archive.find("last").id) == []
