"""A file to import: its kind, its first record, and iteration over its records."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TextIO

from proctor.errors import FailureKind, InputError
from proctor.formats import charset
from proctor.formats.imports.contract import CutOff, ImportLog
from proctor.formats.imports.json_stream import Keys, walk
from proctor.run import Failure, Stage

FileKind = Literal["zip", "object", "list", "lines", "csv", "yaml"]
_LOOKED_AT = 2**16
_PROGRAMS = (".js", ".mjs", ".cjs", ".ts", ".mts", ".py")
_LONGEST_LINE = 2**28
_MOST_YAML = 2**25
_MOST_VALUES = 1_000_000
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class SourceFile:
    """A file to import, inspected without reading all of it."""

    path: Path

    @cached_property
    def start(self) -> bytes:
        """The first bytes of the file."""
        start = charset.read_start(self.path, _LOOKED_AT, expected="a file that another tool has written")
        if not start.strip():
            raise InputError(f"{self.path} is empty; export it again")
        return start

    @cached_property
    def kind(self) -> FileKind:
        """Kind of document, detected from its content and extension."""
        suffix = self.path.suffix.lower()
        if self.start.startswith(b"PK") or suffix == ".eval":
            return "zip"
        if suffix in (".yaml", ".yml"):
            return "yaml"
        opening = self.start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        if suffix in (".jsonl", ".ndjson"):
            return "lines"
        if opening == b"[":
            return "list"
        if opening == b"{":
            return "lines" if suffix == ".log" or self._has_lines() else "object"
        if suffix in (".csv", ".tsv"):
            return "csv"
        if suffix in _PROGRAMS:
            raise InputError(
                f"{self.path} is a program, and nothing is run here; name what it leaves behind, such as "
                "promptfoo's `eval -o results.json`"
            )
        raise InputError(
            f"{self.path} does not look like a JSON, YAML, CSV or .eval file",
            terminal="; see `proctor import --help`",
            page="; choose what the tool itself has exported",
        )

    def _has_lines(self) -> bool:
        """Whether the first line is a complete JSON object and another object follows."""
        first, end, rest = self.start.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
        if not end or not rest.strip().startswith(b"{"):
            return False
        try:
            return isinstance(json.loads(first), dict)
        except (ValueError, RecursionError):
            return False

    @cached_property
    def first(self) -> dict[str, Any]:
        """The first record of a list, lines or table, or the first keys of an object; empty if there are none."""
        try:
            if self.kind == "object":
                return self._first_members()
            if self.kind == "yaml":
                found = self.yaml()
                return found if isinstance(found, dict) else {}
            if self.kind != "zip" and (self.kind != "csv" or self._names_columns()):
                return next((item for _, item in self.items(ImportLog()) if isinstance(item, dict)), {})
        except CutOff:
            pass
        return {}

    def _names_columns(self) -> bool:
        """Whether the first line of a table can be parsed as column names with the expected delimiter."""
        with self.text() as file:
            try:
                return next(csv.reader(file, delimiter=self._delimiter, strict=True), None) is not None
            except csv.Error:
                return False

    @property
    def _delimiter(self) -> str:
        return "\t" if self.path.suffix.lower() == ".tsv" else ","

    def _first_members(self) -> dict[str, Any]:
        """Return the members of an object within the first bytes; of a truncated one, only its type or first item."""
        members: dict[str, Any] = {}
        decoder, text = json.JSONDecoder(), self.start.decode("utf-8-sig", "replace")
        at = text.find("{") + 1
        while (start := text.find('"', at)) >= 0:
            try:
                name, end = decoder.raw_decode(text, start)
                begin = _after(text, end)
                members[name] = _opening(text[begin:], decoder)
                members[name], at = decoder.raw_decode(text, begin)
            except (ValueError, IndexError, RecursionError):
                break
        return members

    @contextmanager
    def text(self) -> Iterator[TextIO]:
        """Open the file as text."""
        encoding = "utf-16" if self.start.startswith(_UTF16) else "utf-8-sig"
        try:
            with self.path.open(encoding=encoding, newline="") as file:
                yield file
        except UnicodeDecodeError as error:
            raise InputError(
                f"{self.path} is not UTF-8 text at byte {error.start:,} of a piece that was read; save it as UTF-8"
            ) from error
        except OSError as error:
            raise InputError(f"cannot read {self.path}: {error.strerror or error}") from error

    def walk(self, *lists: Keys) -> Iterator[tuple[Keys, Any]]:
        """Yield the values of a JSON document; see `json_stream.walk`."""
        with self.text() as file:
            yield from walk(file, lists, source=self.path)

    def items(self, log: ImportLog, lists: Collection[Keys] = ((),)) -> Iterator[tuple[str, Any]]:
        """Yield the records with their position: items of a list, JSON lines or rows."""
        if self.kind == "lines":
            yield from self._lines(log)
        elif self.kind == "csv":
            yield from self._rows()
        else:
            yield from self._members(log, lists)

    def _members(self, log: ImportLog, lists: Collection[Keys]) -> Iterator[tuple[str, Any]]:
        """Yield the records of a document; note if its metadata says that there are more pages."""
        number, header = 0, dict[str, Any]()
        for keys, value in self.walk(*lists):
            if keys in lists:
                number += 1
                yield f"record {number}", value
            elif len(keys) == 1:
                header[keys[0]] = value
        if missing := _missing(header, number):
            log.note(f"{self.path.name} is not all there is: {missing}; name the other pages too")

    def _lines(self, log: ImportLog) -> Iterator[tuple[str, Any]]:
        with self.text() as file:
            number = 0
            while line := file.readline(_LONGEST_LINE):
                number += 1
                if not line.strip():
                    continue
                try:
                    yield f"line {number}", json.loads(line)
                except (ValueError, RecursionError) as error:
                    if not line.endswith("\n"):
                        raise CutOff(f"its last line, {number}, is incomplete") from None
                    log.skip(f"line {number}", f"it is not JSON: {error}")

    def _rows(self) -> Iterator[tuple[str, Any]]:
        csv.field_size_limit(_LONGEST_LINE)
        with self.text() as file:
            rows = csv.DictReader(file, delimiter=self._delimiter, strict=True)
            try:
                for number, row in enumerate(rows, 1):
                    yield f"row {number}", {name: _cell(cell) for name, cell in row.items() if name is not None}
            except csv.Error as error:
                if "unexpected end of data" in str(error):
                    raise CutOff(f"it ends inside quotes, at line {rows.reader.line_num}") from None
                raise InputError(f"{self.path}: line {rows.reader.line_num} cannot be read: {error}") from error

    def yaml(self) -> Any:
        """Parse the YAML document into plain values."""
        import yaml

        data = charset.read_start(self.path, _MOST_YAML + 1, expected="a YAML file")
        if len(data) > _MOST_YAML:
            raise InputError(f"{self.path} has more than {_MOST_YAML:,} bytes; split it")
        try:
            found = yaml.load(data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise InputError(f"{self.path} is not YAML: {' '.join(str(error).split())}") from error
        if _is_larger(found, _MOST_VALUES):
            raise InputError(f"{self.path} holds more than {_MOST_VALUES:,} values, aliases written out; split it")
        return found


def _missing(record: dict[str, Any], here: int) -> str:
    """Describe missing pages by an API's metadata; empty if there are none."""
    raw_meta = record.get("meta")
    meta: dict[str, Any] = raw_meta if isinstance(raw_meta, dict) else {}
    total, pages, page = (meta.get(name) for name in ("totalItems", "totalPages", "page"))
    if isinstance(total, int) and total > here:
        which = f"page {page} of {pages}, " if isinstance(page, int) and isinstance(pages, int) else ""
        return f"{which}{here:,} of {total:,} items"
    more = record.get("has_more") is True or bool(meta.get("cursor") or meta.get("nextCursor"))
    return f"{here:,} items, and more follow there" if more else ""


