"""Runs are watched as they go on, with one look at the store for all who watch."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.storage.records import attempt, failed, key, played, records, stored_run

from proctor.run import Reviewed, Settings
from proctor.score import InterimVerdict, LookPoint
from proctor.storage import Store
from proctor.web.site import live
from proctor.web.site.live import Live, RunProgress


def told(event: bytes) -> tuple[str, dict[str, Any]]:
    kind, data = event.decode().strip().split("\n")
    return kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))


async def next_told(events: AsyncIterator[bytes]) -> dict[str, Any]:
    while True:
        event = await asyncio.wait_for(anext(events), 30)
        if event.startswith(b"event: progress"):
            return told(event)[1]


def test_progress_counts_once_and_then_keeps_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    stored_run(store, planned=10)
    store.journal.write([*played(key("a")), *records(attempt(key("b"), passed=False))])
    progress = RunProgress(store, "run-1")
    first = progress.look()
    assert (first["done"], first["planned"], first["verdicts"]) == (2, 10, {"pass": 1, "fail": 1})
    assert first["pass_rate"]["value"] == 0.5
    assert 0 < first["pass_rate"]["low"] < 0.5 < first["pass_rate"]["high"] < 1
    assert first["newest"] == [], "what was there before is not new"
    monkeypatch.setattr(type(store.archive), "standing", None)  # it would break if it counted again
    store.journal.write([*played(key("a", trial=2)), *records(failed(key("c")))])
    second = progress.look()
    assert (second["done"], second["verdicts"]) == (4, {"pass": 2, "fail": 1, "environment": 1})
    assert [(new["exam"], new["trial"], new["verdict"]) for new in second["newest"]] == [
        ("a", 2, "pass"),
        ("c", 1, "environment"),
    ]
    assert (second["pass_rate"]["value"], second["cases"]) == (0.5, 2)
    assert progress.look()["newest"] == []


def test_an_attempt_that_was_tried_again_counts_once_when_all_is_counted_anew(store: Store) -> None:
    stored_run(store, planned=2)
    store.journal.write(records(failed(key("a"))))
    progress = RunProgress(store, "run-1")
    assert progress.look()["verdicts"] == {"environment": 1}
    store.journal.write(played(key("a")))
    with store.journal.writing("run-1"):
        store.journal.mark("run-1", "completed")
    last = progress.look()
    assert (last["status"], last["done"], last["verdicts"]) == ("completed", 1, {"pass": 1})


def test_the_rate_is_that_of_the_findings_in_battles_too(store: Store) -> None:
    stored_run(store, planned=2, settings=Settings(type="abm-dynamic"))
    store.journal.write(
        [
            *records(attempt(key("a"), turns=4, turn_passed=(True, True, False, None), passed=False)),
            *records(attempt(key("b"), turns=2, turn_passed=(True, True))),
        ]
    )
    progress = RunProgress(store, "run-1")
    told = progress.look()
    assert told["pass_rate"]["value"] == pytest.approx((2 / 3 + 1) / 2)
    assert told["replies"] == {"asked": 6, "judged": 5}
    with store.journal.writing("run-1"):
        store.journal.mark("run-1", "completed")
    assert progress.look()["done"] == 2


def test_a_battle_moves_by_turns_before_a_conversation_is_over(store: Store) -> None:
    stored_run(store, planned=2, settings=Settings(type="abm-dynamic", max_turns=5))
    held = key("a")
    store.journal.write([Reviewed(key=held, turn=number, reviews=()) for number in range(1, 5)])
    progress = RunProgress(store, "run-1")
    told = progress.look()
    assert (told["steps"], told["turns"]) == ({"done": 4, "planned": 10}, 4)
    store.journal.write(records(attempt(held, turns=4, turn_passed=(True,) * 4)))
    assert progress.look()["steps"] == {"done": 5, "planned": 10}, "what ended early is over"


def test_the_page_tells_the_time_left_in_the_words_of_the_terminal(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    stored_run(store, planned=10)
    with store.journal.writing("run-1"):
        store.journal.mark("run-1", "running")
        now = store.archive.find("run-1").started or 0.0
        monkeypatch.setattr(live, "time", SimpleNamespace(time=lambda: now, monotonic=time.monotonic))
        progress = RunProgress(store, "run-1")
        assert progress.look()["time_left"] == ""
        store.journal.write([*played(key("a")), *played(key("b"))])
        now += 2
        assert progress.look()["time_left"] == "8 s left"
        now += 3
        told = progress.look()
    assert (told["time_left"], told["seconds_left"]) == ("5 s left", pytest.approx(5.0))


async def test_all_watchers_hear_the_same_from_one_look(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "EVERY", 0.05)
    monkeypatch.setattr(live, "_QUIET", 0.05)
    looks = 0
    look = RunProgress.look

    def counted(self: RunProgress) -> dict[str, Any]:
        nonlocal looks
        looks += 1
        return look(self)

    monkeypatch.setattr(RunProgress, "look", counted)
    stored_run(store, planned=5)
    hub = Live()

    heard: list[list[int]] = [[] for _ in range(50)]
    news = asyncio.Event()

    async def watch(own: list[int]) -> None:
        async with hub.watching(store, "run-1") as events:
            while not own or own[-1] < 3:
                own.append((await next_told(events))["done"])
                news.set()

    watchers = [asyncio.create_task(watch(own)) for own in heard]
    for done, exam in enumerate("abc"):
        while not all(own and own[-1] >= done for own in heard):
            news.clear()
            await news.wait()
        store.journal.write(played(key(exam)))
    await asyncio.gather(*watchers)
    assert all(each == sorted(each) for each in heard)
    assert looks < 200, "one look serves fifty watchers"
    assert hub._watched == {}


async def test_looking_ends_with_the_last_watcher(store: Store) -> None:
    stored_run(store)
    hub = Live()
    async with hub.watching(store, "run-1") as events:
        await next_told(events)
        task = hub._watched["run-1"].task
        async with hub.watching(store, "run-1") as others:
            await next_told(others)
        assert task is not None
        assert not task.done()
    await asyncio.wait({task})
    assert task.cancelled()


async def test_who_watches_a_run_to_its_end_hears_it_and_no_more(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "EVERY", 0.02)
    monkeypatch.setattr(live, "_QUIET", 0.02)
    stored_run(store, planned=1)
    with store.journal.writing("run-1"):
        store.journal.mark("run-1", "running")
        async with Live().watching(store, "run-1", to_its_end=True) as events:
            assert (await next_told(events))["status"] == "running"
            store.journal.write(played(key("a")))
            store.journal.mark("run-1", "completed")
            heard = [told(event)[1] async for event in events]
    assert (heard[-1]["status"], heard[-1]["done"]) == ("completed", 1)


async def test_a_run_that_is_deleted_is_over_for_those_who_watch_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_QUIET", 0.02)
    stored_run(store)
    store.journal.mark("run-1", "queued")
    async with Live().watching(store, "run-1", to_its_end=True) as events:
        await next_told(events)
        store.journal.delete("run-1")
        assert [told(event)[0] async for event in events] == ["trouble"]


async def test_there_are_only_so_many_watchers(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_WATCHERS", 2)
    stored_run(store)
    hub = Live()
    async with hub.watching(store, "run-1"):
        assert not hub.full
        async with hub.watching(store, "run-1"):
            assert hub.full
    assert not hub.full


async def test_nothing_is_said_while_nothing_happens_but_that_somebody_is_there(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_HEARTBEAT", 0.1)
    monkeypatch.setattr(live, "_QUIET", 0.02)
    monkeypatch.setattr(live, "EVERY", 0.02)
    stored_run(store)
    async with Live().watching(store, "run-1") as events:
        await next_told(events)
        assert [await anext(events) for _ in range(2)] == [b": still here\n\n"] * 2


async def test_a_store_that_cannot_be_read_is_told_and_looked_at_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from proctor.errors import StoreError

    monkeypatch.setattr(live, "_QUIET", 0.02)
    stored_run(store)
    look, broken = RunProgress.look, [True]

    def sometimes(self: RunProgress) -> dict[str, Any]:
        if broken.pop() if broken else False:
            raise StoreError("the disk is full")
        return look(self)

    monkeypatch.setattr(RunProgress, "look", sometimes)
    async with Live().watching(store, "run-1") as events:
        assert told(await anext(events)) == ("trouble", {"message": "the disk is full"})
        assert (await next_told(events))["run"] == "run-1"


def test_of_a_run_that_may_stop_early_the_next_look_is_told(store: Store) -> None:
    ahead = [LookPoint(attempts=size, value=value, low=None, high=None) for size, value in ((5, 1.0), (10, None))]
    looks = InterimVerdict(
        verdicts={}, look=1, looks=2, cases=5, of=10, attempts=5, z=0.5, bound=0.0, path=tuple(ahead)
    )
    run = stored_run(store, planned=10)
    progress = RunProgress(store, run.id)
    assert progress.look()["next_look"] is None
    store.journal.amend(replace(run, interim=looks))
    assert progress.look()["next_look"] == {"look": 2, "of": 2, "at": 10}
    store.journal.amend(replace(run, interim=replace(looks, verdicts={"pass_rate>=0.9": "met"})))
    assert progress.look()["next_look"] is None
