"""Drafts are accepted, edited or dropped on a page; what is decided together is one version."""

from __future__ import annotations

import re
from html import unescape
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.web.browsing import HERE, Browser

from proctor.benchmark import Case
from proctor.formats.suites.suite import read_suite
from proctor.web.site.forms import MOST_PARTS

SUITE = """\
name: support
passing_score: 0.7
expect: {exclusions: [as an AI]}
cases:
  - id: kept
    question: What is it?
    reference: A desk.
  - id: first
    question: Where is my parcel?
    review: needed
    expect: {keywords: [parcel]}
    metadata: {source: traces.jsonl, trace: ab12, reply: "<b>In the van.</b>"}
  - id: second
    question: Mail [email-1]?
    review: needed
"""


@pytest.fixture
def page(browser: Browser) -> str:
    """Where the drafts of a suite are reviewed."""
    browser.site.library.save(file="support.yaml", content=SUITE.encode())
    return "/benchmarks/support/review"


def stored(browser: Browser) -> dict[str, Case]:
    return {case.id: case for case in read_suite(browser.site.library.path("support")).cases}


def decided(browser: Browser, **fields: str) -> dict[str, str]:
    return {"version": browser.site.library.find("support").newest.id, **fields}


def test_the_benchmark_page_leads_to_the_drafts_with_where_they_come_from(browser: Browser, page: str) -> None:
    assert f'2 cases are drafts that nobody has reviewed. <a href="{page}">' in browser.page("/benchmarks/support")
    shown = browser.page(page)
    assert "2 drafts" in shown
    assert "What is it?" not in shown
    assert "&lt;b&gt;In the van.&lt;/b&gt;" in shown
    assert "keywords:" in shown
    assert "as an AI" not in shown  # that is expected of all, not of this case


def test_where_a_draft_comes_from_is_told_in_words(browser: Browser) -> None:
    attempt = "{case: refund, trial: 2, condition: slow}"
    known = f"{{source: run, attempt: {attempt}, asked: 3, drafted_from: 2 replies that passed, "
    known += f"deep: {{a: {{b: {{c: 1}}}}}}, earlier: {{source: run, attempt: {attempt}}}, own_key: [1, 2]}}"
    suite = f"name: words\ncases: [{{question: Who?, review: needed, metadata: {known}}}]\n"
    browser.site.library.save(file="words.yaml", content=suite.encode())
    page = unescape(browser.page("/benchmarks/words/review"))
    told = re.findall(r"<div><dt>(.*?)</dt><dd[^>]*>(.*?)</dd>", page)
    assert told == [
        ("from", "a stored run"),
        ("attempt", "case refund, trial 2, condition slow"),
        ("asked", "3 times"),
        ("expectations drafted from", "2 replies that passed"),
        ("deep", 'a b {"c": 1}'),
        ("said of it before", "from run, attempt case refund, trial 2, condition slow"),
        ("own_key", "[1, 2]"),
    ]


def test_drafts_are_accepted_edited_and_dropped_in_one_version(browser: Browser, page: str) -> None:
    fields = {
        "do-2": "accept",
        "question-2": "Where is parcel 7?\r\nIt is late.",
        "reference-2": "In the van.",
        "expect-2": "keywords: [van]\r\ntools_used: [track]",
        "do-3": "drop",
    }
    answer = browser.post(page, decided(browser, **fields))
    assert (answer.status_code, answer.headers["location"]) == (303, "/benchmarks/support")
    cases = stored(browser)
    assert [*cases] == ["kept", "first"]
    accepted = cases["first"]
    assert (accepted.question, accepted.answer, accepted.review) == (
        "Where is parcel 7?\nIt is late.",
        "In the van.",
        "done",
    )
    assert (accepted.expect.keywords, accepted.expect.tools_used) == (("van",), ("track",))
    assert accepted.expect.exclusions == ("as an AI",)
    assert accepted.metadata["trace"] == "ab12"
    assert len(browser.site.library.find("support").versions) == 2
    assert "nobody has reviewed" not in browser.page("/benchmarks/support")
    assert "Every case of this benchmark has been reviewed" in browser.page(page)


