"""Render findings as JSON: the stable keys, and the export with every attempt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, TextIO

from proctor.codec import encode
from proctor.findings.gates import GateVerdict
from proctor.findings.run import (
    CaseFinding,
    CategoryFinding,
    Findings,
    ProblemGroup,
    Summary,
    count_stability,
    stability,
)
from proctor.findings.run.canaries import canary_finding
from proctor.findings.run.interim import was_settled_early
from proctor.findings.run.panel import JudgeFinding
from proctor.reports import outcomes
from proctor.reports.battle.words import as_dict as of_battle
from proctor.reports.checks import as_dict as of_check
from proctor.reports.conditions import as_dict as of_condition
from proctor.reports.conditions import condition_name, of_case
from proctor.reports.gates import as_dicts
from proctor.reports.noise import as_dict as as_noise
from proctor.reports.people import as_dict as people_dict
from proctor.reports.values import counts, estimate, plain, where
from proctor.run import Attempt, Run
from proctor.statistics.estimate import Estimate


def as_dict(findings: Findings, gates: Sequence[GateVerdict] = ()) -> dict[str, Any]:
    """Return the output of `--json`. Keys may be added, but not removed."""
    run, stable = findings.run, stability(findings)
    return {
        **_run(run),
        "attempts": counts(findings.counts),
        "pass_rate": estimate(findings.pass_rate),
        "mean_score": estimate(findings.mean_score),
        "pass_at_k": _by_k(findings.pass_at_k),
        "pass_hat_k": _by_k(findings.pass_hat_k),
        "categories": {name: _category(category) for name, category in findings.categories.items()},
        "usage": plain(findings.usage),
        "duration_s": run.seconds,
        "complete": findings.complete,
        "median_score": findings.median_score,
        "median_case_score": findings.median_case_score,
        "stability": None if stable is None else count_stability(stable),
        "parts": {name: estimate(part) for name, part in findings.parts.items()},
        "checks": _checks(findings),
        "latency": plain(findings.latency),
        "first_token": plain(findings.first_token),
        "troubles": [_trouble(trouble) for trouble in findings.troubles],
        "cut_off": findings.circumstances.cut_off,
        "changed": plain(findings.circumstances.changed),
        "retried_timeouts": findings.circumstances.retried_timeouts,
        "timeouts": plain(findings.circumstances.timeouts),
        "unsure": plain(findings.unsure),
        "notes": list(findings.notes),
        "gates": as_dicts(gates),
        "cases": [_case(case, stable) for case in findings.cases],
        "rows": [_case(case) for case in findings.rows],
        "conditions": _conditions(findings),
        **({} if not findings.lies else {"lies": plain(findings.lies)}),
        "orchestration": plain(findings.orchestration),
        **({"stopped_early": plain(run.interim)} if was_settled_early(run) else {}),
        **({} if run.workers is None else {"workers": plain(run.workers)}),
        **({} if run.canaries is None else {"canaries": plain(canary_finding(run))}),
        **({} if not findings.judges else {"judges": [_judge(judge) for judge in findings.judges]}),
        **_people(findings),
        **({} if not findings.noise else {"judge_noise": [as_noise(each) for each in findings.noise]}),
        **_battle(findings),
    }


def _judge(judge: JudgeFinding) -> dict[str, Any]:
    rates = {name: estimate(getattr(judge, name)) for name in ("pass_rate", "mean_score", "agreement")}
    return {**plain(judge), **rates}


def _people(findings: Findings) -> dict[str, Any]:
    """Return the pass rate by human labels, if attempts of this run or of a comparable one are labelled."""
    own, carried = findings.people, findings.carried
    record: dict[str, Any] = {} if own is None else {"pass_rate_people": people_dict(own)}
    if findings.length_preference is not None:
        record["length_preference"] = estimate(findings.length_preference)
    return record if carried is None else {**record, "pass_rate_people_carried": people_dict(carried)}


def _checks(findings: Findings) -> dict[str, Any]:
    if not findings.checks:
        return {}
    return {check.name: of_check(check) for check in findings.checks}


def _conditions(findings: Findings) -> list[dict[str, Any]]:
    if not findings.conditions:
        return []
    return [of_condition(condition) for condition in findings.conditions]


def _battle(findings: Findings) -> dict[str, Any]:
    if findings.battle is None:
        return {"battle": None}
    return {"held_rate": estimate(findings.battle.held_rate), "battle": of_battle(findings.battle)}


def run_row(run: Run, found: Summary | None) -> dict[str, Any]:
    """Return a run as in `proctor list --json`; `found` is None if its results are unknown."""
    return {
        **_run(run),
        "planned": run.planned,
        "pass_rate": None if found is None or found.no_test else estimate(found.rate),
        "replies": _replies(found),
        "no_test": None if found is None else found.no_test,
        "duration_s": run.seconds,
    }


def _replies(found: Summary | None) -> dict[str, int] | None:
    """Return the replies asked for and judged in a battle."""
    if found is None or found.asked is None or found.judged is None:
        return None
    return {"asked": found.asked, "judged": found.judged}


def write_json(findings: Findings, attempts: Iterable[Attempt] | None, stream: TextIO) -> None:
    """Write the findings and, under `results`, every attempt with its transcript, one per line."""
    stream.write(opening(findings.run) + "," + found(findings))
    if attempts is not None:
        stream.write(",")
        stream.writelines(results(attempts))
    stream.write("}\n")


def opening(run: Run) -> str:
    """Return the first members of the export, which identify the run."""
    return encode(_run(run)).removesuffix("}")


def found(findings: Findings) -> str:
    """Return the other members except the attempts."""
    first = _run(findings.run)
    return encode({name: value for name, value in as_dict(findings).items() if name not in first})[1:-1]


def results(attempts: Iterable[Attempt]) -> Iterator[str]:
    """Yield the attempts as a JSON member, piece by piece."""
    yield '"results":['
    separator = "\n"
    for attempt in attempts:
        yield separator + encode(_attempt(attempt))
        separator = ",\n"
    yield "\n]"


def _run(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "name": run.name,
        "status": run.status,
        "reason": run.reason,
        "benchmark": run.benchmark,
        "digest": run.digest,
        "agent": run.agent,
        "kind": run.kind,
        "reviewer": run.settings.reviewer,
        "examiner": run.settings.examiner,
        "type": run.settings.type,
        "trials": run.settings.trials,
        "ran_under": [condition_name(name) for name in run.settings.conditions],
        "passing_score": run.settings.passing_score,
        "labels": run.labels,
        "sent": run.sent,
        "created": run.created,
        **({} if run.imported is None else {"imported": plain(run.imported)}),
    }


def _by_k(estimates: Mapping[int, Estimate]) -> dict[str, Any]:
    return {str(k): estimate(known) for k, known in estimates.items()}


def _category(category: CategoryFinding) -> dict[str, Any]:
    return {
        "cases": category.cases,
        "counted": category.counted,
        "passed": category.passed,
        "pass_rate": estimate(category.pass_rate),
        "mean_score": estimate(category.mean_score),
    }


def _trouble(trouble: ProblemGroup) -> dict[str, Any]:
    return {**plain(trouble), "example": where(trouble.example)}


def _case(case: CaseFinding, stable: Mapping[str, str] | None = None) -> dict[str, Any]:
    record = {"verdict": case.verdict, **plain(case), **({} if stable is None else {"stability": stable[case.id]})}
    if not case.conditions:
        return record
    return {**record, "conditions": of_case(case)}


def _attempt(attempt: Attempt) -> dict[str, Any]:
    record = {
        each.name: getattr(attempt, each.name) for each in fields(attempt)
    }  # nested values are left to the encoder
    return {"outcome": outcomes.of_attempt(attempt).name, "score": attempt.value, **record}
