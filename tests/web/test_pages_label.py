"""Labelling in the page and by the API: one attempt at a time, the judge hidden until then, several people."""

from __future__ import annotations

import html
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.web.browsing import Browser

from proctor import evaluate
from proctor.benchmark import Benchmark, Case
from proctor.run import HumanLabel, Key, Run
from proctor.storage import Store
from proctor.workflows.human_labels import draw

_JUDGE = re.compile(r"the judge: <span class=\"(pass|fail)\"")


@pytest.fixture
def judged(store_path: str) -> Run:
    """Twenty numbers, of which the agent knows the first twelve."""
    cases = tuple(Case(id=f"n-{place}", question=f"{place}?", answer=str(place)) for place in range(20))

    def agent(question: str) -> str:
        place = question.rstrip("?")
        return place if int(place) < 12 else "no idea"

    benchmark = Benchmark(name="numbers", digest="numbers-1", cases=cases)
    return evaluate(benchmark, agent=agent, store=store_path, reviewer="exact", name="twelve right").run


class Person:
    """Somebody at the labelling page of a run."""

    def __init__(self, browser: Browser, run: Run, name: str, query: str = "") -> None:
        self.browser, self.address = browser, f"/runs/{run.id}/label{query}"
        asked = browser.get(self.address)
        assert asked.status_code == 303
        assert asked.headers["location"].startswith("/label/name?next=")
        given = browser.post("/label/name", {"who": name, "next": self.address})
        assert given.headers["location"] == self.address
        self.page = browser.page(self.address)

    @property
    def attempt(self) -> str:
        return self._field("attempt")

    def say(self, does: str, **fields: str) -> str:
        """Press a button; the page that follows."""
        hidden = {
            name: self._field(name) for name in ("attempt", "at", "since", "after") if f'name="{name}"' in self.page
        }
        answer = self.browser.post(self.address, {**hidden, "do": does, **fields})
        assert answer.status_code == 303, answer.text
        self.page = self.browser.page(answer.headers["location"])
        return self.page

    def _field(self, name: str) -> str:
        [value] = re.findall(rf'name="{name}" value="([^"]*)"', self.page)
        return html.unescape(value)


def test_one_attempt_at_a_time_and_the_judge_is_told_afterwards(browser: Browser, store: Store, judged: Run) -> None:
    ann = Person(browser, judged, "ann")
    assert "0 of 20 labelled" in ann.page
    assert _JUDGE.search(ann.page) is None
    first = ann.attempt
    after = ann.say("pass", note="as it should be")
    assert "1 of 20 labelled" in after
    assert len(_JUDGE.findall(after)) == 1
    assert ann.attempt != first
    [label] = store.human_labels.of_run(judged.id)
    assert (label.who, label.passed, label.note) == ("ann", True, "as it should be")
    assert label.seconds is not None
    assert "/".join((label.key.run, label.key.exam, label.key.condition, str(label.key.trial))) == first


def test_skip_goes_on_and_undo_comes_back_one_by_one(browser: Browser, store: Store, judged: Run) -> None:
    ann = Person(browser, judged, "ann")
    first = ann.attempt
    ann.say("fail")
    second = ann.attempt
    assert "2: skipped." in ann.say("skip")
    ann.say("undo")
    assert ann.attempt == second
    ann.say("undo")
    assert ann.attempt == first
    assert _JUDGE.search(ann.page) is None
    assert store.human_labels.of_run(judged.id) == []


def test_who_comes_back_goes_on_where_nothing_is_said_yet(browser: Browser, judged: Run) -> None:
    ann = Person(browser, judged, "ann")
    ann.say("pass")
    ann.say("pass")
    third = ann.attempt
    ann.page = browser.page(ann.address)
    assert ann.attempt == third


def test_everybody_with_the_same_link_is_asked_about_the_same_attempts(
    browser: Browser, judged: Run, store: Store
) -> None:
    ann = Person(browser, judged, "ann", "?n=6")
    seen = []
    for _ in range(6):
        seen.append(ann.attempt)
        ann.say("pass")
    assert "All 6 are labelled" in ann.page
    assert "as people judge, from 6 labels" in ann.page
    browser.client.cookies.delete("proctor_who")
    bob = Person(browser, judged, "Bob Müller; <b>", "?n=6")
    met = []
    for _ in range(6):
        met.append(bob.attempt)
        bob.say("fail" if len(met) == 1 else "pass")
    assert met == seen
    labels = store.human_labels.of_run(judged.id)
    assert len(labels) == 12
    assert {label.who for label in labels} == {"ann", "Bob Müller; <b>"}


