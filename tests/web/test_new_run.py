"""Starting runs with panels, criteria, canaries, several agents and gates, by the form and by the API."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.web.browsing import Browser
from tests.web.test_pages_doing import declare

from proctor.run import Run
from proctor.settings import RUN_SETTINGS
from proctor.web.site import new_run

CONFIG = """
[models.judge]
spec = "openai:gpt-5-mini"

[models.other]
spec = "openai:gpt-5-nano"
"""
BASE = {"benchmark": "handbook-30", "agent": "demo:librarian"}


@pytest.fixture
def browser(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Browser:
    monkeypatch.setenv("OPENAI_API_KEY", "nobody is asked")
    declare(tmp_path, CONFIG)
    return browser


def stored(browser: Browser, answer: Any) -> Run:
    assert answer.status_code == 303, answer.text
    return browser.site.store.archive.find(answer.headers["location"].removeprefix("/runs/"))


def started(browser: Browser, **fields: Any) -> Run:
    """The run that the form starts."""
    return stored(browser, browser.post("/runs/new", {**BASE, **fields, "do": "start"}))


def by_api(browser: Browser, **body: Any) -> Run:
    browser.client.cookies.clear()  # programs send none
    answer = browser.client.post("/api/runs", json={**BASE, **body})
    assert answer.status_code == 201, answer.text
    return browser.site.store.archive.find(answer.json()["run"])


def refused(browser: Browser, **fields: Any) -> str:
    """What the form says instead."""
    answer = browser.post("/runs/new", {**BASE, **fields, "do": "start"})
    assert answer.status_code == 422
    assert browser.site.store.archive.runs() == []
    return unescape(answer.text)


def test_all_that_is_wrong_with_a_form_is_told_at_once_each_at_its_field(browser: Browser) -> None:
    wrong = {
        "trials": "many", "passing_score": "1.5", "weight.correctness": "-1", "timeout": "0",
        "gates": "pass_rat>=0.9", "labels": "no sign",
    }  # fmt: skip
    said = refused(browser, **wrong)
    assert {name for name in wrong if f'id="{name}-trouble"' in said} == set(wrong)


def test_a_panel_judges_where_further_judges_are_ticked(browser: Browser) -> None:
    run = started(browser, reviewer="exact", panel=["judge", "other"])
    assert run.settings.panel == ("exact", "judge", "other")
    assert started(browser, panel="judge").settings.panel == ("embedded", "judge"), "beside who judges as usual"
    assert by_api(browser, reviewer=["exact", "judge"]).settings.panel == ("exact", "judge")


def test_a_second_judge_gets_what_the_first_leaves_unsure(browser: Browser) -> None:
    assert started(browser, second="judge").settings.reviewer == "embedded,judge"
    assert by_api(browser, reviewer="embedded,judge").settings.reviewer == "embedded,judge"
    assert "is never unsure" in refused_anew(browser, reviewer="exact", second="judge")


def refused_anew(browser: Browser, **fields: Any) -> str:
    return unescape(browser.post("/runs/new", {**BASE, **fields, "do": "start"}).text)


@pytest.mark.parametrize("reviewer", ["embedded,python:os:getcwd", ["exact", "command:rm"], "model:openai:gpt-5"])
def test_judges_that_are_not_offered_are_refused_wherever_they_stand(browser: Browser, reviewer: Any) -> None:
    answer = browser.client.post("/api/runs", json={**BASE, "reviewer": reviewer})
    assert answer.status_code == 400
    assert "there is no reviewer" in answer.json()["error"]


def test_what_is_left_out_is_as_the_configuration_says(browser: Browser, tmp_path: Path) -> None:
    said = 'type = "abm-static"\ncondition = "slow"\nlabel = {team = "search"}\nmax_turns = 12\nretries = 1\n'
    declare(tmp_path, f'{CONFIG}\n[run]\n{said}\n[conditions.slow]\ntool = "search"\ndelay = 1\n')
    run = by_api(browser)
    assert (run.settings.type, run.settings.conditions, run.settings.retries) == ("abm-static", ("slow",), 1)
    assert (run.settings.max_turns, run.labels["team"]) == (12, "search")
    page = browser.page("/runs/new")
    assert 'value="abm-static" checked' in page
    assert 'value="slow" checked' in page
    own = by_api(browser, type="standard", conditions=["none"], labels={"team": "chat"}, retries=0)
    assert (own.settings.type, own.settings.conditions, own.settings.retries) == ("standard", ("",), 0)
    assert own.labels["team"] == "chat"


def test_the_limits_of_a_conversation_are_set_in_the_form(browser: Browser) -> None:
    limits = {"conversation_tokens": "4000", "conversation_seconds": "2.5"}
    run = started(browser, type="abm-static", **limits)
    assert (run.settings.conversation_tokens, run.settings.conversation_seconds) == (4000, 2.5)
    assert started(browser, type="standard", **limits).settings.conversation_tokens is None, "out of sight there"


def test_a_setting_of_words_is_chosen_in_the_form_and_offered_again(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(new_run.SETTINGS, "order", replace(RUN_SETTINGS["order"], label="Order"))
    monkeypatch.setattr(new_run, "FIELDS", (*new_run.FIELDS, "order"))
    assert '<option value="random">random</option>' in browser.get("/runs/new").text
    assert "is not known; expected file or random" in refused(browser, order="sorted")
    run = started(browser, order="random")
    assert run.settings.order == "random"
    assert "order=random" in browser.get(f"/runs/{run.id}").text


def test_canaries_are_standard_none_or_the_file_that_the_configuration_names(browser: Browser, tmp_path: Path) -> None:
    assert started(browser, canaries="standard").settings.canaries == "standard"
    assert "there is no set of canaries '/etc/passwd'" in refused_anew(browser, canaries="/etc/passwd")
    own = Path(__file__).parents[2] / "src" / "proctor" / "reviewers" / "canaries.yaml"
    (tmp_path / "mine.yaml").write_bytes(own.read_bytes())
    declare(tmp_path, f'[run]\ncanaries = "mine.yaml"\n{CONFIG}')
    assert '<option value="mine.yaml"' in browser.page("/runs/new")
    assert by_api(browser, canaries="mine.yaml").settings.canaries == "mine.yaml"
    assert by_api(browser).settings.canaries == "mine.yaml", "as the configuration says"
    assert by_api(browser, canaries="none").settings.canaries == "none"


def test_several_agents_get_a_run_each_and_the_page_that_compares_them(browser: Browser) -> None:
    fields = {**BASE, "beside": ["demo:pushover", "demo:librarian"], "max_tokens": "5000", "name": "both"}
    answer = browser.post("/runs/new", {**fields, "do": "start"})
    assert answer.headers["location"].startswith("/compare/several?run=")
    runs = browser.site.store.archive.runs()
    assert {run.agent for run in runs} == {"demo:librarian", "demo:pushover"}
    assert {run.name for run in runs} == {"both, demo:librarian", "both, demo:pushover"}
    assert runs[0].together == runs[1].together
    assert {*runs[0].together} == {run.id for run in runs}
    assert browser.get(answer.headers["location"]).status_code == 200
    assert "Compare the 2 runs that were started together" in browser.page(f"/runs/{runs[0].id}")


def test_the_estimate_of_several_agents_is_of_all(browser: Browser) -> None:
    address = "/runs/new?benchmark=handbook-30&agent=demo:librarian&beside=demo:pushover"
    page = browser.page(address)
    assert '<p class="figure">60 ' in page
    assert "2 agents ×" in page
    browser.client.cookies.clear()
    told = browser.client.post("/api/runs/estimate", json={"benchmark": "handbook-30", "agents": ["demo:librarian"]})
    assert (told.json()["runs"], told.json()["planned"]) == (1, 30)


def test_the_api_starts_several_agents_and_says_where_they_are_compared(browser: Browser) -> None:
    body = {"benchmark": "handbook-30", "agents": ["demo:librarian", "demo:pushover"]}
    answer = browser.client.post("/api/runs", json=body)
    assert answer.status_code == 201
    ids = [run["run"] for run in answer.json()["runs"]]
    assert answer.json()["compare"] == f"/compare/several?run={ids[0]}&run={ids[1]}"
    twice = browser.client.post("/api/runs", json={**body, "agents": ["demo:librarian", "demo:librarian"]})
    assert "is named twice" in twice.json()["error"]
    both = browser.client.post("/api/runs", json={**body, **BASE})
    assert "both given" in both.json()["error"]


def test_gates_are_kept_with_the_run_and_stop_it_early_where_asked(browser: Browser) -> None:
    run = started(browser, gates="pass_rate>=0.5\r\n\r\nmean_score >= 0.4")
    assert run.gates == ("pass_rate>=0.5", "mean_score >= 0.4")
    assert run.settings.stop_early == ()
    run = by_api(browser, gates=["pass_rate>=0.5"], stop_early=True)
    assert run.settings.stop_early == ("pass_rate>=0.5",)
    assert run.settings.order == "random"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"gates": "pass_rate"}, "cannot be read"),
        ({"gates": "pass_rate>=0.999"}, "30 cases"),
        ({"gates": "not worse than last by 0.1"}, "no other run is stored yet"),
        ({"stop_early": "yes"}, "needs a gate to decide"),
        ({"gates": "mean_score>=0.5", "stop_early": "yes"}, "cannot stop a run early"),
        ({"criteria": "tone"}, "write name: what is asked"),
        ({"criteria": "tone (0): Is it polite?"}, "a number above 0"),
        ({"criteria": "tone (1.2.3): Is it polite?"}, "is not a number"),
        ({"criteria": "tone: Is it polite?"}, "are marked by a chat model"),
    ],
)
def test_gates_and_criteria_that_cannot_be_are_told_and_nothing_starts(
    browser: Browser, fields: dict[str, str], words: str
) -> None:
    page = refused(browser, **fields)
    assert words in page
    assert "--" not in page.partition('role="alert"')[2].partition("</p>")[0], "no advice for a terminal"


def test_a_model_judges_one_run_by_criteria_of_ones_own(browser: Browser) -> None:
    run = started(browser, reviewer="judge", criteria="tone: Is it polite?\nbrevity: Is it one sentence?")
    options = run.settings.built["reviewer"].options
    assert options["criteria"] == {"tone": "Is it polite?", "brevity": "Is it one sentence?"}
    assert run.settings.rubric.startswith("own-")
    assert "criteria" not in by_api(browser, reviewer="judge").settings.built["reviewer"].options
    suite = by_api(browser, benchmark="library-skills", reviewer="judge", criteria={"tone": "Is it polite?"})
    assert "own-" in suite.settings.rubric


def test_criteria_of_ones_own_may_be_weighed_in_the_form_and_by_the_api(browser: Browser) -> None:
    typed = started(browser, reviewer="judge", criteria="tone: Is it polite: always?\nsafety (2.5) : Is it safe?")
    weighed = {"asks": "Is it safe?", "weight": 2.5}
    told: dict[str, Any] = {"tone": "Is it polite: always?", "safety": weighed}
    assert typed.settings.built["reviewer"].options["criteria"] == told
    assert by_api(browser, reviewer="judge", criteria=told).settings.rubric == typed.settings.rubric
    page = browser.page(f"/runs/{typed.id}")
    again = unescape(page.partition('class="button" href="/runs/new')[2].partition('"')[0])
    assert pairs(again)["criteria"] == "tone: Is it polite: always?\nsafety (2.5): Is it safe?"


def test_a_run_with_judges_and_gates_is_offered_again_as_it_was(browser: Browser) -> None:
    run = started(
        browser, second="judge", panel="other", criteria="tone: Is it polite?", canaries="standard",
        gates="pass_rate>=0.5", stop_early="yes",
    )  # fmt: skip
    page = browser.page(f"/runs/{run.id}")
    again = unescape(page.partition('class="button" href="/runs/new')[2].partition('"')[0])
    assert again
    twin = started(browser, **{name: value for name, value in pairs(again).items() if name not in BASE})
    assert (twin.settings, twin.gates) == (run.settings, run.gates)


def pairs(query: str) -> dict[str, Any]:
    from urllib.parse import parse_qs

    return {name: values if len(values) > 1 else values[0] for name, values in parse_qs(query[1:]).items()}


def test_an_unknown_benchmark_chooses_none_and_says_so(browser: Browser) -> None:
    page = unescape(browser.page("/runs/new?benchmark=nonexistent&agent=demo:librarian"))
    assert "there is no benchmark 'nonexistent' here; choose one" in page
    chosen = page.partition('<select id="benchmark"')[2].partition("</select>")[0]
    assert chosen.count(" selected") == 1
    assert '<option value="" selected>choose one' in chosen
    assert "choose a benchmark" in refused(browser, benchmark="")


def test_a_benchmark_is_chosen_by_its_name_too(browser: Browser) -> None:
    page = browser.page("/runs/new?benchmark=library+skills")
    assert '<option value="library-skills" selected>' in page
    assert started(browser, benchmark="library skills").benchmark == "library skills"
