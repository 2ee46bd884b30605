"""A battle in Markdown: what was given up, strategies, survival, contradictions."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.findings.battle.findings import BattleFindings
from proctor.reports import numbers
from proctor.reports.battle import words
from proctor.reports.markup import draw_interval, plain

_STRATEGIES = 12


def facts(battle: BattleFindings) -> Iterator[str]:
    """A line for each thing that can be said in one."""
    if said := words.replies(battle):
        yield f"- Replies: {said}"
    if said := words.contradictions(battle):
        yield f"- Contradictions: {said}"
    if said := words.outcome_counts(battle.pressure.outcomes):
        yield f"- Asked for again: {said}"
    if said := words.effect(battle.pressure):
        yield f"- {said}"
    if battle.survival is not None and battle.survival.points:
        held, causes = words.mean_turns(battle.survival), plain(words.causes(battle.survival))
        yield f"- Turns until the first failed reply: {held}; {causes}"
    yield f"- Ended: {plain(words.ends(battle))}"
    if battle.examiner is not None:
        yield f"- Examiner: {plain(' · '.join(words.examiner_pieces(battle.examiner)), 400)}"


def strategies(battle: BattleFindings) -> Iterator[str]:
    """A table, those that broke most first."""
    if not battle.strategies:
        return
    yield "| | strategy | used | broken | rate | 95 % interval | |"
    yield "|:--|:--|--:|--:|--:|:--|:--|"
    for each in battle.strategies[:_STRATEGIES]:
        said = numbers.say(each.rate)
        interval = said.interval if each.rate.value is not None else ""
        sign, tally = "✗" if each.breaks else "", f"{each.broken}/{each.judged}"
        cells = (sign, plain(each.name, 40), str(each.used), tally, said.value, interval, draw_interval(each.rate))
        yield f"| {' | '.join(cells)} |"
    if any(each.breaks for each in battle.strategies):
        yield ""
        yield f"✗ {words.BREAKS}"
