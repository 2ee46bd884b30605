"""The benchmark format: semicolons, every field in double quotes, no header, 2 to 4 fields.

`read_bytes` tells rows and errors, `benchmark` takes the rows or raises, `write` writes what reads back the same.
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
"""The most bytes that a file may have."""

_PREVIEW = 10
_TOLD = 3
TOO_LARGE = f"File exceeds {LIMIT} bytes: a benchmark file has at most 2 MiB; split it into several"
"""What is said of a file that has more."""
_NO_QUESTIONS = 'No questions: the file is empty; write one record a line, as in "What is 2 + 2?";"4"'


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One error in a file."""

    line: int
    """The physical line where the field, or the record, starts; from 1."""
    column: int
    """The character in that line; from 1."""
    message: str
    """What is wrong, and the detail after a colon."""

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


@dataclass(frozen=True, kw_only=True)
class Table:
    """The valid rows of a file and its errors."""

    errors: tuple[Problem, ...]
    """In the order of the file, at most 100."""
    more: int = 0
    """How many errors there are beyond those."""
    text: str = field(default="", repr=False)
    """The file's text."""
    starts: Sequence[int] = field(default=(), repr=False)
    """Where in the text each valid row starts; the rows stay there until they are asked for."""

    @property
    def rows(self) -> int:
        """The number of valid rows."""
        return len(self.starts)

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The valid rows as cases."""
        return tuple(self._cases())

    @property
    def preview(self) -> tuple[Case, ...]:
        """The first ten of them."""
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
    """The rows and errors of a file. Never raises: a file that is no benchmark has an error that says so."""
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
    """The bytes of a file, which is refused if it is too large before more than the limit is read."""
    data = read_start(path)
    if len(data) > LIMIT:
        raise InputError(f"{os.fspath(path)}: {TOO_LARGE}")
    return data


def read_start(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file up to one beyond the limit, enough for `read_bytes` to see that it is too large."""
    return charset.read_start(path, LIMIT + 1, expected="a benchmark file")


def collect(chunks: Iterable[bytes]) -> bytes:
    """The bytes of an upload, which is refused while it streams, as soon as it is too large."""
    data = bytearray()
    for chunk in chunks:
        data += chunk
        if len(data) > LIMIT:
            raise InputError(TOO_LARGE)
    return bytes(data)


def benchmark(data: bytes, *, name: str, description: str = "", path: object = None) -> Benchmark:
    """The benchmark in a file; raises InputError with the first errors if it has any, after its path or name."""
    table = read_bytes(data)
    if table.errors:
        raise InputError(f"{path or name}: {_summary(table)}")
    return benchmark_of(table.cases, name=name, description=description)


def _summary(table: Table) -> str:
    told = "; ".join(str(problem) for problem in table.errors[:_TOLD])
    untold = len(table.errors) + table.more - _TOLD
    return told + (f"; and {untold:,} more (`proctor check` lists them)" if untold > 0 else "")


def write(rows: Iterable[Sequence[str | None]]) -> bytes:
    """Rows of question, answer, reasoning, context (the last two may be missing or None) as a file.

    What reads back as something else is refused: see `rules.faults`.
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
    """Why a row cannot stand in a file; the first row must not read like a header."""
    yield from (message for _, message in faults(_fields(row)))
    if first and header_separator(record(row).partition("\n")[0]):
        yield "File parsing error: the first row reads like a header row; give another row first"


def record(row: Sequence[str | None]) -> str:
    """A row as it stands in a file, without the empty fields at its end."""
    fields = _fields(row)
    while len(fields) > REQUIRED and not fields[-1]:
        fields.pop()
    return ";".join('"' + text.replace('"', '""') + '"' for text in fields) + "\n"


def _fields(row: Sequence[str | None]) -> list[str]:
    return [text or "" for text in row] + [""] * (len(COLUMNS) - len(row))
