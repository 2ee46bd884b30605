"""Rescoring as Python meets it: live reviewers, runs that were never finished, kills."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import proctor
from proctor.benchmark import Case
from proctor.errors import UsageError
from proctor.run import Finished, Turned
from proctor.score import Review
from proctor.storage import open_store
from proctor.workflows.evaluate import Evaluation

CASES = [("one?", "yes"), ("two?", "yes"), ("three?", "no")]


def examined(store: Path) -> Evaluation:
    return proctor.evaluate(CASES, agent=lambda question: "yes", reviewer="exact", store=store)


def begun(store: Path, source: Evaluation) -> None:
    """A run of that name which stopped after its first attempt."""
    run = replace(source.run, id="begun", name="begun", status="paused")
    with open_store(store) as opened:
        opened.journal.create(run, opened.archive.benchmark_of(source.run.id))
        first = next(iter(opened.archive.full_attempts(source.run.id)))
        key = replace(first.key, run="begun")
        [turn] = first.transcript.turns
        opened.journal.write([Turned(key=key, turn=turn), Finished(attempt=replace(first, key=key))])


def half(reply: str) -> float:
    return 0.5


def test_a_live_reviewer_judges_and_the_result_is_an_evaluation(tmp_path: Path) -> None:
    before = examined(tmp_path / "s.db")
    after = proctor.rescore(before.run.id, reviewer=half, passing_score=0.5, store=tmp_path / "s.db")
    assert after.run.rescored_from == before.run.id
    assert after.findings.mean_score.value == 0.5
    assert after.findings.pass_rate.value == 1.0
    assert [attempt.transcript for attempt in after.attempts()] == [attempt.transcript for attempt in before.attempts()]


async def test_the_async_door_does_the_same(tmp_path: Path) -> None:
    before = await proctor.aevaluate(CASES, agent=lambda question: "yes", reviewer="exact", store=tmp_path / "s.db")
    after = await proctor.arescore(before.run.id, passing_score=0.5, store=tmp_path / "s.db")
    assert after.findings.pass_rate.value == before.findings.pass_rate.value


def test_a_live_reviewer_must_be_handed_in_again(tmp_path: Path) -> None:
    def away(reply: str) -> float:
        raise ConnectionError("away")

    store = tmp_path / "s.db"
    before = proctor.evaluate(CASES, agent=lambda question: "yes", reviewer="exact", store=store, retries=0)
    stopped = proctor.rescore(before.run.id, reviewer=away, store=store).run
    assert stopped.status == "failed"
    with pytest.raises(UsageError, match=r"resume it there with proctor\.resume"):
        proctor.resume(stopped.id, store=store)
    done = proctor.resume(stopped.id, reviewer=half, store=store)
    assert (done.run.status, done.findings.mean_score.value) == ("completed", 0.5)


def test_what_the_source_never_played_keeps_a_rescored_run_open(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    begun(store, examined(store))
    after = proctor.rescore("begun", passing_score=0.9, store=store)
    assert (after.run.status, after.findings.counts.pending) == ("paused", 2)
    assert after.run.reason == "2 attempts of run begun have not been run: resume that one first"


def test_checks_and_explanations_are_kept_where_the_reviews_are(tmp_path: Path) -> None:
    def thorough(case: Case, reply: str) -> Review:
        check = proctor.CheckResult(turn=1, name="short", passed=case.question != "one?", evidence="seen")
        return Review(parts=(proctor.Part(name="correctness", value=0.8),), checks=(check,), explanation="well")

    before = proctor.evaluate(CASES, agent=lambda question: "yes", reviewer=thorough, store=tmp_path / "s.db")
    after = proctor.rescore(before.run.id, passing_score=0.5, store=tmp_path / "s.db")
    first, *_ = after.attempts()
    assert first.checks == next(before.attempts()).checks
    assert first.scores[0].explanation == "well"
    assert after.findings.pass_rate.value == pytest.approx(2 / 3)


def test_a_rescored_run_keeps_to_its_plan_when_the_run_it_came_from_was_extended(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    begun(store, examined(store))
    paused = proctor.rescore("begun", passing_score=0.9, store=store).run
    proctor.resume("begun", trials=3, agent=lambda question: "yes", store=store)
    done = proctor.resume(paused.id, store=store)
    assert (done.run.status, done.findings.counts.planned, done.findings.counts.scored) == ("completed", 3, 3)
    assert {attempt.key.trial for attempt in done.attempts()} == {1}


def breaks_at_three(request: proctor.Request) -> str:
    if request.turn == 3:
        raise RuntimeError("out of memory")
    return "yes"


def test_replies_before_the_agent_broke_are_held_to_the_new_passing_score(tmp_path: Path) -> None:
    def mark(reply: str) -> float:
        return 0.6

    store = tmp_path / "s.db"
    before = proctor.evaluate(CASES, agent=breaks_at_three, type="abm-static", reviewer=mark, store=store)
    assert next(before.attempts()).turn_passed == (False, False, None)
    after = proctor.rescore(before.run.id, passing_score=0.5, store=store)
    [broken] = after.attempts()
    assert (broken.turn_passed, broken.passed) == ((True, True, None), False)
    assert [score.value for score in broken.scores if score.of == "agent"] == [0.6, 0.6]
    assert after.findings.pass_rate.value == pytest.approx(2 / 3)


def test_what_the_old_reviewer_said_before_the_agent_broke_is_none_of_the_new_ones(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    before = proctor.evaluate(CASES, agent=breaks_at_three, type="abm-static", reviewer="exact", store=store)
    assert next(before.attempts()).turn_passed == (True, True, None)
    [broken] = proctor.rescore(before.run.id, reviewer=half, store=store).attempts()
    assert (broken.scores, broken.turn_passed, broken.passed) == ((), (None, None, None), False)
    assert {(missing.turn, missing.by) for missing in broken.unscored} == {(1, "object:half"), (2, "object:half")}
    assert "was not judged again" in broken.unscored[0].reason


def test_parts_of_a_reviewer_of_ones_own_can_be_weighed_anew(tmp_path: Path) -> None:
    def toned(reply: str) -> dict[str, float]:
        return {"correctness": 1.0, "tone": 0.4}

    before = proctor.evaluate(CASES, agent=lambda question: "yes", reviewer=toned, store=tmp_path / "s.db")
    after = proctor.rescore(before.run.id, weights={"correctness": 1, "tone": 2}, store=tmp_path / "s.db")
    assert after.findings.mean_score.value == pytest.approx(0.6)
    with pytest.raises(UsageError, match="no part 'tone'"):
        proctor.rescore(before.run.id, reviewer="exact", weights={"tone": 2}, store=tmp_path / "s.db")


SLOW = """\
import time

