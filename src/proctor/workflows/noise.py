"""Repeat a run's judging, stored beside the run, to measure the noise of its judge."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

from proctor.config import Config, load_config
from proctor.errors import InputError, UsageError
from proctor.findings.run import Findings
from proctor.run import Key, Run
from proctor.storage import Store, open_store
from proctor.workflows.judgements import build_judge, judge_beside, judgements_of, repeat_all
from proctor.workflows.ledger import Watch
from proctor.workflows.people import is_in_rate
from proctor.workflows.read import findings_of_run
from proctor.workflows.run_limits import allowing
from proctor.workflows.store_url import store_url

MOST_REPEATS = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class RepeatedRun:
    """Result of repeated judging."""

    findings: Findings
    judge: str
    """The judge."""
    open: int
    """Number of missing judgements."""
    reason: str
    """Why judgements are missing; empty if none are, or if the judge failed on them."""


async def arepeat_judging(
    run: str,
    *,
    repeats: int,
    sample: int | None = None,
    reviewer: str | list[str] | None = None,
    budget: float | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 - of the calls that the judge makes, not of this one
    concurrency: int | None = None,
    retries: int | None = None,
    store: str | Path | None = None,
    config: Config | None = None,
    watch: Watch | None = None,
) -> RepeatedRun:
    """Have the run's judge, or another, judge the same replies repeatedly, and store each judgement beside the run.

    This is `proctor rescore RUN --repeats N`. `sample` draws so many cases, with all their trials; the same number
    draws the same ones. Stored judgements are not repeated.
    """
    if not 2 <= repeats <= MOST_REPEATS:
        raise UsageError(f"--repeats {repeats} cannot show noise; expected 2 to {MOST_REPEATS}")
    if sample is not None and sample < 3:
        raise UsageError(f"--sample {sample} is too few to tell the judge's noise from the cases'; expected 3 or more")
    config = config or load_config()
    url = store_url(store, config)
    pace = {"timeout": timeout, "concurrency": concurrency, "retries": retries}
    with open_store(url, create=False) as opened:
        found = opened.archive.find(run)
        judge = build_judge(reviewer, found, opened.archive.benchmark_of(found.id), config, budget=budget)
        asks = repeat_all(_sample(opened, found, sample), repeats)
        with allowing(replace(found.settings, budget=budget, max_tokens=None), config):
            ended = await judge_beside(
                opened, found, {judge.id: (judge, asks)}, config=config, pace=pace, watch=watch
            )  # fmt: skip
        given = judgements_of(opened, found, judge.id)
        return RepeatedRun(
            findings=findings_of_run(opened, found),
            judge=judge.name,
            open=sum(ask not in given for ask in asks),
            reason=ended.get(judge.id, ""),
        )


def _sample(opened: Store, run: Run, sample: int | None) -> list[Key]:
    """Return the attempts with a reply of so many random cases, or of all cases if None."""
    cases: dict[str, list[Key]] = {}
    for attempt in opened.archive.attempts(run.id):
        if attempt.finished and attempt.failure is None and is_in_rate(run, attempt.key):
            cases.setdefault(attempt.key.exam, []).append(attempt.key)
    if not cases:
        raise InputError(f"run {run.id} has no reply to judge again: no attempt of it was answered")
    chosen = list(cases)
    random.Random(f"{run.id} repeats").shuffle(chosen)
    drawn = set(chosen[:sample])
    return [key for case, keys in cases.items() if case in drawn for key in keys]
