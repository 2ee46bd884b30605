"""Judge requests from a form or the API: estimate and start."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.run import Run
from proctor.web.site import choices
from proctor.web.site.choices import Choice
from proctor.web.site.judge_jobs import JudgeJob
from proctor.web.site.site import Site
from proctor.workflows.judge_plan import PlannedJudging, comparing_judges, plan_judging


def offered_judges(site: Site, runs: Sequence[Run]) -> list[Choice]:
    """Return the judges on offer: all for one run, chat models that compare replies for several."""
    known = [each for each in choices.reviewers(site.config_to_read_by) if each.name != "none"]
    if len(runs) == 1:
        return [each for each in known if each.name != runs[0].settings.reviewer]
    comparing = comparing_judges(site.config_to_read_by)
    return [each for each in known if each.name in comparing]


def plan_request(site: Site, runs: Sequence[Run], reviewer: str, budget: float | None = None) -> PlannedJudging:
    """Estimate what judging will take; raise UsageError if it is not possible."""
    choices.must_be_offered("judge to ask", reviewer, offered_judges(site, runs))
    return plan_judging(
        runs, reviewer=reviewer, store=site.store, url=site.settings.store, config=site.config, budget=budget
    )


def start_request(site: Site, runs: Sequence[Run], reviewer: str, budget: float | None = None) -> JudgeJob:
    """Start judging in a separate process."""
    return site.judge_jobs.start(plan_request(site, runs, reviewer, budget), budget=budget)
