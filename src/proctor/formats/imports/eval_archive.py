"""Read the ZIP archive of an Inspect AI log, even if it was cut off before its central directory."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from proctor.errors import InputError

_HEADER = struct.Struct("<4s5H3I2H")
_SIGNATURE = b"PK\x03\x04"
_SIZES_FOLLOW = 0x08
_ZSTD = 93
_LARGEST = 2**30
"""Maximum size of one sample in bytes."""


class PackageMissing(InputError):
    """The package needed to decompress the archive is not installed, so no file in it can be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    method: int
    at: int
    """Offset of its data."""
    stored: int
    size: int


class EvalArchive:
    """The archive's files by name; of duplicate names, the last one counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_cut_off = False
        self._entries = self._directory()
        if not self._entries:
            raise InputError(f"{path} is not an Inspect AI log: it is not a ZIP archive, or nothing in it is complete")

    @property
    def names(self) -> list[str]:
        """File names in the order they were written."""
        return [*self._entries]

    def read(self, name: str) -> Any:
        """Read and parse a JSON file from the archive."""
        entry = self._entries[name]
        try:
            with self.path.open("rb") as file:
                file.seek(entry.at)
                data = file.read(entry.stored)
            return json.loads(_unpack(data, entry, self.path))
        except (ValueError, RecursionError, zlib.error) as error:
            raise InputError(f"{self.path}: {name} cannot be read: {error}") from error

    def _directory(self) -> dict[str, _Entry]:
        try:
            with zipfile.ZipFile(self.path) as archive, self.path.open("rb") as file:
                return {info.filename: _entry(info, file) for info in archive.infolist()}
        except zipfile.BadZipFile:
            self.is_cut_off = True
            return self._scan()
        except OSError as error:
            raise InputError(f"cannot read {self.path}: {error.strerror or error}") from error

    def _scan(self) -> dict[str, _Entry]:
        """Scan a truncated archive, which lacks the central directory at its end, for complete files."""
        found: dict[str, _Entry] = {}
        end = self.path.stat().st_size
        with self.path.open("rb") as file:
            while len(head := file.read(_HEADER.size)) == _HEADER.size:
                mark, _, flags, method, _, _, _, stored, size, named, extra = _HEADER.unpack(head)
                if mark != _SIGNATURE or flags & _SIZES_FOLLOW:
                    break
                name = file.read(named).decode("utf-8", "replace")
                at = file.seek(extra, 1)
                if at + stored > end:
                    break
                found[name] = _Entry(method=method, at=at, stored=stored, size=size)
                file.seek(stored, 1)
        return found


def _entry(info: zipfile.ZipInfo, file: BinaryIO) -> _Entry:
    file.seek(info.header_offset)
    head = file.read(_HEADER.size)
    if len(head) < _HEADER.size:
        raise zipfile.BadZipFile
    named, extra = _HEADER.unpack(head)[-2:]
    return _Entry(
        method=info.compress_type,
        at=info.header_offset + _HEADER.size + named + extra,
        stored=info.compress_size,
        size=info.file_size,
    )


def _unpack(data: bytes, entry: _Entry, path: Path) -> bytes:
    if entry.size > _LARGEST:
        raise ValueError(f"it has {entry.size:,} bytes; at most {_LARGEST:,} are read")
    if entry.method == zipfile.ZIP_STORED:
        return data
    if entry.method == zipfile.ZIP_DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, entry.size + 1)
    if entry.method != _ZSTD:
        raise ValueError(f"it is compressed in a way that is not known here ({entry.method})")
    try:
        import zstandard
    except ImportError:
        raise PackageMissing(
            f"{path} is compressed with zstd, for which a package is missing: pip install 'proctor[inspect]', "
            "or turn the log into JSON with `inspect log convert --to json`"
        ) from None
    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            return bytes(reader.read(entry.size + 1))
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
