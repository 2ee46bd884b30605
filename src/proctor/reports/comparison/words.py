"""Phrase a comparison, the same for all renderings: the summary sentence and its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from proctor.findings.comparison import CaseChange, CategoryChange, Compared
from proctor.findings.comparison.comparability import BENCHMARK
from proctor.findings.comparison.sample_size import POWER
from proctor.findings.run import Findings
from proctor.findings.run.people import PeopleFinding
from proctor.reports import numbers
from proctor.reports.headline import noun_of, paired_noun
from proctor.reports.numbers import NOTHING, Unit, _span, difference_of, format_signed, p_value, points
from proctor.reports.outcomes import BETTER, FLAKY, WORSE, OutcomeLabel
from proctor.reports.people import labels_behind
from proctor.reports.run_names import run_names
from proctor.run import Run
from proctor.statistics.compare import FEWEST_FOR_VERDICT, Comparison
from proctor.statistics.estimate import Estimate
from proctor.statistics.flips import Flip
from proctor.statistics.gate import ends
from proctor.statistics.pass_at_k import pass_at_k, pass_hat_k
from proctor.statistics.plan import detectable

Sides = tuple[float | None, float | None]
"""Values of A and B."""
FLIPS: dict[Flip, OutcomeLabel] = {
    "broken": OutcomeLabel(name="broken", sign="✗", word="broken", style="fail"),
    "fixed": OutcomeLabel(name="fixed", sign="✓", word="fixed", style="pass"),
    "changed": OutcomeLabel(name="changed", sign="↕", word="perhaps changed", style="plain"),
    "flaky": FLAKY,
    "missing": OutcomeLabel(name="missing", sign="?", word="without a verdict", style="unscored"),
    "unchanged": OutcomeLabel(name="unchanged", sign="·", word="unchanged", style="plain"),
}
_LIKELY = 0.945
"""Probability (0.95 in print) from which `no difference` would mislead, although the interval contains 0."""
_IN_COMMON = "the trials that both runs have"
HOLM = (
    "better and worse are corrected for the number of categories (Holm), the intervals are not; "
    f"fewer than {FEWEST_FOR_VERDICT} cases get no verdict"
)
HOLM_CONDITIONS = HOLM.replace("categories", "conditions")
_LEVEL = 0.05
_OFTEN = "4 of 5 comparisons"
"""A power of 0.8 in words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasureRow:
    """A measure in both runs, with the difference."""

    label: str
    unit: Unit
    a: str
    b: str
    difference: str
    interval: str
    comparison: Comparison
    counts: str
    """What a case must have in both runs to count."""

    @property
    def cases(self) -> int:
        """Number of cases compared."""
        return self.comparison.difference.n


def sentence(compared: Compared) -> str:
    """Summarise the comparison in one sentence."""
    estimate, better = compared.headline.difference, compared.headline.better
    if estimate.value is None or better is None:
        return "Nothing can be said: no case was counted in both runs."
    unit = unit_of(compared)
    a, b = run_names((compared.a.run, compared.b.run))
    if compared.shown != "not shown":
        certain = better if compared.shown == "better" else 1 - better
        where = _where(compared)
        return f"{b} is {compared.shown}{where} by {_distance(estimate, unit)}, probability {probability(certain)}."
    likely = is_likely(compared.headline)
    opening = "A difference is likely, but not beyond doubt" if likely else "No difference could be shown"
    reserve = _doubt(compared.headline, better) if likely else _dissent(estimate, better)
    return f"{opening}: {_leaning(estimate, unit, a, b, _where(compared))}{reserve}."


def _where(compared: Compared) -> str:
    """Mention the plain run, if the runs have several conditions and only that is compared."""
    return " in the plain run" if compared.of_plain_run else ""


def is_likely(comparison: Comparison) -> bool:
    """Whether a difference is larger than chance would often produce, proven or not."""
    estimate = comparison.difference
    return (
        _leaves_out_zero(estimate)
        or _sureness(estimate, 0.5 if (better := comparison.better) is None else better) >= _LIKELY
    )


def _sureness(estimate: Estimate, better: float) -> float:
    """Probability that B differs in the direction of the estimate; 0.5 if the estimate is zero."""
    value = estimate.value or 0.0
    return 0.5 if not value else better if value > 0 else 1 - better


