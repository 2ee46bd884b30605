"""Convert graders and prompt templates of OpenAI Evals into expectations and questions of cases."""

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
    """Graders, prompt template and names of an eval and its runs."""

    graders: tuple[dict[str, Any], ...] = ()
    template: tuple[dict[str, Any], ...] = ()
    """Message template with placeholders for an item's fields."""
    names: dict[str, str] = field(default_factory=dict)
    """Id of an eval or run → its name."""


def is_setup(record: Mapping[str, Any]) -> bool:
    """Whether the record is an eval, or a run of one, as returned by the API."""
    return record.get("object") in ("eval", "eval.run") or "testing_criteria" in record


def is_list_of_setups(file: SourceFile) -> bool:
    """Whether the file is an API response that lists evals or runs."""
    return file.kind == "object" and any(is_setup(each) for each in objects(file.first.get("data"))[:1])


def _setups(file: SourceFile) -> list[dict[str, Any]]:
    """Return the evals and runs in a file."""
    if file.kind == "object" and is_setup(file.first):
        return [mapping(file.yaml())]
    if not is_list_of_setups(file):
        return []
    return [each for each in objects(mapping(file.yaml()).get("data")) if is_setup(each)]


def setup_of(files: Sequence[SourceFile]) -> EvalSetup:
    """Combine the setups of the files given together."""
    graders: list[dict[str, Any]] = []
    template: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for setup in (setup for file in files for setup in _setups(file)):
        graders += objects(setup.get("testing_criteria"))
        names[str(setup.get("id"))] = str(setup.get("name") or "")
        messages = mapping(mapping(setup.get("data_source")).get("input_messages"))
        template = objects(messages.get("template")) or template
    return EvalSetup(graders=tuple(graders), template=tuple(template), names=names)


def render_messages(setup: EvalSetup, item: Mapping[str, Any], log: ImportLog) -> list[dict[str, str]]:
    """Render the message template for an item; empty without a template."""
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
    """Convert the graders into fields of a case; graders that do not look at the reply are left out."""
    answer: str | None = None
    keywords: list[str] = []
    criteria: list[str] = []
    for grader in setup.graders:
        kind, operation = str(grader.get("type")), str(grader.get("operation"))
        if kind in ("label_model", "score_model"):
            criteria += _criterion(grader, item, log)
        elif kind == "text_similarity" or (kind == "string_check" and operation in ("eq", *_LIKE)):
            reference = _reference(grader, item, log)
            if reference and operation in _LIKE:
                keywords.append(f"re:(?{_LIKE[operation]}:{re.escape(reference)})")
            else:
                answer = answer or reference
        else:
            log.leave_out(f"graders: {kind}" + (f" {operation}" if grader.get("operation") else ""))
    asked = "\n\n".join(criteria)[:LONGEST_CRITERION]
    found: dict[str, Any] = {"answer": answer} if answer else {}
    if keywords:
        found["expect"] = Expectation(keywords=tuple(dict.fromkeys(keywords)))
    return found | ({"criteria": {OWN_PART: asked}} if asked else {})


def _reference(grader: Mapping[str, Any], item: Mapping[str, Any], log: ImportLog) -> str | None:
    """Return the text a grader compares the reply with; log it and return None if it compares something else."""
    kind, looked_at, held_against = grader.get("type"), grader.get("input"), str(grader.get("reference") or "")
    if _is_reply(held_against) and grader.get("operation") not in _LIKE:  # equality is symmetric
        looked_at, held_against = held_against, str(looked_at or "")
    if not _is_reply(looked_at):
        partly = "look at something else beside the reply, or at a part of it"
        log.leave_out(f"graders that {partly if 'sample.' in str(looked_at) else 'do not look at the reply'}: {kind}")
        return None
    reference = _fill(held_against, item)
    if not reference or "{{" in reference:
        log.leave_out(f"graders without a reference for an item: {kind}")
        return None
    return reference


def _is_reply(text: Any) -> bool:
    """Whether a template consists of the reply and nothing else."""
    found = _HOLE.fullmatch(str(text).strip())
    return found is not None and found[1] == "sample" and found[2] in _REPLY


def _criterion(grader: Mapping[str, Any], item: Mapping[str, Any], log: ImportLog) -> Iterator[str]:
    """Yield the instructions given to a grading model, if they include the reply."""
    asked = [_words(each, log) for each in objects(grader.get("input"))]
    if not any(hole[0] == "sample" for each in asked for hole in _HOLE.findall(each)):
        log.leave_out(f"graders that do not look at the reply: {grader.get('type')}")
        return
    text = "\n".join(_fill(each, item) for each in asked)
    passing = grader.get("passing_labels")
    yield text + (f"\nIt passes where the label is {' or '.join(map(str, passing))}." if passing else "")