def test_what_is_left_for_later_stays_a_draft(browser: Browser, page: str) -> None:
    answer = browser.post(page, decided(browser, **{"do-2": "leave", "do-3": "accept", "question-3": "Mail whom?"}))
    assert answer.headers["location"] == page
    assert {name: case.review for name, case in stored(browser).items()} == {
        "kept": None,
        "first": "needed",
        "second": "done",
    }


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ("keyword: [van]", "line 1 of what is expected: unknown key &#39;keyword&#39;"),
        ("keywords:\n  - [", "of what is expected"),
        ("checks: ['os:system']", "code, which an uploaded suite cannot name"),
    ],
)
def test_what_cannot_be_kept_is_told_and_what_was_typed_stays(
    browser: Browser, page: str, expect: str, told: str
) -> None:
    fields = {"do-2": "accept", "question-2": "Where to?", "expect-2": expect, "do-3": "drop"}
    answer = browser.post(page, decided(browser, **fields))
    assert answer.status_code == 422
    assert unescape(told) in unescape(answer.text)
    assert expect.splitlines()[0] in unescape(answer.text)
    assert "Where to?" in answer.text
    assert len(browser.site.library.find("support").versions) == 1


def test_an_empty_question_is_refused(browser: Browser, page: str) -> None:
    answer = browser.post(page, decided(browser, **{"do-2": "accept", "question-2": "  "}))
    assert answer.status_code == 422
    assert len(browser.site.library.find("support").versions) == 1


def test_a_decision_on_another_version_is_not_taken(browser: Browser, page: str) -> None:
    answer = browser.post(page, {"version": "0123456789ab", "do-2": "drop"})
    assert answer.status_code == 404
    assert [*stored(browser)] == ["kept", "first", "second"]


def test_two_people_who_change_different_cases_keep_both_changes(browser: Browser, page: str) -> None:
    mine = decided(browser, **{"every": "1", "question-2": "Where is my parcel now?", "reference-2": "In the van."})
    theirs = decided(browser, **{"every": "1", "do-1": "drop"})
    assert browser.post(page, theirs).status_code == 303
    assert browser.post(page, mine).status_code == 303
    assert next(iter(stored(browser).values())).question == "Where is my parcel now?"
    assert "kept" not in stored(browser)


def test_who_was_overtaken_in_the_same_case_loses_nothing_and_is_asked(browser: Browser, page: str) -> None:
    mine = decided(browser, **{"every": "1", "question-2": "Mine, typed at length?"})
    theirs = decided(browser, **{"every": "1", "question-2": "Theirs?"})
    assert browser.post(page, theirs).status_code == 303
    answer = browser.post(page, mine)
    assert answer.status_code == 422
    assert "somebody has saved a newer version" in unescape(answer.text).lower()
    assert "Mine, typed at length?" in answer.text, "what was typed is not lost"
    assert stored(browser)["first"].question == "Theirs?"
    assert f'name="version" value="{mine["version"]}"' in answer.text
    assert browser.post(page, {**mine, "sure": "1"}).status_code == 303
    assert stored(browser)["first"].question == "Mine, typed at length?"


def test_nothing_decided_is_no_version(browser: Browser, page: str) -> None:
    assert browser.post(page, decided(browser, **{"do-2": "leave"})).status_code == 422
    assert len(browser.site.library.find("support").versions) == 1


def test_a_suite_of_lines_stays_one(browser: Browser) -> None:
    lines = '{"suite": {"name": "lines"}}\n{"question": "a?", "review": "needed"}\n{"question": "b?"}\n'
    browser.site.library.save(file="lines.jsonl", content=lines.encode())
    version = browser.site.library.find("lines").newest.id
    answer = browser.post("/benchmarks/lines/review", {"version": version, "do-1": "accept", "question-1": "c?"})
    assert answer.status_code == 303
    path = browser.site.library.path("lines")
    assert path.suffix == ".jsonl"
    assert [case.question for case in read_suite(path).cases] == ["c?", "b?"]


def test_the_last_case_cannot_be_dropped(browser: Browser) -> None:
    browser.site.library.save(file="one.yaml", content=b"name: one\ncases: [{question: a, review: needed}]\n")
    version = browser.site.library.find("one").newest.id
    answer = browser.post("/benchmarks/one/review", {"version": version, "do-1": "drop"})
    assert answer.status_code == 422
    assert "delete the benchmark instead" in answer.text


def test_rows_of_a_csv_have_no_drafts(browser: Browser) -> None:
    browser.site.library.save(file="faq.csv", content=b'"a";"b"\n', name="FAQ")
    assert "has been reviewed" in browser.page("/benchmarks/faq/review")


# every case of a suite ---------------------------------------------------------------------------------