def _doubt(comparison: Comparison, better: float) -> str:
    """Phrase the probability of a likely difference, and what prevents its proof."""
    estimate, over = comparison.difference, f" over {_IN_COMMON}" if comparison.thinned else ""
    sure, side = _sureness(estimate, better), "worse" if (estimate.value or 0.0) < 0 else "better"
    undone = _leaves_out_zero(estimate) and not estimate.side
    doubt = f", probability {probability(sure)} that it is {side}{over}" if sure >= _LIKELY else ""
    if undone:
        doubt += f", but {numbers.plural(estimate.missing, 'missing attempt')} could undo it"
    return doubt or f", but {_IN_COMMON} do not confirm it"


def _dissent(estimate: Estimate, better: float) -> str:
    """Warn that the trials common to both runs favour the other run; empty if they do not."""
    if max(better, 1 - better) < _LIKELY or _sureness(estimate, better) > 0.5:
        return ""
    return f", but {'B' if better > 0.5 else 'A'} did better over {_IN_COMMON}"


def unit_of(compared: Compared) -> Unit:
    """Return the unit of the headline."""
    return "score" if compared.headline is compared.mean_score else "percent"


def _leaves_out_zero(estimate: Estimate) -> bool:
    return (estimate.low or 0.0) > 0 or (estimate.high or 0.0) < 0


def _distance(estimate: Estimate, unit: Unit) -> str:
    """Format the size of a difference without signs: `6 points (1 to 11)`."""
    low, high = sorted((abs(estimate.low or 0.0), abs(estimate.high or 0.0)))
    value = abs(estimate.value or 0.0)
    return f"{_amount(value, unit)} ({_span(low, high, unit)})"


def _leaning(estimate: Estimate, unit: Unit, a: str, b: str, where: str = "") -> str:
    """Phrase an unproven difference: `B passes 6 points more often (−1 to 13)`."""
    value = estimate.value or 0.0
    span = _span(estimate.low or 0.0, estimate.high or 0.0, unit)
    if not value:
        return f"{a} and {b} {'score the same' if unit == 'score' else 'pass equally often'}{where} ({span})"
    if unit == "score":
        return f"{b} scores {_amount(value, unit)} {'lower' if value < 0 else 'higher'}{where} ({span})"
    return f"{b} passes {_amount(value, unit)} {'less' if value < 0 else 'more'} often{where} ({span})"


def _amount(value: float, unit: Unit) -> str:
    return f"{abs(value):.2f}" if unit == "score" else points(value)


def probability(value: float) -> str:
    """Format a probability: `0.97`; never 0 or 1."""
    return "above 0.99" if value > 0.99 else "below 0.01" if value < 0.01 else f"{value:.2f}"


def chance(compared: Compared) -> str:
    """Format the certainty of the headline: posterior probability and p-value."""
    comparison = compared.headline
    if comparison.better is None:
        return ""
    summary = f"P(B better) {probability(comparison.better)}; exact sign-flip test {p_value(comparison.p_value)}"
    if compared.shown != "not shown" and (comparison.p_value or 0.0) > _LEVEL:
        summary += ", which alone would not have shown it"
    return f"{summary}; both over {_IN_COMMON} of each case" if comparison.thinned else summary


def would_have_shown(compared: Compared) -> str:
    """State the smallest difference that so many cases can detect; empty if one was shown."""
    sums = compared.headline.sums
    if compared.shown != "not shown" or _leaves_out_zero(compared.headline.difference) or not sums.n:
        return ""
    least = detectable(sums.variance, sums.n, power=POWER)
    cases = numbers.plural(sums.n, paired_noun(compared.b.run))
    if least >= 1:
        return f"{cases} {'is' if sums.n == 1 else 'are'} too few to find any difference in {_OFTEN}"
    return f"{cases} find a difference of {_amount(least, unit_of(compared))} in {_OFTEN}"


def span_of(compared: Compared) -> str:
    """Format the interval of the headline: `−19 to 19 points`; empty if there is none."""
    found, unit = compared.headline.difference, unit_of(compared)
    if found.low is None or found.high is None:
        return ""
    return _span(found.low, found.high, unit) + (" points" if unit == "percent" else "")