def review(case, reply):
    with open("judged", "ab", buffering=0) as judged:
        judged.write(f"{case.id}\\n".encode())
    time.sleep(0.01)
    return 1.0
"""


def start(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "proctor", *arguments, "--json", "--store", "s.db"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )


def judged(folder: Path) -> list[bytes]:
    path = folder / "judged"
    return path.read_bytes().splitlines() if path.exists() else []


def test_a_killed_rescoring_goes_on_where_it_was(tmp_path: Path) -> None:
    cases, concurrency = 150, 4
    (tmp_path / "judge.py").write_text(SLOW)
    proctor.evaluate(
        [(f"question {number}", "yes") for number in range(cases)],
        agent=lambda question: "yes", reviewer="exact", store=tmp_path / "s.db", name="old", concurrency=concurrency,
    )  # fmt: skip
    process = start(tmp_path, "rescore", "old", "--reviewer", "python:judge:review", "--name", "new")
    while process.poll() is None and len(judged(tmp_path)) < 40:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 0 < len(judged(tmp_path)) < cases
    assert start(tmp_path, "resume", "new").wait(timeout=60) == 0
    with open_store(tmp_path / "s.db") as opened:
        attempts = list(opened.archive.attempts(opened.archive.find("new").id))
    assert len({attempt.key.exam for attempt in attempts if attempt.passed}) == cases
    lost_at_most = 2 * concurrency  # those in flight, and those of the last batch
    assert cases <= len(judged(tmp_path)) <= cases + lost_at_most
