"""The archive of an Inspect AI log, compressed in either way, whole or cut off."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

from proctor.errors import InputError
from proctor.formats.imports.eval_archive import EvalArchive

_ZSTD = 93


def _compressed_with_zstd(path: Path, name: str, value: object) -> Path:
    """One file, as newer versions of Inspect AI write it; `zipfile` of this Python cannot."""
    zstandard = pytest.importorskip("zstandard", reason="logs are compressed with it")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(name, zstandard.ZstdCompressor().compress(json.dumps(value).encode()))
    data = bytearray(path.read_bytes())
    directory = data.index(b"PK\x01\x02")
    data[8], data[directory + 10] = _ZSTD, _ZSTD
    path.write_bytes(bytes(data))
    return path


def test_a_log_that_is_compressed_with_zstd_is_read(tmp_path: Path) -> None:
    path = _compressed_with_zstd(tmp_path / "log.eval", "header.json", {"version": 2})

    assert EvalArchive(path).read("header.json") == {"version": 2}


def test_where_the_package_for_zstd_is_missing_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _compressed_with_zstd(tmp_path / "log.eval", "header.json", {"version": 2})
    monkeypatch.setitem(sys.modules, "zstandard", None)

    with pytest.raises(InputError, match=r"pip install 'proctor\[inspect\]'.*inspect log convert --to json"):
        EvalArchive(path).read("header.json")


def test_of_an_archive_without_its_directory_all_that_is_whole_is_found(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            archive.writestr(f"samples/{number}.json", json.dumps({"id": number}))
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"samples/4.json") + 16])

    found = EvalArchive(path)

    assert found.is_cut_off
    assert [found.read(name) for name in found.names] == [{"id": number} for number in range(4)]


def test_a_damaged_file_in_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/1.json", '{"id": ')

    with pytest.raises(InputError, match=r"samples/1\.json cannot be read"):
        EvalArchive(path).read("samples/1.json")
