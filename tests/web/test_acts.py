"""What is done with a run from its page and by the API: gates, judged again, extended, sent elsewhere."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.web.browsing import Browser
from tests.web.conftest import Opener
from tests.web.site.test_jobs import until

from proctor import evaluate, resume
from proctor.run import Run


def api(browser: Browser, address: str, body: dict[str, Any]) -> Any:
    browser.client.cookies.clear()  # programs send none
    return browser.client.post(address, json=body)


def at(browser: Browser, answer: Any) -> Run:
    """The run that an answer leads to."""
    assert answer.status_code == 303, answer.text
    return browser.site.store.archive.find(answer.headers["location"].removeprefix("/runs/"))


def gated(browser: Browser, *gates: str, **fields: str) -> Run:
    """A run of the librarian with gates, started by the form; nothing plays it."""
    form = {"benchmark": "handbook-30", "agent": "demo:librarian", "gates": "\n".join(gates), "do": "start", **fields}
    return at(browser, browser.post("/runs/new", form))


# gates ------------------------------------------------------------------------------------------------


def test_gates_are_open_until_the_run_is_over_and_then_judged(browser: Browser, store_path: str) -> None:
    run = gated(browser, "pass_rate>=0.3", "pass_rate>=0.85", "mean_score<=0.3")
    page = unescape(browser.page(f"/runs/{run.id}"))
    assert "pass_rate>=0.3" in page
    assert page.count("judged when the run is over") == 3
    assert browser.get(f"/api/runs/{run.id}").json()["gates"] == []
    resume(run.id, store=store_path)
    page = browser.page(f"/runs/{run.id}")
    assert '<b class="pass">' in page
    assert '<b class="fail">' in page
    told = browser.get(f"/api/runs/{run.id}").json()["gates"]
    assert [gate["verdict"] for gate in told] == ["met", "inconclusive", "not met"]
    assert all(unescape(gate["sentence"].split(" `")[0])[:60] in unescape(page) for gate in told)


def test_a_run_that_stopped_without_its_end_has_no_verdict(browser: Browser) -> None:
    run = gated(browser, "pass_rate>=0.3")
    browser.post(f"/runs/{run.id}/cancel")
    page = browser.page(f"/runs/{run.id}")
    assert "not judged: the run is not complete" in page


def test_a_gate_against_a_run_that_is_gone_is_told_and_no_verdict(browser: Browser, store_path: str) -> None:
    first = evaluate([("one?", "yes")], agent="demo:librarian", store=store_path).run
    other = gated(browser, "pass_rate>=0.3")
    resume(other.id, store=store_path)
    run = gated(browser, f"not worse than {other.id} by 0.5")
    resume(run.id, store=store_path)
    assert browser.get(f"/api/runs/{run.id}").json()["gates"][0]["baseline"] == other.id
    browser.post("/chosen/delete", {"run": [other.id]})
    told = browser.get(f"/api/runs/{run.id}").json()
    assert told["gates"] == []
    assert other.id in told["gates_trouble"]
    assert first.id not in told["gates_trouble"]


def test_a_run_that_stops_early_shows_its_looks_and_its_verdict(browser: Browser, store_path: str) -> None:
    run = gated(browser, "pass_rate>=0.3", stop_early="yes", concurrency="1")  # so that a rest is left
    resume(run.id, store=store_path)
    page = browser.page(f"/runs/{run.id}")
    assert "Looks at the gate" in page
    assert '<b class="pass">' in page
    assert "Run the rest" in page
    cut = browser.site.store.archive.find(run.id)
    assert cut.cut
    played = at(browser, browser.post(f"/runs/{run.id}/extend", {"to_the_end": "yes"}))
    assert (played.status, played.planned) == ("queued", 30)
    resume(run.id, store=store_path)
    assert browser.get(f"/api/runs/{run.id}").json()["gates"][0]["verdict"] == "met", "what was settled stays"


def test_canaries_and_a_panel_stand_on_the_page(browser: Browser, store_path: str) -> None:
    run = gated(browser, reviewer="exact", panel="embedded", canaries="standard")
    resume(run.id, store=store_path)
    page = browser.page(f"/runs/{run.id}")
    assert "<h2>Canaries</h2>" in page
    assert "of 30" in page
    assert "exact" in page.partition("Panel")[2] or "exact" in page.partition("By judge")[2]


# judged again ------------------------------------------------------------------------------------------


def test_replies_are_judged_anew_by_another_reviewer_without_asking_the_agent(
    browser: Browser, demo_run: Run, store_path: str
) -> None:
    made = at(browser, browser.post(f"/runs/{demo_run.id}/rescore", {"reviewer": "exact", "name": "word for word"}))
    assert (made.status, made.rescored_from, made.settings.reviewer) == ("queued", demo_run.id, "exact")
    assert made.name == "word for word"
    found = resume(made.id, store=store_path).findings
    assert found.counts.scored == 4
    assert "judged again from" in browser.page(f"/runs/{made.id}")


def test_a_panel_and_another_passing_score_are_chosen_by_form_and_api(browser: Browser, demo_run: Run) -> None:
    made = at(browser, browser.post(f"/runs/{demo_run.id}/rescore", {"reviewer": "exact", "panel": "embedded"}))
    assert made.settings.panel == ("exact", "embedded")
    answer = api(browser, f"/api/runs/{demo_run.id}/rescore", {"passing_score": 0.9})
    assert answer.status_code == 201
    assert browser.site.store.archive.find(answer.json()["run"]).settings.passing_score == 0.9


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "nothing would change"),
        ({"reviewer": "python:os:getcwd"}, "there is no reviewer"),
        ({"passing_score": "high"}, "is not a number"),
        ({"passing_score": "2"}, "“Passing score” 2 is not usable; expected a number from 0 to 1"),
        ({"reviewer": "exact", "criteria": "tone: polite?"}, "are marked by a chat model"),
    ],
)
def test_what_cannot_be_judged_anew_is_told_and_makes_no_run(
    browser: Browser, demo_run: Run, fields: dict[str, str], words: str
) -> None:
    answer = browser.post(f"/runs/{demo_run.id}/rescore", fields)
    assert answer.status_code in (400, 422)
    assert words in unescape(answer.text)
    assert len(browser.site.store.archive.runs()) == 1


def test_a_run_that_goes_on_is_not_judged_anew(browser: Browser) -> None:
    run = gated(browser)
    assert "Judge its replies again" not in browser.page(f"/runs/{run.id}")
    assert browser.post(f"/runs/{run.id}/rescore", {"reviewer": "exact"}).status_code == 409


def test_a_process_of_its_own_judges_and_extends(opened: Opener, demo_run: Run) -> None:
    browser = opened(processes=1)
    archive = browser.site.store.archive
    made = at(browser, browser.post(f"/runs/{demo_run.id}/rescore", {"reviewer": "exact"}))
    until(lambda: archive.find(made.id).status == "completed")
    longer = at(browser, browser.post(f"/runs/{demo_run.id}/extend", {"trials": "3"}))
    assert longer.id == demo_run.id
    until(lambda: archive.find(demo_run.id).status == "completed")
    assert archive.count(demo_run.id) == 6


# extended ---------------------------------------------------------------------------------------------


def test_more_trials_are_planned_and_only_they_are_played(browser: Browser, demo_run: Run, store_path: str) -> None:
    answer = api(browser, f"/api/runs/{demo_run.id}/resume", {"trials": 3})
    assert answer.status_code == 200
    assert (answer.json()["status"], answer.json()["planned"], answer.json()["trials"]) == ("queued", 6, 3)
    found = resume(demo_run.id, store=store_path)
    assert (found.run.status, found.run.settings.look, found.findings.counts.scored) == ("completed", 2, 6)


def test_time_outs_are_played_again_where_a_program_asks_for_it(browser: Browser, store_path: str) -> None:
    slow = "command:sh -c 'test -e answered || sleep 5; echo yes'"
    run = evaluate([("one?", "yes")], agent=slow, store=store_path, reviewer="exact", timeout=0.2).run
    answer = api(browser, f"/api/runs/{run.id}/resume", {"retry_timeouts": True, "timeout": 30})
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "queued"
    found = browser.site.store.archive.find(run.id)
    assert (found.status, found.settings.retried_timeouts) == ("queued", 1)


def test_a_completed_run_without_time_outs_has_none_to_play_again(browser: Browser, demo_run: Run) -> None:
    answer = api(browser, f"/api/runs/{demo_run.id}/resume", {"retry_timeouts": True})
    assert answer.status_code == 409
    assert browser.site.store.archive.find(demo_run.id) == demo_run


@pytest.mark.parametrize(
    ("trials", "words"), [("2", "has 2 already"), ("0", "“Trials per case” 0 is not usable"), ("many", "whole number")]
)
def test_an_extension_that_cannot_be_leaves_the_run_completed(
    browser: Browser, demo_run: Run, trials: str, words: str
) -> None:
    answer = browser.post(f"/runs/{demo_run.id}/extend", {"trials": trials})
    assert answer.status_code in (400, 422)
    assert words in unescape(answer.text)
    assert browser.site.store.archive.find(demo_run.id) == demo_run


def test_a_run_of_a_python_object_is_not_extended_here(browser: Browser, store_path: str) -> None:
    run = evaluate([("one?", "yes")], agent=lambda question: "yes", store=store_path, reviewer="exact").run
    assert "More trials" not in browser.page(f"/runs/{run.id}")
    assert browser.post(f"/runs/{run.id}/extend", {"trials": "2"}).status_code == 400
    assert browser.site.store.archive.find(run.id) == run
    assert browser.post(f"/runs/{run.id}/rescore", {"reviewer": "embedded"}).status_code == 303, "but judged again"


# sent elsewhere ---------------------------------------------------------------------------------------


class _Collector(BaseHTTPRequestHandler):
    """Takes spans and says so."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.server.take_written.append(self.path)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("content-type", self.headers["content-type"])
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *said: object) -> None:
        """Nothing."""


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A service on this machine that the environment names; the paths that were posted to."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Collector)
    server.take_written = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield server.take_written  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_run_is_sent_where_the_environment_says_and_nowhere_else(
    browser: Browser, demo_run: Run, collector: list[str]
) -> None:
    page = browser.page(f"/runs/{demo_run.id}")
    assert "Send to otlp" in page
    assert "Send to langfuse" not in page
    assert browser.post(f"/runs/{demo_run.id}/sync", {"to": "otlp"}).status_code == 303
    until(lambda: browser.site.syncs.of(demo_run.id)["otlp"].state != "sending")
    assert "otlp: 4 attempts there" in browser.page(f"/runs/{demo_run.id}")
    assert collector
    told = browser.get(f"/api/runs/{demo_run.id}/sync").json()["deliveries"]
    assert [(each["to"], each["state"], each["attempts"]) for each in told] == [("otlp", "sent", 4)]
    refused = api(browser, f"/api/runs/{demo_run.id}/sync", {"to": "mlflow"})
    assert refused.status_code == 400
    assert "to='mlflow' is not configured on this server; expected otlp" in refused.json()["error"]


