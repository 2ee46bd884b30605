"""Import promptfoo results (`-o results.json`, `.jsonl`), one run per prompt and provider, and configs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from proctor.errors import InputError
from proctor.formats.imports.contract import (
    CutOff,
    ImportedRecord,
    ImportedResult,
    ImportedRun,
    ImportLog,
    ImportOptions,
    ImportSource,
    newer_format,
)
from proctor.formats.imports.fields import (
    ImportedQuestion,
    case_of,
    fit_name,
    mapping,
    objects,
    seconds_of,
    text_and_calls,
    usage_of,
)
from proctor.formats.imports.promptfoo_assertions import expected_there
from proctor.formats.imports.promptfoo_config import TOOL, PromptfooConfig, asked_there, chat_or_text
from proctor.formats.imports.promptfoo_templates import is_open, names_in, render_data
from proctor.formats.imports.source_file import SourceFile, source_failure
from proctor.run import Failure
from proctor.score import CheckResult, Part, Review
from proctor.transcript import Reply
from proctor.usage import Usage

_NEWEST = 3
_ERROR = 2
_RESULTS = ("results", "results")
_TAKEN = (
    "promptIdx", "testIdx", "prompt", "provider", "vars", "response", "success", "failureReason", "error", "score",
    "gradingResult", "latencyMs", "cost", "tokenUsage", "testCase",
)  # fmt: skip
_QUIET = frozenset({"id", "promptId", "description"})


def recognises(file: SourceFile) -> bool:
    """Whether the file looks like promptfoo's."""
    keys = file.first.keys()
    if file.kind in ("object", "yaml") and ("evalId" in keys or "shareableUrl" in keys):
        return True
    if file.kind == "csv":
        return {"Status", "Score", "Grader Reason"} <= keys
    if file.kind == "lines":
        return {"prompt", "vars", "success"} <= keys
    return file.kind in ("object", "yaml") and ("prompts" in keys or "providers" in keys) and "eval" not in keys


def open_promptfoo(file: SourceFile, options: ImportOptions) -> ImportSource:
    """Open results or a config."""
    if file.kind == "csv":
        raise InputError(f"{file.path} is promptfoo's table, which lacks much; write the results with -o results.json")
    is_results = file.kind == "lines" or bool({"evalId", "results"} & file.first.keys())
    return PromptfooResults(file, options) if is_results else PromptfooConfig(file, options)