def _is_larger(value: Any, most: int) -> bool:
    """Whether a value contains more than this many values; nested aliases can expand to very many."""
    waiting = [value]
    while waiting:
        most -= 1
        if most < 0:
            return True
        each = waiting.pop()
        if isinstance(each, (list, dict)):
            waiting.extend(each.values() if isinstance(each, dict) else each)
    return False


def _opening(text: str, decoder: json.JSONDecoder) -> Any:
    """Return what is known of a truncated value: an empty object, or a list with its first item."""
    if text[:1] != "[":
        return {} if text[:1] == "{" else None
    try:
        return [decoder.raw_decode(text, 1 + len(text[1:]) - len(text[1:].lstrip()))[0]]
    except (ValueError, RecursionError):
        return []


def _after(text: str, end: int) -> int:
    """Return the offset of the value after a key."""
    at = text.index(":", end) + 1
    while text[at] in " \t\r\n":
        at += 1
    return at


def _cell(cell: Any) -> Any:
    """Parse a table cell that holds a JSON object or list."""
    if isinstance(cell, str) and cell.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    return cell


_CODE = r"(?:^|\b(?:status|code|error|http)\W{0,3}(?:code)?\W{0,3})"
"""Context that identifies a number as an HTTP status."""
_WORDS: dict[FailureKind, str] = {
    "rate_limit": rf"{_CODE}429\b|rate.?limit|too many requests|quota",
    "dns": r"name.?resolution|ENOTFOUND|getaddrinfo|name or service not known",
    "refused": r"ECONNREFUSED|connection refused",
    "tls": r"\bcertificate|\bSSLError|\bTLS\b",
    "dropped": r"ECONNRESET|connection (?:was )?(?:reset|closed|aborted)|socket hang up|RemoteDisconnected",
    "unreachable": r"EHOSTUNREACH|ENETUNREACH|network is unreachable|ConnectTimeout|APIConnectionError",
    "timeout": r"\btimed? ?-?out\b|ETIMEDOUT|TimeoutError|ReadTimeout",
    "cancelled": r"CancelledError|KeyboardInterrupt|\b(?:was|were) (?:cancell?ed|interrupted)\b",
    "http": rf"{_CODE}(?:5\d\d|40[137])\b|server_error|service unavailable|bad gateway|overloaded|unauthori[sz]ed"
    r"|invalid.{0,9}api.?key",
    "resources": r"docker|podman|kubernetes|sandbox|no space left|out of memory",
}
_OUTAGES = {kind: re.compile(words, re.IGNORECASE) for kind, words in _WORDS.items()}
"""Failure kind → pattern of its usual messages, for failures that are not the agent's fault."""
_BY_JUDGE = re.compile(r"inspect_ai[/\\]scorer|_eval[/\\]score|grader|scorer\b", re.IGNORECASE)


def source_failure(message: str, *, detail: str = "", stage: Stage = "agent") -> Failure:
    """Classify a failure reported by another tool; unless recognised as an outage, it is the agent's own."""
    reason = " ".join(message.split())[:500] or "it failed there, without a reason"
    kind = next((kind for kind, pattern in _OUTAGES.items() if pattern.search(message)), None)
    if stage == "agent" and kind is None and _BY_JUDGE.search(detail.rpartition("Traceback")[2]):
        stage = "reviewer"
    owned = stage == "agent" and kind is None
    return Failure(
        stage=stage,
        owner="agent" if owned else "environment",
        reason=reason,
        kind=kind or "exception",
        turn=1,
        detail=detail[-4000:],
    )
