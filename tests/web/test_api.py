"""The REST API does what pages and command line do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.web.browsing import TOKEN, Browser
from tests.web.conftest import Opener

from proctor import evaluate
from proctor.run import Run
from proctor.storage import open_store

ROWS = b'"What is 2 + 2?";"4"\n"What is 3 + 3?";"6"\n'


@pytest.fixture
def api(browser: Browser) -> Any:
    """A program: it keeps no cookies."""
    return browser.client


def test_a_run_is_started_listed_stopped_and_deleted(api: Any) -> None:
    made = api.post("/api/runs", json={"benchmark": "handbook-30", "agent": "demo:librarian", "trials": 2, "name": "x"})
    assert made.status_code == 201
    run = made.json()
    assert (run["status"], run["planned"], run["trials"], run["name"]) == ("queued", 60, 2, "x")
    address = made.headers["location"]
    assert address == f"/api/runs/{run['run']}"
    assert api.get("/api/runs").json()["runs"][0]["run"] == run["run"]
    assert api.get("/api/runs", params={"status": "completed"}).json() == {"runs": [], "found": 0}
    assert api.post(f"{address}/pause").json()["status"] == "paused"
    assert api.post(f"{address}/resume", json={"timeout": 0}).status_code == 422
    assert api.post(f"{address}/resume", json={"timeout": 300, "concurrency": 2}).json()["status"] == "queued"
    [job] = api.app.state.site.jobs._jobs.values()
    assert job.pace == {"timeout": 300.0, "concurrency": 2}
    assert api.post(f"{address}/cancel").json()["status"] == "cancelled"
    assert api.delete(address).status_code == 204
    assert api.get(address).status_code == 404


def test_what_a_run_found_is_told_as_the_command_line_tells_it(api: Any, demo_run: Run) -> None:
    from proctor.reports.run.json import as_dict
    from proctor.workflows.read import read_findings

    expected = json.loads(json.dumps(as_dict(read_findings(demo_run.id, store=api.app.state.site.settings.store))))
    whole = api.get(f"/api/runs/{demo_run.id}", params={"cases": True}).json()
    assert whole == expected
    short = api.get("/api/runs/last").json()
    assert short == {name: value for name, value in expected.items() if name not in ("cases", "rows")}


def test_attempts_come_in_pages_and_one_by_one(api: Any, demo_run: Run) -> None:
    address = f"/api/runs/{demo_run.id}"
    page = api.get(f"{address}/attempts", params={"limit": 3}).json()
    assert (len(page["attempts"]), page["found"], page["next"]) == (3, 4, None)
    assert page["attempts"][0]["transcript"]["turns"] == []
    failed = api.get(f"{address}/attempts", params={"verdict": ["fail", "unscored"]}).json()
    assert {each["key"]["exam"] for each in failed["attempts"]} == {"nonsense"}
    rows = api.get(f"{address}/attempts", params={"sort": "-score"}).json()["attempts"]
    scores = [each["score"] for each in rows if each["score"] is not None]
    assert scores == sorted(scores, reverse=True)
    one = api.get(f"{address}/attempt", params={"case": "holiday", "trial": 2}).json()
    assert one["transcript"]["turns"][0]["reply"]["text"]
    assert one["outcome"] == "passed"
    assert api.get(f"{address}/attempt", params={"case": "holiday", "trial": 3}).status_code == 404


def test_what_a_run_is_asked_and_cannot_do_is_a_conflict(api: Any, demo_run: Run) -> None:
    for asked in ("pause", "cancel", "resume"):
        answer = api.post(f"/api/runs/{demo_run.id}/{asked}")
        assert (answer.status_code, answer.json()["error"].count("already completed")) == (409, 1)
        assert api.post(f"/api/runs/nobody/{asked}").status_code == 404


def test_a_run_is_watched_to_its_end(api: Any, demo_run: Run) -> None:
    answer = api.get(f"/api/runs/{demo_run.id}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    kind, data = answer.text.strip().split("\n")
    assert kind == "event: progress"
    told = json.loads(data.removeprefix("data: "))
    now = api.get(f"/api/runs/{demo_run.id}/progress").json()
    assert {**told, "newest": []} == {**now, "newest": []}
    assert api.get("/api/runs/nobody/events").status_code == 404


def test_nobody_else_watches_when_too_many_do(api: Any, demo_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.web.site.live.MOST_WATCHERS", 0)
    answer = api.get(f"/api/runs/{demo_run.id}/events")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")


def test_what_a_run_would_take_is_told_and_nothing_stored(api: Any) -> None:
    body = {"benchmark": "handbook-30", "agent": "demo:librarian", "trials": 3}
    told = api.post("/api/runs/estimate", json=body).json()
    assert (told["exams"], told["planned"], told["calls"]["high"]) == (30, 90, 0)
    assert api.get("/api/runs").json()["found"] == 0
    assert api.post("/api/runs/estimate", json={**body, "agent": "python:os:getcwd"}).status_code == 400


def test_runs_are_found_by_words(api: Any, demo_run: Run) -> None:
    assert api.get("/api/runs", params={"q": "QUESTIONS two"}).json()["found"] == 1
    assert api.get("/api/runs", params={"q": "three"}).json()["found"] == 0


def test_the_server_tells_how_it_is_set_up_without_its_secrets(opened: Opener) -> None:
    browser = opened(token=TOKEN)
    answer = browser.client.get("/api/settings", headers={"authorization": f"Bearer {TOKEN}"})
    told = answer.json()
    assert (told["host"], told["token"], told["processes"]) == ("127.0.0.1", True, 0)
    assert told["config"] is None
    assert told["store"].endswith("proctor.db")
    assert TOKEN not in answer.text


def test_a_search_goes_on_where_it_stopped(api: Any, demo_run: Run) -> None:
    address = f"/api/runs/{demo_run.id}/attempts"
    first = api.get(address, params={"q": "HOLIDAY", "limit": 1}).json()
    assert (len(first["attempts"]), first["found"]) == (1, None)
    second = api.get(address, params={"q": "holiday", "limit": 1, "after": first["next"]}).json()
    assert second["attempts"][0]["key"]["trial"] == 2
    for wrong in ("x", "bnVsbA==", "WzEsMl0=", "[1,2,3]"):
        assert api.get(address, params={"q": "holiday", "after": wrong}).status_code == 400


def test_progress_is_counted_by_the_store(api: Any, demo_run: Run) -> None:
    told = api.get(f"/api/runs/{demo_run.id}/progress").json()
    assert (told["status"], told["done"], told["planned"]) == ("completed", 4, 4)


@pytest.mark.parametrize("form", ["html", "json", "csv", "junit", "markdown"])
def test_a_run_is_exported_as_a_file_to_be_saved(api: Any, demo_run: Run, form: str) -> None:
    answer = api.get(f"/api/runs/{demo_run.id}/export/{form}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert "nonsense" in answer.text


@pytest.mark.parametrize("form", ["exe", "..%2f..%2fetc%2fpasswd", "html%00"])
def test_other_forms_are_none(api: Any, demo_run: Run, form: str) -> None:
    assert api.get(f"/api/runs/{demo_run.id}/export/{form}").status_code in (404, 422)


def test_the_library_is_kept_by_the_api(api: Any) -> None:
    made = api.post("/api/benchmarks", params={"file": "sums.csv", "name": "Sums"}, content=ROWS)
    assert (made.status_code, made.headers["location"]) == (201, "/api/benchmarks/sums")
    version = made.json()["versions"][0]["id"]
    assert api.get("/api/benchmarks/sums").json()["versions"][0]["cases"] == 2
    assert api.get("/api/benchmarks/sums/cases", params={"q": "3 +"}).json()["found"] == 1
    assert api.get("/api/benchmarks/sums/file", params={"version": version}).content == ROWS
    assert isinstance(api.get("/api/benchmarks/sums/doctor").json()["complaints"], list)
    assert "sums" in [each["id"] for each in api.get("/api/benchmarks").json()["benchmarks"]]
    run = api.post("/api/runs", json={"benchmark": "sums", "version": version, "agent": "demo:librarian"}).json()
    assert (run["benchmark"], run["planned"]) == ("Sums", 2)
    assert api.delete("/api/benchmarks/sums").status_code == 204
    assert api.get("/api/benchmarks/sums").status_code == 404


def test_tables_are_converted_as_in_the_form(api: Any) -> None:
    table = b"Prompt,Expected,ID\nWho?,Ada,7\n"
    told = api.post("/api/benchmarks/check", params={"file": "a.csv"}, content=table).json()
    assert told["converted"]["columns"] == {"question": "Prompt", "answer": "Expected"}
    assert told["converted"]["dropped"] == ["ID"]
    made = api.post("/api/benchmarks", params={"file": "a.csv", "name": "table"}, content=table)
    assert made.status_code == 201
    refused = api.post("/api/benchmarks", params={"file": "a.xlsx"}, content=b"no workbook")
    assert refused.status_code == 422
    assert "is not a readable zip file" in refused.json()["error"]
    assert api.post("/api/benchmarks").json()["error"] == "file is missing"


def test_a_file_is_checked_without_being_kept(api: Any) -> None:
    told = api.post("/api/benchmarks/check", params={"file": "a.csv"}, content=ROWS + b'"only one"\n').json()
    assert (told["rows"], told["errors"][0]["line"]) == (2, 3)
    assert told["compatibility"]["abm_static"]["indicator"] == "✗"
    assert [each["id"] for each in api.get("/api/benchmarks").json()["benchmarks"]] == ["handbook-30", "library-skills"]


def test_a_file_with_errors_tells_all_of_them(api: Any) -> None:
    answer = api.post("/api/benchmarks", params={"file": "a.csv"}, content=b'"a"\n"b"\n')
    assert answer.status_code == 422
    assert [fault["line"] for fault in answer.json()["faults"]] == [1, 2]


def test_files_are_limited_while_they_stream(api: Any) -> None:
    assert api.post("/api/benchmarks", params={"file": "a.csv"}, content=b"x" * 2_097_153).status_code == 413
    assert api.post("/api/benchmarks", params={"file": "a.csv"}, content=b"x" * 2_097_152).status_code == 422
    assert api.post("/api/runs", content=b'"' + b"x" * 2**20).status_code == 413


def test_only_those_that_the_server_offers_can_be_chosen(api: Any) -> None:
    offered = api.get("/api/agents").json()
    assert [each["name"] for each in offered["agents"]] == ["demo:librarian", "demo:orchestrator", "demo:pushover"]
    assert [each["name"] for each in offered["reviewers"]] == ["embedded", "exact", "none"]
    body = {"benchmark": "handbook-30", "agent": "python:os:system"}
    assert api.post("/api/runs", json=body).status_code == 400
    assert api.post("/api/agents/try", json={"agent": "python:os:system", "question": "?"}).status_code == 400


def test_an_agent_is_asked_one_question_in_a_process_of_its_own(api: Any) -> None:
    told = api.post("/api/agents/try", json={"agent": "demo:librarian", "question": "--json"}).json()
    assert told["trouble"] == ""
    assert told["reply"]["text"]


@pytest.mark.parametrize(
    "body",
    [
        {"benchmark": "nothing", "agent": "demo:librarian"},
        {"benchmark": "../../etc", "agent": "demo:librarian"},
        {"benchmark": "handbook-30", "version": "000000000000", "agent": "demo:librarian"},
    ],
)
def test_a_benchmark_that_is_not_there_is_not_found(api: Any, body: dict[str, str]) -> None:
    assert api.post("/api/runs", json=body).status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"benchmark": "handbook-30", "agent": "demo:librarian", "trails": 3}, 422),
        ({"benchmark": "handbook-30", "agent": "demo:librarian", "trials": 0}, 422),
        ({"benchmark": "handbook-30", "agent": "demo:librarian", "seeds": 3}, 400),
        ({"benchmark": "handbook-30", "agent": "demo:librarian", "weights": {"beauty": 1}}, 400),
        ({"benchmark": "handbook-30", "agent": "demo:librarian", "conditions": ["storm"]}, 400),
        ({"benchmark": "handbook-30", "agent": "demo:librarian", "checks": "handbook-30"}, 400),
    ],
)
def test_what_cannot_be_run_is_told_in_a_sentence(api: Any, body: dict[str, Any], status: int) -> None:
    answer = api.post("/api/runs", json=body)
    assert answer.status_code == status
    assert answer.json()["error"]


@pytest.mark.parametrize(
    ("given", "where", "said"),
    [
        ({"criteria": {"tone": {"asks": "x", "weight": -1}}}, "criteria.tone.weight", "'-1' is too small"),
        ({"criteria": {"tone": {"weight": 2}}}, "criteria.tone.asks", "is missing"),
        ({"criteria": {"tone": {"asks": "x", "wieght": 2}}}, "criteria.tone.wieght", "is not known here"),
        ({"reviewer": ["embedded", 3]}, "reviewer.1", "is not text"),
    ],
)
def test_a_fault_is_told_where_it_stands_in_what_was_sent(
    api: Any, given: dict[str, Any], where: str, said: str
) -> None:
    answer = api.post("/api/runs", json={"benchmark": "handbook-30", "agent": "demo:librarian", **given})
    [fault] = answer.json()["faults"]
    assert fault["where"] == f"body.{where}"
    assert said in answer.json()["error"].removeprefix(where)


def test_two_runs_are_compared_and_the_history_is_told(api: Any, demo_run: Run) -> None:
    compared = api.get("/api/compare", params={"a": demo_run.id, "b": demo_run.id}).json()
    assert compared["comparable"]
    [entry] = api.get("/api/history").json()["entries"]
    assert entry["run"] == demo_run.id
    assert api.get("/api/history", params={"benchmark": "nothing"}).status_code == 400


def test_the_documentation_is_ours_and_has_every_operation(browser: Browser) -> None:
    page = browser.page("/docs")
    assert "http://" not in page
    assert "https://" not in page
    assert "`" not in page
    for path in browser.app.openapi()["paths"]:
        assert path in page


def test_runs_are_listed_by_label_and_age_and_what_is_neither_is_refused(api: Any, demo_run: Run) -> None:
    api.patch(f"/api/runs/{demo_run.id}", json={"labels": {"prompt": "v2"}})
    for asked, found in (({"label": "prompt=v2"}, 1), ({"label": "prompt=v3"}, 0), ({"since": "7d"}, 1)):
        assert api.get("/api/runs", params=asked).json()["found"] == found
    assert api.get("/api/runs", params={"until": "2020-01-01"}).json()["found"] == 0
    for asked in ({"since": "junk"}, {"label": "prompt"}, {"until": "7d"}):
        answer = api.get("/api/runs", params=asked)
        assert (answer.status_code in (400, 422), bool(answer.json()["error"])) == (True, True)


def test_several_runs_are_compared_and_one_agent_has_nobody_to_be_compared_with(
    api: Any, demo_run: Run, store_path: str
) -> None:
    started = api.post("/api/runs", json={"benchmark": "handbook-30", "agents": ["demo:librarian"]}).json()
    assert (len(started["runs"]), started["compare"]) == (1, None)
    with open_store(store_path) as store:
        cases = store.archive.benchmark_of(demo_run.id)
    others = [evaluate(cases, agent=agent, store=store_path, trials=2).run.id for agent in ("demo:pushover",) * 2]
    asked = [("run", each) for each in (demo_run.id, *others)]
    compared = api.get("/api/compare/several", params=asked).json()
    assert [each["run"] for each in compared["runs"]] == [demo_run.id, *others]
    assert (len(compared["pairs"]), len(compared["cases"])) == (3, 2)
    for wrong in ([], asked[:1], [asked[0], asked[0]]):
        assert api.get("/api/compare/several", params=wrong).status_code in (400, 422)
