"""A judge that is asked from a page: what it will take, how far it is, its end, its result."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.web.browsing import Browser
from tests.web.conftest import Opener

import proctor
from proctor.run import HumanLabel, Key
from proctor.storage import Store

CASES = [(f"What is {n}?", f"number {n}") for n in range(6)]
TOML = """
[reviewers.careful]
spec = "python:judge_of_jobs:comparing"

[reviewers.patient]
spec = "python:judge_of_jobs:waiting"

[reviewers.babbling]
spec = "python:judge_of_jobs:babbling"

[reviewers.musing]
spec = "python:judge_of_jobs:musing"

[reviewers.refused]
spec = "python:judge_of_jobs:refused"

[reviewers.unreachable]
spec = "python:judge_of_jobs:review"

[reviewers.broken]
spec = "python:judge_of_jobs:missing"
"""
JUDGE = """
from proctor.score import Review
from tests.metrics.scripted import Judge, judge_by


def decide(shown, prompt):
    first, second = ("number" in shown[name] for name in ("first reply", "second reply"))
    better = "neither" if first == second else "first" if first else "second"
    return {"reasoning": "it answers", "better": better, "confidence": 0.9}


def comparing():
    return judge_by(decide)


def babbling(reply):
    return Review(unscored="it answered in verse")


def musing():
    return Judge(script=lambda shown, prompt: "in verse")


def refuse(shown, prompt):
    return ConnectionRefusedError("the model is away")


def refused():
    return Judge(script=refuse)


def review(case, turns):
    raise ConnectionRefusedError("the model is away")


def waiting():
    return Judge(script=decide, delay=600)
