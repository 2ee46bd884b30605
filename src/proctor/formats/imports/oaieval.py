"""Import from OpenAI Evals, the open-source package: samples of its registry, and logs written by `oaieval`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import Any

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
    answer_in,
    asked_in,
    case_of,
    fit_name,
    mapping,
    seconds_of,
    text_of,
    usage_of,
)
from proctor.formats.imports.source_file import SourceFile, source_failure
from proctor.score import Part, Review
from proctor.transcript import Reply
from proctor.usage import Usage

TOOL = "OpenAI Evals (oaieval)"
_MARKS = ("match", "score")
_QUIET = frozenset({"sampling", "match", "metrics", "error", "raw_sample"})


def recognises(file: SourceFile) -> bool:
    """Whether the file is a log of oaieval or holds samples of its registry."""
    first = file.first
    return file.kind == "lines" and (_is_spec(first) or ("input" in first and "ideal" in first))


def _is_spec(record: Mapping[str, Any]) -> bool:
    spec = record.get("spec")
    return isinstance(spec, dict) and "eval_name" in spec


def open_oaieval(file: SourceFile, options: ImportOptions) -> ImportSource:
    """Open a log or a file of samples."""
    if _is_spec(file.first):
        return OaievalLog(file, options)
    return DatasetExport(file, options, tool=TOOL, item_of=_sample)


def _sample(record: dict[str, Any], log: ImportLog) -> Item | None:
    ideal = record.get("ideal")
    several = isinstance(ideal, list) and len(ideal) > 1
    others = {name: value for name, value in record.items() if name not in ("input", "ideal")}
    if several:
        log.leave_out("further ideal answers of a sample (kept as metadata: ideal)", len(ideal or ()) - 1)
    return Item(
        input=record.get("input"),
        expected=ideal[0] if isinstance(ideal, list) and ideal else ideal,
        metadata=others | ({"ideal": ideal} if several else {}),
    )


class OaievalLog:
    """One log with one run; since events of different samples are interleaved, it is held in memory as a whole."""

    tool = TOOL
    version = ""

    def __init__(self, file: SourceFile, options: ImportOptions) -> None:
        self._file = file
        self._options = options
        self._spec: dict[str, Any] = file.first["spec"]
        self.name = fit_name(str(self._spec.get("base_eval") or self._spec.get("eval_name") or "")) or file.path.stem

    def runs(self) -> Mapping[str, ImportedRun]:
        """Return the log's single run."""
        spec = self._spec
        model = ", ".join(map(str, fns)) if isinstance(fns := spec.get("completion_fns"), list) and fns else "unknown"
        labels = {"model": model, "eval": spec.get("eval_name"), "run_id": spec.get("run_id"), "tool": TOOL}
        when = seconds_of(spec.get("created_at"))
        run = ImportedRun(
            name=f"{model} on {self.name}",
            agent=model,
            judge=str(spec.get("eval_name") or "eval"),
            rubric=f"{TOOL}: {spec.get('eval_name')}",
            weights=dict.fromkeys(_MARKS, 1.0),
            labels={name: str(value)[:200] for name, value in labels.items() if value},
            created=when,
            started=when or None,
            stopped="" if self._is_finished else "it has no final report, so it did not end",
        )
        return {"log": run}

    @cached_property
    def _is_finished(self) -> bool:
        try:
            return any("final_report" in each for _, each in self._file.items(ImportLog()) if isinstance(each, dict))
        except CutOff:
            return False

    def records(self, log: ImportLog) -> Iterator[ImportedRecord]:
        """Yield the samples, sorted by name and number."""
        samples: dict[str, list[dict[str, Any]]] = {}
        try:
            for _, event in self._file.items(log):
                if isinstance(event, dict) and event.get("sample_id") is not None:
                    samples.setdefault(str(event["sample_id"]), []).append(event)
        except CutOff as error:
            log.cut_off = str(error)
        off_scale = any(map(_is_off_scale, chain.from_iterable(samples.values())))
        if off_scale:
            log.note("scores are on another scale than 0 to 1: they give no verdicts")
        for name in sorted(samples, key=_sort_key):
            events = log.without_secrets(samples[name])
            if (record := self._record(name, events, log, off_scale=off_scale)) is not None:
                yield record

    def _record(
        self, name: str, events: list[dict[str, Any]], log: ImportLog, *, off_scale: bool
    ) -> ImportedRecord | None:
        data_by_kind: dict[str, dict[str, Any]] = {}
        for event in events:
            kind, data = str(event.get("type")), event.get("data")
            if kind not in _QUIET:
                log.leave_out(f"events: {kind}")
            elif isinstance(data, dict):
                data_by_kind.setdefault(kind, data)
        sampling, match, raw = (
            data_by_kind.get("sampling", {}),
            data_by_kind.get("match", {}),
            data_by_kind.get("raw_sample", {}),
        )
        asked = asked_in(sampling.get("prompt") or raw.get("input"), ImportOptions(), log)
        expected = match.get("expected", raw.get("ideal"))
        case = case_of(
            asked,
            own_id=name,
            answer=answer_in(
                expected[0] if isinstance(expected, list) and expected else expected, ImportOptions(), log
            ),
            place=f"sample {name}",
            log=log,
            metadata={"expected": expected} if isinstance(expected, list) and len(expected) > 1 else None,
        )
        if case is None:
            return None
        result = _result(events, data_by_kind, log, off_scale=off_scale)
        return ImportedRecord(case=case, place=f"sample {name}", run="log", result=result)


