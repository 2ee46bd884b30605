"""Files of other tools, and recordings, brought in from the page."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.formats.imports.made_files import inspect_eval, inspect_sample
from tests.web.browsing import Browser

from proctor.errors import InputError
from proctor.run import Run
from proctor.workflows.harvest.upload import harvest_run

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


def test_the_failures_of_a_run_become_drafts_that_wait_for_a_person(browser: Browser, demo_run: Run) -> None:
    page = browser.page(f"/harvest?run={demo_run.id}")
    assert "<b>1 draft</b>" in page
    done = browser.post("/harvest", {"run": demo_run.id, "do": "keep", "name": "Mistakes"})
    assert urlsplit(done.headers["location"]).path == "/benchmarks/mistakes/review"
    assert "What colour is the tide?" in browser.page(done.headers["location"])
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
    assert "is no recording by its ending" in look(browser, "/harvest", "said.txt", b"hello").text
    assert "is no whole number" in browser.get(f"/harvest?run={demo_run.id}&limit=many").text
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
    monkeypatch.setattr("proctor.web.reading.findings_cache.FindingsCache.findings", lambda *_, **__: None)
    answer = browser.get(f"/runs/{demo_run.id}/failures")
    assert (answer.status_code, answer.headers["refresh"]) == (503, "2")
    assert "is being read" in answer.text