"""
PATIENCE = 60.0


@pytest.fixture
def site(opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Browser:
    (tmp_path / "judge_of_jobs.py").write_text(JUDGE, encoding="utf-8")
    (tmp_path / "proctor.toml").write_text(TOML, encoding="utf-8")
    here, source = str(Path(__file__).parents[2]), str(Path(proctor.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), here, source]))
    monkeypatch.syspath_prepend(str(tmp_path))
    return opened()


@pytest.fixture
def runs(store_path: str) -> list[str]:
    def answer(right: bool) -> Callable[[str], str]:
        return lambda question: f"number {question[8:-1]}" if right else "no idea"

    asked: dict[str, Any] = {"reviewer": "exact", "store": store_path, "retries": 0}
    return [proctor.evaluate(CASES, agent=answer(right), **asked).run.id for right in (True, False)]


def address(runs: list[str], **query: str) -> str:
    return "/tournament?" + "&".join([*(f"run={run}" for run in runs), *(f"{key}={v}" for key, v in query.items())])


def trouble(page: str) -> str:
    return page.partition('<p class="trouble" role="alert">')[2].partition("</p>")[0]


def until(look: Callable[[], str], wanted: str) -> str:
    """The page once it says so; looked at again and again, since another process works on it."""
    end = time.monotonic() + PATIENCE
    while wanted not in (page := look()):
        assert time.monotonic() < end, page
    return page


def test_a_judge_compares_the_replies_of_runs_after_its_cost_was_told(site: Browser, runs: list[str]) -> None:
    page = site.page(address(runs))
    assert "Have a judge compare the replies" in page
    assert '<option value="embedded"' not in page, "only a chat model can compare two replies"
    told = site.page(address(runs, reviewer="careful"))
    assert "6 contests" in told
    assert "<dt>Model calls</dt><dd>12" in told
    assert "Nobody has been asked yet" in told
    sent = site.post("/judge-jobs", {"run": runs, "reviewer": "careful", "budget": ""})
    assert sent.status_code == 303, sent.text
    where = sent.headers["location"]
    done = until(lambda: site.page(where), "it answers")
    assert "What the judge said" in done
    until(lambda: site.page(address(runs, reviewer="careful")), "It has nothing left to be asked")
    assert site.post("/judge-jobs", {"run": runs, "reviewer": "careful"}).status_code == 409


def test_a_judge_at_work_shows_how_far_it_is_and_is_cancelled(site: Browser, runs: list[str], opened: Opener) -> None:
    where = site.post("/judge-jobs", {"run": runs, "reviewer": "patient"}).headers["location"]
    page = site.page(where)
    assert "patient</bdi> is judging: 0 of 6 contests" in page
    assert "<h1>Nothing has been judged yet.</h1>" in page
    assert site.post("/judge-jobs", {"run": runs, "reviewer": "patient"}).status_code == 409, "it is at work"
    job = page.partition('action="/judge-jobs/')[2].partition("/")[0]
    other = opened()
    assert other.get(f"/api/judge-jobs/{job}").json()["state"] == "going", "another server knows it too"
    assert other.post(f"/judge-jobs/{job}/cancel").headers["location"] == where
    assert "was cancelled after 0 of 6 contests" in site.page(where)
    assert site.post(f"/judge-jobs/{job}/cancel").status_code == 409


def test_a_judge_that_cannot_be_built_or_paid_says_why_before_it_is_started(site: Browser, runs: list[str]) -> None:
    assert "missing" in trouble(site.page(address(runs, reviewer="broken")))
    assert "there is no judge to ask &#39;openai:gpt&#39; here" in site.page(address(runs, reviewer="openai:gpt"))
    assert "is not a number" in site.page(address(runs, reviewer="careful", budget="much"))
    assert "price" in site.page(address(runs, reviewer="careful", budget="1"))
    assert site.post("/judge-jobs", {"reviewer": "careful"}).status_code == 400


def test_without_a_chat_model_the_page_says_how_to_declare_one(browser: Browser, runs: list[str]) -> None:
    assert "No chat model is declared as a reviewer here" in browser.page(address(runs))


def label(store: Store, run: str) -> None:
    attempts = list(store.archive.attempts(run))
    labels = [
        HumanLabel(key=Key(run=run, exam=each.key.exam, trial=each.key.trial), passed=bool(place % 2), who="ann")
        for place, each in enumerate(attempts)
    ]
    store.human_labels.put(run, labels)


def test_another_judge_stands_beside_people_once_it_was_asked(site: Browser, runs: list[str], store: Store) -> None:
    label(store, runs[0])
    there = f"/runs/{runs[0]}/judges"
    page = site.page(there)
    assert "Ask another judge" in page
    assert '<option value="exact"' not in page, "it is the run's own"
    told = site.page(f"{there}?reviewer=embedded")
    assert "6 attempts" in told
    assert "<dt>Cost</dt><dd>nothing" in told
    assert site.post("/judge-jobs", {"run": runs[:1], "reviewer": "embedded"}).headers["location"] == there
    done = until(lambda: site.page(there), "<bdi>embedded</bdi>")
    until(lambda: "over" if "is judging" not in site.page(there) else "", "over")
    assert "<bdi>exact (the run&#39;s own)</bdi>" in done
    assert "there is no judge to ask &#39;exact&#39; here" in site.page(f"{there}?reviewer=exact")


@pytest.mark.parametrize(("count", "reviewer"), [(1, "babbling"), (2, "musing")])
def test_of_a_judge_without_a_usable_verdict_it_is_not_said_that_it_has_judged(
    site: Browser, runs: list[str], store: Store, count: int, reviewer: str
) -> None:
    label(store, runs[0])
    token = {"x-form-token": site.form_token()}
    wanted = {"runs": runs[:count], "reviewer": reviewer}
    started = site.client.post("/api/judge-jobs", json=wanted, headers=token)
    assert started.status_code == 201, started.text
    there = started.headers["location"]
    until(lambda: str(site.get(there).json()["state"]), "done")
    job = site.get(there).json()
    assert (job["due"], job["done"], job["unscored"]) == (6, 6, 6)
    where = address(runs, reviewer=reviewer) if count > 1 else f"/runs/{runs[0]}/judges?reviewer={reviewer}"
    page = site.page(where)
    assert "It was asked about all of it already, and gave no usable verdict on 6 of 6" in page
    assert "has judged all of it" not in page
    again = site.client.post("/api/judge-jobs", json=wanted, headers=token)
    assert (again.status_code, "gave no usable verdict on 6 of 6" in again.text) == (409, True)


@pytest.mark.parametrize(("number", "judge"), [(1, "unreachable"), (2, "refused")])
def test_a_judge_that_stops_by_itself_says_why(
    site: Browser, runs: list[str], store: Store, number: int, judge: str
) -> None:
    label(store, runs[0])
    where = site.post("/judge-jobs", {"run": runs[:number], "reviewer": judge}).headers["location"]
    page = until(lambda: site.page(where), "Ask it again below")
    told = page.partition(f"{judge}</bdi> stopped after 0 of 6 ")[2].partition("</p>")[0]
    assert "the model is away" in told
    assert ". Ask it again below" in told
    assert "same command" not in told, "whoever reads a page has no terminal"


def test_programs_ask_judges_too(site: Browser, runs: list[str]) -> None:
    token = {"x-form-token": site.form_token()}
    wanted = {"runs": runs, "reviewer": "careful"}
    nobody = site.client.post("/api/judge-jobs/estimate", json={**wanted, "runs": []}, headers=token)
    assert "runs has too few; expected at least 1" in nobody.json()["error"]
    told = site.client.post("/api/judge-jobs/estimate", json=wanted, headers=token).json()
    assert (told["due"], told["calls"]["likely"], told["cost"]) == (6, 12, None)
    started = site.client.post("/api/judge-jobs", json=wanted, headers=token)
    assert started.status_code == 201
    there = started.headers["location"]
    until(lambda: str(site.get(there).json()["state"]), "done")
    assert site.get(there).json()["done"] == 6
    assert site.get("/api/judge-jobs/0123456789abcdef").status_code == 404
