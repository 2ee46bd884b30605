"""Import Inspect AI logs (`.eval` and `.json`): epochs become trials, and one scorer's scores decide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any

from proctor.codec import digest
from proctor.codec.replies import is_cut_off
from proctor.errors import InputError
from proctor.formats.imports.contract import (
    CutOff,
    ImportedRecord,
    ImportedResult,
    ImportedRun,
    ImportLog,
    ImportOptions,
    newer_format,
)
from proctor.formats.imports.eval_archive import EvalArchive, PackageMissing
from proctor.formats.imports.fields import (
    ImportedQuestion,
    asked_in,
    case_of,
    content_of,
    fit_name,
    list_keys,
    mapping,
    objects,
    role_of,
    seconds_of,
    text_of,
    usage_of,
)
from proctor.formats.imports.inspect_scores import Deciders, is_off_scale, review_of, scores_of
from proctor.formats.imports.source_file import SourceFile, source_failure
from proctor.run import Failure
from proctor.score import Review
from proctor.transcript import UNKNOWN, Reply, ToolCall
from proctor.usage import Usage

TOOL = "Inspect AI"
_NEWEST = 2
_LOOKED_AT = 50
"""Number of samples examined to find out which values the scorers give."""
_TAKEN = (
    "id", "epoch", "input", "choices", "target", "messages", "output", "scores", "score", "metadata", "model_usage",
    "started_at", "completed_at", "total_time", "error", "limit", "attachments", "sandbox", "files", "setup",
    "invalidation",
)  # fmt: skip
_TOLD_ELSEWHERE = frozenset(
    {"uuid", "working_time", "role_usage", "events_data", "turn_count", "message_limit", "token_limit", "time_limit",
     "working_limit", "cost_limit"}
)  # fmt: skip
"""Keys of a sample that are redundant with other keys."""
_HEADER_TAKEN = frozenset(
    {"task", "model", "created", "dataset", "scorers", "packages", "revision", "tags", "task_version", "eval_id",
     "run_id", "task_id", "eval_set_id", "task_display_name", "task_registry_name", "task_file", "task_args_passed",
     "solver_args_passed", "metrics"}
)  # fmt: skip
_ATTACHED = re.compile(r"attachment://([0-9a-f]{8,})")


def recognises(file: SourceFile) -> bool:
    """Whether the file looks like an Inspect AI log."""
    if file.kind == "zip":
        return True
    return file.kind == "object" and "version" in file.first and isinstance(file.first.get("eval", ""), dict)


class InspectLog:
    """One log, which holds one run."""

    tool = TOOL

    def __init__(self, file: SourceFile, options: ImportOptions) -> None:
        self._file = file
        self._options = options
        self._archive = EvalArchive(file.path) if file.kind == "zip" else None
        header = self._header
        if not isinstance(header.get("eval"), dict):
            raise InputError(f"{file.path} is not an Inspect AI log: it has no header with the task and the model")
        if isinstance(header.get("version"), int) and header["version"] > _NEWEST:
            raise newer_format(file.path, "Inspect AI log", header["version"], _NEWEST)
        self._eval: dict[str, Any] = header["eval"]
        self.version = str(mapping(self._eval.get("packages")).get("inspect_ai") or "")
        self.name = fit_name(str(self._eval.get("task") or "")) or file.path.stem

    @cached_property
    def _header(self) -> dict[str, Any]:
        if self._archive is not None:
            names = self._archive.names
            found = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
            return self._archive.read(found) if found else {}
        header: dict[str, Any] = {}
        try:
            for keys, value in self._file.walk(("samples",)):
                if keys != ("samples",):
                    header[keys[0]] = value
        except CutOff:
            pass
        return header

    def runs(self) -> Mapping[str, ImportedRun]:
        """Return the log's single run."""
        evaluation, stats, decider = self._eval, mapping(self._header.get("stats")), self._decider
        stopped = {"error": "it ended with an error", "cancelled": "it was cancelled", "started": "it never ended"}
        listed = mapping(evaluation.get("dataset")).get("sample_ids")
        ids = listed if isinstance(listed, list) else []
        model = str(evaluation.get("model") or "unknown")
        revision, tags = mapping(evaluation.get("revision")), evaluation.get("tags")
        labels = {
            "model": model, "task": self.name, "task_version": evaluation.get("task_version"), "tool": TOOL,
            "commit": revision.get("commit"), "tags": ", ".join(map(str, tags)) if isinstance(tags, list) else "",
        }  # fmt: skip
        run = ImportedRun(
            name=f"{model} on {self.name}",
            agent=model,
            judge=decider or "no scorer",
            rubric=self._rubric(decider),
            weights={decider: 1.0} if decider else {},
            labels={name: str(value)[:200] for name, value in labels.items() if value not in (None, "")},
            created=seconds_of(evaluation.get("created")),
            started=seconds_of(stats.get("started_at")) or None,
            ended=seconds_of(stats.get("completed_at")) or None,
            stopped=stopped.get(str(self._header.get("status", "started")), ""),
            order={str(each): place for place, each in enumerate(ids)},
        )
        return {"log": run}

    def _rubric(self, decider: str) -> str:
        names = (decider, decider.partition(".")[0])
        options = next((each.get("options") for each in self._scorers if each.get("name") in names), None)
        return f"{TOOL}: {decider}" + (f" {digest(options)[:8]}" if options else "") if decider else TOOL

    @property
    def _scorers(self) -> list[dict[str, Any]]:
        return objects(self._eval.get("scorers"))

    @cached_property
    def _decider(self) -> str:
        """Name of the scorer whose score decides; empty if nothing was scored."""
        samples = (sample for _, sample in islice(self._samples(ImportLog()), _LOOKED_AT))
        scores = next((found for each in samples if isinstance(each, dict) and (found := scores_of(each))), {})
        has_header = self._archive is None or "header.json" in self._archive.names
        return Deciders(self._header, scores).choose(self._options.scorer, self._file.path, whole=has_header)

    @cached_property
    def _off_scale(self) -> bool:
        """Whether the deciding scorer's values lie outside 0 to 1."""
        samples = (sample for _, sample in self._samples(ImportLog()) if isinstance(sample, dict))
        return bool(self._decider) and is_off_scale(samples, self._decider)

    def records(self, log: ImportLog) -> Iterator[ImportedRecord]:
        """Yield the samples as records."""
        if self._off_scale:
            log.note(f"the scorer {self._decider!r} marks on another scale than 0 to 1: its marks give no verdicts")
        elif self._decider:
            log.note(f"verdicts are those of the scorer {self._decider!r}")
        self._list_header(log)
        for place, sample in self._samples(log):
            if not isinstance(sample, dict) or "id" not in sample:
                log.skip(place, "it is not a sample: it has no id")
                continue
            _list_keys(sample, log)
            taken = log.without_secrets({name: sample[name] for name in _TAKEN if name in sample})
            if (record := self._record(_with_attachments(taken), place, log)) is not None:
                yield record

    def _list_header(self, log: ImportLog) -> None:
        """Log the keys of the header that are not imported."""
        steps = mapping(self._header.get("plan")).get("steps")
        list_keys({**self._eval, "plan": steps}, _HEADER_TAKEN, "how the run was set up", log)

    def _samples(self, log: ImportLog) -> Iterator[tuple[str, Any]]:
        if self._archive is None:
            try:
                found = (value for keys, value in self._file.walk(("samples",)) if keys == ("samples",))
                yield from ((f"sample {number}", sample) for number, sample in enumerate(found, 1))
            except CutOff as error:
                log.cut_off = str(error)
            return
        if self._archive.is_cut_off:
            log.cut_off = "its directory is missing; what is whole in it was read"
        for name in self._archive.names:
            if not name.startswith("samples/"):
                continue
            try:
                sample = self._archive.read(name)
            except PackageMissing:
                raise
            except InputError as error:
                log.skip(name, str(error))
                continue
            yield name, sample

    def _record(self, sample: dict[str, Any], place: str, log: ImportLog) -> ImportedRecord | None:
        case = case_of(
            _with_choices(asked_in(sample.get("input"), ImportOptions(), log), sample.get("choices")),
            own_id=str(sample["id"]),
            answer=_answer(sample.get("target"), log),
            place=place,
            log=log,
            metadata=_metadata(sample),
        )
        for name in ("sandbox", "files", "setup"):
            if sample.get(name):
                log.leave_out(f"samples with {name}, which no benchmark here can hold")
        if case is None:
            return None
        epoch = sample.get("epoch")
        trial = epoch if isinstance(epoch, int) and epoch > 0 else None
        return ImportedRecord(case=case, place=place, run="log", result=self._result(sample, log), trial=trial)

    def _result(self, sample: dict[str, Any], log: ImportLog) -> ImportedResult:
        used = _usages(sample.get("model_usage"))
        own = used.get(str(self._eval.get("model")))
        failure = _failure(sample)
        started, ended = seconds_of(sample.get("started_at")), seconds_of(sample.get("completed_at"))
        return ImportedResult(
            reply=_reply(sample, own, log),
            review=Review() if failure else review_of(sample, self._decider, log, off_scale=self._off_scale),
            failure=failure,
            usage=sum(used.values(), Usage()),
            started=started,
            ended=max(started, ended),
        )


