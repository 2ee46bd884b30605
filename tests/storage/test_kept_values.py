"""Values kept in files beside a store."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

import pytest

from proctor.storage.kept_values import KeptValues


@dataclass(frozen=True, kw_only=True, slots=True)
class Counted:
    passed: int
    names: tuple[str, ...] = ()


def test_what_is_kept_is_read_by_whoever_comes_next(tmp_path: Path) -> None:
    KeptValues(tmp_path / "kept", form=1).write(("run", 1.5), Counted(passed=3, names=("a", "ü")))
    kept = KeptValues(tmp_path / "kept", form=1)
    assert kept.read(("run", 1.5), Counted) == Counted(passed=3, names=("a", "ü"))
    assert kept.read(("run", 2.5), Counted) is None


def test_what_an_older_version_kept_is_not_read(tmp_path: Path) -> None:
    KeptValues(tmp_path, form=1).write("run", Counted(passed=3))
    assert KeptValues(tmp_path, form=2).read("run", Counted) is None


@pytest.mark.parametrize("content", [b"", b"{", b'{"passed": "many"}', b"\xff"])
def test_a_spoiled_file_counts_as_not_kept(tmp_path: Path, content: bytes) -> None:
    kept = KeptValues(tmp_path, form=1)
    kept.write("run", Counted(passed=3))
    next(tmp_path.iterdir()).write_bytes(content)
    assert kept.read("run", Counted) is None


def test_a_folder_that_cannot_be_made_keeps_nothing_and_fails_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    kept = KeptValues(tmp_path / "file" / "kept", form=1)
    kept.write("run", Counted(passed=3))
    assert kept.read("run", Counted) is None


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    KeptValues(tmp_path, form=1).write("run", Counted(passed=3))
    assert [stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()] == [0o600]
