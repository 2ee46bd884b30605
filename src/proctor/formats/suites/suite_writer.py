"""Cases → a suite file, YAML or one a line as JSON, case by case; in several files where one would be too large."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from proctor.benchmark import Case
from proctor.codec import encode
from proctor.errors import InputError
from proctor.formats.rules import LONGEST
from proctor.formats.suites.suite import JSONL, LIMIT, YAML
from proctor.formats.suites.write import values_of, write_values
from proctor.settings import LONGEST_NAME, unwritable

_ROOM = 4096
"""Bytes of a file that are left free."""
_TEXTS = ("question", "context", "answer", "reasoning")
_CASES = "cases:\n"


def why_unwritable(case: Case) -> str | None:
    """Why no suite file can hold a case; None: one can."""
    for name in _TEXTS:
        if len(getattr(case, name) or "") > LONGEST:
            return f"its {name} has {len(getattr(case, name)):,} characters; a suite file takes {LONGEST:,}"
    if len(case.id) > LONGEST_NAME:
        return f"its id has {len(case.id):,} characters; a suite file takes {LONGEST_NAME:,}"
    return None


class SuiteWriter:
    """Writes a suite file; what stood there before is replaced only once all is written."""

    def __init__(self, path: Path, **header: Any) -> None:
        """`header` is the suite's own keys, such as `name` and `description`."""
        if path.suffix.lower() not in (*YAML, JSONL):
            raise InputError(f"cannot write {path}: a suite file ends in .yaml, .yml or .jsonl")
        self.files: list[Path] = []
        """Those that were written; more than one where the first would be too large."""
        self.cases = 0
        self._path = path
        self._header = {name: value for name, value in header.items() if value}
        self._is_jsonl = path.suffix.lower() == JSONL
        self._size = 0
        self._open: IO[str] | None = None

    def add(self, case: Case) -> None:
        """Write one case."""
        text = self._text(case)
        size = len(text.encode())
        if self._open is None or self._size + size > LIMIT - _ROOM:
            self._next_file()
        self._put(text, size)
        self.cases += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        for path in self.files:
            if kind is None:
                os.replace(_temporary_path(path), path)
            else:
                _temporary_path(path).unlink(missing_ok=True)

    def _text(self, case: Case) -> str:
        if self._is_jsonl:
            return encode(values_of(case)) + "\n"
        return write_values({"cases": [values_of(case)]}).removeprefix(_CASES)

    def _next_file(self) -> None:
        self._close()
        number = len(self.files) + 1
        path = self._path if number == 1 else self._path.with_stem(f"{self._path.stem}-{number}")
        try:
            self._open = _temporary_path(path).open("w", encoding="utf-8")
        except OSError as error:
            raise unwritable(path, error) from error
        self.files.append(path)
        self._size = 0
        if self._is_jsonl:
            head = encode({"suite": self._header}) + "\n" if self._header else ""
        else:
            head = write_values(self._header) + _CASES
        self._put(head, len(head.encode()))

    def _put(self, text: str, size: int) -> None:
        assert self._open is not None, "a file is opened before anything is written"
        try:
            self._open.write(text)
        except OSError as error:
            raise unwritable(self._path, error) from error
        self._size += size

    def _close(self) -> None:
        if self._open is not None:
            try:
                self._open.close()
            except OSError as error:
                raise unwritable(self._path, error) from error
            self._open = None


def _temporary_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.unfinished")
