"""Stored runs on their way out, now or while they are played."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.exporters.langfuse_stub import PUBLIC, SECRET, LangfuseStub, langfuse
from tests.exporters.shipped import EXAMS, RUN_OF_THREE, THREE, played, states

import proctor
from proctor.benchmark import Benchmark
from proctor.errors import UsageError
from proctor.exporters import sender as courier
from proctor.exporters.contract import FinishedAttempt, Subject
from proctor.exporters.langfuse import Langfuse
from proctor.exporters.outcome import DeliveryVerdict
from proctor.findings.run import gather
from proctor.run import Attempt, Finished
from proctor.storage import open_store
from proctor.workflows.destination import Destination, Follower, follow, resume_sync, sync_run

TO_LANGFUSE = Destination(to="langfuse")


@pytest.fixture
async def stub(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", PUBLIC)
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET)
    monkeypatch.setattr(courier, "BACKOFF", 0.0)
    async with langfuse() as running:
        monkeypatch.setenv("LANGFUSE_BASE_URL", running.url)
        yield running


@pytest.fixture
async def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store with one run of three cases, two trials each."""
    monkeypatch.chdir(tmp_path)
    cases = [("q 1", "yes"), ("q 2", "yes"), ("q 3", "no")]
    path = tmp_path / "kept" / "store.db"
    await proctor.aevaluate(cases, agent=lambda question: "yes", reviewer="exact", trials=2, store=path, name="first")
    return str(path)


async def test_a_stored_run_is_sent_with_all_its_attempts_and_scores(stub: LangfuseStub, store: str) -> None:
    report = await sync_run("last", TO_LANGFUSE, store=store)
    assert report.complete
    assert report.counts("attempt") == {"sent": 6}
    assert report.pending == 0
    assert len(stub.items) == 3
    scores = {score["name"]: score["value"] for score in stub.scores.values() if "datasetRunId" in score}
    assert scores["pass_rate"] == pytest.approx(2 / 3)
    assert {"pass_at_1", "pass_at_2", "pass_hat_2", "mean_score"} <= scores.keys()


async def test_what_was_sent_is_remembered_beside_the_store(stub: LangfuseStub, store: str) -> None:
    await sync_run("last", TO_LANGFUSE, store=store)
    before, requests = stub.kept(), len(stub.requests)
    report = await sync_run("last", TO_LANGFUSE, store=store)
    assert report.counts("attempt") == {"unchanged": 6}
    assert set(report.counts("run score")) == {"unchanged"}
    assert stub.kept() == before
    assert [method for method, _, _ in stub.requests[requests:]] == ["GET", "GET"]
    (file,) = (Path(store).parent / "sync").iterdir()
    assert PUBLIC not in file.read_text() + file.name
    assert SECRET not in file.read_text() + file.name


async def test_everything_again_if_so_wished(stub: LangfuseStub, store: str) -> None:
    await sync_run("last", TO_LANGFUSE, store=store)
    before = stub.kept()
    report = await sync_run("last", TO_LANGFUSE, store=store, again=True)
    assert report.counts("attempt") == {"sent": 6}
    assert stub.kept() == before


async def test_without_its_memory_a_sync_is_harmless(stub: LangfuseStub, store: str) -> None:
    await sync_run("last", TO_LANGFUSE, store=store)
    before = stub.kept()
    for file in (Path(store).parent / "sync").iterdir():
        file.unlink()
    assert (await sync_run("last", TO_LANGFUSE, store=store)).counts("attempt") == {"sent": 6}
    assert stub.kept() == before


async def test_resuming_sends_what_is_missing_with_the_same_patterns(stub: LangfuseStub, store: str) -> None:
    async def no_scores(request: web.Request, _: Any) -> web.StreamResponse | None:
        return web.Response(status=400) if request.path.endswith("/scores") else None

    stub.fault = no_scores
    first = await sync_run("last", Destination(to="langfuse", redact=("yes",)), store=store)
    assert set(states(first)) == {"rejected"}
    stub.fault = None
    (second,) = await resume_sync("last", store=store)
    assert second.complete
    assert "'yes'" not in repr(stub.items) + repr(stub.spans)


async def test_only_a_run_that_was_sent_before_can_be_resumed(stub: LangfuseStub, store: str) -> None:
    with pytest.raises(UsageError, match=r"has not been sent yet; begin with `proctor sync DESTINATION last`"):
        await resume_sync("last", store=store)
    await sync_run("last", TO_LANGFUSE, store=store)
    with pytest.raises(UsageError, match="has not been sent to otlp yet"):
        await resume_sync("last", store=store, to="otlp")


async def test_nothing_of_a_run_that_is_sent_changes_but_where_it_was_sent(stub: LangfuseStub, store: str) -> None:
    def stored() -> Any:
        with open_store(store) as opened:
            run = opened.archive.find("last")
            return replace(run, sent={}), list(opened.archive.full_attempts(run.id))

    before = stored()
    await sync_run("last", TO_LANGFUSE, store=store)
    assert stored() == before


async def test_a_wrong_pattern_or_destination_is_said_before_anything_is_sent(stub: LangfuseStub, store: str) -> None:
    with pytest.raises(UsageError, match=r"--redact '\(' is not a valid regular expression"):
        await sync_run("last", Destination(to="langfuse", redact=("(",)), store=store)
    with pytest.raises(UsageError, match="did you mean 'langfuse'"):
        await sync_run("last", Destination(to="langfuze"), store=store)
    with pytest.raises(UsageError, match="--endpoint is not for langfuse"):
        await sync_run("last", Destination(to="langfuse", endpoint="http://here"), store=store)
    assert not stub.requests


