"""Summarise a run in a few sentences that anybody can repeat; what is not shown by the data is not said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from proctor.findings.run import Counts, Findings, ProblemGroup
from proctor.reports import outcomes
from proctor.reports.battle.words import when_asked
from proctor.reports.headline import noun_of
from proctor.reports.numbers import Unit, plural, say, whole
from proctor.reports.people import labels_behind
from proctor.reports.words import one_line
from proctor.statistics.estimate import Estimate

_WIDE = 0.2
"""Minimum width of an interval that is called wide."""
_MANY = 30
"""Minimum number of cases for that sentence; with fewer, a note says so."""
_ENOUGH = 3
"""Minimum number of questions of a strategy before it is called unsuccessful."""


def opening(findings: Findings) -> list[str]:
    """Return the sentences; without verdicts, only the reason if everything failed."""
    rate = findings.pass_rate if findings.battle is None else findings.battle.held_rate
    if findings.untested or rate.value is None:
        return list(_nothing_judged(findings))
    sentences = _of_battle(findings) if findings.battle is not None else _of_cases(findings)
    failures = list(_agent_failures(findings))
    if outcomes.agent_never_answered(findings):
        return [*failures, *sentences, *_missing(findings)]
    after = (_people(findings), _stopped_early(findings), _missing(findings), _wide(rate, noun_of(findings.run)))
    return [*sentences, *failures, *chain.from_iterable(after)]


def _of_cases(findings: Findings) -> Iterator[str]:
    rate_text, counts = say(findings.pass_rate), outcomes.count_by_outcome(findings.cases)
    trials = sorted({case.counted for case in findings.cases if case.counted})
    counted = sum(case.counted > 0 for case in findings.cases)
    if trials == [1]:
        passed, cases = whole(counts.get("passed", 0)), plural(counted, "case")
        yield f"Passed {passed} of {cases}{_without_faults(findings)}: {rate_text.value} ({rate_text.interval})."
    else:
        often = _tries(findings, trials)
        over = f"over {plural(counted, 'case')} {often}{_without_faults(findings)}"
        yield f"Passed {rate_text.value} of the time ({rate_text.interval}), {over}."
        if flaky := counts.get(outcomes.FLAKY.name, 0):
            yield f"{plural(flaky, 'case')} {'passes' if flaky == 1 else 'pass'} only sometimes."
    yield from _weakest(findings)


def _without_faults(findings: Findings) -> str:
    """Said where the same cases were also run under faults, which the rate leaves out."""
    settings = findings.run.settings
    return " without faults" if settings.has_plain_run and len(findings.conditions) > 1 else ""


def _tries(findings: Findings, counted: Sequence[int]) -> str:
    """Describe the repetitions: `in 3 trials`, `under 2 conditions`, `in 3 trials under each of 2 conditions`."""
    settings = findings.run.settings
    if settings.rated_conditions == 1:
        return f"in {counted[0]} to {counted[-1]} trials" if len(counted) > 1 else f"in {counted[0]} trials"
    if settings.most_trials == 1:
        return f"under {settings.rated_conditions} conditions"
    return f"in {plural(settings.most_trials, 'trial')} under each of {settings.rated_conditions} conditions"


def _weakest(findings: Findings) -> Iterator[str]:
    """State proven weaknesses: a category, the check that failed most often, a part of the score."""
    yield from _weaker("Weaker in", "in", {name: each.pass_rate for name, each in findings.categories.items()})
    failed = [check for check in findings.checks if check.failed]
    if failed and not outcomes.agent_never_answered(findings):
        most = max(failed, key=lambda check: check.failed)
        held_to = most.failed + most.passed
        times = f"{whole(most.failed)} of {plural(held_to, 'time')}" if held_to > 1 else "the only time"
        alone, tied = len(findings.checks) == 1, sum(check.failed == most.failed for check in failed) > 1
        what = "The check" if alone else "Of its checks,"
        often = "" if alone else "as often as any: " if tied else "most often: "
        yield f"{what} {one_line(most.name, 60)} failed {often}{times}."
    yield from _weaker("Lower scores for", "for", findings.parts, "score")


def _weaker(start: str, joint: str, estimates: Mapping[str, Estimate], unit: Unit = "percent") -> Iterator[str]:
    """State the lowest estimate, if its interval lies below that of the highest."""
    known = {name: each for name, each in estimates.items() if each.value is not None}
    if len(known) < 2:
        return
    worst = min(known, key=lambda name: known[name].value or 0.0)
    best = max(known, key=lambda name: known[name].low or 0.0)
    high, low = known[worst].high, known[best].low
    if high is not None and low is not None and high < low:
        weak, strong = (f"{one_line(name, 60)} ({_value(known[name], unit)})" for name in (worst, best))
        yield f"{start} {weak} than {joint} {strong}."


def _of_battle(findings: Findings) -> Iterator[str]:
    battle = findings.battle
    assert battle is not None
    counted = sum(case.counted for case in findings.cases)
    broken = counted - sum(case.passed for case in findings.cases)
    held = say(battle.held_rate)
    if broken:
        yield (
            f"Did not hold in {whole(broken)} of {plural(counted, 'conversation')}; held in {held.value} "
            f"({held.interval})."
        )
    else:
        every = f"all of {plural(counted, 'conversation')}" if counted > 1 else "its only conversation"
        yield f"Held in {every}: {held.value} ({held.interval})."
    breaking = [each for each in battle.strategies if each.breaks]
    if breaking:
        most = max(breaking, key=lambda each: each.rate.value or 0.0)
        rate = say(most.rate)
        yield f"It gives way most often {when_asked(most.name)}: in {rate.value} of such questions ({rate.interval})."
    for each in battle.strategies if not battle.pressure.flip_when_asked_again.value else ():
        if each.name == "ask-again" and each.judged >= _ENOUGH and not each.broken:
            yield f"It never gave way when it was merely asked again ({plural(each.judged, 'time')})."


def _nothing_judged(findings: Findings) -> Iterator[str]:
    """State that nothing is known about the agent, because the environment failed."""
    counts = findings.counts
    if counts.failed_by_environment and counts.failed_by_environment == counts.played:
        yield (
            f"Nothing is known of the agent yet: {_all(counts.played)} failed for a reason that is not its own, "
            "such as a connection."
        )


def _agent_failures(findings: Findings) -> Iterator[str]:
    """State how often the agent itself failed, and why: such attempts count as not passed, but are no wrong answers."""
    if failed := findings.counts.failed_by_agent if outcomes.agent_never_answered(findings) else 0:
        yield f"The agent itself failed in {_all(failed)}{_common_reason(findings, lambda trouble: trouble.count)}."
        return
    counts, faulted_counts = findings.compared_counts, findings.faulted_counts
    if failed := counts.failed_by_agent:
        apart = " without injected faults" if faulted_counts is not None else ""
        why = _common_reason(findings, _in_plain_run if faulted_counts is not None else lambda trouble: trouble.count)
        yield f"The agent itself failed in {_share(failed, counts.played)}{apart}{why}."
    if faulted_counts is not None and (failed := faulted_counts.failed_by_agent):
        why = _common_reason(findings, lambda trouble: trouble.count - _in_plain_run(trouble))
        yield f"Under injected faults it failed itself in {_share(failed, faulted_counts.played)}{why}."


def _share(failed: int, played: int) -> str:
    return f"{whole(failed)} of {plural(played, 'attempt')}" if failed < played else _all(played)


def _in_plain_run(trouble: ProblemGroup) -> int:
    return trouble.conditions.get("", 0)


def _common_reason(findings: Findings, times: Callable[[ProblemGroup], int]) -> str:
    """Return the most frequent reason in brackets."""
    reasons = [trouble for trouble in findings.troubles if trouble.owner == "agent" and times(trouble)]
    if not reasons:
        return ""
    first, *others = sorted(reasons, key=times, reverse=True)
    often = "" if not others else "most often " if times(first) > times(others[0]) else "such as "
    return f" ({often}{one_line(first.reason, 160).rstrip('.')})"


def _all(attempts: int) -> str:
    return "its only attempt" if attempts == 1 else f"all {plural(attempts, 'attempt')}"


def _people(findings: Findings) -> Iterator[str]:
    """State the rate by human labels, if it differs from the judge's."""
    people = findings.people
    if people is not None and _disagree(findings.pass_rate, people.rate):
        people_rate = say(people.rate)
        yield f"People judge otherwise: {people_rate.value} ({people_rate.interval}), from {labels_behind(people)}."


