"""The settings page and its API: what is declared, and never a secret."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest
from tests.web.browsing import Browser
from tests.web.test_pages_doing import declare

CONFIG = """
[run]
workers = 3
trials = 2
gate = "pass_rate>=0.8"
budget = 1.5

[models.small]
spec = "openai:gpt-5-mini"
price = { input = 0.25, output = 2.0 }

[reviewers.support]
spec = "openai:gpt-5-mini"
api_key = "${SUPPORT_KEY}"
[reviewers.support.criteria]
tone = "Is it polite?"

[agents.tool]
spec = "command:./agent --key ${SUPPORT_KEY}"

[limits.openai]
requests_per_minute = 500
concurrency = 8
"""
SECRET = "sk-wholly-secret-0123456789abcdef"


@pytest.fixture
def browser(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Browser:
    monkeypatch.setenv("SUPPORT_KEY", SECRET)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    declare(tmp_path, CONFIG)
    return browser


def test_limits_models_prices_judges_and_workers_are_shown(browser: Browser) -> None:
    page = unescape(browser.page("/settings"))
    for said in ("support", "tone", "small", "openai:gpt-5-mini", "0.25", "2.0", "500", "pass_rate>=0.8", "<dd>3"):
        assert said in page, said
    told = browser.get("/api/settings").json()["declared"]
    assert told["models"] == [{"name": "small", "spec": "openai:gpt-5-mini"}]
    assert told["limits"] == [{"host": "openai", "requests_per_minute": 500.0, "concurrency": 8}]
    assert told["prices"] == [{"model": "openai:gpt-5-mini", "input": 0.25, "output": 2.0}]
    assert told["workers"] == {"workers": 3, "ray": None}
    assert {"name": "support", "spec": "openai:gpt-5-mini", "criteria": ["tone"]} in told["judges"]
    assert told["defaults"] == {"trials": 2, "gate": ["pass_rate>=0.8"], "budget": 1.5}


def test_no_secret_and_no_option_is_shown(browser: Browser) -> None:
    for text in (browser.page("/settings"), browser.get("/api/settings").text):
        assert SECRET not in text
        assert "api_key" not in text


def test_a_configuration_that_cannot_be_read_is_told_and_the_rest_is_there(browser: Browser, tmp_path: Path) -> None:
    declare(tmp_path, "[run]\ntrails = 2\n")
    page = unescape(browser.page("/settings"))
    assert "did you mean 'trials'?" in page
    assert "Runs at the same time" in page
    told = browser.get("/api/settings").json()
    assert told["declared"] is None
    assert "unknown key 'run.trails'" in told["trouble"]


def test_where_nothing_is_declared_the_page_says_what_belongs_there(browser: Browser, tmp_path: Path) -> None:
    declare(tmp_path, "")
    page = browser.page("/settings")
    for table in ("[models.NAME]", "[prices]", "[limits.NAME]"):
        assert table in page
