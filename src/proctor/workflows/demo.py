"""The demonstration's runs, ready to start: questions and suite, two battles, an orchestrator under faults."""

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
"""How often each question is asked, where nobody says so: enough to see which answers change."""
SEEDS = 20
"""Conversations of a battle: enough for the two agents to be told apart."""
TURNS = 8
"""Turns of a conversation: enough for every answer to be doubted twice."""


def questions(*, trials: int | None = None) -> dict[str, PreparedRun]:
    """The librarian on thirty questions, which a reviewer marks, and on a suite, which is checked.

    The name of each run, here and below, tells its HTML report from the others.
    """
    settings = {"trials": trials or TRIALS}
    return {
        "": _run(benchmark_path(), settings=settings),
        "suite": _run(suite_path(), reviewer="none", settings=settings),
    }


def judge_librarian(*, trials: int | None = None) -> dict[str, PreparedRun]:
    """The librarian on the thirty questions, whose judge is then held against labels."""
    return {"": _run(benchmark_path(), settings={"trials": trials or TRIALS})}


def label_examples(evaluation: Evaluation, *, store: str) -> Evaluation:
    """Put the example labels that come with Proctor on a run of `judged`, and look at it again."""
    for attempt in labels.drawn(list(evaluation.attempts())):
        passed, note = labels.label(attempt)
        put_label(attempt.key, passed=passed, who=labels.WHO, note=note, store=store)
    return replace(evaluation, findings=read_findings(evaluation.run.id, store=store))


def battles(*, trials: int | None = None) -> dict[str, PreparedRun]:
    """An agent that holds and one that gives in, pressed by the same examiner."""
    settings = {"type": "abm-dynamic", "seeds": SEEDS, "max_turns": TURNS, "trials": trials or 1}
    return {
        name: _run(benchmark_path(), agent=f"demo:{name}", examiner="prober", settings=settings)
        for name in ("librarian", "pushover")
    }


def orchestrator(*, trials: int | None = None) -> dict[str, PreparedRun]:
    """The orchestrator as it is, and under each of its three conditions."""
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
    return prepare(request, config or Config())  # what a project has set for its own runs does not change it


def telling(holding: Evaluation, giving_in: Evaluation) -> tuple[str, int] | None:
    """The case that soonest shows one agent holding and the other giving in, and the turn in which it does.

    None: there is no such case.
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
    """The case whose first trial failed most checks, and so says most of what can go wrong; None: none failed any."""
    failed = {
        attempt.key.exam: sum(check.passed is False for check in attempt.checks)
        for attempt in evaluation.attempts()
        if attempt.key.trial == 1
    }
    worst = max(failed, key=failed.__getitem__, default=None)
    return worst if worst is not None and failed[worst] else None
