"""Plan a judge's work on stored runs (what is missing, its cost), and count its progress.

For several runs it compares replies (`tournament`), for one it judges the labelled ones (`judges`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from proctor.config import Config
from proctor.errors import UsageError
from proctor.run import Run
from proctor.running.plan import exams_of
from proctor.settings import check_setting
from proctor.spending.estimate import Range
from proctor.storage import Store
from proctor.workflows.chat_model import is_chat_model
from proctor.workflows.judgements import build_judge, judgements_of
from proctor.workflows.judges import LabelledAttempts
from proctor.workflows.people import judge_id
from proctor.workflows.run_limits import estimate_cost
from proctor.workflows.tournament import plan_tournament


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedJudging:
    """What is left for one judge to do on these runs."""

    runs: tuple[str, ...]
    """Ids of the runs: one, or several to be compared."""
    reviewer: str
    judge: str
    """Id of the judge: its name and a digest of its configuration."""
    whole: int
    """Total number of replies or contests."""
    due: int
    """Number of them still to be judged."""
    calls: Range
    input_tokens: Range
    output_tokens: Range
    cost: Range | None
    """Expected cost, or None if the price is unknown."""
    is_free: bool
    """Whether it judges by rules alone, without calling a model."""
    unscored: int
    """Number of them on which it gave no usable verdict before; they are not judged again."""

    @property
    def nothing_due(self) -> str:
        """Message about why nothing is left to judge."""
        if not self.unscored:
            return "has nothing left to be asked: it has judged it before, or the replies are the same"
        return (
            f"was asked about all of it already, and gave no usable verdict on {self.unscored:,} of {self.whole:,}; "
            "it is not asked twice: ask another, or this one with other settings"
        )


def comparing_judges(config: Config) -> list[str]:
    """Return the configured reviewers that can compare replies, which are chat models."""
    return [name for name, part in config.reviewers.items() if is_chat_model(part.spec)]


def plan_judging(
    runs: Sequence[Run], *, reviewer: str, store: Store, url: str, config: Config, budget: float | None = None
) -> PlannedJudging:
    """Resolve, build and check everything without calling the judge. Raise UsageError if it is not possible."""
    if budget is not None:
        check_setting("budget", budget)
    going_on = next((run for run in runs if run.status in ("queued", "running")), None)
    if going_on is not None:
        raise UsageError(f"run {going_on.id} is still running; ask a judge when it is over, or pause it first")
    if len(runs) == 1:
        return _plan_replies(runs[0], reviewer, store, config, budget)
    return _plan_contests(runs, reviewer, url, config, budget)


def _plan_contests(
    runs: Sequence[Run], reviewer: str, url: str, config: Config, budget: float | None
) -> PlannedJudging:
    planned = plan_tournament([run.id for run in runs], reviewer=reviewer, store=url, config=config)
    planned.judge.patient(retries=0, timeout=1.0, budget=budget)  # raises if the budget cannot be kept
    sent, received = planned.tokens
    return PlannedJudging(
        runs=tuple(run.id for run in runs),
        reviewer=reviewer,
        judge=planned.judge.id,
        whole=len(planned.contests),
        due=planned.calls // 2,
        calls=_exactly(planned.calls),
        input_tokens=_exactly(sent),
        output_tokens=_exactly(received),
        cost=None if planned.cost is None else _exactly(planned.cost),
        is_free=False,
        unscored=sum(verdict.score is None for verdict in planned.known.values()),
    )


def _plan_replies(
    run: Run, reviewer: str, store: Store, config: Config, budget: float | None
) -> PlannedJudging:  # fmt: skip
    labelled = LabelledAttempts(store, run)
    judge = build_judge(reviewer, run, labelled.benchmark, config, budget=budget)
    if judge.id == judge_id(run.settings):
        raise UsageError(f"reviewer={reviewer!r} is the run's own judge, whose verdicts are stored; choose another")
    opinions = {key: given for (key, repeat), given in judgements_of(store, run, judge.id).items() if repeat == 1}
    due = [key for key in labelled.keys if key not in opinions]
    exams = {exam.id: exam for exam in exams_of(labelled.benchmark, run.settings)}
    settings = replace(judge.settings, trials=1, case_trials={}, conditions=("",), canaries="none")
    cost_estimate = estimate_cost(replace(run, settings=settings), tuple(exams[key.exam] for key in due), config)
    return PlannedJudging(
        runs=(run.id,),
        reviewer=reviewer,
        judge=judge.id,
        whole=len(labelled.keys),
        due=len(due),
        calls=cost_estimate.calls,
        input_tokens=cost_estimate.input_tokens,
        output_tokens=cost_estimate.output_tokens,
        cost=cost_estimate.cost,
        is_free=judge.is_free,
        unscored=sum(key in opinions and opinions[key].passed is None for key in labelled.keys),
    )


def answers_since(store: Store, runs: Sequence[str], judge: str, since: float) -> tuple[int, int]:
    """Return the number of a judge's answers on these runs since then, and how many of them are unusable."""
    if len(runs) == 1:
        opinions = store.judgements.of_run(runs[0], judge)
        verdicts = [each.passed for each in opinions if each.finished and each.repeat == 1 and each.made >= since]
        return len(verdicts), verdicts.count(None)
    pairs = combinations(sorted(runs), 2)
    contests = (each for a, b in pairs for each in store.contests.of_runs(a, b))
    scores = [each.score for each in contests if each.judge == judge and each.made >= since]
    return len(scores), scores.count(None)


def _exactly(value: float) -> Range:
    return Range(low=value, likely=value, high=value)