class PromptfooResults:
    """One evaluation, with one run per prompt and provider."""

    tool = TOOL

    def __init__(self, file: SourceFile, options: ImportOptions) -> None:
        self._file = file
        self._options = options
        header = self._header
        version = header.get(("results", "version"))
        if isinstance(version, int) and version > _NEWEST:
            raise newer_format(file.path, "promptfoo results", version, _NEWEST)
        if file.kind != "lines" and not any(keys[0] == "results" for keys in header):
            raise InputError(f"{file.path} is not a promptfoo file: expected results, or prompts and tests")
        metadata = header.get(("metadata",))
        self.version = str(metadata.get("promptfooVersion") or "") if isinstance(metadata, dict) else ""
        config = header.get(("config",))
        described = config.get("description") if isinstance(config, dict) else None
        self.name = fit_name(str(described or "")) or file.path.stem

    @cached_property
    def _header(self) -> dict[tuple[str, ...], Any]:
        """Everything but the results."""
        if self._file.kind == "lines":
            return {}
        if self._file.kind == "yaml":
            document = mapping(self._file.yaml())
            header: dict[tuple[str, ...], Any] = {
                (str(name),): value for name, value in document.items() if name != "results"
            }
            return header | {("results", str(name)): value for name, value in mapping(document.get("results")).items()}
        header = {}
        try:
            for keys, value in self._file.walk(_RESULTS):
                header[keys] = None if keys == _RESULTS else value
        except CutOff:
            pass
        return header

    @cached_property
    def _columns(self) -> dict[int, tuple[str, str]]:
        """Column → (provider, prompt)."""
        prompts = self._header.get(("results", "prompts"))
        if isinstance(prompts, list) and prompts and all(isinstance(each, dict) for each in prompts):
            return {place: (str(each.get("provider")), _label(each)) for place, each in enumerate(prompts)}
        columns: dict[int, tuple[str, str]] = {}
        try:
            for _, each in self._items(ImportLog()):
                if isinstance(each, dict):
                    columns.setdefault(_column(each), (_provider(each.get("provider")), _label(each.get("prompt"))))
        except CutOff:
            pass
        return columns

    @cached_property
    def _prompts(self) -> dict[str, None]:
        return dict.fromkeys(prompt for _, prompt in self._columns.values())

    @cached_property
    def _templates(self) -> list[str]:
        """The prompt templates, or the labels if only those are known, which usually are the same."""
        prompts = objects(self._header.get(("results", "prompts")))
        raws = [str(each["raw"]) for each in prompts if each.get("raw")]
        return [*dict.fromkeys(raws)] if raws else [*self._prompts]

    @property
    def _has_one_prompt(self) -> bool:
        return len(self._prompts) <= 1

    def runs(self) -> Mapping[str, ImportedRun]:
        """Return one run per column of the results table."""
        when = seconds_of(self._header.get(("results", "timestamp")))
        return {str(column): self._run(*labels, when) for column, labels in self._columns.items()}

    def _run(self, provider: str, prompt: str, when: float) -> ImportedRun:
        labels = {"model": provider, "prompt": fit_name(prompt), "tool": TOOL}
        suffix = "" if self._has_one_prompt else f", prompt {fit_name(prompt)[:60]}"
        return ImportedRun(
            name=f"{provider} on {self.name}{suffix}",
            agent=provider,
            judge="assertions",
            marks_decide=False,
            labels={name: value for name, value in labels.items() if value},
            created=when,
            started=when or None,
        )

    def _items(self, log: ImportLog) -> Iterator[tuple[str, Any]]:
        if self._file.kind == "lines":
            yield from self._file.items(log)
            return
        if self._file.kind == "yaml":
            listed = self._header.get(_RESULTS)
            yield from ((f"result {number}", each) for number, each in enumerate(objects(listed), 1))
            return
        found = (value for keys, value in self._file.walk(_RESULTS) if keys == _RESULTS)
        yield from ((f"result {number}", each) for number, each in enumerate(found, 1))

    def records(self, log: ImportLog) -> Iterator[ImportedRecord]:
        """Yield the results as records; a repeated test is another trial."""
        for place, each in self._items(log):
            if not isinstance(each, dict) or not isinstance(each.get("success"), bool):
                log.skip(place, "it is not a result: it does not say whether it succeeded")
                continue
            for name, value in each.items():
                if name not in _TAKEN and name not in _QUIET and _is_told(value):
                    log.leave_out(f"keys of results: {name}")
            found = log.without_secrets({name: each[name] for name in _TAKEN if name in each})
            if (record := self._record(found, place, log)) is not None:
                yield record

    def _record(self, found: dict[str, Any], place: str, log: ImportLog) -> ImportedRecord | None:
        test = mapping(found.get("testCase"))
        variables = mapping(found.get("vars"))
        asked = self._question(found.get("prompt"), variables, place, log)
        if asked is None:
            return None
        expected = expected_there(test, variables, log)
        case = case_of(
            asked,
            own_id=str(test.get("description") or "") or None,
            place=place,
            log=log,
            metadata=mapping(test.get("metadata")),
            **expected.as_case(),
        )
        if case is None:
            return None
        result = _result(found, test, log)
        own = bool(test.get("description"))
        return ImportedRecord(
            case=case, place=place, run=str(_column(found)), result=result, own_id=own, lost=expected.lost
        )

    def _question(self, prompt: Any, variables: dict[str, Any], place: str, log: ImportLog) -> ImportedQuestion | None:
        """Return the prompt as sent or, if there are several prompts, the variables."""
        raw = prompt.get("raw") if isinstance(prompt, dict) else prompt
        if not (self._has_one_prompt and isinstance(raw, str)):
            try:
                return asked_there(self._templates, variables, self._options, log)
            except InputError as error:
                log.skip(place, str(error))
                return None
        template = next(iter(self._templates), "")
        asked = chat_or_text(raw, self._options, log)
        used = names_in(template, variables) if is_open(template) else variables.keys()
        others = {
            name: render_data(value, variables) for name, value in variables.items()
            if name not in used and not name.startswith("_")
        }  # fmt: skip
        return replace(asked, others=others | asked.others)


def _is_told(value: Any) -> bool:
    """Whether a value has content, ignoring promptfoo's internal keys, which begin with an underscore."""
    if isinstance(value, dict):
        return any(not str(name).startswith("_") for name in value)
    return value not in (None, "", [])


