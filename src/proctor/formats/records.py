"""Scan text for the start offsets of valid rows and for errors with their positions.

A single pass with one regular expression; only records that do not look like plain rows are parsed field by field.
Nothing is copied from the text, since a file of 2 MiB may hold a quarter of a million rows.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from proctor.formats.charset import SURROGATE
from proctor.formats.rules import COLUMNS, LONE_CR, LONGEST, REQUIRED, faults, header_separator

KEPT = 100
"""Maximum number of errors to keep; further ones are only counted."""

# Possessive quantifiers avoid backtracking: a quote belongs to its field, or the record is malformed.
_INSIDE = r'[^"]*+(?:""[^"]*+)*+'
_NOT_BLANK = r'(?!\s*+"(?!"))'
_END = r"(?:\r?\n|\Z)"
_FIELD = re.compile(f'"{_INSIDE}"')
_ROW = re.compile(f'"({_INSIDE})";"({_INSIDE})"(?:;"({_INSIDE})"(?:;"({_INSIDE})")?)?')
_BLANK = re.compile(rf"[ \t]*+{_END}")
_FIRST_LINE = re.compile(r"(?:[ \t]*+\r?\n)*+([^\n]*+)\n?")
_MARKS = {",": "a comma", "\t": "a tab"}
_WANTED = f"expected {REQUIRED} to {len(COLUMNS)}, as in {';'.join(COLUMNS)}"
_UNFIT = re.compile("[\0\ud800-\udfff]|\r(?!\n)")
# Each alternative consumes one unit. For a malformed record that is only its first line, so that an unclosed quote does
# not swallow the valid rows after it.
_NEXT = re.compile(
    rf'(?P<row>"{_NOT_BLANK}{_INSIDE}";"{_NOT_BLANK}{_INSIDE}"(?:;"{_INSIDE}"(?:;"{_INSIDE}")?)?{_END})'
    rf'|(?P<record>"{_INSIDE}"(?:;"{_INSIDE}")*+{_END})'
    r"|(?P<blank>(?:[ \t]*+\r?\n)++|[ \t]*+\Z)|(?P<broken>[^\n]++\n?)"
)


@dataclass(slots=True)
class ScanResult:
    """State and results of a scan."""

    rows: array[int] = field(default_factory=lambda: array("L"))
    """Offset of each valid row in the text."""
    faults: list[tuple[int, str]] = field(default_factory=list)
    """(offset, message) of the first errors."""
    more: int = 0
    """Number of further errors."""
    problem_at: int = -1
    """Offset of the first undecodable byte, later of the field that contains it, or -1."""

    @property
    def full(self) -> bool:
        """Whether further errors are only counted."""
        return len(self.faults) >= KEPT

    def add(self, at: int, message: str) -> None:
        """Add an error, or only count it if there are too many."""
        if self.full:
            self.more += 1
        else:
            self.faults.append((at, message))

    def locate_problem(self, fields: Iterable[re.Match[str]]) -> None:
        """Move the decoding error to the start of the field that contains it, if it is one of these."""
        for one in fields if self.problem_at >= 0 else ():
            if one.start() <= self.problem_at < one.end():
                self.problem_at = one.start()


def scan(text: str, *, problem_at: int = -1) -> ScanResult:
    """Find every valid row and every error; `problem_at` is the offset of a decoding error."""
    found = ScanResult(problem_at=problem_at)
    suspect = "\0" in text or LONE_CR.search(text) is not None or problem_at >= 0
    for met in _NEXT.finditer(text, _after_header(text, found)):
        start, end = met.span()
        kind = met.lastgroup
        if kind == "row" and end - start <= LONGEST and not (suspect and _UNFIT.search(text, start, end)):
            found.rows.append(start)
        elif kind == "row" or kind == "record":
            _judge(text, start, end, found)
        elif kind == "broken":
            _explain(text, start, found)
    return found


def fields_of(text: str, start: int) -> list[str]:
    """Return the fields of the valid row at this offset; missing ones are empty."""
    row = _ROW.match(text, start)
    assert row is not None, "rows are only reported where they match"
    return [inside.replace('""', '"') for inside in row.groups("")]


def _after_header(text: str, found: ScanResult) -> int:
    """Return the offset of the first record, after reporting a header row, which is not allowed."""
    first = _FIRST_LINE.match(text)
    assert first is not None, "the expression matches the empty text"
    separator = header_separator(first[1])
    if separator is None:
        return 0
    advice = "this is a header row; remove the header row"
    if separator != ";":
        mark = _MARKS[separator]
        advice = f"a header row, and {mark} between its names; make this table a benchmark file with `proctor convert`"
    found.add(first.start(1), f"File parsing error: {advice}")
    return first.end()


def _judge(text: str, start: int, end: int, found: ScanResult) -> None:
    """Validate a well-formed record: add it as a row, or add its errors."""
    met = _FIELD.finditer(text, start, end)
    fields = list(islice(met, len(COLUMNS)))
    count = len(fields) + (sum(1 for _ in met) if len(fields) == len(COLUMNS) else 0)
    found.locate_problem(fields)
    if not REQUIRED <= count <= len(COLUMNS):
        found.add(start, f"Invalid number of fields: {count}, {_WANTED}")
    elif found.problem_at < 0 or not SURROGATE.search(text, start, end):  # the encoding error is reported once per file
        wrong = list(faults([one[0][1:-1].replace('""', '"') for one in fields]))
        for index, message in wrong:
            found.add(fields[index].start(), message)
        if not wrong:
            found.rows.append(start)


def _explain(text: str, start: int, found: ScanResult) -> None:
    """Report where and why a record is malformed."""
    if found.full:
        found.more += 1
        return
    at = start
    while met := _FIELD.match(text, at):
        found.locate_problem([met])
        if not text.startswith(";", met.end()):
            found.add(at, f"File parsing error: {_no_separator(text, met.end())}")
            return
        at = met.end() + 1
    found.add(at, f"File parsing error: {_no_field(text, at)}")


def _no_field(text: str, at: int) -> str:
    """Explain why no field starts here."""
    if text.startswith('"', at):
        return "the quote that opens this field is never closed; close it, and double every quote inside the field"
    if _BLANK.match(text, at):
        return "the line ends with a semicolon; remove it"
    if text.startswith(";", at):
        return 'an empty field must be written ""'
    if text[at : at + LONGEST].lstrip(" \t").startswith('"'):
        return "there are blanks before the opening quote; remove them"
    bare = f"the field {_excerpt(text, at)} is not in double quotes; put quotes around every field"
    return _unfit(text[at]) or bare


def _no_separator(text: str, at: int) -> str:
    """Explain why a closing quote is followed by neither a semicolon nor the end of the line."""
    after = text[at : at + LONGEST].lstrip(" \t")
    if text[at] in " \t" and after[:1] in ("", ";", "\r", "\n"):
        return "there are blanks after the closing quote; remove them"
    if text[at] in _MARKS and text.startswith('"', at + 1):
        return f"{_MARKS[text[at]]} separates these fields; write a semicolon, or use `proctor convert`"
    if text[at - 2] == "\n":
        return "the quote that opens this field is still open where a later line starts with a quote; close it"
    stray = f'the quote before {_excerpt(text, at)} is not doubled; write "" for a quote inside a field'
    return _unfit(text[at]) or stray


def _unfit(character: str) -> str | None:
    """Explain why this character is not allowed outside the fields, or return None."""
    if character == "\r":
        return "a lone CR ends the line; end lines with LF or CRLF"
    return "there is a NUL byte outside the fields; remove it" if character == "\0" else None


def _excerpt(text: str, at: int) -> str:
    piece = text[at : at + 20].partition("\n")[0]
    return repr(SURROGATE.sub("\ufffd", piece))
