"""Cases → a suite file, YAML or one a line as JSON, case by case; in several files where one would be too large."""

from __future__ import annotations

import os
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from proctor.benchmark import OWN_PART, Case, Expectation, ExpectedCall
from proctor.codec import encode
from proctor.errors import InputError
from proctor.formats.rules import LONGEST
from proctor.formats.suites.suite import JSONL, LIMIT, YAML
from proctor.settings import LONGEST_NAME, unwritable

_ROOM = 4096
"""Bytes of a file that are left free."""
_LONG = {"question": "question", "context": "context", "answer": "reference", "reasoning": "reasoning"}
"""A case's texts → what a suite calls them."""
_CITING = ("citations", "sources", "quotes")


def why_unwritable(case: Case) -> str | None:
    """Why no suite file can hold a case; None: one can."""
    for name in _LONG:
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
                os.replace(_unfinished(path), path)
            else:
                _unfinished(path).unlink(missing_ok=True)

    def _text(self, case: Case) -> str:
        if self._is_jsonl:
            return encode(as_mapping(case)) + "\n"
        return _as_yaml([as_mapping(case)])

    def _next_file(self) -> None:
        self._close()
        number = len(self.files) + 1
        path = self._path if number == 1 else self._path.with_stem(f"{self._path.stem}-{number}")
        try:
            self._open = _unfinished(path).open("w", encoding="utf-8")
        except OSError as error:
            raise unwritable(path, error) from error
        self.files.append(path)
        self._size = 0
        if self._is_jsonl:
            head = encode({"suite": self._header}) + "\n" if self._header else ""
        else:
            head = (_as_yaml(self._header) if self._header else "") + "cases:\n"
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


def _unfinished(path: Path) -> Path:
    return path.with_name(f".{path.name}.unfinished")


def _as_yaml(value: Any) -> str:
    import yaml

    text: str = yaml.dump(value, Dumper=_dumper(), allow_unicode=True, sort_keys=False, width=118)
    return text


@lru_cache(maxsize=1)
def _dumper() -> Any:
    """Texts of several lines as they are read."""
    import yaml

    dumper: Any = type("SuiteDumper", (getattr(yaml, "CSafeDumper", yaml.SafeDumper),), {})
    dumper.add_representer(
        str,
        lambda self, text: self.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None),
    )
    return dumper


def as_mapping(case: Case) -> dict[str, Any]:
    """A case as a suite file has it, without what is as it is unless told."""
    criteria: Any = case.criteria
    if list(case.criteria) == [OWN_PART]:
        criteria = case.criteria[OWN_PART]
    given = {
        "id": case.id,
        "category": list(case.categories) if len(case.categories) > 1 else next(iter(case.categories), None),
        **{called: getattr(case, name) for name, called in _LONG.items()},
        "passing_score": case.passing_score,
        "trials": case.trials,
        "criteria": criteria,
        "metadata": case.metadata,
        "expect": _expectations(case.expect),
    }
    return {name: value for name, value in given.items() if value is not None and value != {}}


def _expectations(expect: Expectation) -> dict[str, Any]:
    usual = Expectation()
    given = {
        each.name: getattr(expect, each.name)
        for each in fields(Expectation)
        if each.name not in (*_CITING, "tool_calls") and getattr(expect, each.name) != getattr(usual, each.name)
    }
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
    if expect.tool_calls is not None:
        given["tool_calls"] = [_call(call) for call in expect.tool_calls]
    if citing := _citing(expect):
        given["citations"] = citing
    return given


def _citing(expect: Expectation) -> dict[str, Any] | None:
    if expect.citations is None and not expect.sources and not expect.quotes:
        return None
    citing: dict[str, Any] = {} if expect.citations is None else {"min": expect.citations}
    return (
        citing
        | ({"sources": list(expect.sources)} if expect.sources else {})
        | ({"quotes": True} if expect.quotes else {})
    )


def _call(call: ExpectedCall) -> dict[str, Any]:
    usual = ExpectedCall(name=call.name)
    given = {"name": call.name} | {
        each.name: getattr(call, each.name)
        for each in fields(ExpectedCall)
        if getattr(call, each.name) != getattr(usual, each.name)
    }
    return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
