"""A store in a folder that cannot be written, such as a mount that is there to be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.storage.records import key, played, stored_run

from proctor.errors import StoreError
from proctor.storage import open_store, schema
from proctor.storage.tables import NEWEST


@pytest.fixture
def frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Only said to be so: for whoever is root, modes forbid nothing."""
    place = tmp_path / ".proctor" / "proctor.db"
    store = open_store(place)
    stored_run(store, planned=1)
    store.journal.write(played(key("a")))
    store.close()
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and allowed(path, mode))
    return place


def test_it_is_read_and_nothing_appears_beside_it(frozen: Path) -> None:
    store = open_store(frozen, create=False)
    assert store.archive.find("last").id == "run-1"
    assert [attempt.passed for attempt in store.archive.attempts("run-1")] == [True]
    assert [file.name for file in frozen.parent.iterdir()] == ["proctor.db"]
    store.close()


def test_who_writes_is_told_that_it_can_only_be_read(frozen: Path) -> None:
    store = open_store(frozen)
    with pytest.raises(StoreError, match=r"cannot be written \(.*\), only read") as refused:
        store.journal.delete("run-1")
    assert "Errno" not in str(refused.value)
    store.close()


def test_one_of_an_earlier_version_is_to_be_copied(frozen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "NEWEST", NEWEST + 1)
    with pytest.raises(StoreError, match="it cannot be written: copy it to a folder that can"):
        open_store(frozen, create=False)