def _list_keys(sample: Mapping[str, Any], log: ImportLog) -> None:
    """Log the keys of a sample that are not imported."""
    list_keys(sample, _TOLD_ELSEWHERE.union(_TAKEN), "keys of samples", log)
    limit = mapping(sample.get("limit"))
    if limit and scores_of(sample):
        log.leave_out(f"samples that reached their limit ({limit.get('type')}) and were scored all the same")


def _with_attachments(sample: dict[str, Any]) -> dict[str, Any]:
    """Replace references to attachments, where the log stores long texts, by the texts."""
    attached = sample.pop("attachments", None)
    if not isinstance(attached, dict) or not attached:
        return sample

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return _ATTACHED.sub(lambda found: str(attached.get(found[1], found[0])), value)
        if isinstance(value, dict):
            return {name: fill(inner) for name, inner in value.items()}
        return [fill(inner) for inner in value] if isinstance(value, list) else value

    return {name: fill(value) for name, value in sample.items()}


def _with_choices(asked: ImportedQuestion, choices: Any) -> ImportedQuestion:
    """Append the choices to the question, which makes no sense without them."""
    if not isinstance(choices, list) or not choices:
        return asked
    lines = [f"{chr(65 + place) if place < 26 else place + 1}) {each}" for place, each in enumerate(choices)]
    return ImportedQuestion(
        question="\n".join([asked.question, "", *lines]), context=asked.context, others=asked.others
    )


