"""The reading pages: a run, an attempt, a battle, a comparison, a history."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.web.browsing import Browser
from tests.web.views.played import ATTACK, Played, play

from proctor import evaluate
from proctor.benchmark import Benchmark, Case
from proctor.findings.comparison import compare_findings
from proctor.reports import numbers
from proctor.reports.comparison import words
from proctor.run import Key, Run, Settings
from proctor.storage import Store, open_store
from proctor.telemetry.span import trace_id
from proctor.web.server import create_app
from proctor.web.site.settings import WebSettings
from proctor.web.views import addresses, attempt_search

_SCRIPTS = {"/static/app", "/static/reading", "/static/doing"}
ROW = re.compile(r"<tr data-row[^>]*>.*?<bdi>(.*?)</bdi>", re.DOTALL)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(str(tmp_path_factory.mktemp("reading") / ".proctor" / "proctor.db"))


@pytest.fixture(scope="module")
def reader(played: Played) -> Iterator[Browser]:
    """A browser at a server over those runs, which plays nothing."""
    folder = Path(played.store).parent
    with Browser(create_app(WebSettings(store=played.store, folder=folder, processes=0))) as browser:
        yield browser


class Tags(HTMLParser):
    """The elements of a page, as a browser sees them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.scripts: set[str | None] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "script":
            self.scripts.add(dict(attrs).get("src"))


def rows(page: str) -> list[str]:
    return [unescape(name) for name in ROW.findall(page)]


def section(page: str, heading: str) -> str:
    """What stands below a heading, up to the next one."""
    found = re.search(rf"<h2>{re.escape(heading)}</h2>(.*?)(?:<h2>|</section>)", page, re.DOTALL)
    assert found is not None, heading
    return found[1]


# a run ---------------------------------------------------------------------------------------------


def test_a_run_shows_its_pass_rate_with_its_interval_and_what_it_rests_on(reader: Browser, played: Played) -> None:
    page = reader.page(f"/runs/{played.id('handbook')}")
    said = numbers.say(played["handbook"].findings.pass_rate)
    headline = page[page.index("Pass rate") : page.index("Mean score")]
    assert said.value in headline
    assert said.interval in headline
    assert said.basis in headline
    assert 'role="img"' in headline


def test_a_prefix_or_a_name_leads_to_the_runs_own_address(reader: Browser, played: Played) -> None:
    for name in ("last", "many"):
        answer = reader.get(f"/runs/{name}")
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/runs/2")
    assert reader.get("/runs/many").headers["location"] == f"/runs/{played.id('many')}"


