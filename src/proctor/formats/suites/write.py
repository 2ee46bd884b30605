"""Cases → the text of a suite in YAML that reads as the same cases again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import yaml

from proctor.benchmark import Case, Expectation, ExpectedCall
from proctor.formats.suites.declaration import CALL, CASE, EXPECT

_CITED = ("citations", "sources", "quotes")
"""What a suite says under `citations`."""
_WIDTH = 120
_PLAIN = re.compile(r"[^\W\d_][\w ().'/@$%+–-]*[\w).%]|[^\W\d_]")
"""Texts that every reader of YAML takes for text, unless they are one of its words."""
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def write_suite(header: Mapping[str, Any], cases: Iterable[Mapping[str, Any]]) -> str:
    """A suite of its own keys and its cases' values, as a suite says them; empty ones are left out."""
    told = {name: value for name, value in header.items() if value not in (None, "", [], {})}
    return write_values({**told, "cases": [dict(case) for case in cases]})


def write_values(values: Mapping[str, Any]) -> str:
    """Some keys with their values; nothing where there are none."""
    if not values:
        return ""
    return yaml.dump(dict(values), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)


def values_of(case: Case) -> dict[str, Any]:
    """A case by the keys that a suite has for it; what is not said is left out."""
    told: dict[str, Any] = {
        "id": case.id,
        "category": list(case.categories),
        "question": case.question,
        "context": case.context,
        "reference": case.answer,
        "expect": _expect(case.expect),
    }
    others = {name: getattr(case, name) for name in CASE.fields if name not in told and hasattr(case, name)}
    kept = {name: value for name, value in {**told, **others}.items() if value not in (None, "", [], {})}
    return {name: kept[name] for name in CASE.fields if name in kept}


def _expect(expect: Expectation) -> dict[str, Any]:
    told = {name: _plain(value) for name, value in _unusual(expect).items() if name not in (*_CITED, "tool_calls")}
    if expect.tool_calls is not None:
        told["tool_calls"] = [{"name": call.name, **map_plain(_unusual(call))} for call in expect.tool_calls]
    cited = _citations(expect)
    if cited is not None:
        told["citations"] = cited
    return {name: told[name] for name in EXPECT.fields if name in told}


def _citations(expect: Expectation) -> int | dict[str, Any] | None:
    least = {} if expect.citations is None else {"min": expect.citations}
    others = map_plain({name: getattr(expect, name) for name in _CITED[1:] if getattr(expect, name)})
    return {**least, **others} if others else expect.citations


def _unusual(noun: Expectation | ExpectedCall) -> dict[str, Any]:
    """The fields that are not as they are unless told."""
    usual = Expectation() if isinstance(noun, Expectation) else ExpectedCall(name=noun.name)
    found = {each.name: getattr(noun, each.name) for each in fields(noun)}
    return {name: value for name, value in found.items() if value != getattr(usual, name)}


def map_plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as YAML has them."""
    return {name: _plain(value) for name, value in values.items() if name in CALL.fields or name in _CITED}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return dict(value) if isinstance(value, Mapping) else value


class _Dumper(yaml.SafeDumper):
    """Writes texts so that no reader of YAML takes one for a number, a date or a flag."""

    def ignore_aliases(self, data: Any) -> bool:
        """Everything is written out."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Lists are indented under their key."""
        super().increase_indent(flow, False)


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    if "\n" in text and text == text.strip():
        style = "|"
    else:
        style = "" if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style or None)


_Dumper.add_representer(str, _text)
