"""Runs of the demonstration, ready to start: questions and suite, two battles, an orchestrator under faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proctor.config import Config
from proctor.demo import AGENTS as AGENTS
from proctor.demo import benchmark_path, labels, suite_path
from proctor.workflows.evaluate import Evaluation
from proctor.workflows.human_labels import put_label
from proctor.workflows.prepare import PreparedRun, prepare
from proctor.workflows.read import read_findings
from proctor.workflows.request import RunRequest

CONDITIONS: dict[str, dict[str, Any]] = {
    "search-fails": {"tool": "search_knowledge", "fails": 2},
    "checker-missing": {"sub_agent": "checker", "missing": True},
    "small-budget": {"budget": 3},
}
"""Name → fault, as `[conditions.NAME]` would declare it."""


TRIALS = 3
"""Default number of trials per question: enough to see which answers vary."""
SEEDS = 20
"""Number of conversations in a battle: enough to tell the two agents apart."""
TURNS = 8
"""Number of turns per conversation: enough to challenge every answer twice."""


def questions(*, trials: int | None = None) -> dict[str, PreparedRun]:
    """Return the librarian's runs: thirty questions scored by a reviewer, and a suite of checks.

    The keys, here and below, distinguish the HTML reports of the runs.
    """
    settings = {"trials": trials or TRIALS}
    return {
        "": _run(benchmark_path(), settings=settings),
        "suite": _run(suite_path(), reviewer="none", settings=settings),
    }


def judge_librarian(*, trials: int | None = None) -> dict[str, PreparedRun]:
    """Return the librarian's run on the thirty questions, whose judge is then compared with labels."""
    return {"": _run(benchmark_path(), settings={"trials": trials or TRIALS})}


def label_examples(evaluation: Evaluation, *, store: str) -> Evaluation:
    """Add Proctor's example labels to a run of `judged`, and read its findings again."""
    for attempt in labels.sample_attempts(list(evaluation.attempts())):
        passed, note = labels.label(attempt)
        put_label(attempt.key, passed=passed, who=labels.WHO, note=note, store=store)
    return replace(evaluation, findings=read_findings(evaluation.run.id, store=store))


def battles(*, trials: int | None = None) -> dict[str, PreparedRun]:
    """Return two battles with the same examiner: an agent that holds its position and one that gives in."""
    settings = {"type": "abm-dynamic", "seeds": SEEDS, "max_turns": TURNS, "trials": trials or 1}
    return {
        name: _run(benchmark_path(), agent=f"demo:{name}", examiner="prober", settings=settings)
        for name in ("librarian", "pushover")
    }


def orchestrator(*, trials: int | None = None) -> dict[str, PreparedRun]:
    """Return the orchestrator's run without a condition and under each of its three conditions."""
    run = _run(
        benchmark_path(),
        agent="demo:orchestrator",
        kind="orchestrator",
        conditions="all",
        config=Config(conditions=CONDITIONS),
        settings={"trials": trials or 1},
    )
    return {"": run}


def _run(
    benchmark: object,
    *,
    agent: str = "demo:librarian",
    reviewer: str = "embedded",
    config: Config | None = None,
    settings: Mapping[str, Any],
    **others: Any,
) -> PreparedRun:
    request = RunRequest(
        benchmark=benchmark, agent=agent, reviewer=reviewer, labels={"demo": "yes"}, settings=settings, **others
    )
    return prepare(request, config or Config())  # independent of the project's own configuration


def find_contrast(holding: Evaluation, giving_in: Evaluation) -> tuple[str, int] | None:
    """Return the case in which one agent holds and the other gives in soonest, and the turn in which it does.

    None if there is no such case.
    """
    held = {case.id for case in holding.findings.cases if case.verdict == "pass"}
    broken = [
        (min(found.turns[1] for found in attempt.contradictions), attempt.place, attempt.key.exam)
        for attempt in giving_in.attempts()
        if attempt.contradictions and attempt.key.exam in held and attempt.key.trial == 1
    ]
    if not broken:
        return None
    turn, _, case = min(broken)
    return case, turn


def most_failed(evaluation: Evaluation) -> str | None:
    """Return the case whose first trial failed most checks and therefore illustrates most; None if none failed any."""
    failed = {
        attempt.key.exam: sum(check.passed is False for check in attempt.checks)
        for attempt in evaluation.attempts()
        if attempt.key.trial == 1
    }
    worst = max(failed, key=failed.__getitem__, default=None)
    return worst if worst is not None and failed[worst] else None
