"""Phrase the findings by condition, the same for all renderings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from proctor.findings.orchestration.findings import OrchestrationFindings
from proctor.findings.run import CaseFinding, ConditionFinding, Findings
from proctor.reports import numbers, outcomes
from proctor.reports.checks import as_dict as of_check
from proctor.reports.headline import exam_noun
from proctor.reports.markup import draw_interval
from proctor.reports.markup import plain as markdown_plain
from proctor.reports.numbers import difference_of, p_value
from proctor.reports.outcomes import BETTER, WORSE, OutcomeLabel
from proctor.reports.run_names import all_faults, join_names
from proctor.reports.terminal import INDENT, ListCut, draw_estimate, outcome_text, page_table
from proctor.reports.values import counts, plain
from proctor.reports.words import one_line
from proctor.run import Run
from proctor.statistics.compare import FEWEST_FOR_VERDICT

_LEVEL = 0.05
LEGEND = (
    "✓ and ✗ are corrected for the number of conditions (Holm), the intervals are not; "
    f"fewer than {FEWEST_FOR_VERDICT} cases get no verdict"
)


def condition_name(condition: str) -> str:
    """Return the name of a condition; the plain run is called `none`."""
    return condition or "none"


def faults_sentence(run: Run) -> str:
    """State `Every case ran under the injected fault hiccup, never without.`; empty if some ran without."""
    faults = all_faults(run)
    if not faults:
        return ""
    which = f"the injected fault {faults[0]}" if len(faults) == 1 else f"each injected fault ({join_names(faults)})"
    return f"Every {exam_noun(run)} ran under {which}, never without."


def has_plain(findings: Findings) -> bool:
    """Whether there is a plain run with which the conditions can be compared."""
    return any(condition.difference is not None for condition in findings.conditions)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConditionDifference:
    """A condition compared with the plain run."""

    difference: str
    """Difference in points, such as `−12`; empty for the plain run, or if there is none."""
    interval: str
    """Interval of the difference, such as `−20 to −4`."""
    verdict: OutcomeLabel | None
    """Better or worse, or None if not shown."""
    p: str


def against(condition: ConditionFinding) -> ConditionDifference:
    """Compare a condition with the plain run."""
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
    """Format the median time of an attempt."""
    return numbers.duration(None if condition.latency is None else condition.latency.median)


def tokens_of(condition: ConditionFinding) -> str:
    """Format the number of input and output tokens together."""
    used = condition.usage
    return numbers.whole(used.input_tokens + used.output_tokens) if used else numbers.NOTHING


def trouble_of(condition: ConditionFinding) -> str:
    """Format the failure counts: `2 agent · 1 environment · 1 unscored`; empty if there are none."""
    counts = condition.counts
    problems = {
        "agent": counts.failed_by_agent,
        "environment": counts.failed_by_environment,
        "unscored": counts.unscored,
        "not run yet": counts.pending,
    }
    return " · ".join(f"{numbers.whole(count)} {what}" for what, count in problems.items() if count)


def cell(case: CaseFinding, condition: str) -> tuple[OutcomeLabel, str]:
    """Return the outcome of a case under a condition, and `2/3` for several trials."""
    counted, passed = case.conditions.get(condition, (0, 0))
    tally = f"{passed}/{counted}" if counted > 1 else ""
    if not counted:
        return outcomes.UNSCORED, tally
    if passed == counted:
        return outcomes.PASSED, tally
    return (outcomes.FLAKY if passed else outcomes.NOT_PASSED), tally


def steps_by_condition(findings: Findings) -> dict[str, OrchestrationFindings]:
    """Return condition → findings about an orchestrator's steps."""
    return {each.name: each.orchestration for each in findings.conditions if each.orchestration is not None}


def telling(findings: Findings) -> list[CaseFinding]:
    """Return the cases whose result depends on the condition, worst first."""
    return [
        case
        for case in outcomes.worst_first(findings.cases)
        if len({cell(case, name)[0].name for name in case.conditions}) > 1
    ]