def _disagree(one: Estimate, other: Estimate) -> bool:
    """Whether the value of either estimate lies outside the interval of the other."""
    return _outside(one, other) or _outside(other, one)


def _outside(value: Estimate, of: Estimate) -> bool:
    if value.value is None or of.low is None or of.high is None:
        return False
    return not of.low <= value.value <= of.high


def _stopped_early(findings: Findings) -> Iterator[str]:
    run = findings.run
    if not run.cut:
        return
    if run.interim is None:
        yield "It judges a run that stopped early."
        return
    verdicts = set(run.interim.verdicts.values())
    gates = "gate was" if len(run.interim.verdicts) == 1 else "gates were"
    if verdicts == {"inconclusive"}:
        yield f"It stopped early: its {gates} not to be decided."
    else:
        yield f"It stopped early: its {gates} {verdicts.pop() if len(verdicts) == 1 else 'decided'}."


def _missing(findings: Findings) -> Iterator[str]:
    """How many verdicts are missing; beside a plain run, which of both is not the whole picture."""
    counts, beside = findings.compared_counts, findings.faulted_counts
    if lacking := _without_verdict(counts):
        apart = "Without injected faults " if beside is not None else ""
        yield f"{apart}{_lacking(lacking, counts.planned)} no verdict, so this is not the whole picture."
    if beside is not None and (lacking := _without_verdict(beside)):
        yield f"Under injected faults {_lacking(lacking, beside.planned)} no verdict."


def _without_verdict(counts: Counts) -> int:
    return counts.pending + counts.failed_by_environment + counts.unscored


def _lacking(lacking: int, planned: int) -> str:
    return f"{whole(lacking)} of {plural(planned, 'attempt')} {'has' if lacking == 1 else 'have'}"


def _wide(rate: Estimate, noun: str) -> Iterator[str]:
    """State that the interval is wide despite many cases; with fewer, a note below the numbers says so."""
    if rate.low is not None and rate.high is not None and rate.high - rate.low > _WIDE and rate.n >= _MANY:
        yield f"The interval is wide: four times as many {noun}s halve it."


def _value(estimate: Estimate, unit: Unit) -> str:
    value_text = say(estimate, unit)
    return f"{value_text.value}, {value_text.interval}"