def test_labels_stand_on_the_run_page_and_in_its_json_at_once(browser: Browser, judged: Run) -> None:
    assert "As people judge" not in browser.page(f"/runs/{judged.id}")
    assert "pass_rate_people" not in browser.get(f"/api/runs/{judged.id}").json()
    ann = Person(browser, judged, "ann")
    for _ in range(20):
        ann.say("pass")
    page = browser.page(f"/runs/{judged.id}")
    assert "As people judge" in page
    assert "20 labels</span>" in page.replace(" by 1 person", "")
    told = browser.get(f"/api/runs/{judged.id}").json()["pass_rate_people"]
    assert (told["value"], told["labels"], told["people"]) == (1.0, 20, 1)


def test_a_name_that_is_none_is_refused_in_a_sentence(browser: Browser, judged: Run) -> None:
    answer = browser.post("/label/name", {"who": "  ", "next": "https://evil.example/"})
    assert answer.status_code == 422
    assert "your name is empty" in answer.text
    assert 'value="/"' in answer.text, "and nobody is led elsewhere"


def test_without_a_name_nothing_is_stored(browser: Browser, judged: Run, store: Store) -> None:
    assert browser.post(f"/runs/{judged.id}/label", {"at": "1", "do": "pass"}).status_code == 403
    assert store.human_labels.of_run(judged.id) == []


def test_a_run_without_a_verdict_says_that_there_is_nothing_to_label(browser: Browser, store_path: str) -> None:
    run = evaluate([("Why?", "because")], agent=lambda question: "", store=store_path, reviewer="none").run
    browser.post("/label/name", {"who": "ann", "next": "/"})
    answer = browser.get(f"/runs/{run.id}/label")
    assert answer.status_code == 400
    assert "there is nothing to label" in answer.text


def test_single_keys_can_be_turned_off(browser: Browser) -> None:
    assert "data-keys" not in browser.page("/settings")
    assert browser.post("/settings/keys", {"keys": "off"}).status_code == 303
    assert 'data-keys="off"' in browser.page("/runs")
    browser.post("/settings/keys", {"keys": "on"})
    assert "data-keys" not in browser.page("/runs").partition("<body")[0]


def filled(sheet: str, verdict: str) -> str:
    return sheet.replace(",,,", f",{verdict},,")


def test_a_sheet_goes_out_and_comes_back_by_the_page(browser: Browser, judged: Run, store: Store) -> None:
    browser.post("/label/name", {"who": "ann", "next": "/"})
    sheet = browser.get(f"/runs/{judged.id}/label/sheet?n=6")
    assert sheet.headers["content-type"].startswith("text/csv")
    answer = browser.post(
        f"/runs/{judged.id}/label/sheet", files={"sheet": ("back.csv", filled(sheet.text, "pass").encode(), "text/csv")}
    )
    assert answer.status_code == 303
    assert "6 labels stored" in browser.page(answer.headers["location"])
    assert [label.who for label in store.human_labels.of_run(judged.id)] == ["ann"] * 6
    bad = filled(sheet.text, "perhaps").encode()
    answer = browser.post(f"/runs/{judged.id}/label/sheet", files={"sheet": ("back.csv", bad, "text/csv")})
    assert answer.status_code == 422
    assert "back.csv, line 2: the verdict is" in html.unescape(answer.text)


def test_the_api_lists_adds_and_takes_back_labels(browser: Browser, judged: Run) -> None:
    address = f"/api/runs/{judged.id}/labels"
    assert browser.get(address).json() == {"labels": []}
    said = {"case": "n-3", "verdict": "fail", "who": "ann", "note": "no"}
    added = browser.client.post(address, json=said)
    assert added.status_code == 201
    assert added.json() | {"made": 0} == {
        "case": "n-3", "condition": "", "trial": 1, "verdict": "fail", "who": "ann", "note": "no", "made": 0,
        "seconds": None,
    }  # fmt: skip
    assert browser.get(address).json()["labels"] == [added.json()]
    which = {"case": "n-3", "who": "ann"}
    assert browser.client.delete(address, params=which).status_code == 204
    assert browser.client.delete(address, params=which).status_code == 404
    assert browser.get(address).json() == {"labels": []}


@pytest.mark.parametrize(
    ("wrong", "status", "words"),
    [
        ({"case": "n-99"}, 400, "has no attempt at case"),
        ({"verdict": "maybe"}, 422, "verdict"),
        ({"who": ""}, 422, "who"),
        ({"trial": 2}, 400, "trial 2"),
    ],
)
def test_the_api_refuses_labels_that_cannot_be(
    browser: Browser, judged: Run, wrong: dict[str, object], status: int, words: str
) -> None:
    said = {"case": "n-3", "verdict": "fail", "who": "ann", **wrong}
    answer = browser.client.post(f"/api/runs/{judged.id}/labels", json=said)
    assert (answer.status_code, words in answer.json()["error"]) == (status, True), answer.json()
    assert browser.get(f"/api/runs/{judged.id}/labels").json() == {"labels": []}