def _answer(target: Any, log: ImportLog) -> str | None:
    """Return the first of several targets; the others are kept as metadata."""
    if isinstance(target, list):
        if len(target) > 1:
            log.leave_out("further targets of a sample (kept as metadata: targets)", len(target) - 1)
        target = target[0] if target else None
    return text_of(target, log) or None


def _metadata(sample: dict[str, Any]) -> dict[str, Any]:
    target = sample.get("target")
    known = dict(sample["metadata"]) if isinstance(sample.get("metadata"), dict) else {}
    return known | ({"targets": target} if isinstance(target, list) and len(target) > 1 else {})


def _usages(usages: Any) -> dict[str, Usage]:
    """Return model → its usage."""
    used = {
        model: usage_of(each.get("input_tokens"), each.get("output_tokens"), cost=each.get("total_cost"))
        for model, each in (usages.items() if isinstance(usages, dict) else ())
        if isinstance(each, dict)
    }
    return {model: each for model, each in used.items() if each is not None}


def _failure(sample: dict[str, Any]) -> Failure | None:
    error, limit = sample.get("error"), sample.get("limit")
    if isinstance(error, dict):
        return source_failure(str(error.get("message") or ""), detail=str(error.get("traceback") or ""))
    if isinstance(limit, dict) and not sample.get("scores"):
        late = limit.get("type") in ("time", "working")
        reason = f"the sample reached its {limit.get('type')} limit of {limit.get('limit')}"
        return Failure(stage="agent", owner="agent", reason=reason, kind="timeout" if late else "exception", turn=1)
    return None


def _reply(sample: dict[str, Any], used: Usage | None, log: ImportLog) -> Reply | None:
    output = sample.get("output")
    choices = objects(mapping(output).get("choices"))
    if not choices:
        return None
    message = mapping(choices[0].get("message"))
    seconds = sample.get("total_time")
    return Reply(
        text=content_of(message, log),
        tool_calls=tuple(_calls(sample.get("messages"), log)),
        usage=used,
        seconds=float(seconds) if isinstance(seconds, (int, float)) and 0 <= seconds < 1e12 else None,
        cut_off=is_cut_off(choices[0]),
    )


def _calls(messages: Any, log: ImportLog) -> Iterator[ToolCall]:
    message_items = objects(messages)
    results = {str(each.get("tool_call_id")): each for each in message_items if role_of(each) == "tool"}
    for message in message_items:
        for call in objects(message.get("tool_calls")):
            result = results.get(str(call.get("id")), {})
            error = mapping(result.get("error"))
            arguments = call.get("arguments")
            yield ToolCall(
                name=str(call.get("function") or "unknown"),
                arguments=arguments if isinstance(arguments, dict) else {"arguments": arguments},
                result=content_of(result, log) if result else UNKNOWN,
                error=str(error.get("message") or error) if error else None,
                id=str(call.get("id")) if call.get("id") else None,
            )
