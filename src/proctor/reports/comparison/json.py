"""Render a comparison as JSON. Keys may be added, but not removed."""

from __future__ import annotations

from typing import Any

from proctor.findings.comparison import CaseChange, CategoryChange, Compared
from proctor.findings.run import CaseFinding, Findings
from proctor.findings.run.cost import cost_per_pass
from proctor.reports.comparison import words
from proctor.reports.values import counts, estimate, plain
from proctor.statistics.compare import FEWEST_FOR_VERDICT, Comparison
from proctor.statistics.pass_at_k import Formula, pass_at_k, pass_hat_k


def as_dict(compared: Compared) -> dict[str, Any]:
    """Return the output of `proctor compare --json`."""
    return {
        "sentence": words.sentence(compared),
        "verdict": compared.shown,
        "comparable": not compared.unlike,
        "differences": [str(one) for one in compared.unlike],
        "warnings": list(compared.warnings),
        "a": _side(compared.a),
        "b": _side(compared.b),
        "basis": words.basis(compared),
        "pass_rate": _comparison(compared.pass_rate) | _sides(compared.rates_over_shared()),
        "mean_score": _comparison(compared.mean_score) | _sides(compared.scores_over_shared()),
        "pass_rate_people": _people(compared),
        "k": compared.k,
        "pass_at_k": _tries(compared, compared.pass_at_k, pass_at_k),
        "pass_hat_k": _tries(compared, compared.pass_hat_k, pass_hat_k),
        "held_rate": (
            None
            if compared.held_rate is None
            else _comparison(compared.held_rate) | _sides(compared.held_over_shared())
        ),
        "flips": {flip: len(compared.flipped(flip)) for flip in words.FLIPS},
        "categories": {name: _category(category) for name, category in compared.categories.items()},
        "conditions": {words.condition_name(name): _category(each) for name, each in compared.conditions.items()},
        "cases": [_case(change) for change in compared.cases],
    }


def _people(compared: Compared) -> dict[str, Any] | None:
    """Return the difference by human labels, or which runs to label; None if neither run is labelled."""
    people = compared.people
    if people is None:
        return None
    return {
        "difference": None if people.difference is None else estimate(people.difference),
        "to_label": list(people.missing),
        "sentence": words.by_people(compared),
    }


def _tries(compared: Compared, comparison: Comparison | None, formula: Formula) -> dict[str, Any] | None:
    return None if comparison is None else _comparison(comparison) | _sides(compared.tries_over_shared(formula))


def _side(findings: Findings) -> dict[str, Any]:
    run = findings.run
    return {
        "run": run.id,
        "name": run.name,
        "status": run.status,
        "agent": run.agent,
        "benchmark": run.benchmark,
        "reviewer": run.settings.reviewer,
        "passing_score": run.settings.passing_score,
        "trials": run.settings.trials,
        "labels": run.labels,
        "attempts": counts(findings.counts),
        "pass_rate": estimate(findings.pass_rate),
        "mean_score": estimate(findings.mean_score),
        "cost_per_pass": estimate(cost_per_pass(findings)),
        "first_token": plain(findings.first_token),
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "difference": estimate(comparison.difference),
        "better": comparison.better,
        "p_value": comparison.p_value,
    }


def _sides(values: tuple[float | None, float | None]) -> dict[str, float | None]:
    """Return the values of both runs, over the cases that the difference covers."""
    return {"a": values[0], "b": values[1]}


def _category(category: CategoryChange) -> dict[str, Any]:
    tested = category.tested
    few = category.cases < FEWEST_FOR_VERDICT
    record: dict[str, Any] = {
        "cases": category.cases,
        "a": category.a,
        "b": category.b,
        **_comparison(tested.comparison),
        "adjusted_p_value": tested.adjusted,
        "changed": None if few else tested.changed,
    }
    return record | {"note": f"fewer than {FEWEST_FOR_VERDICT} cases: no verdict"} if few else record


def _case(change: CaseChange) -> dict[str, Any]:
    return {
        "case": change.b.id,
        "question": change.b.question,
        "flip": change.flip,
        "difference": change.difference,
        "a": _half(change.a),
        "b": _half(change.b),
    }


def _half(case: CaseFinding) -> dict[str, Any]:
    return {"passed": case.passed, "counted": case.counted, "score": case.score}