@pytest.mark.parametrize(
    "address",
    [
        "/runs/nothing",
        "/runs/nothing/attempt?case=x",
        "/runs/nothing/parts",
        "/runs/nothing/export/csv",
        "/compare?a=nothing&b=nothing",
        "/runs/many/attempt?case=nothing",
        "/runs/many/attempt?case=n-1&trial=9",
        "/runs/many/attempt?case=n-1&condition=nothing",
        "/runs/many/export/exe",
        "/history?benchmark=nothing",
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(reader: Browser, address: str) -> None:
    answer = reader.get(address)
    assert answer.status_code == 404
    assert 'role="alert"' in answer.text


def test_the_worst_cases_come_first(reader: Browser, played: Played) -> None:
    page = reader.page(f"/runs/{played.id('many')}")
    assert set(rows(page)[:30]) == {f"n-{place}" for place in range(90, 120)}
    assert len(rows(page)) == 50
    assert "page 1 of 3" in page


@pytest.mark.parametrize("kind", ["runs", "results", "comparison", "several"])
def test_filters_that_leave_nothing_give_one_way_back_to_all(reader: Browser, played: Played, kind: str) -> None:
    a, b = played.id("many"), played.id("better")
    address = {
        "runs": "/runs?q=nowhere",
        "results": f"/runs/{a}?q=nowhere&verdict=passed&by=attempt",
        "comparison": f"{addresses.comparison(a, b)}&q=nowhere&flip=fixed",
        "several": f"{addresses.several(a, b)}&q=nowhere",
    }[kind]
    page = unescape(reader.page(address))
    assert page.count(">Show all</a>") == 1
    back = re.search(r'<div class="empty"><p>[^<]*</p><p><a class="button" href="([^"]*)">Show all</a>', page)
    assert back is not None
    path = address.partition("?")[0]
    assert "matches these filters" not in reader.page(back[1] if back[1].startswith("/") else path + back[1])


def test_results_are_chosen_by_verdict_category_and_words_of_the_question(reader: Browser, played: Played) -> None:
    run = f"/runs/{played.id('many')}"
    assert rows(reader.page(f"{run}?verdict=not_passed&category=odd")) == [f"n-{place}" for place in range(91, 120, 2)]
    assert rows(reader.page(f"{run}?q=after+17?")) == ["n-17"]
    assert rows(reader.page(f"{run}?q=17+after")) == []
    assert rows(reader.page(f"{run}?q=N-11")) == ["n-110", *(f"n-{place}" for place in range(111, 120)), "n-11"]
    assert "No result matches these filters" in reader.page(f"{run}?q=nowhere")


def test_attempts_are_chosen_sorted_and_paged_by_the_store(reader: Browser, played: Played) -> None:
    run = f"/runs/{played.id('many')}?by=attempt"
    assert rows(reader.page(run))[:3] == ["n-0", "n-1", "n-2"]
    assert rows(reader.page(f"{run}&page=3"))[0] == "n-100"
    assert rows(reader.page(f"{run}&sort=score"))[:2] == ["n-90", "n-91"]
    assert rows(reader.page(f"{run}&verdict=not_passed&category=odd"))[:2] == ["n-91", "n-93"]
    assert rows(reader.page(f"{run}&verdict=environment_failed")) == []


def test_a_search_in_attempts_reads_the_replies_and_finds_a_case_by_its_id(reader: Browser, played: Played) -> None:
    run = f"/runs/{played.id('many')}?by=attempt"
    found = rows(reader.page(f"{run}&q=heron"))
    assert sorted(found) == sorted(f"n-{place}" for place in range(90, 120))
    assert rows(reader.page(f"{run}&q=N-7")) == ["n-7"]


def chips_of(page: str) -> list[str]:
    """What can be chosen from, each with its count."""
    nav = page.partition('aria-label="How it ended"')[2].partition("</nav>")[0]
    texts = (re.sub(r"<svg.*?</svg>|<[^>]+>", " ", link) for link in re.findall(r"<a .*?</a>", nav, re.DOTALL))
    return [" ".join(re.sub(r"[^\w ]", "", text).split()) for text in texts]


def test_attempts_that_were_searched_are_counted_sorted_and_paged(reader: Browser, played: Played) -> None:
    run = f"/runs/{played.id('many')}?by=attempt"
    page = reader.page(f"{run}&q=comes")
    everything = len(rows(page)) + sum(len(rows(reader.page(f"{run}&q=comes&page={number}"))) for number in (2, 3))
    assert f"{everything} attempts" in page
    for sort in ("score", "-score"):
        sorted_rows = rows(reader.page(f"{run}&q=comes&sort={sort}"))
        assert sorted_rows == rows(reader.page(f"{run}&sort={sort}")), "as without the search, since all hold it"
    assert rows(reader.page(f"{run}&q=heron&verdict=passed")) == []


def test_how_many_ended_how_follows_what_attempts_are_chosen_by(reader: Browser, played: Played) -> None:
    run = f"/runs/{played.id('many')}?by=attempt"
    assert chips_of(reader.page(run))[:3] == ["all 120", "90 passed", "30 not passed"]
    assert chips_of(reader.page(f"{run}&q=heron"))[:3] == ["all 30", "0 passed", "30 not passed"]
    assert chips_of(reader.page(f"{run}&q=heron&verdict=passed"))[0] == "all 30"
    assert chips_of(reader.page(f"{run}&q=n-7"))[:3] == ["all 1", "1 passed", "0 not passed"]
    assert chips_of(reader.page(f"{run}&category=odd"))[:3] == ["all 60", "45 passed", "15 not passed"]


def test_what_stands_in_too_many_attempts_is_neither_counted_nor_sorted_and_says_so(
    reader: Browser, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempt_search, "MOST", 60)
    page = reader.page(f"/runs/{played.id('many')}?by=attempt&q=What+comes&sort=-time")
    assert "found so far, trial by trial in the order of case ids: too many to count and sort" in page
    assert rows(page) == sorted(rows(page))
    assert "aria-sort" not in page
    assert "sort=" not in page.partition("<thead>")[2].partition("</thead>")[0]
    assert chips_of(page)[:3] == ["all", "passed", "not passed"]


def test_a_search_goes_on_where_it_stopped_and_nonsense_begins_anew(
    reader: Browser, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempt_search, "MOST", 60)
    run = f"/runs/{played.id('many')}?by=attempt&q=comes+after"
    first = reader.page(run)
    further = re.search(r'rel="next" href="([^"]*)">Search on', first)
    assert further is not None
    second = rows(reader.page(run.partition("?")[0] + unescape(further[1]).partition("#")[0]))
    assert len(second) == 50
    assert not set(second) & set(rows(first))
    for after in ("nonsense", "[1]", "[1,2,3]", '["a","",""]', "{}"):
        assert rows(reader.page(f"{run}&after={after}")) == rows(first)


def test_a_failed_check_leads_to_the_attempts_that_failed_it(reader: Browser, played: Played) -> None:
    run = f"/runs/{played.id('suite')}"
    check = played["suite"].findings.checks[0]
    link = re.search(r'href="([^"]*check=[^"]*)"', section(reader.page(run), "By check"))
    assert link is not None
    found = reader.page(unescape(link[1]).partition("#")[0])
    assert f"{check.failed} attempts" in found
    assert len(rows(found)) == check.failed


def test_sorting_and_filters_stay_in_the_address_of_every_further_page(reader: Browser, played: Played) -> None:
    page = reader.page(f"/runs/{played.id('many')}?by=attempt&verdict=passed&sort=-time")
    further = re.search(r'rel="next" href="([^"]*)"', page)
    assert further is not None
    assert all(each in unescape(further[1]) for each in ("by=attempt", "verdict=passed", "sort=-time", "page=2"))
    assert 'aria-sort="descending"' in page


@pytest.mark.parametrize("form", ["html", "json", "csv", "junit", "markdown"])
def test_every_export_is_a_file_to_be_saved(reader: Browser, played: Played, form: str) -> None:
    answer = reader.get(f"/runs/{played.id('hostile')}/export/{form}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert played.id("hostile") in answer.headers["content-disposition"]
    assert "quiet" in answer.text


@pytest.mark.parametrize(
    ("address", "room"),
    [("/tournament", "/compare"), ("/import", "/benchmarks"), ("/harvest", "/benchmarks"), ("/plan", "/runs")],
)
def test_the_menu_tells_where_one_is_on_pages_of_another_address(reader: Browser, address: str, room: str) -> None:
    page = reader.page(address)
    assert page.count('aria-current="page"') == 1
    assert f'<a href="{room}" aria-current="page">' in page


def test_charts_against_k_and_both_histograms_are_drawn(reader: Browser, played: Played) -> None:
    page = reader.page(f"/runs/{played.id('handbook')}")
    assert 'class="over-k"' in page
    assert page.count('class="histogram"') == 2
    assert "k = 2: pass@k" in page


def test_battles_orchestration_and_conditions_have_their_sections(reader: Browser, played: Played) -> None:
    battle = reader.page(f"/runs/{played.id('pushover')}")
    assert 'class="survival"' in battle
    assert "are-you-sure" in section(battle, "Strategies")
    orchestrated = reader.page(f"/runs/{played.id('orchestrator')}")
    assert "Critical path" in section(
        orchestrated, f"Orchestration, over all {len(played.runs['orchestrator'].run.settings.conditions)} conditions"
    )
    assert "small-budget" in section(orchestrated, "Conditions")


def test_the_parts_that_change_are_those_of_the_page(reader: Browser, played: Played) -> None:
    run = f"/runs/{played.id('many')}"
    for asked in ("", "?category=odd", "?by=attempt&verdict=passed"):
        answer, page = reader.get(f"{run}/parts{asked}"), reader.page(f"{run}{asked}")
        assert all(answer.json()[part] in page for part in ("headline", "overview", "chips"))
        assert answer.json()["done"] == 120, "as of how many attempts"


def test_while_a_run_goes_on_its_rows_are_planned_ones_that_fill_in_place(browser: Browser, demo_run: Run) -> None:
    run = f"/runs/{demo_run.id}"
    assert ROW.findall(browser.page(run)) == ["nonsense", "holiday"], "the worst first"
    browser.site.store.journal.mark(demo_run.id, "queued")
    page = browser.page(run)
    assert ROW.findall(page) == ["holiday", "nonsense"], "as planned"
    assert page.index('id="results"') < page.index('data-part="overview"'), "what grows stands below"
    assert browser.get(f"{run}/parts").json()["rows"] in page
    assert "rows" not in browser.get(f"{run}/parts?verdict=passed").json()


def test_outcomes_are_counted_among_the_rows_that_were_chosen(reader: Browser, played: Played) -> None:
    run = f"/runs/{played.id('many')}"
    assert re.findall(r"</span>(\d+ [a-z ]+)</a>", reader.page(run))[:2] == ["90 passed", "30 not passed"]
    odd = reader.page(f"{run}?category=odd&verdict=passed")
    assert re.findall(r"</span>(\d+ [a-z ]+)</a>", odd)[:2] == ["45 passed", "15 not passed"]
    assert ">all 60</a>" in odd


def test_a_run_begins_with_sentences_and_an_example_that_tells(reader: Browser, played: Played) -> None:
    page = reader.page(f"/runs/{played.id('many')}")
    told = page.partition('<p class="opening">')[2].partition("</p>")[0]
    assert told.startswith("Passed 90 of 120 cases: 75 % (67 – 82).")
    assert "attempt?case=n-90" in told
    battle = reader.page(f"/runs/{played.id('pushover')}").partition('<p class="opening">')[2].partition("</p>")[0]
    assert battle.startswith("Did not hold in 20 of 20 conversations; held in 0 % (0 – 16).")
    assert "It gives way most often when asked “Are you sure?”" in battle


def test_a_run_that_is_over_is_not_watched(reader: Browser, played: Played) -> None:
    page = reader.page(f"/runs/{played.id('many')}")
    assert "data-live" not in page
    assert 'http-equiv="refresh"' not in page


@pytest.fixture
def queued(browser: Browser) -> Run:
    """A run that was stored and has not begun."""
    run = Run(
        id="261115-000000-aaaa", name="waits", benchmark="numbers", digest="x", agent="demo:librarian", planned=1,
        settings=Settings(built={}), created=1.0,
    )  # fmt: skip
    browser.site.store.journal.create(run, Benchmark(name="numbers", digest="x", cases=(Case(id="a", question="b"),)))
    return run


def test_a_run_that_has_not_begun_is_watched_and_can_be_paused(browser: Browser, queued: Run) -> None:
    page = browser.page(f"/runs/{queued.id}")
    assert f'data-live="/runs/{queued.id}" data-status="queued"' in page
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page.partition("</head>")[0]
    assert rows(page) == ["a"]
    assert "/attempt?case=a" not in page
    assert "Nothing has been run yet" in browser.page(f"/runs/{queued.id}?by=attempt")
    answer = browser.post(f"/runs/{queued.id}/pause")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/runs/{queued.id}")
    assert browser.site.store.archive.find(queued.id).status == "paused"


@pytest.mark.parametrize("what", ["pause", "cancel", "resume"])
def test_nothing_is_stopped_or_begun_without_the_token_of_a_form(browser: Browser, queued: Run, what: str) -> None:
    assert browser.client.post(f"/runs/{queued.id}/{what}", data={}).status_code == 403
    assert browser.get(f"/runs/{queued.id}/{what}").status_code == 405
    assert browser.site.store.archive.find(queued.id).status == "queued"


def test_cancelling_is_told_and_what_is_completed_cannot_be_resumed(
    browser: Browser, queued: Run, demo_run: Run
) -> None:
    browser.post(f"/runs/{queued.id}/cancel")
    assert "cancelled" in browser.page(f"/runs/{queued.id}")
    refused = browser.post(f"/runs/{demo_run.id}/resume")
    assert refused.status_code == 409
    assert "already completed" in refused.text


def test_resuming_puts_a_run_in_line(browser: Browser, demo_run: Run) -> None:
    store = browser.site.store
    store.journal.mark(demo_run.id, "paused", reason="on request")
    assert "Resume" in browser.page(f"/runs/{demo_run.id}")
    assert browser.post(f"/runs/{demo_run.id}/resume").status_code == 303
    assert browser.site.jobs.waiting() == [demo_run.id]
    assert "is queued" in browser.page(f"/runs/{demo_run.id}")


def test_a_run_of_a_python_object_cannot_be_resumed_here_and_says_so(browser: Browser, queued: Run) -> None:
    browser.site.store.journal.mark(queued.id, "paused", reason="on request")
    page = browser.page(f"/runs/{queued.id}")
    assert "Its agent was a Python object" in page
    assert "/resume" not in page


# an attempt ------------------------------------------------------------------------------------------


def test_without_a_trial_the_first_that_did_not_pass_is_shown(reader: Browser, played: Played) -> None:
    failing = next(case for case in played["suite"].findings.cases if case.verdict == "fail")
    page = reader.page(addresses.case(played.id("suite"), failing.id))
    assert "not passed" in page
    assert "trial 1 of 2" in page


def test_an_attempt_shows_calls_citations_in_their_source_and_checks_with_evidence(
    reader: Browser, played: Played
) -> None:
    page = reader.page(f"/runs/{played.id('suite')}/attempt?case=cite-own-car")
    assert "search_knowledge(query=" in page
    assert '<mark class="cited">' in page
    assert "in the result of <code>search_knowledge</code>" in page
    assert "“45 pence” is missing" in unescape(page)
    assert "Trials side by side" in page
    assert page.count("<article") == 2


def test_the_reviewers_parts_are_bars_with_their_explanations(reader: Browser, played: Played) -> None:
    case = played["handbook"].findings.cases[0].id
    page = reader.page(addresses.case(played.id("handbook"), case))
    assert 'class="bar"' in page
    assert "Score by embedded" in page


def test_failing_cases_lead_to_each_other_and_say_which_of_them_they_are(reader: Browser, played: Played) -> None:
    run = played.id("many")
    first, middle, last = (reader.page(addresses.case(run, f"n-{place}")) for place in (90, 100, 119))
    assert 'rel="prev"' not in first
    assert 'rel="next"' not in last
    assert f'rel="prev" href="{unescape(addresses.case(run, "n-99"))}"' in middle
    assert f'rel="next" href="{unescape(addresses.case(run, "n-101"))}"' in middle
    assert "11 of 30 cases that did not pass" in middle
    passed = reader.page(addresses.case(run, "n-1"))
    assert ">30 cases did not pass<" in passed
    assert f'rel="next" href="{unescape(addresses.case(run, "n-90"))}"' in passed


def test_the_next_case_is_the_next_of_the_rows_that_were_chosen(reader: Browser, played: Played) -> None:
    run = played.id("many")
    listed = reader.page(f"/runs/{run}?verdict=passed&category=odd&sort=case").partition('id="results"')[2]
    first, second = re.findall(r'<a href="([^"]*/attempt[^"]*)"><bdi>', listed)[:2]
    page = reader.page(unescape(first))
    assert f'rel="next" href="{second}"' in page
    assert "1 of 45 cases as they were chosen" in page


def test_attempts_follow_each_other_by_their_filter_too(reader: Browser, played: Played) -> None:
    run = played.id("suite")
    check = next(each.name for each in played["suite"].findings.checks if each.failed > 2)
    listed = reader.page(f"/runs/{run}?{urlencode({'check': check})}").partition('id="results"')[2]
    addressed = [unescape(link) for link in re.findall(r'<a href="([^"]*/attempt[^"]*)"><bdi>', listed)]
    page = reader.page(addressed[1])
    found = {rel: unescape(link) for rel, link in re.findall(r'rel="(prev|next)" href="([^"]*)"', page)}
    assert found == {"prev": addressed[0], "next": addressed[2]}


def test_a_reply_is_rendered_or_shown_as_it_was_written(tmp_path: Path) -> None:
    store = str(tmp_path / ".proctor" / "s.db")
    said = "# Holiday\n\n- **28** days\n- <script>attack()</script>"
    cases = [Case(id="a", question="How many?", answer="28")]
    run = evaluate(cases, agent=lambda question: said, store=store, reviewer="exact").run
    with Browser(create_app(WebSettings(store=store, folder=Path(store).parent, processes=0))) as browser:
        page = browser.page(addresses.case(run.id, "a"))
        assert "<strong>28</strong>" in page
        assert "<script>attack" not in page
        raw = browser.page(addresses.case(run.id, "a") + "&text=raw")
        assert "- **28** days" in raw
        assert "Show it rendered" in raw
        [told] = re.findall(r'href="(/api/runs/[^"]*)">JSON', page)
        assert browser.get(unescape(told)).json()["transcript"]["turns"][0]["reply"]["text"] == said
        assert 'href="#talk-turn-1"' in page


def test_cases_follow_each_other_as_in_the_table(reader: Browser, played: Played) -> None:
    run = played.id("handbook")
    listed = rows(reader.page(f"/runs/{run}"))
    page = reader.page(addresses.case(run, listed[1]))
    assert f'rel="prev" href="{unescape(addresses.case(run, listed[0]))}"' in page
    assert f'rel="next" href="{unescape(addresses.case(run, listed[2]))}"' in page


def test_an_attempt_is_called_by_its_question_and_so_is_a_case_that_is_compared(
    reader: Browser, played: Played
) -> None:
    many, better = played.id("many"), played.id("better")
    for address in (addresses.case(many, "n-7"), addresses.pair(many, better, "n-7")):
        page = reader.page(address)
        heading = re.search(r"<h1>(.*?)</h1>", page)
        assert heading is not None
        assert re.sub(r"<.*?>", "", heading[1]) == "What comes after 7? n-7"
        assert "<title>What comes after 7?" in page


def test_a_run_that_is_slow_to_stop_leads_back_to_its_page(
    browser: Browser, store: Store, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor.web.site.jobs._PATIENCE", 0.0)
    with store.journal.writing(demo_run.id):
        store.journal.mark(demo_run.id, "running")
        answer = browser.post(addresses.run(demo_run.id) + "/pause")
        assert store.archive.stop_request(demo_run.id) == "pause"
    assert (answer.status_code, answer.headers["location"]) == (303, addresses.run(demo_run.id))


def test_an_orchestrators_steps_stand_on_a_line_of_time(reader: Browser, played: Played) -> None:
    case = played["orchestrator"].findings.cases[0].id
    page = reader.page(addresses.case(played.id("orchestrator"), case, condition="search-fails"))
    assert 'class="gantt"' in page
    assert re.search(r'<a href="[^"]*condition=search-fails[^"]*" aria-current="true">', page)


def test_a_trace_that_was_sent_somewhere_is_linked(reader: Browser, played: Played) -> None:
    run = played.id("many")
    folder = Path(played.store).parent / "sync"
    folder.mkdir(exist_ok=True)
    for to, endpoint in (("phoenix", "http://phoenix.test:6006/"), ("otlp", "http://collector.test:4318")):
        told = {"sent": {}, "facts": {"errand": {"to": to, "endpoint": endpoint, "redact": []}}}
        (folder / f"{run}.{to}.12345678.jsonl").write_text(json.dumps(told) + "\n")
    trace = trace_id(Key(run=run, exam="n-1"))
    page = reader.page(addresses.case(run, "n-1", trial=1))
    assert f'href="http://phoenix.test:6006/redirects/traces/{trace}"' in page
    assert f'Trace in otlp: <span class="mono">{trace}</span>' in page
    assert "collector.test" not in page


@pytest.mark.parametrize("endpoint", ["javascript:alert(1)", "http://me:secret@phoenix.test", "//phoenix.test", ""])
def test_what_is_no_plain_address_of_the_web_is_never_linked(reader: Browser, played: Played, endpoint: str) -> None:
    run = played.id("better")
    folder = Path(played.store).parent / "sync"
    folder.mkdir(exist_ok=True)
    told = {"sent": {}, "facts": {"errand": {"to": "phoenix", "endpoint": endpoint, "redact": []}}}
    (folder / f"{run}.phoenix.12345678.jsonl").write_text(json.dumps(told) + "\n")
    page = reader.page(addresses.case(run, "n-1", trial=1))
    assert trace_id(Key(run=run, exam="n-1")) in page
    assert "phoenix.test" not in page
    assert "alert(1)" not in page


# a battle --------------------------------------------------------------------------------------------


def contradicted(played: Played) -> tuple[str, Any]:
    attempts = [each for each in played["pushover"].attempts() if each.contradictions]
    return addresses.attempt(attempts[0].key), attempts[0].contradictions[0]


def test_turns_that_contradict_each_other_are_joined_and_lead_to_each_other(reader: Browser, played: Played) -> None:
    address, pair = contradicted(played)
    page = reader.page(address)
    first, second = pair.turns
    assert f'href="#talk-turn-{first}"' in page
    assert f'✗ contradicted in <a href="#talk-turn-{second}">turn {second}</a>' in page
    assert page.count('class="wire"') >= second - first + 1
    assert "<mark>" in page


def test_examiner_and_agent_stand_apart_with_strategies_and_marks(reader: Browser, played: Played) -> None:
    page = reader.page(contradicted(played)[0])
    assert "are-you-sure</span>" in page
    assert (
        page.count('class="examiner reading"') == page.count('class="margin"') == page.count('<section class="spoken')
    )
    assert "Ended: " in page


# a comparison ----------------------------------------------------------------------------------------


def test_a_comparison_begins_with_the_sentence_a_person_would_say(reader: Browser, played: Played) -> None:
    a, b = played["many"], played["better"]
    page = reader.page(addresses.comparison(a.run.id, b.run.id))
    found = compare_findings(a.findings, b.findings)
    assert words.sentence(found) in unescape(page)
    assert words.chance(found) in unescape(page)
    assert "30 fixed" in page
    assert "1 broken" in page
    assert "89 unchanged" in page


def test_cases_of_a_comparison_are_chosen_by_what_became_of_them(reader: Browser, played: Played) -> None:
    address = addresses.comparison(played.id("many"), played.id("better"))
    assert rows(reader.page(f"{address}&flip=broken")) == ["n-0"]
    assert rows(reader.page(address))[0] == "n-0"
    assert rows(reader.page(f"{address}&q=after+95?")) == ["n-95"]
    assert "page 1 of 3" in reader.page(address)


def test_runs_that_were_not_examined_alike_are_compared_only_when_forced(reader: Browser, played: Played) -> None:
    a, b = played.id("handbook"), played.id("librarian")
    refused = reader.page(addresses.comparison(a, b))
    assert "These runs were not evaluated in the same way" in refused
    assert "<td>type</td>" in refused
    forced = reader.page(addresses.comparison(a, b, force=True))
    assert "Forced: type differs (standard against abm-dynamic)" in forced


def test_runs_without_a_case_in_common_say_so(reader: Browser, played: Played) -> None:
    answer = reader.get(addresses.comparison(played.id("handbook"), played.id("many"), force=True))
    assert answer.status_code == 400
    assert "no case in common" in answer.text


def test_both_replies_stand_side_by_side_with_their_differences_marked(reader: Browser, played: Played) -> None:
    page = reader.page(addresses.pair(played.id("many"), played.id("better"), "n-95"))
    assert "<del>more than 95, a heron told me</del>" in page
    assert "<ins>96</ins>" in page
    assert re.search(r">\d+ of 31 cases broken, fixed, perhaps changed or flaky<", page)
    same = reader.page(addresses.pair(played.id("many"), played.id("better"), "n-5"))
    assert "Both said the same, word for word." in same


def test_turns_of_two_battles_that_went_alike_are_folded(reader: Browser, played: Played) -> None:
    case = next(each.id for each in played["pushover"].findings.cases if each.verdict == "fail")
    page = reader.page(addresses.pair(played.id("librarian"), played.id("pushover"), case))
    assert "both said the same" in page
    assert "<ins>" in page


def test_a_run_is_compared_with_the_one_before_it_on_the_same_cases(reader: Browser, played: Played) -> None:
    before = reader.get(f"/runs/{played.id('better')}/compare")
    assert before.headers["location"] == addresses.comparison(played.id("many"), played.id("better"))
    assert "Compare with the run before" in reader.page(f"/runs/{played.id('better')}")
    assert "Compare with the run before" not in reader.page(f"/runs/{played.id('many')}")
    first = reader.get(f"/runs/{played.id('many')}/compare")
    assert first.headers["location"] == f"/compare?b={played.id('many')}"


def test_two_runs_are_chosen_in_a_form(reader: Browser, browser: Browser, played: Played) -> None:
    page = reader.page("/compare")
    assert page.count(f'value="{played.id("many")}"') == 2
    assert f'<option value="{played.id("many")}" selected>' in reader.page(f"/compare?b={played.id('many')}")
    assert "Two runs are needed" in browser.page("/compare")


# a history -------------------------------------------------------------------------------------------


def test_a_history_draws_and_lists_the_runs_of_a_benchmark(reader: Browser, played: Played) -> None:
    page = reader.page("/history?benchmark=numbers&by=nothing")
    assert 'class="history"' in page
    assert f'href="/runs/{played.id("better")}"' in page
    assert "points" in page[page.index("<tbody>") :]
    assert addresses.comparison(played.id("many"), played.id("better")).replace("&", "&amp;") in page


def test_a_course_of_one_run_is_its_row_without_a_chart(browser: Browser, demo_run: Run) -> None:
    page = browser.page(f"/history?benchmark={demo_run.benchmark}")
    assert "two questions" in page
    assert "nothing to compare it with yet" in page
    assert "<figcaption>" not in page


def test_a_history_is_told_apart_by_agent_and_limited_to_one(reader: Browser) -> None:
    for by in ("", "&by=agent"):
        apart = reader.page(f"/history?benchmark=handbook-30&type=abm-dynamic{by}")
        assert "handbook-30, agent demo:pushover" in apart, (
            "one agent is not joined to another unless that is asked for"
        )
    alone = reader.page("/history?benchmark=handbook-30&agent=demo:pushover")
    assert alone.count("data-row") == 1
    assert reader.get("/history?by=nonsense").status_code == 400


def test_a_history_of_battles_calls_its_rates_what_they_are(reader: Browser) -> None:
    page = reader.page("/history?benchmark=handbook-30&agent=demo:pushover")
    assert ">held rate<" in page
    assert re.search(r"<dt[^>]*>held rate</dt>", page)
    assert "pass rate" not in page.casefold()
    assert ">pass rate<" in reader.page("/history?benchmark=numbers")


def test_a_history_has_one_course_for_each_agent_and_type(reader: Browser) -> None:
    page = reader.page("/history?benchmark=handbook-30")
    assert re.findall(r'<h2 class="spaced">(.*?)</h2>', page) == ["Standard", "ABM Dynamic"]
    agents = re.findall(r'<p class="now">handbook-30, agent demo:(\w+):', page)
    assert sorted(agents) == ["librarian", "librarian", "orchestrator", "pushover"]


def test_a_point_of_the_chart_leads_to_its_run(reader: Browser, played: Played) -> None:
    page = reader.page("/history?benchmark=numbers")
    chart = page.partition("<svg")[2].partition("</svg>")[0]
    assert f'<a href="/runs/{played.id("many")}"' in chart


def test_a_measure_that_no_run_has_is_one_empty_state(reader: Browser) -> None:
    page = reader.page("/history?benchmark=numbers&measure=cost")
    assert page.count('class="empty"') == 1
    assert "No run here has a cost" in page
    assert '<table class="rows entries">' not in page


def test_the_pages_of_a_table_keep_their_place_and_lead_to_the_first_and_the_last(
    reader: Browser, played: Played
) -> None:
    page = reader.page(f"/runs/{played.id('many')}?page=2").partition('<nav class="pager"')[2].partition("</nav>")[0]
    assert re.findall(r'href="\?page=(\d)#results">(\w+)', page) == [("1", "Previous"), ("3", "Next")]
    first = reader.page(f"/runs/{played.id('many')}").partition('<nav class="pager"')[2].partition("</nav>")[0]
    assert re.findall(r'href="\?page=(\d)#results">(\w+)', first) == [("2", "Next"), ("3", "Last")]


def test_a_run_is_not_compared_with_itself(reader: Browser, played: Played) -> None:
    page = reader.page(addresses.comparison(played.id("many"), played.id("many")))
    assert "A and B are the same run" in page
    assert "<h1>Compare</h1>" in page


@pytest.mark.parametrize("measure", ["score", "category:odd"])
def test_other_measures_are_followed_and_not_called_real(reader: Browser, played: Played, measure: str) -> None:
    page = reader.page(f"/history?{urlencode({'benchmark': 'numbers', 'measure': measure})}")
    assert "Whether a change is real is tested for the pass rate alone" in page
    assert f'<option value="{measure}" selected>' in page
    told = dict(re.findall(r'<a href="/runs/([^"]*)">.*?<td class="number strong">(.*?)<', page))
    finding = played["many"].findings
    expected = {
        "score": numbers.say(finding.mean_score, "score").value,
        "category:odd": numbers.say(finding.categories["odd"].pass_rate).value,
    }
    assert told[played.id("many")] == expected[measure]


def test_checks_are_measures_too_and_one_that_nobody_has_shows_nothing(reader: Browser, played: Played) -> None:
    name = played["suite"].findings.checks[0].name
    address = {"benchmark": played["suite"].run.benchmark, "measure": f"check:{name}"}
    assert numbers.say(played["suite"].findings.checks[0].rate).value in reader.page(f"/history?{urlencode(address)}")
    assert reader.get("/history?benchmark=numbers&measure=check:no-such").status_code == 200


def test_a_history_is_of_one_type_and_the_others_can_be_chosen(reader: Browser) -> None:
    page = reader.page("/history?benchmark=handbook-30&type=standard")
    assert ">pass rate<" in page
    assert '<option value="abm-dynamic">ABM Dynamic</option>' in page
    assert ">held rate<" in reader.page("/history?benchmark=handbook-30&type=abm-dynamic")
    assert reader.get("/history?benchmark=numbers&type=abm-static").status_code == 404


def test_the_first_page_and_the_history_it_leads_to_tell_the_same_rate(reader: Browser) -> None:
    rows = re.findall(
        r'<a href="(/history\?[^"]+)">.*?<td class="number strong"[^>]*>([^<]+)<', reader.page("/"), re.DOTALL
    )
    assert len(rows) == 5
    assert len({address for address, _ in rows}) == 5
    for address, rate in rows:
        page = reader.page(unescape(address))
        newest = re.search(r'<tr data-row>.*?<td class="number strong">([^<]+)<', page, re.DOTALL)
        assert newest is not None
        assert newest[1].strip() == rate, address


def test_an_empty_store_says_what_belongs_in_a_history(browser: Browser) -> None:
    assert "No run is stored yet" in browser.page("/history")


# all of them -----------------------------------------------------------------------------------------


def every_page(played: Played) -> list[str]:
    hostile, case = played.id("hostile"), f"../{ATTACK}"
    return [
        f"/runs/{hostile}",
        f"/runs/{hostile}?{urlencode(dict.fromkeys(('q', 'category', 'check'), ATTACK))}",
        addresses.case(hostile, case),
        addresses.comparison(hostile, hostile),
        addresses.pair(hostile, hostile, case),
        "/compare",
        f"/history?{urlencode({'benchmark': f'attack {ATTACK}'})}",
        f"/runs/{played.id('pushover')}",
        contradicted(played)[0],
        f"/runs/{played.id('orchestrator')}",
    ]


def test_what_agents_say_is_text_on_every_page_and_nothing_is_inline(reader: Browser, played: Played) -> None:
    for address in every_page(played):
        page = reader.page(address)
        assert ATTACK not in page, address
        tags = Tags(page)
        assert not tags.names & {"img", "style", "iframe", "object", "base"}, address
        assert not [name for name in tags.attributes if name == "style" or name.startswith("on")], address
        assert {re.sub(r"\.\w{12}\.js$", "", each or "") for each in tags.scripts} == _SCRIPTS, address
        assert "\x1b" not in page
        assert "\u202e" not in page


def test_every_page_has_one_heading_and_names_all_its_pictures(reader: Browser, played: Played) -> None:
    for address in every_page(played)[2:]:
        page = reader.page(address)
        assert page.count("<h1") == 1, address
        for picture in re.findall(r'<svg[^>]*role="img"[^>]*>', page):
            assert re.search(r'aria-label="[^"]', picture), picture


def test_a_damaged_run_is_said_to_be_damaged(browser: Browser, demo_run: Run) -> None:
    import sqlite3

    path = browser.site.settings.store
    with sqlite3.connect(path) as connection:
        connection.execute("update runs set settings = 'nonsense' where id = ?", (demo_run.id,))
    answer = browser.get(f"/runs/{demo_run.id}")
    assert answer.status_code == 503
    assert "the store is damaged there" in answer.text
    assert browser.get("/compare").status_code == 200
    assert browser.get("/history").status_code == 200


def test_the_report_and_its_pages_share_their_rules(reader: Browser) -> None:
    answer = reader.get("/static/look.css")
    assert answer.headers["content-type"].startswith("text/css")
    for rule in ("--ink: light-dark(", ".survival", ".history .better"):
        assert rule in answer.text


def test_a_store_that_another_process_writes_is_read_as_it_stands(browser: Browser, demo_run: Run) -> None:
    before = browser.page(f"/runs/{demo_run.id}")
    with open_store(browser.site.settings.store) as other:
        other.journal.mark(demo_run.id, "paused", reason="somebody else did")
    after = browser.page(f"/runs/{demo_run.id}")
    assert "somebody else did" not in before
    assert "somebody else did" in after


def test_in_a_battle_no_score_is_said_to_pass(reader: Browser, played: Played) -> None:
    run = played.id("pushover")
    for page in (reader.page(f"/runs/{run}"), reader.page(f"/runs/{run}/export/html")):
        assert "passes at" not in page
        assert "holds when no reply of it fails, whatever its score" in page
    case = played["pushover"].findings.cases[0].id
    assert "mean score" in reader.page(addresses.case(run, case))


def test_cases_under_several_conditions_are_counted_as_in_the_plain_run(reader: Browser, played: Played) -> None:
    found = played["orchestrator"].findings
    page = reader.page(f"/runs/{found.run.id}")
    told = re.findall(r'<td class="number" title="(\d+) of (\d+) attempts under all conditions">(\d+)/(\d+)</td>', page)
    assert told
    plain = {case.conditions[""] for case in found.cases}
    assert {(int(counted), int(passed)) for _, _, passed, counted in told} <= plain
