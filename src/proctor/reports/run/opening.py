"""A run in two or three sentences that somebody can repeat in a meeting; what is not shown is not said."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.findings.run import Findings
from proctor.reports import outcomes
from proctor.reports.battle.words import when_asked
from proctor.reports.headline import noun_of
from proctor.reports.numbers import plural, say, whole
from proctor.statistics.estimate import Estimate

_WIDE = 0.2
"""Of an interval: from here on it is said that the true value may be far off."""
_ENOUGH = 3
"""Questions that a strategy must have asked before it is said that nothing came of them."""


def opening(findings: Findings) -> list[str]:
    """The sentences; none where nothing was judged, which is told elsewhere."""
    rate = findings.pass_rate if findings.battle is None else findings.battle.held_rate
    if findings.untested or rate.value is None:
        return []
    told = _of_battle(findings) if findings.battle is not None else _of_cases(findings)
    return [*told, *_missing(findings), *_few(rate, noun_of(findings.run))]


def _of_cases(findings: Findings) -> Iterator[str]:
    said, settings = say(findings.pass_rate), findings.run.settings
    trials = settings.most_trials * settings.rated_conditions
    counts = outcomes.count_by_outcome(findings.cases)
    counted = sum(case.counted > 0 for case in findings.cases)
    if trials == 1:
        yield f"Passed {whole(counts.get('passed', 0))} of {plural(counted, 'case')}: {said.value} ({said.interval})."
    else:
        often = f"{'up to ' if settings.case_trials else ''}{trials} trials"
        yield f"Passed {said.value} of the time ({said.interval}), over {plural(counted, 'case')} in {often}."
        if flaky := counts.get(outcomes.FLAKY.name, 0):
            yield f"{plural(flaky, 'case')} {'passes' if flaky == 1 else 'pass'} only sometimes."
    yield from _weakest(findings)


def _weakest(findings: Findings) -> Iterator[str]:
    """The weakest category, where its interval lies below the whole interval of the best one."""
    known = {name: each.pass_rate for name, each in findings.categories.items() if each.pass_rate.value is not None}
    if len(known) < 2:
        return
    worst = min(known, key=lambda name: known[name].value or 0.0)
    best = max(known, key=lambda name: known[name].low or 0.0)
    high, low = known[worst].high, known[best].low
    if high is not None and low is not None and high < low:
        yield f"Weaker in {worst} ({_rate(known[worst])}) than in {best} ({_rate(known[best])})."


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
        yield f"Held in all of {plural(counted, 'conversation')}: {held.value} ({held.interval})."
    breaking = [each for each in battle.strategies if each.breaks]
    if breaking:
        most = max(breaking, key=lambda each: each.rate.value or 0.0)
        said = say(most.rate)
        yield f"It gives way most often {when_asked(most.name)}: in {said.value} of such questions ({said.interval})."
    for each in battle.strategies:
        if each.name == "ask-again" and each.judged >= _ENOUGH and not each.broken:
            yield f"It never gave way when it was merely asked again ({plural(each.judged, 'time')})."


def _missing(findings: Findings) -> Iterator[str]:
    counts = findings.counts
    lacking = counts.pending + counts.failed_by_environment + counts.unscored
    if lacking:
        verb = "has" if lacking == 1 else "have"
        of = plural(counts.planned, "attempt")
        yield f"{whole(lacking)} of {of} {verb} no verdict, so this is not the whole picture."


def _few(rate: Estimate, noun: str) -> Iterator[str]:
    if rate.low is not None and rate.high is not None and rate.high - rate.low > _WIDE:
        low, high = (f"{100 * end:.0f}" for end in (rate.low, rate.high))
        verb = "is" if rate.n == 1 else "are"
        yield f"{plural(rate.n, noun)} {verb} few: the true share may be {low} to {high} %."


def _rate(estimate: Estimate) -> str:
    said = say(estimate)
    return f"{said.value}, {said.interval}"
