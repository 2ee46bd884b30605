"""Decode bytes to text: UTF-8 with or without a byte order mark, UTF-16 with one, and nothing else."""

from __future__ import annotations

import codecs
import os
import re
from dataclasses import dataclass

from proctor.errors import InputError
from proctor.settings import check_path, shown_path

SURROGATE = re.compile("[\ud800-\udfff]")
"""Matches surrogates, which never occur in valid text and therefore mark undecodable bytes."""

_MARKS = ((codecs.BOM_UTF8, "UTF-8"), (codecs.BOM_UTF16_LE, "UTF-16-LE"), (codecs.BOM_UTF16_BE, "UTF-16-BE"))
_SAVE = "save the file as UTF-8 (in Excel: CSV UTF-8), or convert it with `iconv -f {} -t UTF-8 FILE > NEW`"
_LOOKED_AT = 4096
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\x1a"))
_MOST_CONTROLS = 0.02
"""Maximum share of control characters in a text of unknown encoding."""
_FOREIGN = (
    (codecs.BOM_UTF32_LE, "the file is UTF-32 by its first 4 bytes (offset 0); " + _SAVE.format("UTF-32")),
    (codecs.BOM_UTF32_BE, "the file is UTF-32 by its first 4 bytes (offset 0); " + _SAVE.format("UTF-32")),
    (b"PK\x03\x04", "the file is a workbook or another ZIP archive, not text, by its first 4 bytes (offset 0); "
     "turn a workbook into a benchmark with `proctor convert FILE.xlsx NEW.csv`"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class DecodedText:
    """Decoded text and the first decoding error."""

    text: str
    """The text without byte order mark; undecodable bytes are surrogates."""
    problem: str | None = None
    """Description of the encoding error with byte offset and remedy, or None."""
    problem_at: int = -1
    """Position of the error in the text, or -1."""


def decode(data: bytes) -> DecodedText:
    """Decode a file. Never raises; errors are reported in the result."""
    if foreign := _foreign(data):
        return DecodedText(text="", problem=foreign, problem_at=0)
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "UTF-8"))
    body = data[len(mark) :] if mark else data
    try:
        return DecodedText(text=body.decode(encoding))
    except UnicodeDecodeError as error:
        if not mark and (share := _controls(data)) > _MOST_CONTROLS:
            problem = f"the file is not text: {share:.0%} of its first bytes are control characters; give a text file"
            return DecodedText(text="", problem=problem, problem_at=0)
        return _decode_with_problem(body, encoding, error.start, len(mark))


def _foreign(data: bytes) -> str | None:
    """Identify an unsupported file type or encoding by its first bytes, or return None."""
    if data[:2] in (b'"\0', b'\0"') and 0 in data[2:4]:
        cure = _SAVE.format("UTF-16LE" if data[1] == 0 else "UTF-16BE")
        return f"the NUL byte at offset {data.index(0)} shows UTF-16 without its byte order mark; {cure}"
    return next((what for signature, what in _FOREIGN if data.startswith(signature)), None)


def _controls(data: bytes) -> float:
    """Return the share of control characters at the start of the data."""
    start = data[:_LOOKED_AT]
    return 1 - len(start.translate(None, _CONTROLS)) / len(start)


def _decode_with_problem(body: bytes, encoding: str, at: int, skipped: int) -> DecodedText:
    text = _decode_leniently(body, encoding)
    places = SURROGATE.finditer(text)
    first = next(places).start()
    more = sum(1 for _ in places)
    others = f" (the first of {more + 1:,} such places)" if more else ""
    source = "WINDOWS-1252" if encoding == "UTF-8" else "UTF-16"
    cure = _SAVE.format(source) + (" (name the encoding it has)" if encoding == "UTF-8" else "")
    problem = f"byte 0x{body[at]:02X} at offset {at + skipped} is not {encoding}{others}; {cure}"
    return DecodedText(text=text, problem=problem, problem_at=first)


def _decode_leniently(body: bytes, encoding: str) -> str:
    """Decode with a surrogate for each invalid byte (in UTF-16, each invalid unit)."""
    if encoding == "UTF-8":
        return body.decode(encoding, "surrogateescape")
    even_length = len(body) - len(body) % 2
    return body[:even_length].decode(encoding, "surrogatepass") + "\udc80" * (len(body) % 2)


def read_start(path: str | os.PathLike[str], most: int, *, expected: str) -> bytes:
    """Read the first bytes of a file, up to `most`; a pipe without a writer reads as empty."""
    check_path("the path", path)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            os.set_blocking(descriptor, True)
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(most)
        finally:
            os.close(descriptor)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot read {shown_path(path)}: {reason}; give the path of {expected}") from error
