"""The benchmark format: semicolon-separated, every field in double quotes, no header, 2 to 4 fields.

`read_bytes` returns rows and errors, `benchmark` returns the benchmark or raises, and `write` writes rows that read
back unchanged.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from proctor.benchmark import Benchmark, Case
from proctor.codec import benchmark_of, numbered_id
from proctor.errors import InputError
from proctor.formats import charset
from proctor.formats.charset import decode
from proctor.formats.records import KEPT, fields_of, scan
from proctor.formats.rules import COLUMNS, REQUIRED, faults, header_separator

LIMIT = 2_097_152
"""Maximum size of a file in bytes."""

_PREVIEW = 10
_TOLD = 3
TOO_LARGE = f"File exceeds {LIMIT} bytes: a benchmark file has at most 2 MiB; split it into several"
"""Error message for a file above the limit."""
_NO_QUESTIONS = 'No questions: the file is empty; write one record a line, as in "What is 2 + 2?";"4"'


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One error in a file."""

    line: int
    """Physical line where the field or record starts, from 1."""
    column: int
    """Character in that line, from 1."""
    message: str
    """Description of the error, with details after a colon."""

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


@dataclass(frozen=True, kw_only=True)
class Table:
    """The valid rows of a file and its errors."""

    errors: tuple[Problem, ...]
    """Errors in file order, at most 100."""
    more: int = 0
    """Number of further errors."""
    text: str = field(default="", repr=False)
    starts: Sequence[int] = field(default=(), repr=False)
    """Offset of each valid row in the text; rows are parsed on demand."""

    @property
    def rows(self) -> int:
        """Number of valid rows."""
        return len(self.starts)

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The valid rows as cases."""
        return tuple(self._cases())

    @property
    def preview(self) -> tuple[Case, ...]:
        """The first ten valid rows."""
        return tuple(islice(self._cases(), _PREVIEW))

    def _cases(self) -> Iterator[Case]:
        seen: Counter[str] = Counter()
        line, last = 1, 0
        for start in self.starts:
            line += self.text.count("\n", last, start)
            last = start
            yield _case(fields_of(self.text, start), line, seen)


def _case(fields: Sequence[str], line: int, seen: Counter[str]) -> Case:
    question, answer, *others = fields
    reasoning, context = (text if text.strip() else None for text in others)
    unique = numbered_id(question, context, seen)
    return Case(id=unique, question=question, answer=answer, reasoning=reasoning, context=context, line=line)


def read_bytes(data: bytes) -> Table:
    """Parse a file into rows and errors. Never raises; a file that is no benchmark has an error that says so."""
    if len(data) > LIMIT:
        return Table(errors=(Problem(line=1, column=1, message=TOO_LARGE),))
    decoded = decode(data)
    found = scan(decoded.text, problem_at=decoded.problem_at)
    if decoded.problem:
        found.faults.append((found.problem_at, f"File parsing error: {decoded.problem}"))
    if not found.faults and not found.rows:
        found.faults.append((0, _NO_QUESTIONS))
    errors = tuple(_locate_problems(decoded.text, sorted(found.faults)))
    return Table(
        errors=errors[:KEPT],
        more=found.more + len(errors[KEPT:]),
        text=decoded.text,
        starts=found.rows,
    )


def _locate_problems(text: str, faults_found: list[tuple[int, str]]) -> Iterator[Problem]:
    line, last = 1, 0
    for at, message in faults_found:
        line += text.count("\n", last, at)
        last = at
        yield Problem(line=line, column=at - text.rfind("\n", 0, at), message=message)


def read_path(path: str | os.PathLike[str]) -> bytes:
    """Read a file, refusing it once more than the limit has been read."""
    data = read_start(path)
    if len(data) > LIMIT:
        raise InputError(f"{os.fspath(path)}: {TOO_LARGE}")
    return data


def read_start(path: str | os.PathLike[str]) -> bytes:
    """Read a file up to one byte beyond the limit, enough for `read_bytes` to detect that it is too large."""
    return charset.read_start(path, LIMIT + 1, expected="a benchmark file")


def collect(chunks: Iterable[bytes]) -> bytes:
    """Collect an upload, refusing it while it streams as soon as it exceeds the limit."""
    data = bytearray()
    for chunk in chunks:
        data += chunk
        if len(data) > LIMIT:
            raise InputError(TOO_LARGE)
    return bytes(data)


def benchmark(data: bytes, *, name: str, description: str = "", path: object = None) -> Benchmark:
    """Parse a file into a benchmark; raise InputError with its path or name and the first errors."""
    table = read_bytes(data)
    if table.errors:
        raise InputError(f"{path or name}: {_summary(table)}")
    return benchmark_of(table.cases, name=name, description=description)


def _summary(table: Table) -> str:
    listing = "; ".join(str(problem) for problem in table.errors[:_TOLD])
    unlisted = len(table.errors) + table.more - _TOLD
    return listing + (f"; and {unlisted:,} more (`proctor check` lists them)" if unlisted > 0 else "")


def write(rows: Iterable[Sequence[str | None]]) -> bytes:
    """Serialize rows of question, answer, reasoning and context; the last two may be missing or None.

    Rows that would not read back unchanged are refused; see `rules.faults`.
    """
    records = [_record(row, number) for number, row in enumerate(rows, 1)]
    data = "".join(records).encode()
    if not data:
        raise InputError(_NO_QUESTIONS)
    if len(data) > LIMIT:
        raise InputError(TOO_LARGE)
    return data


def _record(row: Sequence[str | None], number: int) -> str:
    if len(row) > len(COLUMNS):
        raise InputError(f"row {number}: Invalid number of fields: {len(row)}, expected 2 to {len(COLUMNS)}")
    for message in row_faults(row, first=number == 1):
        raise InputError(f"row {number}: {message}")
    return record(row)


def row_faults(row: Sequence[str | None], *, first: bool) -> Iterator[str]:
    """Yield why a row cannot be written; the first row must not look like a header."""
    yield from (message for _, message in faults(_fields(row)))
    if first and header_separator(record(row).partition("\n")[0]):
        yield "File parsing error: the first row reads like a header row; give another row first"


def record(row: Sequence[str | None]) -> str:
    """Serialize a row, without empty fields at its end."""
    fields = _fields(row)
    while len(fields) > REQUIRED and not fields[-1]:
        fields.pop()
    return ";".join('"' + text.replace('"', '""') + '"' for text in fields) + "\n"


def _fields(row: Sequence[str | None]) -> list[str]:
    return [text or "" for text in row] + [""] * (len(COLUMNS) - len(row))
