"""How conditions are said, once for all renderings."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.findings.orchestration.findings import OrchestrationFindings
from proctor.findings.run import CaseFinding, ConditionFinding, Findings
from proctor.reports import numbers, outcomes
from proctor.reports.comparison.words import BETTER, WORSE, difference_of, p_value
from proctor.reports.headline import exam_noun
from proctor.reports.outcomes import OutcomeLabel
from proctor.reports.run_names import all_faults, join_names
from proctor.run import Run
from proctor.statistics.compare import FEWEST_FOR_VERDICT

_LEVEL = 0.05
LEGEND = (
    "better and worse than none are after Holm's correction over the conditions, intervals are for each alone; "
    f"fewer than {FEWEST_FOR_VERDICT} cases get no verdict"
)


def condition_name(condition: str) -> str:
    """The plain run is called none."""
    return condition or "none"


def faults_sentence(run: Run) -> str:
    """`Every case ran under the injected fault hiccup, never without.`; empty where some or all ran under none."""
    faults = all_faults(run)
    if not faults:
        return ""
    which = f"the injected fault {faults[0]}" if len(faults) == 1 else f"each injected fault ({join_names(faults)})"
    return f"Every {exam_noun(run)} ran under {which}, never without."


def has_plain(findings: Findings) -> bool:
    """Whether there is a plain run that conditions can be held against."""
    return any(condition.difference is not None for condition in findings.conditions)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConditionDifference:
    """One condition against the plain run."""

    difference: str
    """`−12`, in points; empty: this is the plain run, or there is none."""
    interval: str
    """`−20 to −4`."""
    verdict: OutcomeLabel | None
    """Better or worse, where that could be shown."""
    p: str


def against(condition: ConditionFinding) -> ConditionDifference:
    """What a condition changes."""
    if condition.difference is None:
        return ConditionDifference(difference="", interval="", verdict=None, p="")
    difference, interval = difference_of(condition.difference)
    return ConditionDifference(
        difference=difference, interval=interval, verdict=_verdict(condition), p=p_value(condition.p_value)
    )


def _verdict(condition: ConditionFinding) -> OutcomeLabel | None:
    found, p = condition.difference, condition.p_value
    if found is None or not found.side or p is None or p >= _LEVEL or found.n < FEWEST_FOR_VERDICT:
        return None
    return BETTER if found.side > 0 else WORSE


def time_of(condition: ConditionFinding) -> str:
    """The median time of an attempt."""
    return numbers.duration(None if condition.latency is None else condition.latency.median)


def tokens_of(condition: ConditionFinding) -> str:
    """Tokens in and out together."""
    used = condition.usage
    return numbers.whole(used.input_tokens + used.output_tokens) if used else numbers.NOTHING


def trouble_of(condition: ConditionFinding) -> str:
    """`2 agent · 1 environment · 1 unscored`; empty: none."""
    counts = condition.counts
    said = {
        "agent": counts.failed_by_agent,
        "environment": counts.failed_by_environment,
        "unscored": counts.unscored,
        "not run yet": counts.pending,
    }
    return " · ".join(f"{numbers.whole(count)} {what}" for what, count in said.items() if count)


def cell(case: CaseFinding, condition: str) -> tuple[OutcomeLabel, str]:
    """What became of a case under a condition, with `2/3` where there were several trials."""
    counted, passed = case.conditions.get(condition, (0, 0))
    said = f"{passed}/{counted}" if counted > 1 else ""
    if not counted:
        return outcomes.UNSCORED, said
    if passed == counted:
        return outcomes.PASSED, said
    return (outcomes.FLAKY if passed else outcomes.NOT_PASSED), said


def steps_by_condition(findings: Findings) -> dict[str, OrchestrationFindings]:
    """Condition → what an orchestrator's steps show under it."""
    return {each.name: each.orchestration for each in findings.conditions if each.orchestration is not None}


def telling(findings: Findings) -> list[CaseFinding]:
    """Cases that do not have the same result under all conditions, the worst first."""
    return [
        case
        for case in outcomes.worst_first(findings.cases)
        if len({cell(case, name)[0].name for name in case.conditions}) > 1
    ]