def test_a_service_that_is_away_is_told_and_can_be_tried_again(
    browser: Browser, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    assert api(browser, f"/api/runs/{demo_run.id}/sync", {"to": "mlflow"}).status_code == 202
    until(lambda: browser.site.syncs.of(demo_run.id)["mlflow"].state != "sending")
    page = browser.page(f"/runs/{demo_run.id}")
    assert "mlflow: 0 attempts there" in page
    assert "Send to mlflow" in page


def test_nothing_is_offered_where_nothing_is_configured(browser: Browser, demo_run: Run) -> None:
    assert "Send it elsewhere" not in browser.page(f"/runs/{demo_run.id}")
    assert browser.post(f"/runs/{demo_run.id}/sync", {"to": "otlp"}).status_code == 400


@pytest.mark.parametrize("act", ["rescore", "extend", "sync", "share", "unshare"])
def test_no_other_site_can_do_any_of_it(browser: Browser, demo_run: Run, act: str) -> None:
    browser.page("/")
    assert browser.client.post(f"/runs/{demo_run.id}/{act}", data={"trials": "9", "days": "1"}).status_code == 403
    assert browser.site.store.archive.find(demo_run.id) == demo_run


def test_a_history_is_the_same_after_the_server_was_started_again(opened: Opener, demo_run: Run) -> None:
    address = f"/history?benchmark={demo_run.benchmark}&measure=score"
    before = opened().page(address)

    again = opened().page(address)

    assert re.findall(r"\d[\d.]* – [\d.]+", again) == re.findall(r"\d[\d.]* – [\d.]+", before) != []


def test_a_history_that_is_remembered_follows_new_names(browser: Browser, demo_run: Run) -> None:
    address = f"/history?benchmark={demo_run.benchmark}"
    assert "two questions" in browser.page(address)
    assert api_patch(browser, f"/api/runs/{demo_run.id}", {"name": "another name"}).status_code == 200
    page = browser.page(address)
    assert "another name" in page
    assert "two questions" not in page


def api_patch(browser: Browser, address: str, body: dict[str, Any]) -> Any:
    browser.client.cookies.clear()  # programs send none
    return browser.client.patch(address, json=body)
