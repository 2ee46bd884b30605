"""Safe handling of untrusted ZIP files: size limits before unpacking, and no paths outside the target folder."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path, PurePosixPath
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from proctor.errors import InputError
from proctor.redaction import private

LIMIT = 16 * 2**20
"""Maximum size of a ZIP file in bytes."""
MOST_FILES = 2_000
MOST_BYTES = 64 * 2**20
"""Maximum total size of the unpacked files in bytes."""
MOST_RATIO = 200
"""Maximum compression ratio of a file; files below 1 MiB are exempt."""
_SMALL = 2**20
_LONGEST_PATH = 240


def check_archive(data: bytes) -> list[ZipInfo]:
    """Return the files in the archive; raise InputError if it is invalid or violates a limit."""
    try:
        with ZipFile(BytesIO(data)) as archive:
            found = [each for each in archive.infolist() if not each.is_dir()]
    except (BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise InputError(f"the file is not a readable zip file: {error}; pack it again") from error
    if len(found) > MOST_FILES:
        raise InputError(f"the zip file holds {len(found):,} files; expected at most {MOST_FILES:,}")
    total = sum(each.file_size for each in found)
    if total > MOST_BYTES:
        raise InputError(f"the zip file unpacks to {total:,} bytes; expected at most {MOST_BYTES:,}")
    for each in found:
        _check_file(each)
    return found


def unpack(data: bytes, folder: Path) -> list[PurePosixPath]:
    """Extract the files into a folder with private permissions and return their relative paths."""
    names, found = [], check_archive(data)
    try:
        with ZipFile(BytesIO(data)) as archive:
            for each in found:
                name = PurePosixPath(each.filename)
                target = folder / name
                private.make_folder(target.parent)
                private.write(target, archive.read(each))  # zipfile never reads more than the declared size
                names.append(name)
    except (BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError) as error:
        raise InputError(f"the zip file is damaged: {error}; pack it again") from error
    return names


def pack(files: Mapping[str, bytes]) -> bytes:
    """Create a ZIP file; the same files give the same bytes."""
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return out.getvalue()


def _check_file(each: ZipInfo) -> None:
    name = each.filename
    if each.flag_bits & 0x1:
        raise InputError(f"{name[:80]!r} in the zip file is encrypted; pack it without a password")
    if stat.S_ISLNK(each.external_attr >> 16):
        raise InputError(f"{name[:80]!r} in the zip file is a link; pack the file itself")
    path = PurePosixPath(name)
    parts = path.parts
    if not parts or path.is_absolute() or "\\" in name or ":" in parts[0] or {"..", "."} & set(parts):
        raise InputError(f"{name[:80]!r} in the zip file leaves its folder; pack it with names from one folder on")
    if len(name) > _LONGEST_PATH or not name.isprintable():
        raise InputError(f"{name[:80]!r} in the zip file cannot be a file here; expected a short, printable name")
    if each.file_size > max(_SMALL, MOST_RATIO * each.compress_size):
        raise InputError(
            f"{name[:80]!r} in the zip file would become {each.file_size:,} bytes from {each.compress_size:,}; "
            f"expected at most {MOST_RATIO} times as many"
        )
