"""Import from OpenAI Evals, the hosted product: data (JSONL), graders, and the output items of runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from proctor.codec.replies import is_cut_off
from proctor.formats.imports import oaieval
from proctor.formats.imports.contract import (
    CutOff,
    ImportedRecord,
    ImportedResult,
    ImportedRun,
    ImportLog,
    ImportOptions,
    ImportSource,
)
from proctor.formats.imports.dataset_items import DatasetExport, Item
from proctor.formats.imports.fields import (
    ANSWERS,
    answer_in,
    asked_at,
    case_of,
    fit_name,
    list_keys,
    mapping,
    objects,
    text_and_calls,
    usage_of,
)
from proctor.formats.imports.openai_graders import (
    EvalSetup,
    expected_by,
    is_list_of_setups,
    is_setup,
    render_messages,
    setup_of,
)
from proctor.formats.imports.source_file import SourceFile, source_failure
from proctor.run import Failure
from proctor.score import CheckResult, Review
from proctor.transcript import Reply
from proctor.usage import Usage

TOOL = "OpenAI Evals"
_OUTPUT_ITEM = "eval.run.output_item"
_TAKEN = frozenset(
    {"object", "id", "created_at", "run_id", "eval_id", "status", "datasource_item_id", "datasource_item", "results",
     "sample"}
)  # fmt: skip
_SAMPLED = frozenset({"input", "output", "output_text", "finish_reason", "model", "usage", "error", "object"})
_VERDICTS = {"pass": True, "passed": True, "fail": False, "failed": False}
"""Status of an output item → verdict."""
_SAID = {True: "passed", False: "not passed", None: "no verdict"}
_NUMBERED = re.compile(r"-[0-9a-f]{8}[0-9a-f-]{8,}$")
_INLINE = ("data_source", "source", "content")


def recognises(file: SourceFile) -> bool:
    """Whether the file looks like an export of OpenAI Evals."""
    first = file.first
    if file.kind == "object":
        return is_setup(first) or _is_output_item(first) or (first.get("object") == "list" and "data" in first)
    if file.kind in ("list", "lines"):
        return _is_output_item(first) or isinstance(first.get("item"), dict) or oaieval.recognises(file)
    return False


def _is_output_item(record: Mapping[str, Any]) -> bool:
    return record.get("object") == _OUTPUT_ITEM or "datasource_item" in record


def open_openai(file: SourceFile, options: ImportOptions) -> ImportSource:
    """Open results, data, an eval with inline data, or a log of the open-source package."""
    if oaieval.recognises(file):
        return oaieval.open_oaieval(file, options)
    setup = setup_of([SourceFile(path) for path in options.beside or (file.path,)])
    if file.kind == "object" and is_setup(file.first):
        return _data(file, options, setup, lists=(_INLINE,))
    if is_list_of_setups(file):
        return DatasetExport(file, options, tool=TOOL, item_of=_setup_alone, lists=(("data",),))
    if _is_output_item(file.first) or file.kind == "object":
        return OutputItems(file, options, setup)
    return _data(file, options, setup)


def _setup_alone(_: dict[str, Any], log: ImportLog) -> Item | None:
    log.note(
        "a list of evals or runs is read for their graders, templates and names alone: name data, output items, or "
        "one run with its data beside it"
    )
    return None


def _data(
    file: SourceFile, options: ImportOptions, setup: EvalSetup, lists: tuple[tuple[str, ...], ...] = ((),)
) -> DatasetExport:
    def item_of(record: dict[str, Any], log: ImportLog) -> Item | None:
        item = record["item"] if isinstance(record.get("item"), dict) else record
        if record.get("sample"):
            log.leave_out("stored outputs of data items, which nobody has graded")
        expected = expected_by(setup, item, log)
        plain = {name: value for name, value in item.items() if name.lower() in ANSWERS}
        asked = {name: value for name, value in item.items() if name not in plain} or item
        overruled = plain and expected.get("answer") not in (None, *plain.values())
        metadata = item if setup.template else plain if len(plain) > 1 or overruled else {}
        return Item(
            input=render_messages(setup, item, log) or asked, expected=plain or None, metadata=metadata, case=expected
        )

    name = next((name for name in setup.names.values() if name), "")
    return DatasetExport(file, options, tool=TOOL, item_of=item_of, name=name, lists=lists)


class OutputItems:
    """Output items of an eval's runs; the graders give the verdicts."""

    tool = TOOL
    version = ""

    def __init__(self, file: SourceFile, options: ImportOptions, setup: EvalSetup) -> None:
        self._file = file
        self._options = options
        self._setup = setup
        self._lists = (("data",),) if file.kind == "object" and "data" in file.first else ((),)
        self.name = next((fit_name(name) for name in setup.names.values() if name), "") or file.path.stem

    @cached_property
    def _runs(self) -> dict[str, ImportedRun]:
        """The runs, each with the first model that appears in it."""
        found: dict[str, tuple[str, float]] = {}
        try:
            for _, each in self._file.items(ImportLog(), self._lists):
                if isinstance(each, dict):
                    sample = mapping(each.get("sample"))
                    when = each.get("created_at")
                    found.setdefault(
                        str(each.get("run_id") or "run"),
                        (str(sample.get("model") or "unknown"), float(when) if isinstance(when, (int, float)) else 0.0),
                    )
        except CutOff:
            pass
        return {key: self._run(key, *details) for key, details in found.items()}

    def _run(self, key: str, model: str, when: float) -> ImportedRun:
        name = fit_name(self._setup.names.get(key, ""))
        return ImportedRun(
            name=name or f"{model} on {self.name}",
            agent=model,
            judge="graders",
            marks_decide=False,
            labels={"model": model, "run_id": key, "tool": TOOL},
            created=when,
        )

    def runs(self) -> Mapping[str, ImportedRun]:
        """Return the runs by id."""
        return self._runs

    def records(self, log: ImportLog) -> Iterator[ImportedRecord]:
        """Yield the output items as records."""
        for place, each in self._file.items(log, self._lists):
            if not isinstance(each, dict) or not _is_output_item(each):
                log.skip(place, "it is not an output item of a run")
            elif (record := self._record(log.without_secrets(each), place, log)) is not None:
                yield record

    def _record(self, each: dict[str, Any], place: str, log: ImportLog) -> ImportedRecord | None:
        list_keys(each, _TAKEN, "keys of output items", log)
        list_keys(mapping(each.get("sample")), _SAMPLED, "how a model was set up", log)
        datasource = mapping(each.get("datasource_item"))
        item = datasource["item"] if isinstance(datasource.get("item"), dict) else datasource
        sample = mapping(each.get("sample"))
        plain = {name: value for name, value in item.items() if name.lower() in ANSWERS}
        expected = expected_by(self._setup, item, log)
        answer = expected.pop("answer", None) or answer_in(plain or None, self._options, log)
        questions = {name: value for name, value in item.items() if name not in plain} or item
        asked = asked_at(place, sample.get("input") or questions, self._options, log)
        if asked is None:
            return None
        own = each.get("datasource_item_id")
        case = case_of(
            asked,
            own_id=None if own is None else str(own),
            answer=answer,
            place=place,
            log=log,
            metadata=item,
            **expected,
        )
        if case is None:
            return None
        return ImportedRecord(
            case=case,
            place=place,
            run=str(each.get("run_id") or "run"),
            result=_result(each, sample, log),
            own_id=own is not None,
        )