def _is_off_scale(event: Mapping[str, Any]) -> bool:
    """Whether the event has a score outside 0 to 1; on such a scale, for example 1 to 5, a 1 may be the worst score."""
    score = mapping(event.get("data")).get("score") if event.get("type") == "metrics" else None
    return isinstance(score, (int, float)) and (score < 0 or score > 1)


def _sort_key(name: str) -> tuple[str, int]:
    """Return a sort key that puts `eval.dev.10` after `eval.dev.9`."""
    head, _, number = name.rpartition(".")
    return (head, int(number)) if number.isdigit() else (name, 0)


def _result(
    events: list[dict[str, Any]], told: Mapping[str, dict[str, Any]], log: ImportLog, *, off_scale: bool
) -> ImportedResult:
    sampled = told.get("sampling", {}).get("sampled")
    output = sampled[0] if isinstance(sampled, list) and sampled else sampled
    used = mapping(told.get("sampling", {}).get("usage"))
    usage = usage_of(used.get("prompt_tokens"), used.get("completion_tokens"))
    reply = None if output is None else Reply(text=text_of(output, log), usage=usage, tools_known=False)
    times = [when for event in events if (when := seconds_of(event.get("created_at")))]
    started, ended = min(times, default=0.0), max(times, default=0.0)
    if "error" in told and "match" not in told:
        failure = source_failure(str(told["error"].get("message") or told["error"].get("error") or told["error"]))
        return ImportedResult(reply=reply, failure=failure, usage=usage or Usage(), started=started, ended=ended)
    review = _review(told, log, off_scale=off_scale)
    return ImportedResult(reply=reply, review=review, usage=usage or Usage(), started=started, ended=ended)


def _review(events: Mapping[str, dict[str, Any]], log: ImportLog, *, off_scale: bool) -> Review:
    correct = events.get("match", {}).get("correct")
    if isinstance(correct, bool):
        picked = events["match"].get("picked")
        return Review(parts=(Part(name="match", value=float(correct), explanation=f"picked {picked!r}"),))
    metrics = events.get("metrics", {})
    score = metrics.get("score")
    if off_scale and score is not None:
        return Review(unscored="the scores are on another scale than 0 to 1")
    if isinstance(score, (int, float)) and 0 <= score <= 1:
        return Review(parts=(Part(name="score", value=float(score), explanation=str(metrics.get("choice") or "")),))
    if metrics:
        log.leave_out(f"metrics that are not a score between 0 and 1: {', '.join(sorted(map(str, metrics)))[:80]}")
    return Review(unscored="it was not scored there")