def test_a_sheet_goes_out_and_comes_back_by_the_api(browser: Browser, judged: Run, tmp_path: Path) -> None:
    address = f"/api/runs/{judged.id}/labels/sheet"
    sheet = browser.get(f"{address}?n=6").text
    sent = browser.client.post(address, params={"who": "bob"}, content=filled(sheet, "fail").encode())
    assert sent.json() == {"stored": 6}
    bad = browser.client.post(address, params={"who": "bob"}, content=b"one,two\n1,2\n")
    assert bad.status_code == 400
    assert "has no column attempt" in bad.json()["error"]


def test_a_run_whose_attempts_take_long_to_draw_says_so_and_comes_again(
    browser: Browser, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def slowly(*args: Any, **options: Any) -> Any:
        assert go_on.wait(60)
        return draw(*args, **options)

    monkeypatch.setattr("proctor.web.pages.label.draw", slowly)
    monkeypatch.setattr("proctor.web.pages.label._PATIENCE", 0.01)
    browser.client.cookies.set("proctor_who", "Ann")
    answer = browser.get(f"/runs/{demo_run.id}/label")
    assert (answer.status_code, answer.headers["refresh"]) == (503, "2")

    go_on.set()
    monkeypatch.setattr("proctor.web.pages.label._PATIENCE", 60.0)

    assert "Does the reply pass?" in browser.page(f"/runs/{demo_run.id}/label")


def disagreeing(store: Store, run: Run) -> None:
    """Ann and Bob label four replies, and disagree on two of them; on one of those Cid decides."""
    for place, (ann, bob) in enumerate([(True, True), (True, False), (False, True), (True, True)]):
        key = Key(run=run.id, exam=f"n-{place}", trial=1)
        said = [("ann", ann), ("bob", bob), *([("cid", True)] if place == 2 else [])]
        store.human_labels.put(run.id, [HumanLabel(key=key, passed=passed, who=who) for who, passed in said])
    key = Key(run=run.id, exam="n-1", trial=1)
    store.human_labels.put(run.id, [HumanLabel(key=key, passed=False, who="bob", note="Too <short>")])


def test_an_attempt_says_who_has_labelled_it_and_how(browser: Browser, store: Store, judged: Run) -> None:
    disagreeing(store, judged)
    page = browser.page(f"/runs/{judged.id}/attempt?case=n-1&trial=1")
    said = page.partition('<dl class="people">')[2].partition("</dl>")[0]
    told = [" ".join(re.sub("<[^>]+>", "", each).split()) for each in re.findall(r"<dd>(.*?)</dd>", said)]
    assert told == ["ann ✓ passes it", "bob ✗ fails it: Too &lt;short&gt;"]
    assert '<dl class="people">' not in browser.page(f"/runs/{judged.id}/attempt?case=n-9&trial=1")


def test_the_attempts_on_which_people_disagree_are_counted_and_found(
    browser: Browser, store: Store, judged: Run
) -> None:
    assert 'name="people"' not in browser.page(f"/runs/{judged.id}")
    disagreeing(store, judged)
    page = browser.page(f"/runs/{judged.id}")
    rate = page.partition("As people judge")[2].partition("Which judge?")[0]
    assert "9 labels by 3 people on 4 attempts" in rate
    assert "people disagree on" in rate
    assert "2 attempts</a>" in rate
    found = re.search(r'disagree on <a href="([^"]+)"', rate)
    assert found is not None
    page = browser.page(html.unescape(found[1]).partition("#")[0])
    assert re.findall(r"<tr data-row>.*?<bdi>(.*?)</bdi>", page, re.DOTALL) == ["n-1", "n-2"]
    assert '<option value="disagree" selected>' in page
    beside = browser.page(f"/runs/{judged.id}/attempt?case=n-1&trial=1&by=attempt&people=disagree")
    assert 'rel="next" href="/runs/' in beside
    assert "case=n-2" in beside
    assert browser.get(f"/runs/{judged.id}?people=sing").status_code == 422
    assert "people disagree on" in browser.page(f"/runs/{judged.id}/judges")


def test_labels_that_are_all_tied_are_not_called_none(browser: Browser, store: Store, judged: Run) -> None:
    key = Key(run=judged.id, exam="n-1", trial=1)
    said = [HumanLabel(key=key, passed=passed, who=who) for who, passed in (("ann", True), ("bob", False))]
    store.human_labels.put(judged.id, said)
    page = browser.page(f"/runs/{judged.id}/judges")
    assert "Nobody has labelled" not in page
    assert "are all tied" in page
    assert "people disagree on" in page
