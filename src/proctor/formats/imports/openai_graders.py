"""OpenAI Evals: graders and templates of an eval → what a case expects, and how its question is made."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proctor.benchmark import OWN_PART, Expectation
from proctor.formats.imports.contract import ImportLog
from proctor.formats.imports.fields import content_of, mapping, objects, role_of, text_of
from proctor.formats.imports.source_file import SourceFile
from proctor.settings import LONGEST_CRITERION

_HOLE = re.compile(r"\{\{\s*(item|sample)\.([\w.]+)\s*\}\}")
_REPLY = ("output_text", "output")
_LIKE = {"like": "-i", "ilike": "i"}


@dataclass(frozen=True, kw_only=True, slots=True)
class EvalSetup:
    """What an eval and its runs say, beside their data."""

    graders: tuple[dict[str, Any], ...] = ()
    template: tuple[dict[str, Any], ...] = ()
    """The messages that are sent, with holes for an item's fields."""
    names: dict[str, str] = field(default_factory=dict)
    """The id of an eval or a run → what it is called."""


def is_setup(record: Mapping[str, Any]) -> bool:
    """Whether it is an eval, or a run of one, as the API gives it."""
    return record.get("object") in ("eval", "eval.run") or "testing_criteria" in record


def setup_of(files: Sequence[SourceFile]) -> EvalSetup:
    """What the files say that were named together."""
    graders: list[dict[str, Any]] = []
    template: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for file in files:
        if file.kind != "object" or not is_setup(file.first):
            continue
        told = mapping(file.yaml())
        graders += objects(told.get("testing_criteria"))
        names[str(told.get("id"))] = str(told.get("name") or "")
        messages = mapping(mapping(told.get("data_source")).get("input_messages"))
        template = objects(messages.get("template")) or template
    return EvalSetup(graders=tuple(graders), template=tuple(template), names=names)


def render_messages(setup: EvalSetup, item: Mapping[str, Any], log: ImportLog) -> list[dict[str, str]]:
    """The messages that an item was sent as; empty: no template is known."""
    return [{"role": role_of(each), "content": _fill(_words(each, log), item)} for each in setup.template]


def _words(message: Mapping[str, Any], log: ImportLog) -> str:
    content = message.get("content")
    return text_of(content.get("text"), log) if isinstance(content, dict) else content_of(message, log)


def _fill(text: str, item: Mapping[str, Any]) -> str:
    def fill(met: re.Match[str]) -> str:
        if met[1] == "sample":
            return "the reply" if met[2] in _REPLY else met[0]
        value: Any = item
        for name in met[2].split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        return met[0] if value is None else value if isinstance(value, str) else str(value)

    return _HOLE.sub(fill, text)


def expected_by(setup: EvalSetup, item: Mapping[str, Any], log: ImportLog) -> dict[str, Any]:
    """The fields of a case that graders come to."""
    answer: str | None = None
    keywords: list[str] = []
    criteria: list[str] = []
    for grader in setup.graders:
        kind, operation = grader.get("type"), grader.get("operation")
        reference = _fill(str(grader.get("reference") or ""), item)
        if not reference and kind in ("string_check", "text_similarity"):
            log.leave_out(f"graders without a reference: {kind}")
        elif kind == "text_similarity" or (kind == "string_check" and operation == "eq"):
            answer = answer or reference
        elif kind == "string_check" and operation in _LIKE:
            keywords.append(f"re:(?{_LIKE[operation]}:{re.escape(reference)})")
        elif kind in ("label_model", "score_model"):
            criteria += _criterion(grader, item, log)
        else:
            log.leave_out(f"graders: {kind}" + (f" {operation}" if operation else ""))
    asked = "\n\n".join(criteria)[:LONGEST_CRITERION]
    found: dict[str, Any] = {"answer": answer} if answer else {}
    if keywords:
        found["expect"] = Expectation(keywords=tuple(dict.fromkeys(keywords)))
    return found | ({"criteria": {OWN_PART: asked}} if asked else {})


def _criterion(grader: Mapping[str, Any], item: Mapping[str, Any], log: ImportLog) -> Iterator[str]:
    """What a model was asked to judge by."""
    said = [_fill(_words(each, log), item) for each in objects(grader.get("input"))]
    passing = grader.get("passing_labels")
    if said:
        labels = f"\nIt passes where the label is {' or '.join(map(str, passing))}." if passing else ""
        yield "\n".join(said) + labels
