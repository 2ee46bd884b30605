"""Folders and files that are nobody else's."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor import evaluate
from proctor.benchmark import Case
from proctor.redaction import private
from proctor.spending.cache import FILE, Cache
from proctor.storage import open_store


@pytest.fixture(params=[0o000, 0o022, 0o377], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("umask")
def test_a_new_store_is_its_owners_alone_with_all_its_files(tmp_path: Path) -> None:
    path = tmp_path / "deep" / ".proctor" / "proctor.db"
    with open_store(path) as opened:
        opened.archive.runs()
        files = sorted(path.parent.iterdir())
        assert [file.name for file in files] == ["proctor.db", "proctor.db-shm", "proctor.db-wal"]
        assert {mode(file) for file in files} == {0o600}
    assert (mode(path.parent), mode(path.parent.parent)) == (0o700, 0o700)


@pytest.mark.usefixtures("umask")
def test_the_cache_of_replies_is_its_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / ".proctor" / "cache"
    cache = Cache(folder)
    assert (mode(folder), mode(folder.parent), mode(folder / FILE)) == (0o700, 0o700, 0o600)
    cache.close()


def test_a_folder_of_ours_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    folder = tmp_path / ".proctor"
    evaluate([Case(id="a", question="q", answer="a")], agent=lambda question: "a", store=folder / "proctor.db")
    folder.chmod(0o755)
    (folder / "proctor.db").chmod(0o644)
    with open_store(folder / "proctor.db"):
        pass
    assert (mode(folder), mode(folder / "proctor.db")) == (0o700, 0o600)


def test_what_somebody_else_has_made_stays_as_open_as_it_was(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    with open_store(shared / "results.db"):
        pass
    shared.chmod(0o775)
    (shared / "results.db").chmod(0o664)
    with open_store(shared / "results.db"):
        pass
    assert (mode(shared), mode(shared / "results.db")) == (0o775, 0o664)


def test_a_link_of_our_name_leads_to_a_folder_that_is_not_ours(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    real.chmod(0o755)
    (tmp_path / ".proctor").symlink_to(real)
    private.make_folder(tmp_path / ".proctor" / "cache")
    assert (mode(real), mode(real / "cache")) == (0o755, 0o700)


def test_a_file_that_is_written_again_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("open")
    path.chmod(0o644)
    private.write(path, b"closed")
    assert (mode(path), path.read_bytes()) == (0o600, b"closed")


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(OSError, match="exists"):
        private.make_folder(tmp_path / "a")
