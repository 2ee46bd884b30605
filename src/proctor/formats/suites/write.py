"""Write cases as a YAML suite that reads back as the same cases."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import yaml

from proctor.benchmark import Case, Expectation, ExpectedCall
from proctor.codec import encode
from proctor.errors import InputError
from proctor.formats.rules import LONGEST
from proctor.formats.suites.declaration import CALL, CASE, EXPECT
from proctor.formats.suites.suite import JSONL, LIMIT, YAML
from proctor.settings import LONGEST_NAME, unwritable

_CITED = ("citations", "sources", "quotes")
"""Fields of an expectation that a suite has under `citations`."""
_WIDTH = 120
_PLAIN = re.compile(r"[^\W\d_][\w ().'/@$%+–-]*[\w).%]|[^\W\d_]")
"""Texts that need no quotes because every YAML parser reads them as text, apart from `_WORDS`."""
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def write_suite(header: Mapping[str, Any], cases: Iterable[Mapping[str, Any]]) -> str:
    """Serialize a suite from its header and its cases' values, without empty keys of the header."""
    header_values = {name: value for name, value in header.items() if value not in (None, "", [], {})}
    return write_values({**header_values, "cases": [dict(case) for case in cases]})


def write_values(values: Mapping[str, Any]) -> str:
    """Serialize some keys with their values; empty if there are none."""
    if not values:
        return ""
    return yaml.dump(dict(values), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)


def values_of(case: Case) -> dict[str, Any]:
    """Convert a case to a suite's keys, without empty values."""
    values: dict[str, Any] = {
        "id": case.id,
        "category": list(case.categories),
        "question": case.question,
        "context": case.context,
        "reference": case.answer,
        "expect": _expect(case.expect),
    }
    others = {name: getattr(case, name) for name in CASE.fields if name not in values and hasattr(case, name)}
    kept = {name: value for name, value in {**values, **others}.items() if value not in (None, "", [], {})}
    return {name: kept[name] for name in CASE.fields if name in kept}


def _expect(expect: Expectation) -> dict[str, Any]:
    fields = {name: _plain(value) for name, value in _unusual(expect).items() if name not in (*_CITED, "tool_calls")}
    if expect.tool_calls is not None:
        fields["tool_calls"] = [{"name": call.name, **map_plain(_unusual(call))} for call in expect.tool_calls]
    cited = _citations(expect)
    if cited is not None:
        fields["citations"] = cited
    return {name: fields[name] for name in EXPECT.fields if name in fields}


def _citations(expect: Expectation) -> int | dict[str, Any] | None:
    least = {} if expect.citations is None else {"min": expect.citations}
    others = map_plain({name: getattr(expect, name) for name in _CITED[1:] if getattr(expect, name)})
    return {**least, **others} if others else expect.citations


def _unusual(noun: Expectation | ExpectedCall) -> dict[str, Any]:
    """Return the fields that differ from their defaults."""
    usual = Expectation() if isinstance(noun, Expectation) else ExpectedCall(name=noun.name)
    found = {each.name: getattr(noun, each.name) for each in fields(noun)}
    return {name: value for name, value in found.items() if value != getattr(usual, name)}


def map_plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert values to plain YAML types, keeping only keys known to suites."""
    return {name: _plain(value) for name, value in values.items() if name in CALL.fields or name in _CITED}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return dict(value) if isinstance(value, Mapping) else value


class _Dumper(yaml.SafeDumper):
    """YAML dumper that quotes texts which a parser could take for a number, a date or a boolean."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out, without aliases."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists under their key."""
        super().increase_indent(flow, False)


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    if "\n" in text and text == text.strip():
        style = "|"
    else:
        style = "" if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style or None)


_Dumper.add_representer(str, _text)


_ROOM = 4096
"""Bytes kept free below the size limit of a file."""
_TEXTS = ("question", "context", "answer", "reasoning")
_CASES = "cases:\n"


def why_unwritable(case: Case) -> str | None:
    """Return why a suite file cannot hold a case, or None if it can."""
    for name in _TEXTS:
        if len(getattr(case, name) or "") > LONGEST:
            return f"its {name} has {len(getattr(case, name)):,} characters; a suite file takes {LONGEST:,}"
    if len(case.id) > LONGEST_NAME:
        return f"its id has {len(case.id):,} characters; a suite file takes {LONGEST_NAME:,}"
    return None


class SuiteWriter:
    """Writes a suite file; existing files are replaced only after everything is written."""

    def __init__(self, path: Path, **header: Any) -> None:
        """`header` holds the suite's own keys, such as `name` and `description`."""
        if path.suffix.lower() not in (*YAML, JSONL):
            raise InputError(f"cannot write {path}: a suite file ends in .yaml, .yml or .jsonl")
        self.files: list[Path] = []
        """Files written; several if one would exceed the size limit."""
        self.cases = 0
        self._path = path
        self._header = {name: value for name, value in header.items() if value}
        self._is_jsonl = path.suffix.lower() == JSONL
        self._size = 0
        self._open: IO[str] | None = None

    def add(self, case: Case) -> None:
        """Append a case."""
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