def _column(found: Mapping[str, Any]) -> int:
    column = found.get("promptIdx")
    return column if isinstance(column, int) else 0


def _provider(provider: Any) -> str:
    return (
        str(provider.get("label") or provider.get("id")) if isinstance(provider, dict) else str(provider or "unknown")
    )


def _label(prompt: Any) -> str:
    return str(prompt.get("label") or prompt.get("raw") or "") if isinstance(prompt, dict) else str(prompt or "")


def _result(found: Mapping[str, Any], test: Mapping[str, Any], log: ImportLog) -> ImportedResult:
    graded = mapping(found.get("gradingResult"))
    failure = _failure(found, graded)
    reply = _reply(found, log)
    usage = (reply.usage if reply is not None and reply.usage else Usage()) + (_judging(graded) or Usage())
    if failure is not None:
        return ImportedResult(reply=reply, failure=failure, usage=usage)
    components = objects(graded.get("componentResults"))
    if not components and not test.get("assert"):
        return ImportedResult(reply=reply, review=Review(unscored="the test has no assertion there"), usage=usage)
    review = _shares(found, graded, components) if test.get("threshold") is not None else _checks(components)
    return ImportedResult(reply=reply, review=review, passed=found["success"], usage=usage)


def _failure(found: Mapping[str, Any], graded: Mapping[str, Any]) -> Failure | None:
    response = found.get("response")
    error = response.get("error") if isinstance(response, dict) else None
    broken = found.get("failureReason") == _ERROR or (error and not graded)
    if not broken and not (found.get("error") and not graded and not found.get("success")):
        return None
    answered = isinstance(response, dict) and response.get("output") is not None and not error
    return source_failure(str(found.get("error") or error or ""), stage="reviewer" if answered else "agent")


def _reply(found: Mapping[str, Any], log: ImportLog) -> Reply | None:
    response = found.get("response")
    if not isinstance(response, dict) or response.get("output") is None:
        return None
    used = mapping(response.get("tokenUsage")) or mapping(found.get("tokenUsage"))
    sent = used.get("prompt") or (0 if used.get("completion") else used.get("total"))
    late = found.get("latencyMs")
    usage = usage_of(sent, used.get("completion"), cost=response.get("cost", found.get("cost")))
    text, calls = text_and_calls(response["output"], log)
    return Reply(
        text=text,
        tool_calls=calls,
        usage=Usage(cached=1) if response.get("cached") else usage,
        seconds=late / 1000 if isinstance(late, (int, float)) and 0 <= late < 1e12 else None,
        tools_known=False,
    )


def _judging(graded: Mapping[str, Any]) -> Usage | None:
    used = graded.get("tokensUsed")
    return usage_of(used.get("prompt"), used.get("completion")) if isinstance(used, dict) else None


def _name_components(components: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each assertion under its metric or type; repeated ones are numbered."""
    seen: Counter[str] = Counter()
    for each in components:
        assertion = each.get("assertion")
        label = (assertion.get("metric") or assertion.get("type")) if isinstance(assertion, dict) else None
        name = fit_name(str(label or "")) or "assertion"
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{name} {seen[name]}"), each


def _checks(components: list[dict[str, Any]]) -> Review:
    """Return a review with one check per assertion, all of which must pass."""
    return Review(
        checks=tuple(
            CheckResult(
                turn=1,
                name=name,
                passed=each["pass"] if isinstance(each.get("pass"), bool) else None,
                evidence=str(each.get("reason") or ""),
                value=_share(each.get("score")),
            )
            for name, each in _name_components(components)
        )
    )


def _shares(found: Mapping[str, Any], graded: Mapping[str, Any], components: list[dict[str, Any]]) -> Review:
    """Return a review with a single check for a threshold over assertions; their scores go into the evidence."""
    scores_text = ", ".join(f"{name} {each.get('score')}" for name, each in _name_components(components))
    score = _share(found.get("score"))
    check = CheckResult(
        turn=1,
        name="threshold",
        passed=found["success"],
        evidence=f"{graded.get('reason') or ''} ({scores_text})",
        value=score,
    )
    parts = () if score is None else (Part(name="score", value=score, explanation=scores_text),)
    return Review(parts=parts, checks=(check,))


def _share(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else None