def as_dict(condition: ConditionFinding) -> dict[str, Any]:
    """Return an item of `conditions` in `--json` output; the plain run is called `none`."""
    checks = {check.name: of_check(check) for check in condition.checks}
    record = {**plain(condition), "name": condition_name(condition.name), "attempts": counts(condition.counts)}
    return {**record, "checks": checks}


def of_case(case: CaseFinding) -> dict[str, Any]:
    """Return condition → number of a case's attempts with a verdict, and of those that passed."""
    return {condition_name(name): {"counted": n, "passed": passed} for name, (n, passed) in case.conditions.items()}


_CASES = 8
_COLUMNS = 6


def side_by_side(findings: Findings, width: int, cut: ListCut) -> Iterator[RenderableType]:
    """Render a table of conditions, then one of the cases whose result depends on the condition."""
    table = page_table(width)
    table.add_column("Conditions", ratio=1, no_wrap=True, overflow="ellipsis", min_width=12)
    plain = has_plain(findings)
    for header in ("pass rate", "", "", *(("vs. plain", "") if plain else ()), "score", "time"):
        table.add_column(header, justify="right", no_wrap=True)
    axis = max(4, min(24, width - 74))
    for condition in findings.conditions:
        table.add_row(*_row(condition, axis, plain=plain))
    yield table
    if any(against(condition).verdict for condition in findings.conditions):
        yield Padding(Text(LEGEND, style="dim"), INDENT)
    yield Text()
    yield from _matrix(findings, width, cut)


def _row(condition: ConditionFinding, axis: int, *, plain: bool) -> Iterator[RenderableType]:
    rate, mark = numbers.say(condition.pass_rate), numbers.say(condition.mean_score, "score")
    found = against(condition)
    yield Text(one_line(condition_name(condition.name)))
    yield from (rate.value, draw_estimate(condition.pass_rate, axis), rate.interval if condition.pass_rate.n else "")
    if plain:
        yield outcome_text(found.verdict, found.difference) if found.verdict else Text(found.difference)
        yield found.interval
    yield from (mark.value, time_of(condition))


def _matrix(findings: Findings, width: int, cut: ListCut) -> Iterator[RenderableType]:
    cases, conditions = telling(findings), findings.conditions[:_COLUMNS]
    if not cases:
        return
    table = page_table(width)
    table.add_column("Cases that differ", no_wrap=True, overflow="ellipsis", max_width=14)
    table.add_column("", ratio=1, no_wrap=True, overflow="ellipsis", min_width=8)
    for condition in conditions:
        table.add_column(
            Text(one_line(condition_name(condition.name))), no_wrap=True, overflow="ellipsis", max_width=14
        )
    for case in cut.shown(cases, _CASES):
        cells = (outcome_text(*cell(case, condition.name)) for condition in conditions)
        table.add_row(Text(one_line(case.id)), Text(one_line(case.question)), *cells)
    yield table
    yield from cut.rest(cases, _CASES)
    if len(findings.conditions) > _COLUMNS:
        left = numbers.plural(len(findings.conditions) - _COLUMNS, "further condition")
        yield Padding(Text(f"without {left}, as there is no room for more columns", style="dim"), INDENT)
    yield Text()


def condition_rows(findings: Findings) -> Iterator[str]:
    """Yield the rows of a table of conditions, the plain run first."""
    plain_run = has_plain(findings)
    yield f"| condition | pass rate | 95 % interval | |{' vs. plain | 95 % interval | |' * plain_run} score | time |"
    yield f"|:--|--:|:--|:--|{'--:|:--|:--|' * plain_run}--:|--:|"
    for condition in findings.conditions:
        yield f"| {' | '.join(_markdown_cells(condition, plain_run=plain_run))} |"


def _markdown_cells(condition: ConditionFinding, *, plain_run: bool) -> Iterator[str]:
    rate, found = numbers.say(condition.pass_rate), against(condition)
    yield from (
        markdown_plain(condition_name(condition.name), 40),
        rate.value,
        rate.interval,
        draw_interval(condition.pass_rate),
    )
    if plain_run:
        yield from (found.difference, found.interval)
        yield f"{found.verdict.sign} {found.verdict.word}" if found.verdict else ""
    yield from (numbers.say(condition.mean_score, "score").value, time_of(condition))