def basis(compared: Compared) -> str:
    """Describe the data: `100 cases counted in both runs, 3 trials each`, and the runs' own rates if different."""
    others = _other_bases(compared)
    summary = "; ".join([f"{_shared_basis(compared)}{_conditions(compared)}", *others])
    if not compared.is_narrowed:
        return summary
    own = ", ".join(f"{side} {_own_rate(findings)}" for side, findings in (("A", compared.a), ("B", compared.b)))
    return f"{summary}{'' if others else '; all numbers here are over these'}. Over all of its own: {own}"


def _other_bases(compared: Compared) -> list[str]:
    """Describe measures over other cases than the headline: `mean score over the 13 cases with a score in both`."""
    labels: dict[tuple[int, str], list[str]] = {}
    for row in rows(compared):
        if row.cases != compared.headline.difference.n:
            labels.setdefault((row.cases, row.counts), []).append(row.label.lower())
    noun = paired_noun(compared.b.run)
    return [
        f"{' and '.join(names)} over the {numbers.plural(cases, noun)} with {counts} in both"
        for (cases, counts), names in labels.items()
    ]


def _conditions(compared: Compared) -> str:
    """State which of several conditions are compared: the plain run or all together; empty if there is only one."""
    settings = compared.a.run.settings, compared.b.run.settings
    conditions = max(each.rated_conditions for each in settings)
    if conditions == 1 and any(each.has_plain_run for each in settings):
        return ", of the plain run alone, without a condition"
    return f", under {conditions} conditions together" if conditions > 1 else ""


def _own_rate(findings: Findings) -> str:
    """Format the pass rate of a run over all its cases: `82.2 % of 30 cases × 3`."""
    rate_text = numbers.say(findings.pass_rate, noun=noun_of(findings.run))
    return f"{rate_text.value} of {rate_text.basis}" if rate_text.basis else NOTHING


def _shared_basis(compared: Compared) -> str:
    n = compared.headline.difference.n
    trials = compared.a.run.settings.trials, compared.b.run.settings.trials
    count_text = f"{numbers.plural(n, paired_noun(compared.b.run))} counted in both runs"
    if trials == (1, 1):
        return count_text
    each = numbers.plural(trials[0], "trial")
    return f"{count_text}, {each} each" if trials[0] == trials[1] else f"{count_text}, {each} in A and {trials[1]} in B"


def missing(compared: Compared) -> str:
    """Describe how missing attempts could change the difference; empty if none is missing."""
    estimate = compared.pass_rate.difference
    if not estimate.missing or estimate.worst is None or estimate.best is None:
        return ""
    low, high = ends(estimate)
    bounds = (
        f"{format_signed(100 * estimate.worst, 1)} points at worst, {format_signed(100 * estimate.best, 1)} at best"
    )
    span = f" (interval {_span(low, high, 'percent', plus=True)})" if low is not None and high is not None else ""
    return f"{numbers.plural(estimate.missing, 'attempt')} without a verdict: {bounds}{span}"


def rows(compared: Compared) -> Iterator[MeasureRow]:
    """Yield the measures, the decisive one first."""
    if compared.pass_rate.difference.value is not None:
        yield _row("Pass rate", compared.rates_over_shared(), compared.pass_rate)
    if compared.held_rate is not None and compared.held_rate.difference.value is not None:
        has_plain_run = any(run.settings.has_plain_run for run in (compared.a.run, compared.b.run))
        label = "Held rate, plain run" if has_plain_run else "Held rate"
        yield _row(label, compared.held_over_shared(), compared.held_rate)
    if compared.k is not None and compared.pass_at_k is not None and compared.pass_hat_k is not None:
        counts = f"{numbers.plural(compared.k, 'counted trial')} or more"
        yield _row(f"pass@{compared.k}", compared.tries_over_shared(pass_at_k), compared.pass_at_k, counts=counts)
        yield _row(f"pass^{compared.k}", compared.tries_over_shared(pass_hat_k), compared.pass_hat_k, counts=counts)
    if compared.mean_score.difference.value is not None:
        yield _row("Mean score", compared.scores_over_shared(), compared.mean_score, "score", counts="a score")


def _row(
    label: str, values: Sides, comparison: Comparison, unit: Unit = "percent", *, counts: str = "a verdict"
) -> MeasureRow:
    difference, interval = difference_of(comparison.difference, unit)
    show = numbers.percent if unit == "percent" else numbers.score
    a, b = (NOTHING if value is None else show(value) for value in values)
    return MeasureRow(
        label=label,
        unit=unit,
        a=a,
        b=b,
        difference=difference,
        interval=interval,
        comparison=comparison,
        counts=counts,
    )


