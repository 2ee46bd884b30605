"""Cancelling and deleting stored runs."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

import proctor
from proctor.errors import NoSuchRun, RunBusy, StoreError, UsageError
from proctor.run import Run
from proctor.storage import open_store
from proctor.storage.archive import DatabaseArchive
from proctor.workflows import change as changing
from proctor.workflows.change import cancel_run, delete_run
from proctor.workflows.read import find_run, list_runs


def fails(question: str) -> str:
    raise ConnectionError("the network is down")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """With a run that is completed and one that is not."""
    monkeypatch.chdir(tmp_path)
    where = str(tmp_path / "store.db")
    proctor.evaluate([("q", "yes")], agent=lambda question: "yes", name="done", reviewer="exact", store=where)
    proctor.evaluate([("q", "yes")], agent=fails, name="broken", reviewer="exact", retries=0, store=where)
    return where


def test_a_run_that_nobody_plays_is_cancelled_at_once(store: str) -> None:
    assert cancel_run("broken", store=store).status == "cancelled"
    assert cancel_run("broken", store=store).status == "cancelled"
    with open_store(store) as opened:
        assert opened.archive.stop_request(opened.archive.find("broken").id) is None


def test_a_completed_run_stays_completed(store: str) -> None:
    with pytest.raises(UsageError, match="already completed"):
        cancel_run("done", store=store)
    assert find_run("done", store=store).status == "completed"


def test_a_run_that_does_not_stop_is_said_to_go_on(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changing, "_PATIENCE", 0.1)
    with open_store(store) as opened:
        run = opened.archive.find("broken").id
        with opened.journal.writing(run), pytest.raises(RunBusy, match="was asked to stop and has not yet"):
            cancel_run(run, store=store)


def test_who_takes_a_run_up_after_it_was_to_stop_is_asked_too(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    with open_store(store) as player, contextlib.ExitStack() as playing:
        run = player.archive.find("broken").id
        playing.enter_context(player.journal.writing(run))

        def meanwhile(seconds: float) -> None:
            asked.append(player.archive.stop_request(run))
            playing.close()
            if len(asked) == 1:
                playing.enter_context(player.journal.writing(run))

        monkeypatch.setattr(time, "sleep", meanwhile)
        assert cancel_run(run, store=store).status == "cancelled"
    assert asked == ["cancel", "cancel"]


def test_nobody_takes_a_run_up_while_it_is_marked_as_cancelled(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked, find = [], DatabaseArchive.find
    with open_store(store) as player, contextlib.ExitStack() as playing:
        run = player.archive.find("broken").id

        def find_and_play(archive: DatabaseArchive, name: str) -> Run:
            looked.append(name)
            found = find(archive, name)
            if len(looked) == 2:  # the look that decides what it is marked as
                with pytest.raises(RunBusy):
                    playing.enter_context(player.journal.writing(run))
            return found

        monkeypatch.setattr(DatabaseArchive, "find", find_and_play)
        assert cancel_run(run, store=store).status == "cancelled"
        assert not player.archive.alive(run)
    assert len(looked) > 1


def test_a_deleted_run_is_gone_with_its_attempts(store: str) -> None:
    run = find_run("done", store=store).id
    delete_run(run, store=store)
    assert [each.name for each, _ in list_runs(store=store, limit=10)] == ["broken"]
    with open_store(store) as opened, pytest.raises(StoreError):
        list(opened.archive.attempts(run))
    with pytest.raises(NoSuchRun):
        delete_run(run, store=store)


def test_a_run_that_is_being_written_is_not_deleted(store: str) -> None:
    with open_store(store) as opened:
        run = opened.archive.find("broken").id
        with opened.journal.writing(run), pytest.raises(RunBusy):
            delete_run(run, store=store)
    assert find_run("broken", store=store).id == run