def test_every_case_of_a_suite_is_edited_removed_or_added_in_one_version(browser: Browser, page: str) -> None:
    assert browser.get("/benchmarks/support/edit").headers["location"] == f"{page}?every=1"
    shown = browser.page(f"{page}?every=1")
    assert "3 cases." in shown
    assert "Add a case" in shown
    fields = {
        "every": "1",
        "question-1": "What is it made of?",
        "reference-1": "Oak.",
        "question-2": "Where is my parcel?",
        "expect-2": "keywords:\r\n  - parcel",
        "do-3": "drop",
        "question-0": "Whose is it?",
        "expect-0": "keywords: [mine]",
    }
    answer = browser.post(page, decided(browser, **fields))
    assert (answer.status_code, answer.headers["location"]) == (303, "/benchmarks/support")
    [kept, first, added] = stored(browser).values()
    assert (kept.id, kept.question, kept.answer, kept.review) == ("kept", "What is it made of?", "Oak.", None)
    assert (first.id, first.review) == ("first", "needed")
    assert (added.question, added.expect.keywords) == ("Whose is it?", ("mine",))
    assert added.expect.exclusions == ("as an AI",)


def test_a_case_that_is_added_has_the_checks_of_an_upload(browser: Browser, page: str) -> None:
    fields = {"every": "1", "question-0": "Whose?", "expect-0": "keyword: [mine]"}
    answer = browser.post(page, decided(browser, **fields))
    assert answer.status_code == 422
    assert "keywords" in unescape(answer.text)
    assert "Whose?" in answer.text
    assert len(stored(browser)) == 3


def test_an_edited_suite_keeps_the_folder_of_its_sources(browser: Browser) -> None:
    version = browser.site.library.find("library-skills").newest.id
    answer = browser.post("/benchmarks/library-skills/review", {"version": version, "every": "1", "do-1": "drop"})
    assert answer.headers["location"] == "/benchmarks/library-skills-edited"
    read = browser.site.library.read("library-skills-edited")
    assert len(read.cases) == 39
    assert list(Path(read.sources or "").rglob("*.md"))


def test_category_reasoning_and_context_are_edited_too_and_what_is_sent_as_it_was_is_no_change(
    browser: Browser, page: str
) -> None:
    shown = browser.page(f"{page}?every=1")
    assert shown.count('<details class="entry">') == 3, "one line each until it is opened"
    sent = {"every": "1", "question-1": "What is it made of?", "reference-1": "Oak.", "category-1": "a; b"}
    saved = browser.post(page, decided(browser, **sent, **{"reasoning-1": "It says so.", "context-1": ""}))
    assert saved.status_code == 303
    kept = stored(browser)["kept"]
    assert (kept.categories, kept.reasoning, kept.context) == (("a", "b"), "It says so.", None)
    again = browser.post(page, decided(browser, **sent, **{"reasoning-1": "It says so.", "context-1": ""}))
    assert "nothing was changed" in again.text


def form_on(page: str) -> dict[str, str]:
    """What a browser would send of a page with the cases of a suite, untouched."""
    areas = re.findall(r'<textarea id="[^"]*" name="([^"]+)"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL)
    told = re.findall(r'<input [^>]*name="(category-\d+)"[^>]* value="([^"]*)"', page)
    opened = re.findall(r'<input type="hidden" name="(version|every)" value="(\w+)"', page)
    return {name: unescape(text) for name, text in (*areas, *told, *opened)}


@pytest.mark.parametrize("page", [1, 2])
def test_a_page_full_of_cases_saves(browser: Browser, page: int) -> None:
    cases = "".join(f"  - {{id: c{n}, question: Who {n}?, reference: Ada}}\n" for n in range(1, 101))
    browser.site.library.save(file="long.yaml", content=f"name: long\ncases:\n{cases}".encode())
    here = "/benchmarks/long/review"
    typed = form_on(browser.page(f"{here}?every=1&page={page}"))
    number = 50 * page
    assert len([name for name in typed if name.startswith("question")]) >= 50
    answer = browser.client.post(
        here,
        files={
            name: (None, value)
            for name, value in {
                **typed, "form_token": browser.form_token(), f"reference-{number}": "Bob"
            }.items()
        },
    )  # fmt: skip
    assert (answer.status_code, answer.headers["location"]) == (303, "/benchmarks/long")
    assert browser.site.library.read("long").cases[number - 1].answer == "Bob"


def test_the_footer_of_the_editor_has_the_version_of_proctor(browser: Browser, page: str) -> None:
    assert f"<span>Proctor {version('proctor')}</span>" in browser.page(page)


def test_a_form_that_cannot_be_read_leads_back_to_its_page(browser: Browser, page: str) -> None:
    fields = {f"question-{n}": "x" for n in range(MOST_PARTS + 1)}
    answer = browser.post(page, fields, headers={"referer": f"{HERE}{page}?every=1"})
    assert answer.status_code == 400
    assert f'href="{page}?every=1" data-back' in answer.text