def _result(each: Mapping[str, Any], sample: Mapping[str, Any], log: ImportLog) -> ImportedResult:
    reply = _reply(sample, log)
    usage = reply.usage if reply is not None and reply.usage else Usage()
    if (failure := _failure(each, sample)) is not None:
        return ImportedResult(reply=reply, failure=failure, usage=usage)
    checks = tuple(_checks(each.get("results")))
    if not checks:
        return ImportedResult(reply=reply, review=Review(unscored="no grader judged it there"), usage=usage)
    return ImportedResult(reply=reply, review=Review(checks=checks), passed=_verdict(each, checks), usage=usage)


def _verdict(each: Mapping[str, Any], checks: Iterable[CheckResult]) -> bool | None:
    """Combine the verdicts of the item and all its graders; None if a grader gave none and nothing failed."""
    verdicts = [check.passed for check in checks]
    if (own := _VERDICTS.get(str(each.get("status")))) is not None:
        verdicts = [*(one for one in verdicts if one is not None), own]
    return False if False in verdicts else None if None in verdicts else True


def _failure(each: Mapping[str, Any], sample: Mapping[str, Any]) -> Failure | None:
    error = sample.get("error")
    if isinstance(error, dict) and (error.get("message") or error.get("code")):
        return source_failure(f"{error.get('code') or ''} {error.get('message') or ''}".strip())
    if str(each.get("status")) in ("error", "errored"):
        return source_failure("", stage="reviewer" if sample.get("output") else "agent")
    return None


def _reply(sample: Mapping[str, Any], log: ImportLog) -> Reply | None:
    output = sample.get("output")
    messages = objects(output)
    if not messages and not isinstance(sample.get("output_text"), str):
        return None
    used = mapping(sample.get("usage"))
    text, calls = text_and_calls(messages, log) if messages else (str(sample["output_text"]), ())
    return Reply(
        text=text,
        tool_calls=calls,
        usage=usage_of(used.get("prompt_tokens"), used.get("completion_tokens")),
        cut_off=is_cut_off(sample.get("finish_reason")),
        tools_known=False,
    )


def _checks(results: Any) -> Iterator[CheckResult]:
    for each in results if isinstance(results, list) else ():
        if not isinstance(each, dict):
            continue
        verdict, score = each.get("passed"), each.get("score")
        passed = verdict if isinstance(verdict, bool) else None
        is_share = isinstance(score, (int, float)) and not isinstance(score, bool) and 0 <= score <= 1
        yield CheckResult(
            turn=1,
            name=fit_name(_NUMBERED.sub("", str(each.get("name") or ""))) or "grader",
            passed=passed,
            evidence=f"{each.get('type') or 'grader'}: {_SAID[passed]}, score {score}",
            value=float(score) if is_share and score is not None else None,
        )
