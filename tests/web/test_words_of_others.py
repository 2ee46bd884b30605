"""What agents and users write is shown as they wrote it, and does nothing."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from tests.web.browsing import Browser
from tests.web.conftest import Opener

from proctor import evaluate
from proctor.benchmark import Case
from proctor.run import Run
from proctor.transcript import Citation, Reply, ToolCall
from proctor.web import pages

EVIL = "</title></textarea><script src=x></script><img src=x onerror=alert(1)>\"'><svg onload=alert(1)>{{7*7}}"
_ALLOWED_SCRIPTS = re.compile(r"/static/[\w.-]+\.js")
_QUERIES = {
    "/runs/{run}/attempt": "?case=evil",
    "/compare": "?a={run}&b={run}",
    "/compare/case": "?a={run}&b={run}&case=evil",
}


class Reader(HTMLParser):
    """Notes everything in a page that could act."""

    def __init__(self) -> None:
        super().__init__()
        self.acting: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag == "script" and not _ALLOWED_SCRIPTS.fullmatch(given.get("src") or ""):
            self.acting.append(f"<script {given}>")
        if tag in ("style", "iframe", "object", "embed", "base", "img", "foreignobject"):
            self.acting.append(f"<{tag}>")
        for name, value in attributes:
            if name.startswith("on") or name == "style" or (value or "").strip().lower().startswith("javascript:"):
                self.acting.append(f"{tag} {name}={value}")


def acting(page: str) -> list[str]:
    reader = Reader()
    reader.feed(page)
    return reader.acting


@pytest.fixture
def evil_run(store_path: str) -> Run:
    """A run in which everything that can be named, asked or answered is an attack."""
    call = ToolCall(name=EVIL, arguments={EVIL: EVIL}, result=EVIL, error=EVIL)
    reply = Reply(text=EVIL * 400, tool_calls=(call,), citations=(Citation(source=EVIL, quote=EVIL),), stderr=EVIL)
    cases = [Case(id=name, question=EVIL, answer=EVIL, context=EVIL, categories=(EVIL,)) for name in ("evil", EVIL)]

    def answer(question: str) -> Reply:
        return reply

    answer.__name__ = EVIL
    return evaluate(cases, agent=answer, store=store_path, name=EVIL, labels={EVIL: EVIL}, trials=2).run


def addresses(run: str) -> list[str]:
    """Every page that is read, with something in place of what stands in braces."""
    found = []
    for router in pages.routers():
        for route in router.routes:
            if isinstance(route, APIRoute) and "GET" in (route.methods or ()) and "events" not in route.path:
                path = (route.path + _QUERIES.get(route.path, "")).replace("{run}", run)
                found.append(re.sub(r"\{benchmark\w*\}", "evil", path))
    return [path for path in found if "{" not in path]


def test_nothing_in_a_page_acts(browser: Browser, evil_run: Run) -> None:
    browser.site.library.save(file="e.csv", content=_row(EVIL), name="evil", description=EVIL)
    seen = 0
    for path in addresses(evil_run.id):
        answer = browser.get(path)
        if answer.headers.get("content-type", "").startswith("text/html") and answer.status_code == 200:
            assert acting(answer.text) == [], path
            assert "49" not in re.findall(r"onload=alert\(1\)&gt;(\d+)", answer.text), "no template is made of it"
            seen += "onerror" in answer.text
    assert seen >= 3, "some of them show it"


def _row(text: str) -> bytes:
    quoted = text.replace('"', '""')
    return f'"{quoted}";"{quoted}"\n'.encode()


def test_what_stands_in_an_address_does_not_act_either(browser: Browser, evil_run: Run) -> None:
    for path in ("/runs", "/nothing", f"/runs/{evil_run.id}", "/compare", "/history", "/login", "/settings"):
        names = ("q", "status", "benchmark", "agent", "sort", "a", "b", "next", "verdict", "category", "check", "by")
        answer = browser.get(path, params=dict.fromkeys(names, EVIL))
        assert acting(answer.text) == [], path
        assert answer.status_code < 500


def test_an_html_report_is_saved_and_not_shown(browser: Browser, evil_run: Run) -> None:
    answer = browser.get(f"/runs/{evil_run.id}/export/html")
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_spreadsheet_cannot_be_made_to_calculate(browser: Browser, store_path: str) -> None:
    cases = [Case(id="=1+1", question="=cmd()", answer="@x")]
    run = evaluate(cases, agent=lambda question: "+evil()", store=store_path).run
    lines = browser.get(f"/runs/{run.id}/export/csv").text
    for start in ("=cmd()", "+evil()", "=1+1"):
        assert not re.search(rf'(^|,|;|")"?{re.escape(start)}', lines, re.MULTILINE), start


# secrets ---------------------------------------------------------------------------------------------

_CONFIG = """
[agents.remote]
spec = "http://127.0.0.1:9/ask"
headers = {Authorization = "Bearer ${AGENT_KEY}", Other = "literal-secret-value"}
[reviewers.judge]
spec = "model:openai:gpt"
api_key = "${AGENT_KEY}"
"""


def test_no_page_and_no_answer_holds_a_secret(
    opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, evil_run: Run
) -> None:
    monkeypatch.setenv("AGENT_KEY", "sk-very-secret-123")
    (tmp_path / "proctor.toml").write_text(_CONFIG)
    browser = opened(config=tmp_path / "proctor.toml", token="correct horse battery")
    browser.log_in()
    api = [
        re.sub(r"\{\w+\}", "x", path) for path, methods in browser.app.openapi()["paths"].items() if "get" in methods
    ]
    for path in [*addresses(evil_run.id), *api]:
        answer = browser.get(path)
        for secret in ("sk-very-secret-123", "literal-secret-value", "correct horse battery"):
            assert secret not in answer.text, path


def test_the_password_of_the_store_is_in_no_page_even_if_it_cannot_be_opened(opened: Opener) -> None:
    browser = opened(store="postgresql://somebody:hush-hush-hush@127.0.0.1:1/db?connect_timeout=1")
    for path in ("/runs", "/settings", "/api/runs", "/health"):
        answer = browser.get(path)
        assert answer.status_code == 503, path
        assert "hush" not in answer.text
