"""What pages and API say of mistakes, and what they say at all: plain words, and nothing for a terminal."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from tests.web.browsing import Browser
from tests.web.conftest import Opener

from proctor import evaluate
from proctor.benchmark import Case, Expectation
from proctor.run import Run
from proctor.web.site.render import spoken


@pytest.mark.parametrize("character", ["\0", "\ud800"])
def test_text_that_cannot_be_stored_is_refused_in_a_sentence(browser: Browser, character: str) -> None:
    asked = {"agent": "demo:librarian", "question": f"Who{character}?"}
    body = json.dumps(asked).encode()
    answer = browser.client.post("/api/agents/try", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422), answer.text
    if character == "\0":
        page = browser.post("/agents/try", asked)
        assert page.status_code == 400
        assert "the field 'question' holds a NUL character as character 4; remove it" in unescape(page.text)


@pytest.mark.parametrize("address", ["/runs?q=%00", "/agents?question=a%00b", "/history?benchmark=%00", "/runs/%00"])
def test_an_address_with_a_nul_is_refused_in_a_sentence(browser: Browser, address: str) -> None:
    answer = browser.get(address)
    assert answer.status_code in (404, 422)
    assert "holds a NUL character; remove it" in answer.text


def test_a_page_beyond_the_last_is_the_last(browser: Browser, demo_run: Run) -> None:
    for address in (f"/runs/{demo_run.id}?page=9999", "/runs?page=9999", "/benchmarks/library-skills?page=9999"):
        page = browser.page(address)
        assert "data-row" in page, address
        assert "9,999" not in page


def test_a_filter_that_fits_nothing_is_seen_and_one_that_cannot_be_is_refused(browser: Browser, demo_run: Run) -> None:
    page = browser.page("/runs?status=nonsense")
    assert '<option value="nonsense" selected>' in page
    assert "No run matches these filters" in page
    for name in ("verdict", "sort", "by", "stage"):
        answer = browser.get(f"/runs/{demo_run.id}?{name}=<b>nonsense")
        assert answer.status_code == 422
        assert re.search(r"'<b>nonsense' is no [a-z ]+; expected one of: ", unescape(answer.text))
        assert "<b>nonsense" not in answer.text


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/runs?page=two", "page='two' is not a whole number"),
        ("/runs?page=0", "page='0' is too small; expected at least 1"),
        ("/history?last=9999", "last='9999' is too large; expected at most 500"),
        ("/runs/last/attempt", "case is missing"),
        ("/history?benchmark=cases&measure=zzz", "'zzz' is nothing that is followed over time"),
        ("/history?strict=perhaps", "strict='perhaps' is neither true nor false"),
    ],
)
def test_a_wrong_value_in_an_address_is_told_in_our_own_words(
    browser: Browser, demo_run: Run, address: str, words: str
) -> None:
    answer = browser.get(address)
    assert answer.status_code == 422
    assert words in unescape(answer.text)
    assert "Input should" not in answer.text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"benchmark": "handbook-30"}, "agent is missing"),
        ({"benchmark": "handbook-30", "agent": "demo:librarian", "trials": "2"}, "trials='2' is not a whole number"),
        (
            {"benchmark": "handbook-30", "agent": "demo:librarian", "colour": 1},
            "colour='1' is not known here; leave it out",
        ),
        (
            {"benchmark": "handbook-30", "agent": "demo:librarian", "trails": 2},
            "trails='2' is not known here; did you mean 'trials'?",
        ),
        (
            {"benchmark": "handbook-30", "agent": "demo:librarian", "type": "abm"},
            "type='abm' is not known here; expected",
        ),
        ({"benchmark": "handbook-30", "agent": "a\nb"}, "agent='a\\nb' cannot be: the name holds a line break"),
    ],
)
def test_a_wrong_value_in_a_body_is_told_in_our_own_words(
    browser: Browser, body: dict[str, object], words: str
) -> None:
    answer = browser.client.post("/api/runs", json=body)
    assert answer.status_code == 422
    assert words in answer.json()["error"]
    assert words in answer.json()["faults"][0]["message"]


def test_backticks_are_code_and_what_is_in_them_is_escaped() -> None:
    assert spoken("use `a<b>` or ` not closed") == "use <code>a&lt;b&gt;</code> or ` not closed"
    assert spoken("`one` and `two`") == "<code>one</code> and <code>two</code>"


def test_an_error_has_no_backticks_on_a_page(browser: Browser, demo_run: Run) -> None:
    answer = browser.get("/history?benchmark=cases&by=nonsense")
    assert answer.status_code == 400
    assert "`" not in answer.text.partition("<main")[2]
    assert "proctor run" not in answer.text


def test_an_error_gives_no_advice_for_a_terminal(browser: Browser, demo_run: Run) -> None:
    for address, words in (
        ("/runs/no-such-run", "the list of runs shows"),
        ("/runs?since=abc", "“Since” abc is neither a date"),
    ):
        answer = unescape(browser.get(address).text)
        assert words in answer
        assert not re.search(r"proctor list|--\w", answer.partition("<main")[2].partition("</main>")[0])
    assert "tick from 2 to" in browser.get(f"/chosen?run={demo_run.id}").text


def test_agents_that_need_a_desktop_are_not_offered_as_examiners(opened: Opener) -> None:
    spec = 'spec = "python:nothing:answer"'
    Path("proctor.toml").write_text(f'[agents.plain]\n{spec}\n[agents.screen]\n{spec}\nkind = "desktop"\n')
    offered = opened().get("/api/agents").json()["examiners"]
    assert "agent:plain" in [each["name"] for each in offered]
    assert "agent:screen" not in [each["name"] for each in offered]


def test_expected_steps_are_told_in_words(browser: Browser, store_path: str) -> None:
    steps = ({"name": "write", "after": ["plan", "search"]},)
    case = Case(id="one", question="Why?", answer="because", expect=Expectation(steps=steps))
    run = evaluate([case], agent=lambda question: "because", store=store_path, reviewer="exact").run
    page = unescape(browser.page(f"/runs/{run.id}/attempt?case=one"))
    assert "name write, after plan and search" in page
    assert "[" not in page.partition("Checked for")[2].partition("</dl>")[0]


def test_going_back_finds_the_create_form_as_it_was(browser: Browser) -> None:
    sent = browser.post(
        "/benchmarks/new", {"name": "FAQ", "description": "asked often"}, files={"file": ("faq.csv", b'"a";"b"\n"c"\n')}
    )
    assert sent.status_code == 303, "so that it has an address of its own"
    answer = browser.get(sent.headers["location"])
    assert answer.headers["cache-control"] == "private, no-cache", "and a browser may keep what was typed"
    for words in ('value="FAQ"', "asked often", "faq.csv", "1 error"):
        assert words in answer.text


def test_what_cannot_be_done_has_a_heading_in_plain_words(browser: Browser) -> None:
    answer = browser.get("/chosen?do=compare")
    assert answer.status_code == 422
    assert "<h1>That cannot be done</h1>" in answer.text
    assert "Unprocessable" not in answer.text
