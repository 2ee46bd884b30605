"""Files of other tools, and recordings, brought in from the page."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.formats.imports.made_files import inspect_eval, inspect_sample
from tests.web.browsing import Browser

from proctor.errors import InputError
from proctor.formats.rules import LONGEST
from proctor.run import Run
from proctor.workflows.harvest.upload import harvest_run
from proctor.workflows.upload import ImportPreview, preview_import

CONVERSATIONS = [
    {"messages": [{"role": "user", "content": "Where is my parcel? I am ann@example.org"},
                  {"role": "assistant", "content": "On its way."}]},
    {"messages": [{"role": "user", "content": "How do I return it?"}, {"role": "assistant", "content": "By post."}]},
]  # fmt: skip


def log(folder: Path) -> bytes:
    samples = [inspect_sample("sum", "What is 2+2?", reply="4"), inspect_sample("capital", "Capital?", None)]
    return inspect_eval(folder / "log.eval", samples).read_bytes()


def kept_in(page: str) -> dict[str, str]:
    return dict(re.findall(r'type="hidden" name="(kept|called)" value="([^"]*)"', page))


def look(browser: Browser, there: str, name: str, content: bytes, **fields: str) -> Any:
    sent = browser.post(there, {"do": "look", **fields}, files={"file": (name, content)})
    return browser.get(sent.headers["location"]) if sent.status_code == 303 else sent


def test_a_log_is_shown_before_anything_of_it_is_kept_and_then_imported(browser: Browser, tmp_path: Path) -> None:
    page = look(browser, "/import", "log.eval", log(tmp_path)).text
    assert "Inspect AI 0.3.285</b>: 2 cases, 1 run" in page
    assert browser.site.store.archive.runs() == []
    fields = {**kept_in(page), "do": "import", "runs": "yes", "cases": "yes", "name": "Tiny"}
    done = browser.post("/import", fields)
    [run] = browser.site.store.archive.runs()
    assert done.headers["location"] == f"/runs/{run.id}"
    assert run.imported is not None
    assert run.imported.file == "log.eval"
    assert len(browser.site.library.read("tiny").cases) == 2
    browser.post("/import", {**fields, "cases": ""})
    assert len(browser.site.store.archive.runs()) == 1, "the same file is not stored twice"


def test_what_is_no_file_of_another_tool_says_what_would_be(browser: Browser) -> None:
    page = look(browser, "/import", "notes.json", b'{"hello": 1}')
    assert page.status_code == 422
    assert "does not look like a file of any tool" in page.text
    assert "notes.json" in page.text
    assert "/tmp" not in page.text
    assert "--from" not in page.text
    assert "There is no file yet" in browser.post("/import", {"do": "look"}).text
    bomb = look(browser, "/import", "log.eval", b"no zip at all")
    assert bomb.status_code == 422
    large = look(browser, "/import", "log.json", b"[" + b" " * 9_000_000 + b"]")
    assert "too large" in large.text


def test_a_benchmark_file_of_our_own_is_sent_to_where_benchmarks_are_made(browser: Browser) -> None:
    page = look(browser, "/import", "capitals.csv", b'"Capital of France?";"Paris"\n"Capital of Italy?";"Rome"\n')
    assert page.status_code == 422
    assert "A plain table is made a benchmark by Create, on the list of benchmarks" in page.text
    assert "line 0" not in page.text


def test_an_import_that_would_keep_nothing_is_refused(browser: Browser, tmp_path: Path) -> None:
    page = look(browser, "/import", "log.eval", log(tmp_path)).text
    refused = browser.post("/import", {**kept_in(page), "do": "import"})
    assert refused.status_code == 422
    assert "tick at least one" in refused.text


def test_an_uploaded_config_reads_no_file_of_the_server(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the crown jewels", encoding="utf-8")
    config = {
        "prompts": [f"file://{tmp_path}/secret.txt", "file://../../secret.txt", "Answer: {{question}}"],
        "tests": [{"vars": {"question": f"file://{tmp_path}/secret.txt"}}, {"vars": {"question": "What is 2+2?"}}],
    }
    page = look(browser, "/import", "promptfooconfig.json", json.dumps(config).encode()).text
    assert "promptfoo" in page
    assert "crown jewels" not in page
    browser.post("/import", {**kept_in(page), "do": "import", "cases": "yes", "name": "From there"})
    assert "crown jewels" not in repr(browser.site.library.read("from-there"))


def test_runs_are_shown_where_no_case_fits_a_suite_and_why(browser: Browser) -> None:
    question = "q" * (LONGEST + 10)
    asked = [{"role": "user", "content": question}]
    item = {
        "object": "eval.run.output_item",
        "datasource_item_id": 0,
        "datasource_item": {"question": question, "answer": "a"},
        "run_id": "r",
        "status": "pass",
        "sample": {"input": asked, "output": [{"role": "assistant", "content": "a"}]},
        "results": [{"name": "g", "passed": True, "score": 1}],
    }
    page = look(browser, "/import", "items.jsonl", json.dumps(item).encode() + b"\n").text
    assert '<td class="number">1</td><td class="number">1</td>' in page, "attempts and passed"
    assert "note: items.jsonl holds no case that could be written" in page
    assert 'name="cases"' not in page


def test_a_config_whose_cases_are_elsewhere_says_that_it_has_none(browser: Browser) -> None:
    config = b"prompts: ['{{question}}']\nproviders: [echo]\ntests: file://tests.csv\n"
    page = look(browser, "/import", "g.yaml", config)
    assert page.status_code == 422
    assert "g.yaml holds no case that could be written" in page.text
    assert "holds cases and no results" not in page.text


def test_what_is_no_document_is_told_without_a_terminal(browser: Browser) -> None:
    page = look(browser, "/import", "notes.txt", b"hello")
    assert page.status_code == 422
    assert "does not look like a JSON, YAML, CSV or .eval file; choose what the tool itself" in page.text
    assert "--help" not in page.text


@pytest.mark.parametrize(
    ("name", "called"),
    [("", ["tiny_task", "tiny_task 2"]), ("Mine", ["Mine", "Mine 2"]), ("n" * 200, ["n" * 200, "n" * 198 + " 2"])],
)
def test_cases_that_one_file_cannot_hold_are_benchmarks_with_a_number_after_the_name(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, called: list[str]
) -> None:
    def in_two(file: str, content: bytes) -> ImportPreview:
        found = preview_import(file, content)
        return replace(found, suites=(*found.suites, found.suites[0].replace(b"2+2", b"3+3")))

    monkeypatch.setattr("proctor.web.pages.imports.preview_import", in_two)
    page = look(browser, "/import", "log.eval", log(tmp_path)).text
    browser.post("/import", {**kept_in(page), "do": "import", "cases": "yes", "name": name})
    assert sorted(each.name for each in browser.site.library.all() if each.own) == sorted(called)


def test_looking_and_keeping_are_forms_of_their_own(browser: Browser, demo_run: Run) -> None:
    page = browser.page(f"/harvest?run={demo_run.id}&limit=5&only=all")
    looking, keeping = re.findall(r'<form action="/harvest".*?</form>', page, re.DOTALL)
    assert re.findall(r'<button name="do" value="(\w+)"', looking) == ["look"], "what Enter presses"
    assert re.findall(r'<button name="do" value="(\w+)"', keeping) == ["keep"]
    kept = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', keeping))
    done = browser.post("/harvest", {**kept, "do": "keep", "name": "All of it"})
    assert done.headers["location"] == "/benchmarks/all-of-it/review"
    assert len(browser.site.library.read("all-of-it").cases) == 2, "what was looked at is kept"


def test_the_failures_of_a_run_become_drafts_that_wait_for_a_person(browser: Browser, demo_run: Run) -> None:
    page = browser.page(f"/harvest?run={demo_run.id}")
    assert "<b>1 draft</b>" in page
    done = browser.post("/harvest", {"run": demo_run.id, "do": "keep", "name": "Mistakes"})
    assert urlsplit(done.headers["location"]).path == "/benchmarks/mistakes/review"
    review = browser.page(done.headers["location"])
    assert "What colour is the tide?" in review
    told = review.partition("Where it comes from")[2].partition("</dl>")[0]
    assert "a stored run" in told
    assert ", trial 1<" in told
    assert "{" not in told
    assert "_" not in told
    [case] = browser.site.library.read("mistakes").cases
    assert case.review == "needed"


def test_a_recording_is_uploaded_looked_at_and_kept_with_personal_data_masked(browser: Browser) -> None:
    content = "\n".join(map(json.dumps, CONVERSATIONS)).encode()
    page = look(browser, "/harvest", "said.jsonl", content).text
    assert "<b>2 drafts</b>" in page
    assert "1 piece of personal data" in page
    done = browser.post("/harvest", {**kept_in(page), "do": "keep", "name": "Asked"})
    assert done.status_code == 303, done.text
    assert "ann@example.org" not in repr(browser.site.library.read("asked"))


def test_what_cannot_be_harvested_says_why(browser: Browser, demo_run: Run) -> None:
    assert "There is nothing to harvest yet" in browser.post("/harvest", {"do": "look"}).text
    assert "does not have the extension of a recording" in look(browser, "/harvest", "said.txt", b"hello").text
    flaky = look(browser, "/harvest", "said.jsonl", json.dumps(CONVERSATIONS[0]).encode(), only="flaky").text
    assert "needs verdicts, which recordings do not have" in flaky
    assert "--only" not in flaky
    assert "is not a whole number" in browser.get(f"/harvest?run={demo_run.id}&limit=many").text
    assert browser.get("/harvest?run=nobody").status_code == 422
    assert "no longer here" in browser.get(f"/harvest?kept={'0' * 32}&called=a.jsonl").text
    assert "nothing to draft a case from" in browser.page(f"/harvest?run={demo_run.id}&only=flaky")


def test_the_most_drafts_are_asked_for_again_in_words_of_the_page(browser: Browser, demo_run: Run) -> None:
    answer = browser.get(f"/harvest?run={demo_run.id}&limit=0")
    assert answer.status_code == 422
    assert "expected 1 to 10,000" in answer.text
    assert "--limit" not in answer.text


def test_a_source_that_takes_long_is_read_while_the_page_says_so(
    browser: Browser, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def slowly(*args: Any, **options: Any) -> Any:
        assert go_on.wait(60)
        return harvest_run(*args, **options)

    monkeypatch.setattr("proctor.web.pages.harvest.harvest_run", slowly)
    monkeypatch.setattr("proctor.web.pages.harvest._PATIENCE", 0.01)
    address = f"/harvest?run={demo_run.id}&only=all"
    assert "is being read" in browser.page(address)
    assert browser.post("/harvest", {"run": demo_run.id, "only": "all", "do": "keep", "name": "x"}).status_code == 303

    go_on.set()
    monkeypatch.setattr("proctor.web.pages.harvest._PATIENCE", 60.0)

    assert "2 drafts" in browser.page(address)


def test_a_source_that_fails_says_why_however_often_the_page_asks_and_is_not_read_again(
    browser: Browser, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def fail(run: str, **_: Any) -> Any:
        read.append(run)
        raise InputError("there is nothing in it")

    monkeypatch.setattr("proctor.web.pages.harvest.harvest_run", fail)
    for _ in range(3):
        answer = browser.get(f"/harvest?run={demo_run.id}&only=failed")
        assert (answer.status_code, "there is nothing in it" in answer.text) == (422, True)
    assert len(read) == 1


def test_failures_of_a_run_that_is_still_being_read_come_up_by_themselves(
    browser: Browser, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor.web.views.findings_cache.FindingsCache.findings", lambda *_, **__: None)
    answer = browser.get(f"/runs/{demo_run.id}/failures")
    assert (answer.status_code, answer.headers["refresh"]) == (503, "2")
    assert "is being read" in answer.text