def verdict_of(category: CategoryChange) -> OutcomeLabel | str:
    """Return better or worse, `too few`, or empty if no change is shown."""
    tested = category.tested
    if category.cases < FEWEST_FOR_VERDICT:
        return "too few"
    if not tested.changed:
        return ""
    return BETTER if (tested.comparison.difference.value or 0.0) > 0 else WORSE


def condition_name(name: str) -> str:
    """Return the name of a condition; the plain run is called `none`."""
    return name or "none"


def from_to(category: CategoryChange) -> str:
    """Format a change of rates: `80 → 95 %`."""
    if category.a is None or category.b is None:
        return NOTHING
    return f"{numbers.percent(category.a).removesuffix(' %')} → {numbers.percent(category.b)}"


def passes(change: CaseChange, side: str) -> str:
    """Format the passed trials among those counted: `2/3`."""
    case = change.a if side == "a" else change.b
    return f"{case.passed}/{case.counted}" if case.counted else NOTHING


def marks(change: CaseChange) -> str:
    """Format a change of scores: `0.92 → 0.31`."""
    before, after = (NOTHING if case.score is None else numbers.score(case.score) for case in (change.a, change.b))
    return f"{before} → {after}" if change.a.score is not None or change.b.score is not None else NOTHING


def by_people(compared: Compared) -> str:
    """Describe the difference by human labels, or which labels are missing; empty if neither run is labelled."""
    people = compared.people
    if people is None:
        return ""
    if compared.a.run.digest != compared.b.run.digest:
        return "the runs have other cases, so what people say of one cannot be compared with the other"
    if people.difference is None:
        lacking = " and ".join(people.missing)
        return f"to tell it as people judge, label more replies of {lacking}"
    sides = " and ".join(
        f"{letter} {_as_people_judge(side.people)}"
        for letter, side in (("A", compared.a), ("B", compared.b))
        if side.people is not None
    )
    span = _span(people.difference.low or 0.0, people.difference.high or 0.0, "percent", plus=True)
    side = people.difference.side
    verdict = "B is better" if side > 0 else "B is worse" if side < 0 else "no difference is shown"
    value = format_signed(100 * (people.difference.value or 0.0), 1)
    return f"{sides}: {value} points ({span}){_without_verdict(people.difference)}; {verdict}"


def _as_people_judge(people: PeopleFinding) -> str:
    rate_text = numbers.say(people.rate)
    return f"{rate_text.value} ({rate_text.interval}) from {labels_behind(people)}"


def _without_verdict(difference: Estimate) -> str:
    """Describe how attempts without a label could change the difference; empty if there are none."""
    if not difference.missing or difference.worst is None or difference.best is None:
        return ""
    span = _span(difference.worst, difference.best, "percent", plus=True)
    return f", and with {numbers.plural(difference.missing, 'attempt')} without a verdict {span}"


def warnings(compared: Compared) -> Iterator[str]:
    """Yield everything to read before the numbers."""
    if compared.unlike:
        judged_alike = all(one.what == BENCHMARK for one in compared.unlike)
        meaning = "" if judged_alike else " The scores do not mean the same."
        yield f"Forced: {'; '.join(map(str, compared.unlike))}.{meaning}"
    yield from compared.warnings


def next_command(compared: Compared) -> tuple[str, str]:
    """Return the suggested next command, and its purpose."""
    a, b = compared.a.run, compared.b.run
    if compared.flipped("broken"):
        return f"proctor export {b.id} --format html -o b.html", "every reply of B, to read what broke"
    if compared.shown == "not shown" and compared.pass_rate.difference.value is not None:
        return f"proctor plan --difference 0.05 --run {a.id} --run {b.id}", "how many cases it takes"
    return f"proctor show {b.id}", "what B found"


def list_command(compared: Compared) -> str:
    """Return the command that lists every case."""
    return f"proctor compare {compared.a.run.id} {compared.b.run.id}{' --force' if compared.unlike else ''} --json"


def title_of(run: Run) -> str:
    """Format agent and benchmark: `python:agent:answer on handbook`."""
    return f"{run.agent} on {run.benchmark}"
