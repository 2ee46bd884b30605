"""Small files in the shape of those that other tools write."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def as_json(path: Path, value: Any) -> Path:
    """A JSON document."""
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def as_lines(path: Path, records: Sequence[Any]) -> Path:
    """One JSON object a line."""
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


def inspect_header(**others: Any) -> dict[str, Any]:
    """The header of an Inspect AI log."""
    ids = others.pop("sample_ids", ["sum", "capital"])
    scorers = others.pop("scorers", ["match"])
    told = {
        "task": "tiny_task",
        "model": "mockllm/model",
        "created": "2026-03-01T10:00:00+00:00",
        "dataset": {"name": "tiny", "samples": len(ids), "sample_ids": ids},
        "scorers": [{"name": name} for name in scorers],
        "packages": {"inspect_ai": "0.3.285"},
    }
    return {
        "version": 2,
        "status": "success",
        "eval": told,
        "results": {"scores": [{"name": name} for name in scorers]},
        "stats": {"started_at": "2026-03-01T10:00:00+00:00", "completed_at": "2026-03-01T10:01:00+00:00"},
        **others,
    }


def inspect_sample(name: str | int, question: Any, value: Any = "C", **others: Any) -> dict[str, Any]:
    """A sample; without a value nobody scored it."""
    message = {"role": "assistant", "content": others.pop("reply", f"a reply to {name}")}
    return {
        "id": name,
        "epoch": 1,
        "input": question,
        "target": "4",
        "messages": [],
        "output": {"model": "mockllm/model", "choices": [{"message": message, "stop_reason": "stop"}]},
        "scores": {} if value is None else {"match": {"value": value, "explanation": "as matched"}},
        "metadata": {},
        "model_usage": {"mockllm/model": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}},
        "started_at": "2026-03-01T10:00:00+00:00",
        "completed_at": "2026-03-01T10:00:02+00:00",
        "total_time": 2.0,
        **others,
    }


def inspect_eval(path: Path, samples: Sequence[Mapping[str, Any]], **header: Any) -> Path:
    """An `.eval` log."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({**inspect_header(**header), "status": "started"}))
        for sample in samples:
            archive.writestr(f"samples/{sample.get('id')}_epoch_{sample.get('epoch')}.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps(inspect_header(**header)))
    return path


def promptfoo_result(question: str, *, column: int = 0, passed: bool = True, **others: Any) -> dict[str, Any]:
    """One result, by one assertion."""
    asserts = [{"type": "icontains", "value": "paris"}]
    component = {"pass": passed, "score": float(passed), "reason": "as told", "assertion": asserts[0]}
    return {
        "promptIdx": column,
        "testIdx": 0,
        "prompt": {"raw": f"Answer: {question}", "label": "Answer: {{question}}"},
        "provider": {"id": "echo", "label": ""},
        "vars": {"question": question},
        "response": {"output": f"Paris, {question}", "tokenUsage": {"total": 10, "prompt": 7, "completion": 3}},
        "success": passed,
        "failureReason": 0 if passed else 1,
        "score": float(passed),
        "latencyMs": 20,
        "cost": 0.002,
        "gradingResult": {"pass": passed, "score": float(passed), "reason": "", "componentResults": [component]},
        "testCase": {"vars": {"question": question}, "assert": asserts, "metadata": {"topic": "geography"}},
        **others,
    }


def promptfoo_results(path: Path, results: Sequence[Any], *, version: int = 3, columns: int = 1) -> Path:
    """What `promptfoo eval -o results.json` writes."""
    labels = ["Answer: {{question}}", "Q: {{question}}"]
    prompts = [{"raw": labels[place % 2], "label": labels[place % 2], "provider": "echo"} for place in range(columns)]
    told = {"version": version, "timestamp": "2026-03-01T10:00:00Z", "prompts": prompts, "results": [*results]}
    config = {"description": "geography"}
    return as_json(
        path,
        {"evalId": "eval-1", "results": told, "config": config, "metadata": {"promptfooVersion": "0.121.20"}},
    )


def output_item(number: int, *, passed: bool = True, **sample: Any) -> dict[str, Any]:
    """An output item of a run of OpenAI Evals."""
    grade = {"name": "Match-51235386-f1dd-4a4d-9be4-f49cb5a2b9d8", "passed": passed, "score": float(passed)}
    return {
        "object": "eval.run.output_item",
        "id": f"item_{number}",
        "created_at": 1743092076,
        "run_id": "evalrun_1",
        "eval_id": "eval_1",
        "status": "pass" if passed else "fail",
        "datasource_item_id": number,
        "datasource_item": {"ticket_text": f"My monitor {number} is dark", "correct_label": "Hardware"},
        "results": [{**grade, "type": "string-check-grader", "sample": None}],
        "sample": {
            "input": [
                {"role": "developer", "content": "Classify"},
                {"role": "user", "content": f"My monitor {number} is dark"},
            ],
            "output": [{"role": "assistant", "content": "Hardware" if passed else "Other"}],
            "finish_reason": "stop",
            "model": "gpt-4.1",
            "usage": {"total_tokens": 325, "completion_tokens": 2, "prompt_tokens": 323, "cached_tokens": 0},
            "error": {"code": "", "message": ""},
            "temperature": 1.0,
            "max_completion_tokens": 2048,
            "top_p": 1.0,
            "seed": 42,
            **sample,
        },
    }


EVAL = {
    "object": "eval",
    "id": "eval_1",
    "name": "IT tickets",
    "created_at": 1743092076,
    "metadata": {},
    "data_source_config": {"type": "custom", "schema": {}},
    "testing_criteria": [
        {
            "type": "string_check",
            "id": "Match-1",
            "name": "Match",
            "input": "{{ sample.output_text }}",
            "operation": "eq",
            "reference": "{{ item.correct_label }}",
        },
        {"type": "python", "id": "py", "name": "py", "source": "def grade(sample, item): return 1.0"},
    ],
}
"""An eval with a grader that maps and one that does not."""


def langfuse_item(number: int, **others: Any) -> dict[str, Any]:
    """An item of a dataset, as Langfuse's API gives it."""
    return {
        "id": f"item-{number}",
        "status": "ACTIVE",
        "input": {"question": f"What is {number} + {number}?"},
        "expectedOutput": {"answer": str(2 * number)},
        "metadata": {"level": number},
        "sourceTraceId": None,
        "sourceObservationId": None,
        "datasetId": "dataset-1",
        "datasetName": "sums",
        "createdAt": "2026-01-01T00:00:00Z",
        "updatedAt": "2026-01-01T00:00:00Z",
        "mediaReferences": [],
        **others,
    }


def oaieval_log(path: Path, verdicts: Sequence[bool], *, report: bool = True) -> Path:
    """A log as `oaieval` records it."""
    spec = {"completion_fns": ["gpt-3.5-turbo"], "eval_name": "sums.dev.v0", "base_eval": "sums", "run_id": "2401"}
    events: list[dict[str, Any]] = [{"spec": {**spec, "created_at": "2026-01-02 03:04:05.000000"}}]
    for number in range(len(verdicts)):
        asked = {"prompt": [{"role": "user", "content": f"{number}+{number}?"}], "sampled": [str(2 * number)]}
        events.append(_event(number, "sampling", asked))
    for number, correct in enumerate(verdicts):
        events.append(_event(number, "match", {"correct": correct, "expected": str(2 * number), "picked": None}))
    return as_lines(path, events + ([{"final_report": {"accuracy": 0.5}}] if report else []))


def _event(number: int, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    when = "2026-01-02 03:04:06.000000+00:00"
    return {"run_id": "2401", "sample_id": f"sums.dev.{number}", "type": kind, "data": data, "created_at": when}