def _attempts() -> int:
    """How many there are in this process."""
    return sum(type(each) is Attempt for each in gc.get_objects())


async def test_only_a_few_attempts_are_held_at_a_time(stub: LangfuseStub, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    cases = [(f"q {number}", "yes") for number in range(300)]
    await proctor.aevaluate(cases, agent=lambda _: "yes", reviewer="exact", store=path)
    alive: list[int] = []
    others = _attempts()  # of whoever was tested before

    async def count(request: web.Request, _: Any) -> web.StreamResponse | None:
        if request.path.endswith("/traces"):
            alive.append(_attempts() - others)
        return None

    stub.fault = count
    report = await sync_run("last", TO_LANGFUSE, store=str(path))
    assert report.counts("attempt") == {"sent": 300}
    assert len(alive) == 6
    assert max(alive) < 150


# --- while a run is played -------------------------------------------------------------------------

RECORDS = [Finished(attempt=each.attempt) for each in THREE]


def following(**options: Any) -> Follower:
    return Follower(Langfuse(Subject(run=RUN_OF_THREE, exams=EXAMS)), RUN_OF_THREE.id, EXAMS, **options)


async def test_a_follower_sends_what_it_is_fed_and_the_run_s_scores_at_the_end(stub: LangfuseStub) -> None:
    follower = following()
    follower.feed(RECORDS[:1])
    follower.feed([])
    follower.feed(RECORDS[1:])
    findings = gather(RUN_OF_THREE, EXAMS, [each.attempt for each in THREE])
    report = await follower.finish(20.0, findings)
    assert report.complete
    assert states(report) == ["sent"] * 3
    assert any("datasetRunId" in score for score in stub.scores.values())


async def test_what_a_follower_sent_is_not_sent_again(stub: LangfuseStub, tmp_path: Path) -> None:
    store = str(tmp_path / "store.db")
    benchmark = Benchmark(name=RUN_OF_THREE.benchmark, digest="9f2c", cases=tuple(exam.cases[0] for exam in EXAMS))
    for expected in ("sent", "unchanged"):
        follower = follow(RUN_OF_THREE, benchmark, TO_LANGFUSE, store=store)
        follower.feed(RECORDS)
        assert set(states(await follower.finish(20.0))) == {expected}


async def test_a_hanging_langfuse_delays_a_run_no_longer_than_it_was_told(stub: LangfuseStub) -> None:
    asked, release = asyncio.Event(), asyncio.Event()

    async def hang(_: web.Request, __: Any) -> web.StreamResponse | None:
        asked.set()
        await release.wait()
        return None

    stub.fault = hang
    follower = following()
    follower.feed(RECORDS)
    await asked.wait()
    report = await follower.finish(0.05)
    release.set()
    assert not report.complete
    assert states(report) == ["unsent"] * 3
    assert f"continue with: proctor sync langfuse {RUN_OF_THREE.id}" in report.troubles[0][1]


async def test_an_absent_langfuse_is_reported_and_raises_nothing(
    stub: LangfuseStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGFUSE_BASE_URL", "http://127.0.0.1:9")
    follower = following()
    follower.feed(RECORDS)
    report = await follower.finish(20.0)
    assert states(report) == ["unsent"] * 3
    assert "cannot connect" in report.troubles[0][1]


async def test_a_full_queue_leaves_attempts_for_later(stub: LangfuseStub) -> None:
    release = asyncio.Event()

    async def slow(_: web.Request, __: Any) -> web.StreamResponse | None:
        await release.wait()
        return None

    stub.fault = slow
    follower = following(waiting=2)
    follower.feed(RECORDS)
    release.set()
    report = await follower.finish(20.0)
    assert sorted(states(report)) == ["sent", "sent", "unsent"]


class Careless(Langfuse):
    """With a mistake in it."""

    async def send(self, played: Sequence[FinishedAttempt]) -> list[DeliveryVerdict]:
        raise ZeroDivisionError("by zero")


async def test_a_follower_that_breaks_says_so_and_breaks_nothing(stub: LangfuseStub) -> None:
    follower = Follower(Careless(Subject(run=RUN_OF_THREE, exams=EXAMS)), RUN_OF_THREE.id, EXAMS)
    follower.feed(RECORDS)
    report = await follower.finish(20.0)
    assert states(report) == ["unknown"] * 3
    assert report.troubles[0][1].startswith("it broke (ZeroDivisionError: by zero); continue with: proctor sync")


async def test_an_attempt_of_an_unknown_exam_is_left_aside(stub: LangfuseStub) -> None:
    follower = following()
    stranger = replace(played(1).attempt, key=replace(played(1).attempt.key, exam="nobody"))
    follower.feed([Finished(attempt=stranger)])
    assert states(await follower.finish(20.0)) == ["unsent"]


async def test_a_follower_without_keys_is_refused_before_the_run(
    stub: LangfuseStub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("LANGFUSE_SECRET_KEY")
    benchmark = Benchmark(name="b", digest="d", cases=())
    before = threading.active_count()
    with pytest.raises(UsageError, match="LANGFUSE_SECRET_KEY is not set"):
        follow(RUN_OF_THREE, benchmark, TO_LANGFUSE, store=str(tmp_path / "s.db"))
    assert threading.active_count() == before
