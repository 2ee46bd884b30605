"""Findings as JSON: the stable keys, and the export with every attempt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TextIO

from proctor.codec import encode
from proctor.findings import CaseFinding, CategoryFinding, Counts, Findings, Latency, Trouble
from proctor.gates import GateVerdict
from proctor.reports import outcomes
from proctor.reports.gates import as_dicts
from proctor.run import Attempt, Run
from proctor.statistics.estimate import Estimate
from proctor.usage import Usage


def as_dict(findings: Findings, gates: Sequence[GateVerdict] = ()) -> dict[str, Any]:
    """What `--json` prints. Keys may be added; these stay."""
    run = findings.run
    return {
        **_run(run),
        "attempts": counts(findings.counts),
        "pass_rate": estimate(findings.pass_rate),
        "mean_score": estimate(findings.mean_score),
        "pass_at_k": _by_k(findings.pass_at_k),
        "pass_hat_k": _by_k(findings.pass_hat_k),
        "categories": {name: _category(category) for name, category in findings.categories.items()},
        "usage": _usage(findings.usage),
        "duration_s": run.seconds,
        "complete": findings.complete,
        "median_score": findings.median_score,
        "parts": {name: estimate(part) for name, part in findings.parts.items()},
        "latency": _latency(findings.latency),
        "troubles": [_trouble(trouble) for trouble in findings.troubles],
        "notes": list(findings.notes),
        "gates": as_dicts(gates),
        "cases": [_case(case) for case in findings.cases],
    }


def run_row(run: Run, rate: Estimate | None) -> dict[str, Any]:
    """One run as `proctor list --json` shows it."""
    return {
        **_run(run),
        "planned": run.planned,
        "pass_rate": None if rate is None else estimate(rate),
        "duration_s": run.seconds,
    }


def write_json(findings: Findings, attempts: Iterable[Attempt] | None, stream: TextIO) -> None:
    """The findings and, under `results`, every attempt with its transcript, one a line."""
    summary = encode(as_dict(findings))
    if attempts is None:
        stream.write(f"{summary}\n")
        return
    stream.write(f'{summary.removesuffix("}")},"results":[')
    separator = "\n"
    for attempt in attempts:
        stream.write(separator + encode(_attempt(attempt)))
        separator = ",\n"
    stream.write("\n]}\n")


def _run(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "name": run.name,
        "status": run.status,
        "reason": run.reason,
        "benchmark": run.benchmark,
        "digest": run.digest,
        "agent": run.agent,
        "reviewer": run.settings.reviewer,
        "type": run.settings.type,
        "trials": run.settings.trials,
        "passing_score": run.settings.passing_score,
        "labels": run.labels,
        "created": run.created,
    }


def counts(known: Counts) -> dict[str, Any]:
    """Where the planned attempts went."""
    return {
        "planned": known.planned,
        "scored": known.scored,
        "unscored": known.unscored,
        "failed": known.failed,
        "pending": known.pending,
        "failed_by": {"agent": known.failed_by_agent, "environment": known.failed_by_environment},
    }


def estimate(known: Estimate) -> dict[str, Any]:
    """A value with its interval, and what it rests on."""
    said: dict[str, Any] = {
        "value": known.value,
        "low": known.low,
        "high": known.high,
        "n": known.n,
        "attempts": known.attempts,
        "method": known.method,
    }
    if known.missing:
        said |= {"missing": known.missing, "worst": known.worst, "best": known.best}
    if known.note:
        said["note"] = known.note
    return said


def _by_k(estimates: Mapping[int, Estimate]) -> dict[str, Any]:
    return {str(k): estimate(known) for k, known in estimates.items()}


def _category(category: CategoryFinding) -> dict[str, Any]:
    return {
        "cases": category.cases,
        "passed": category.passed,
        "pass_rate": estimate(category.pass_rate),
        "mean_score": estimate(category.mean_score),
    }


def _usage(usage: Usage) -> dict[str, Any]:
    return _plain(usage)


def _latency(latency: Latency | None) -> dict[str, Any] | None:
    return None if latency is None else _plain(latency)


def _trouble(trouble: Trouble) -> dict[str, Any]:
    example = {"case": trouble.example.exam, "condition": trouble.example.condition, "trial": trouble.example.trial}
    return {**_plain(trouble), "example": example}


def _case(case: CaseFinding) -> dict[str, Any]:
    return {"verdict": case.verdict, **_plain(case)}


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {"outcome": outcomes.of_attempt(attempt).name, "score": attempt.value, **_plain(attempt)}


def _plain(noun: Any) -> dict[str, Any]:
    """A noun's fields, as they are: the encoder goes deeper."""
    return {each.name: getattr(noun, each.name) for each in fields(noun)}
