"""Working with stored runs in the page: rename, label, delete, run again; the list sorted and filtered."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from tests.web.browsing import Browser
from tests.web.test_home import examined, numbered

from proctor import evaluate, rescore
from proctor.config import AgentConfig, Config
from proctor.run import Run
from proctor.storage import Store
from proctor.transcript import Reply
from proctor.usage import Usage
from proctor.web.pages.run import again_of
from proctor.web.site.site import Site


def test_a_run_is_renamed_and_labelled(browser: Browser, demo_run: Run) -> None:
    sent = browser.post(
        f"/runs/{demo_run.id}/describe", {"name": "  a better   name ", "labels": "model=small\r\nx=<b>"}
    )
    assert sent.headers["location"] == f"/runs/{demo_run.id}"
    run = browser.site.store.archive.find(demo_run.id)
    assert (run.name, run.labels) == ("a better name", {"model": "small", "x": "<b>"})
    page = browser.page(f"/runs/{demo_run.id}")
    assert "<h1><bdi>a better name</bdi></h1>" in page
    assert "x=&lt;b&gt;" in page
    assert browser.get("/runs/a better name").status_code == 303, "it is found by its name"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": "", "labels": ""}, "the run's name is empty"),
        ({"name": "a", "labels": "nonsense"}, "is not a label; write name=value"),
        ({"name": "a" * 201, "labels": ""}, "expected at most 200"),
    ],
)
def test_a_name_or_label_that_cannot_be_changes_nothing(
    browser: Browser, demo_run: Run, fields: dict[str, str], words: str
) -> None:
    answer = browser.post(f"/runs/{demo_run.id}/describe", fields)
    assert answer.status_code == 422
    wrong = "labels" if fields["labels"] else "name"
    assert words in unescape(answer.text).partition(f'id="{wrong}-trouble">')[2].partition("</span>")[0]
    assert f'name="name" value="{fields["name"]}"' in answer.text, "what was typed is not lost"
    assert f"{fields['labels']}</textarea>" in answer.text
    assert browser.site.store.archive.find(demo_run.id) == demo_run


def test_the_api_changes_what_is_given_and_leaves_the_rest(browser: Browser, demo_run: Run) -> None:
    answer = browser.client.patch(f"/api/runs/{demo_run.id}", json={"labels": {"model": "small"}})
    assert answer.status_code == 200
    assert (answer.json()["name"], answer.json()["labels"]) == (demo_run.name, {"model": "small"})
    assert browser.client.patch(f"/api/runs/{demo_run.id}", json={"name": "other"}).json()["labels"] == {
        "model": "small"
    }
    assert browser.client.patch(f"/api/runs/{demo_run.id}", json={"name": ""}).status_code == 422


def test_a_run_is_deleted_after_one_more_question_unless_it_goes_on(browser: Browser, demo_run: Run) -> None:
    browser.site.store.journal.mark(demo_run.id, "queued")
    assert "Delete …" not in browser.page(f"/runs/{demo_run.id}")
    browser.site.store.journal.mark(demo_run.id, "completed")
    assert "Delete …" in browser.page(f"/runs/{demo_run.id}")
    asked = browser.page(f"/chosen?do=delete&run={demo_run.id}")
    assert "its 4 attempts and what people have said of them are gone for good" in asked
    assert f'href="/runs/{demo_run.id}">Keep it</a>' in asked
    assert browser.post("/chosen/delete", {"run": [demo_run.id]}).headers["location"] == "/runs"
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
    page = browser.page(f"/runs/{run.id}")
    assert "Run it again" not in page
    assert "is not known here, and its benchmark is not among those kept here" in page


def test_a_benchmark_that_takes_an_embedded_name_does_not_take_its_runs(browser: Browser) -> None:
    chosen = {"benchmark": "handbook-30", "agent": "demo:librarian", "do": "start"}
    started = browser.post("/runs/new", chosen).headers["location"]
    browser.site.library.save(file="a.csv", content=b'"Who?";"Ada"\n', name="handbook-30")
    assert "benchmark=handbook-30&amp;" in browser.page(started)


def test_a_run_from_elsewhere_leaves_its_benchmark_here_and_is_then_run_again(browser: Browser, demo_run: Run) -> None:
    page = browser.page(f"/runs/{demo_run.id}")
    assert "its benchmark is not among those kept here" in page
    sent = parse_qs(urlsplit(browser.get(f"/runs/{demo_run.id}/benchmark").headers["location"]).query)
    fields = {name: values[0] for name, values in sent.items()}
    assert browser.post("/benchmarks/new", {**fields, "do": "save"}).status_code == 303
    assert "Run it again" in browser.page(f"/runs/{demo_run.id}")


def test_a_run_that_judges_anew_leads_to_the_one_whose_replies_it_judges(
    browser: Browser, demo_run: Run, store_path: str
) -> None:
    anew = rescore(demo_run.id, store=store_path, passing_score=0.9, name="strict").run
    page = browser.page(f"/runs/{anew.id}")
    assert f'judges the replies of <a href="/runs/{demo_run.id}">' in page
    assert f"/compare?a={demo_run.id}&amp;b={anew.id}&amp;force=1" in page
    unlike = browser.page(f"/compare?a={demo_run.id}&b={anew.id}")
    assert f'action="/runs/{demo_run.id}/rescore"' in unlike
    assert "proctor rescore" not in unlike


def test_a_reply_that_is_read_can_be_labelled_where_it_is_the_one_drawn_of_its_case(
    browser: Browser, demo_run: Run
) -> None:
    case = browser.site.store.archive.benchmark_of(demo_run.id).cases[0].id
    found = {}
    for trial in (1, 2):
        page = browser.page(f"/runs/{demo_run.id}/attempt?case={case}&trial={trial}")
        [link] = re.findall(r'href="([^"]+)">Label this reply', page)
        answer = browser.get(unescape(link))
        found[answer.status_code] = answer
    assert sorted(found) == [303, 404], "which trial is drawn depends on the run"
    assert re.search(r"/label\?at=\d$", found[303].headers["location"])


def listed(page: str) -> list[str]:
    return re.findall(r"<tr data-row>.*?<bdi>(.*?)</bdi>", page, re.DOTALL)


def test_a_run_whose_agent_never_answered_has_no_tick_in_the_list(browser: Browser, store_path: str) -> None:
    def broken(question: str) -> str:
        raise RuntimeError("database is down")

    run = evaluate(numbered(), agent=broken, store=store_path, reviewer="exact").run
    for page in (browser.page("/runs"), browser.page("/")):
        assert "the agent itself failed in every attempt" in page
    page = browser.page(f"/runs/{run.id}")
    assert "The agent itself failed in all" in page
    assert '<span class="sign">✗</span>agent failed' in page


def test_runs_are_chosen_by_the_status_that_the_list_shows(browser: Browser, store_path: str) -> None:
    def broken(question: str) -> str:
        raise ValueError("no")

    for name, agent in (("sound", lambda question: "yes"), ("broken", broken)):
        evaluate([("one?", "yes")], agent=agent, store=store_path, reviewer="exact", name=name)
    page = browser.page("/runs")
    assert '<option value="agent failed">' in page
    for status, names in (("", {"sound", "broken"}), ("completed", {"sound"}), ("agent failed", {"broken"})):
        listed = browser.page(f"/runs?{urlencode({'status': status})}").partition("<tbody>")[2]
        assert {name for name in ("sound", "broken") if f"<bdi>{name}</bdi>" in listed} == names


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


# several runs ---------------------------------------------------------------------------------------


@pytest.fixture
def three(store_path: str) -> list[Run]:
    """The oldest first."""
    return [examined(store_path, numbered(), right=right) for right in (4, 2, 6)]


def test_the_list_tells_agent_type_labels_tokens_and_cost(browser: Browser, store_path: str) -> None:
    paid = Reply(text="1", usage=Usage(input_tokens=1_000, output_tokens=234, calls=1, cost=0.25))
    evaluate(numbered(), agent=lambda question: paid, store=store_path, reviewer="exact", labels={"model": "small"})
    page = browser.page("/runs")
    [row] = re.findall(r"<tr data-row>.*?</tr>", page, re.DOTALL)
    assert all(said in row for said in ("object:", ">Standard<", "model=small", ">7,404<", ">1.50<"))
    assert listed(browser.page("/runs?label=model%3Dsmall")) != []
    assert listed(browser.page("/runs?label=model%3Dlarge")) == []


@pytest.mark.parametrize("sort", ["agent", "type", "cost", "-tokens"])
def test_every_column_sorts(browser: Browser, three: list[Run], sort: str) -> None:
    assert len(listed(browser.page(f"/runs?sort={sort}"))) == len(three)


def test_runs_are_chosen_by_when_they_were_started(browser: Browser, three: list[Run]) -> None:
    assert len(listed(browser.page("/runs?since=7d"))) == 3
    assert listed(browser.page("/runs?since=7d&until=2020-01-01")) == []
    assert listed(browser.page("/runs?since=2999-01-01")) == []
    for wrong in ("since=lately", "until=soon", "until=9999-12-31"):
        assert browser.get(f"/runs?{wrong}").status_code == 400, wrong


def test_two_runs_are_compared_the_older_before_the_newer_and_more_as_a_matrix(
    browser: Browser, three: list[Run]
) -> None:
    first, second, third = (run.id for run in three)
    sent = browser.get(f"/chosen?do=compare&run={second}&run={first}")
    assert (sent.status_code, sent.headers["location"]) == (303, f"/compare?a={first}&b={second}")
    several = browser.get(f"/chosen?do=compare&run={third}&run={second}&run={first}").headers["location"]
    assert several == f"/compare/several?run={first}&run={second}&run={third}"
    assert browser.get(several).status_code == 200
    alone = browser.get(f"/chosen?do=compare&run={first}&run={first}")
    assert alone.status_code == 422
    assert "1 runs are chosen; tick from 2 to 20" in alone.text
    assert browser.get(f"/chosen?do=nonsense&run={first}").status_code == 422


def test_several_runs_are_deleted_after_one_more_question(browser: Browser, three: list[Run]) -> None:
    first, second, third = (run.id for run in three)
    asked = browser.page(f"/chosen?do=delete&run={first}&run={second}")
    assert "Delete 2 runs?" in asked
    assert len(browser.site.store.archive.runs()) == 3, "asking deletes nothing"
    assert browser.client.post("/chosen/delete", data={"run": [first]}).status_code == 403, "not one of our forms"
    assert browser.post("/chosen/delete", {"run": [first, second]}).headers["location"] == "/runs"
    assert [run.id for run in browser.site.store.archive.runs()] == [third]
    assert browser.get("/chosen?do=delete").status_code == 422


def test_where_one_of_them_goes_on_none_is_deleted(browser: Browser, three: list[Run]) -> None:
    first, second, _ = (run.id for run in three)
    browser.site.store.journal.mark(second, "queued")
    assert "cannot be deleted" in browser.page(f"/chosen?do=delete&run={first}&run={second}")
    assert browser.post("/chosen/delete", {"run": [first, second]}).status_code == 409
    assert len(browser.site.store.archive.runs()) == 3


def test_runs_that_are_ticked_meet_in_a_tournament(browser: Browser, three: list[Run]) -> None:
    first, second, third = (run.id for run in three)
    assert 'value="tournament"' in browser.page("/runs")
    answer = browser.get(f"/chosen?do=tournament&run={first}&run={second}&run={third}")
    assert answer.status_code == 303
    assert "Tournament of 3 runs" in browser.page(answer.headers["location"])


def test_a_run_by_spec_is_run_again_as_the_agent_declared_by_it_without_options(
    browser: Browser, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = "python:shop:answer"
    embedded = browser.site.library.all()[0]
    run = replace(demo_run, agent=spec, digest=embedded.newest.digest)
    for declared, agent in (
        ({"spec": spec}, ["clerk"]),
        ({"spec": spec, "temperature": 1}, None),
        ({"spec": spec, "kind": "orchestrator"}, None),
    ):
        config = Config(agents={"clerk": AgentConfig.model_validate(declared)})
        monkeypatch.setattr(Site, "config", config)
        again = again_of(browser.site, run)
        assert parse_qs(urlsplit(again.address).query).get("agent") == agent
        assert again.lacks_agent == (agent is None)


def test_what_is_stored_is_read_while_the_configuration_is_broken(browser: Browser, demo_run: Run) -> None:
    Path("proctor.toml").write_text("[agents.mine\n", encoding="utf-8")
    here = f"/runs/{demo_run.id}"
    for address in (here, "/", "/runs", "/agents", "/history", f"{here}/judges", f"{here}/attempt?case=holiday"):
        page = browser.page(address)
        assert "Nothing can be started until the configuration can be read" in page, address
    settings = browser.page("/settings").partition("Configuration</dt>")[2].partition("</dd>")[0]
    assert "It cannot be read, so nothing can be started" in settings
    assert browser.post("/runs/new", {"benchmark": "handbook-30", "agent": "demo:librarian", "do": "start"}).is_error
    assert len(browser.site.store.archive.runs()) == 1


def test_judging_again_is_no_news_of_an_agent(browser: Browser, demo_run: Run, store_path: str) -> None:
    again = rescore(demo_run.id, passing_score=0.01, store=store_path).run
    agents = browser.page("/agents")
    assert demo_run.id in agents
    assert again.id not in agents
    page = browser.page(f"/history?benchmark={demo_run.benchmark}")
    order = [page.rindex(f'/runs/{each.id}"') for each in (again, demo_run)]
    assert order == sorted(order), "the newest first: it was judged again after it was asked"
    assert "passing score 0.7 → 0.01" in page


def test_a_queued_run_has_no_time_yet(browser: Browser, demo_run: Run, store: Store) -> None:
    waiting = replace(demo_run, id="261118-000000-wait", status="queued", seconds=0.0)
    store.journal.create(waiting, store.archive.benchmark_of(demo_run.id))
    assert "&lt; 1 ms" not in browser.page("/runs")
