"""Bytes → text: UTF-8 with or without a byte order mark, UTF-16 by its mark, and nothing else."""

from __future__ import annotations

import codecs
import os
import re
from dataclasses import dataclass

from proctor.errors import InputError
from proctor.settings import check_path, shown_path

SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character. Good text has none, so it can stand for a byte that could not be read."""

_MARKS = ((codecs.BOM_UTF8, "UTF-8"), (codecs.BOM_UTF16_LE, "UTF-16-LE"), (codecs.BOM_UTF16_BE, "UTF-16-BE"))
_SAVE = "save the file as UTF-8 (in Excel: CSV UTF-8), or convert it with `iconv -f {} -t UTF-8 FILE > NEW`"
_LOOKED_AT = 4096
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\x1a"))
_MOST_CONTROLS = 0.02
"""The share of control characters that a text in some other encoding may have."""
_FOREIGN = (
    (codecs.BOM_UTF32_LE, "the file is UTF-32 by its first 4 bytes (offset 0); " + _SAVE.format("UTF-32")),
    (codecs.BOM_UTF32_BE, "the file is UTF-32 by its first 4 bytes (offset 0); " + _SAVE.format("UTF-32")),
    (b"PK\x03\x04", "the file is a workbook or another ZIP archive, not text, by its first 4 bytes (offset 0); "
     "turn a workbook into a benchmark with `proctor convert FILE.xlsx NEW.csv`"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class DecodedText:
    """The text of a file, and the first place where it is none."""

    text: str
    """Without the byte order mark; bytes that could not be read stand in it as surrogates."""
    problem: str | None = None
    """What is wrong with the encoding, with the byte's offset and the cure; None: nothing."""
    problem_at: int = -1
    """Where in the text; -1: nowhere."""


def decode(data: bytes) -> DecodedText:
    """The text of a file. Never raises: what cannot be read is told."""
    if foreign := _foreign(data):
        return DecodedText(text="", problem=foreign, problem_at=0)
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "UTF-8"))
    body = data[len(mark) :] if mark else data
    try:
        return DecodedText(text=body.decode(encoding))
    except UnicodeDecodeError as error:
        if not mark and (share := _controls(data)) > _MOST_CONTROLS:
            problem = f"the file is no text: {share:.0%} of its first bytes are control characters; give a file of text"
            return DecodedText(text="", problem=problem, problem_at=0)
        return _decode_with_problem(body, encoding, error.start, len(mark))


def _foreign(data: bytes) -> str | None:
    """What the file is, where its first bytes say that it is no text we read."""
    if data[:2] in (b'"\0', b'\0"') and 0 in data[2:4]:
        cure = _SAVE.format("UTF-16LE" if data[1] == 0 else "UTF-16BE")
        return f"the NUL byte at offset {data.index(0)} shows UTF-16 without its byte order mark; {cure}"
    return next((what for signature, what in _FOREIGN if data.startswith(signature)), None)


def _controls(data: bytes) -> float:
    """How much of the beginning no text would hold, in whatever encoding."""
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
    """The text with a surrogate for each byte, or in UTF-16 each unit, that makes no sense."""
    if encoding == "UTF-8":
        return body.decode(encoding, "surrogateescape")
    whole = len(body) - len(body) % 2
    return body[:whole].decode(encoding, "surrogatepass") + "\udc80" * (len(body) % 2)


def read_start(path: str | os.PathLike[str], most: int, *, expected: str) -> bytes:
    """The first so many bytes of a file; a pipe that nobody writes to is empty."""
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
        said = error.strerror or str(error)
        raise InputError(f"cannot read {shown_path(path)}: {said}; give the path of {expected}") from error
