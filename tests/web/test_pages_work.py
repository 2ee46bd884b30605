"""Working with stored runs in the page: rename, label, delete, run again; the list sorted and filtered."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.web.browsing import Browser
from tests.web.test_home import examined, numbered

from proctor import evaluate
from proctor.run import Run


def test_a_run_is_renamed_and_labelled(browser: Browser, demo_run: Run) -> None:
    sent = browser.post(
        f"/runs/{demo_run.id}/describe", {"name": "  a better   name ", "labels": "model=small\r\nx=<b>"}
    )
    assert sent.headers["location"] == f"/runs/{demo_run.id}"
    run = browser.site.store.archive.find(demo_run.id)
    assert (run.name, run.labels) == ("a better name", {"model": "small", "x": "<b>"})
    page = browser.page(f"/runs/{demo_run.id}")
    assert "a better name" in page
    assert "x=&lt;b&gt;" in page
    assert browser.get("/runs/a better name").status_code == 303, "it is found by its name"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": "", "labels": ""}, "the run's name is empty"),
        ({"name": "a", "labels": "nonsense"}, "is no label; write name=value"),
        ({"name": "a" * 201, "labels": ""}, "expected at most 200"),
    ],
)
def test_a_name_or_label_that_cannot_be_changes_nothing(
    browser: Browser, demo_run: Run, fields: dict[str, str], words: str
) -> None:
    answer = browser.post(f"/runs/{demo_run.id}/describe", fields)
    assert answer.status_code in (400, 422)
    assert words in unescape(answer.text)
    assert browser.site.store.archive.find(demo_run.id) == demo_run


def test_the_api_changes_what_is_given_and_leaves_the_rest(browser: Browser, demo_run: Run) -> None:
    answer = browser.client.patch(f"/api/runs/{demo_run.id}", json={"labels": {"model": "small"}})
    assert answer.status_code == 200
    assert (answer.json()["name"], answer.json()["labels"]) == (demo_run.name, {"model": "small"})
    assert browser.client.patch(f"/api/runs/{demo_run.id}", json={"name": "other"}).json()["labels"] == {
        "model": "small"
    }
    assert browser.client.patch(f"/api/runs/{demo_run.id}", json={"name": ""}).status_code == 422


def test_a_run_is_deleted_unless_it_goes_on(browser: Browser, demo_run: Run) -> None:
    browser.site.store.journal.mark(demo_run.id, "queued")
    assert "Delete two questions" not in browser.page(f"/runs/{demo_run.id}")
    browser.site.store.journal.mark(demo_run.id, "completed")
    assert "Delete two questions" in browser.page(f"/runs/{demo_run.id}")
    assert browser.post(f"/runs/{demo_run.id}/delete").headers["location"] == "/runs"
    assert browser.get(f"/runs/{demo_run.id}").status_code == 404


def test_a_run_is_run_again_from_the_form_filled_in_as_it_was(browser: Browser) -> None:
    chosen = {
        "benchmark": "handbook-30", "agent": "demo:librarian", "type": "abm-dynamic", "trials": "2", "seeds": "3",
        "max_turns": "4", "timeout": "12.5", "labels": "model=small", "do": "start",
    }  # fmt: skip
    started = browser.post("/runs/new", chosen).headers["location"]
    [again] = re.findall(r'href="(/runs/new\?[^"]+)">Run it again', browser.page(started))
    given = {name: values[0] for name, values in parse_qs(urlsplit(unescape(again)).query).items()}
    assert given | {"reviewer": "", "examiner": ""} == {
        name: value for name, value in chosen.items() if name != "do"
    } | {"reviewer": "", "examiner": ""}
    assert browser.get(unescape(again)).status_code == 200
    assert browser.post("/runs/new", {**given, "do": "start"}).status_code == 303


def test_a_run_whose_agent_is_not_to_be_had_here_is_not_offered_again(browser: Browser, store_path: str) -> None:
    run = evaluate(numbered(), agent=lambda question: "1", store=store_path, reviewer="exact").run
    assert "Run it again" not in browser.page(f"/runs/{run.id}")


def listed(page: str) -> list[str]:
    return re.findall(r"<tr data-row>.*?<bdi>(.*?)</bdi>", page, re.DOTALL)


def test_the_list_is_sorted_by_its_columns_and_filtered_by_type(browser: Browser, store_path: str) -> None:
    for right in (4, 2, 6):
        examined(store_path, numbered(), right=right)
    assert listed(browser.page("/runs")) == ["6 right", "2 right", "4 right"]
    assert listed(browser.page("/runs?sort=rate")) == ["2 right", "4 right", "6 right"]
    assert listed(browser.page("/runs?sort=-rate")) == ["6 right", "4 right", "2 right"]
    assert listed(browser.page("/runs?sort=started")) == ["4 right", "2 right", "6 right"]
    page = browser.page("/runs?sort=name&type=standard")
    assert listed(page) == ["2 right", "4 right", "6 right"]
    assert 'aria-sort="ascending"' in page
    assert 'href="?type=standard&amp;sort=-name"' in page
    assert '<option value="standard" selected>Standard</option>' in page
    assert listed(browser.page("/runs?type=abm-static")) == []
    assert browser.get("/runs?sort=nonsense").status_code == 422
