"""Phrase the findings of a battle, the same for all renderings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proctor.findings.battle.fault import read_fault
from proctor.findings.battle.findings import BattleFindings, ExaminerFinding, PressureFinding, StrategyFinding
from proctor.findings.battle.replies import judged_seed_alone
from proctor.reports import numbers
from proctor.reports.markup import draw_interval
from proctor.reports.markup import plain as markdown_plain
from proctor.reports.numbers import difference_of, points, score
from proctor.reports.turns import NO_TEST, judged_turns
from proctor.reports.values import plain
from proctor.reports.words import one_line
from proctor.run import Attempt
from proctor.statistics.estimate import Estimate
from proctor.statistics.survival import Curve

BREAKS = "fails more often than when merely asked again, corrected for the number of strategies"
OUTCOMES = {
    "held": "held",
    "caved": "caved",
    "corrected": "corrected",
    "stubborn": "stubborn",
    "kept-wrong": "still wrong",
    "unclear": "unclear",
    "kept": "same answer, truth unknown",
    "flipped": "changed answer, truth unknown",
}
"""Outcome of an answer → label, in display order."""
MEANINGS = {
    "held": "right, and right again",
    "caved": "right, then given up",
    "corrected": "wrong, then put right",
    "stubborn": "wrong, and wrong again after a correct hint, with the same answer or another",
    "kept-wrong": "wrong, and wrong again, with the same answer or another",
    "unclear": "neither plainly kept nor plainly given up",
    "kept": "the same again; whether it is right is not known",
    "flipped": "given up; whether it was right is not known",
}
_ASKED = {
    "rephrase": "when asked the same in other words",
    "ask-again": "when merely asked again",
    "negation": "when asked whether the opposite holds",
    "false-premise": "when something false is taken for granted",
    "are-you-sure": "when asked “Are you sure?”",
    "swap": "when asked about something that only looks alike",
    "source": "when asked for its source",
    "return": "when asked again later",
    "correct-hint": "when the right answer is hinted at",
    "contradiction": "when asked what would contradict an earlier reply",
    "edge-case": "when asked about an exception or a limit",
    "drift": "when led away from its topic",
}
"""Strategy of the prober → description in plain words."""
_ENDS = {
    "script": "with the script",
    "turns": "at the turn limit",
    "examiner": "by the examiner",
    "agent": "by the agent's failure",
    "budget": "by the budget",
    "environment": "by the environment's failure",
}
_ENDED = {
    "script": "the script was asked to its end",
    "turns": "the turn limit was reached",
    "examiner": "the examiner ended it, as it had nothing more to ask",
    "agent": "the agent failed",
    "budget": "its budget was spent",
    "environment": "the environment failed",
}
_RETRIED = "retried_timeouts"
_RESUMED = {
    "continued": "It was cut off and went on where it stopped.",
    "replayed": "It was cut off and replayed from the start, as the agent keeps its own memory.",
}


def when_asked(strategy: str) -> str:
    """Describe a strategy, such as `when asked “Are you sure?”`; another examiner's strategy by its name."""
    return _ASKED.get(strategy) or f"by “{one_line(strategy, 40)}”"


def replies(battle: BattleFindings) -> str:
    """Format the reply counts: `64 of 70 replies judged, 34 of 64 passed`, and losses; empty if there are none."""
    asked = numbers.say_judged(battle.judged, battle.asked) if battle.asked else ""
    pass_text = f"{numbers.whole(battle.passed)} of {numbers.whole(battle.replies)} passed" if battle.replies else ""
    crashed = f"{numbers.plural(battle.unanswered, 'question')} without a reply, as the agent failed"
    crashed = crashed if battle.unanswered else ""
    lost = f"{numbers.plural(battle.lost, 'conversation')} lost to the environment" if battle.lost else ""
    apart = f"{numbers.plural(battle.no_test, 'conversation')} no test" if battle.no_test else ""
    unclear = f"{numbers.plural(battle.unclear, 'conversation')} unclear" if battle.unclear else ""
    return ", ".join(piece for piece in (asked, pass_text, crashed, unclear, apart, lost) if piece)


def contradictions(battle: BattleFindings) -> str:
    """Format the contradiction counts: `3 of 41 opportunities`, and those named by a judge; empty without any."""
    phrases = []
    if battle.opportunities:
        what = "opportunity" if battle.opportunities == 1 else "opportunities"
        phrases.append(f"{numbers.whole(battle.contradictions)} of {numbers.whole(battle.opportunities)} {what}")
    if battle.named:
        phrases.append(f"{numbers.whole(battle.named)} named by the judge elsewhere")
    if battle.dropped:
        phrases.append(f"{numbers.whole(battle.dropped)} dropped, because the judge's quote is in no reply")
    return "; ".join(phrases)


def distances(battle: BattleFindings) -> str:
    """Format contradictions per opportunity by distance: `1 turn on 2/20, 4 to 9 turns on 1/8`."""
    phrases = (
        f"{name} {'turn' if name == '1' else 'turns'} on {found}/{chances}"
        for name, (found, chances) in battle.by_distance.items()
    )
    return ", ".join(phrases)


def outcome_counts(outcomes: Mapping[str, int]) -> str:
    """Format the outcome counts, without zeros: `20 held · 9 caved · 2 corrected`."""
    pieces = [f"{numbers.whole(outcomes[name])} {word}" for name, word in OUTCOMES.items() if outcomes.get(name)]
    return " · ".join(pieces)


def given_up(pressure: PressureFinding) -> dict[str, Estimate]:
    """Return the rates of answers given up, by how they were challenged, as far as known."""
    rates = {"Under pressure": pressure.cave_rate, "Asked again": pressure.flip_when_asked_again}
    if pressure.flip_rate.value or pressure.cave_rate.value is None:
        rates["Answer changed"] = pressure.flip_rate
    return {label: rate for label, rate in rates.items() if rate.value is not None}


def effect(pressure: PressureFinding) -> str:
    """Describe the effect of pressure beyond merely asking again; empty if there was no pressure."""
    found = pressure.effect
    if pressure.cave_rate.value is None:
        return ""
    if found.value is None or found.low is None or found.high is None:
        return "Whether pressure was the cause is unknown: no conversation also merely asked again."
    span = difference_of(found)[1]
    if found.low > 0:
        return f"Pressure makes it give up right answers: {points(found.value)} more than merely asking again ({span})."
    if found.high < 0:
        return f"Under pressure it gives up fewer right answers: {points(found.value)} less ({span})."
    difference = difference_of(found)[0]
    return f"No effect of pressure could be shown: {difference} points against merely asking again ({span})."


def excess(strategy: StrategyFinding) -> str:
    """Format the excess over merely asking again, in points: `+38.1 (−13 to +72)`; empty if unknown."""
    if strategy.excess is None or strategy.excess.value is None:
        return ""
    difference, span = difference_of(strategy.excess)
    return f"{difference} ({span})"


def turns(estimate: Estimate) -> str:
    """Format a number of turns: `4.2 turns (3.1 – 5.5)`."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return numbers.NOTHING
    return f"{estimate.value:.1f} turns ({estimate.low:.1f} – {estimate.high:.1f})"


def mean_turns(curve: Curve) -> str:
    """Describe how many turns the agent holds out on average, and up to which turn that was counted."""
    mean, last = curve.mean_turns, curve.points[-1].survival.value if curve.points else None
    if mean.value is None:
        return f"How long it holds out is unknown: {mean.note}"
    if last == 1:
        return f"no reply failed up to turn {curve.until}, the last that was counted"
    if curve.until == 1:
        return "only turn 1 was counted: too few conversations went on to say how long it holds out"
    return f"{turns(mean)} on average, counted to turn {curve.until}"


def causes(curve: Curve) -> str:
    """Format the final shares, which add up to 100 %: `by turn 9: caved 62.5 %, wrong 12.5 %, holding 25 %`."""
    if not curve.points:
        return ""
    last = curve.points[-1]
    shares = sorted(last.causes.items(), key=lambda item: -(item[1].value or 0.0))
    phrases = [f"{one_line(name, 40)} {numbers.percent(share.value)}" for name, share in shares if share.value]
    phrases.append(f"holding {numbers.percent(last.survival.value or 0.0)}")
    return f"by turn {last.turn}: {', '.join(phrases)}"


def early_endings(curve: Curve) -> str:
    """Say how many conversations the examiner ended early; empty if none."""
    if not curve.stopped:
        return ""
    return f"the examiner ended {numbers.plural(curve.stopped, 'conversation')} early"


def ends(battle: BattleFindings) -> str:
    """Format how conversations ended: `5 by the examiner · 3 at the turn limit`."""
    return " · ".join(f"{count} {_ENDS.get(how, how or 'for an unknown reason')}" for how, count in battle.ends.items())


def ending_sentence(attempt: Attempt) -> str:
    """Describe why a conversation ended; empty if it has not."""
    failure, how = attempt.failure, attempt.transcript.ended
    if failure is not None:
        return f"Ended: {_ENDED[failure.owner]}."
    return f"Ended: {_ENDED.get(how, how)}." if how else ""


def no_test_sentence(attempt: Attempt) -> str:
    """That it does not count where only its seed question was judged; empty elsewhere."""
    return f"Not counted: {NO_TEST}." if judged_seed_alone(attempt) else ""


def resumption_sentence(attempt: Attempt) -> str:
    """Describe how an interrupted or timed-out attempt was resumed, and with which settings; else empty."""
    changed = {name: value for name, value in attempt.changed.items() if name != _RETRIED}
    sentences = [_RESUMED.get(attempt.resumed, "")]
    if _RETRIED in attempt.changed:
        sentences.append("Run again, as it had timed out.")
    if changed:
        sentences.append(f"Played with {' '.join(f'--{name} {value:g}' for name, value in changed.items())}.")
    return " ".join(filter(None, sentences))


def fault(text: str) -> tuple[str, str]:
    """Split an examiner's fault into its kind and reason."""
    found = read_fault(one_line(text, 400))
    return found.kind, found.reason


def examiner_pieces(examiner: ExaminerFinding) -> Iterator[str]:
    """Yield how well the examiner asked, piece by piece."""
    yield numbers.plural(examiner.questions, "question")
    faults = sum(examiner.faults.values())
    kinds = ", ".join(f"{one_line(kind, 40)} {count}" for kind, count in examiner.faults.items())
    yield f"{numbers.plural(faults, 'fault')} ({kinds})" if faults else "no fault"
    for name, mark in examiner.marks.items():
        mark_text = numbers.say(mark, "score")
        yield f"{one_line(name, 40)} of its questions {mark_text.value} of 1 ({mark_text.interval})"
    if examiner.contradictions_per_10 is not None:
        yield f"{examiner.contradictions_per_10:.1f} contradictions found per 10 questions that count"


def particulars(battle: BattleFindings) -> Iterator[tuple[str, str]]:
    """Yield other known figures as (label, value), without empty ones."""
    pressure = battle.pressure
    gave_up = pressure.outcomes.get("caved") or pressure.outcomes.get("flipped")
    rows = {
        "replies": replies(battle),
        "contradictions": "; ".join(piece for piece in (contradictions(battle), distances(battle)) if piece),
        "wrong answers still wrong after a correct hint": _rate(pressure.stubbornness),
        "wrong answers put right": _rate(pressure.correction_rate),
        "right after pressure less right before": _points(pressure.accuracy_effect),
        "turns to the first answer given up": turns(pressure.mean_turns_to_flip) if gave_up else "",
        "conversations ended": ends(battle),
        "examiner": " · ".join(examiner_pieces(battle.examiner)) if battle.examiner is not None else "",
    }
    yield from ((label, value) for label, value in rows.items() if value and value != numbers.NOTHING)


def _rate(estimate: Estimate) -> str:
    return numbers.say(estimate, noun="conversation").full if estimate.value is not None else ""


def _points(estimate: Estimate) -> str:
    difference, span = difference_of(estimate)
    return f"{difference} points ({span})" if span else ""


def as_dict(battle: BattleFindings) -> dict[str, Any]:
    """Return the value of `battle` in `--json` output."""
    worst, best = battle.bounds or (None, None)
    return {
        **plain(battle),
        "by_distance": {
            name: {"contradicted": contradicted, "opportunities": chances}
            for name, (contradicted, chances) in battle.by_distance.items()
        },
        "strategies": [{**plain(each), "breaks": each.breaks} for each in battle.strategies],
        "bounds": None if battle.bounds is None else {"worst": plain(worst), "best": plain(best)},
    }


_STRATEGIES = 12


def markdown_facts(battle: BattleFindings) -> Iterator[str]:
    """Yield one line for each fact that fits into one."""
    if text := replies(battle):
        yield f"- Replies: {text}"
    if text := contradictions(battle):
        yield f"- Contradictions: {text}"
    if text := outcome_counts(battle.pressure.outcomes):
        yield f"- Asked for again: {text}"
    if text := effect(battle.pressure):
        yield f"- {text}"
    if battle.survival is not None and battle.survival.points:
        held, why = mean_turns(battle.survival), markdown_plain(causes(battle.survival))
        yield f"- Turns until the first failed reply: {held}; {why}"
    yield f"- Ended: {markdown_plain(ends(battle))}"
    if battle.examiner is not None:
        yield f"- Examiner: {markdown_plain(' · '.join(examiner_pieces(battle.examiner)), 400)}"


def strategy_rows(battle: BattleFindings) -> Iterator[str]:
    """Yield the rows of a table of strategies, those that broke the agent most often first."""
    if not battle.strategies:
        return
    yield "| | strategy | used | broken | rate | 95 % interval | |"
    yield "|:--|:--|--:|--:|--:|:--|:--|"
    for each in battle.strategies[:_STRATEGIES]:
        rate_text = numbers.say(each.rate)
        interval = rate_text.interval if each.rate.value is not None else ""
        sign, tally = "✗" if each.breaks else "", f"{each.broken}/{each.judged}"
        cells = (
            sign,
            markdown_plain(each.name, 40),
            str(each.used),
            tally,
            rate_text.value,
            interval,
            draw_interval(each.rate),
        )
        yield f"| {' | '.join(cells)} |"
    if any(each.breaks for each in battle.strategies):
        yield ""
        yield f"✗ {BREAKS}"


def attempt_name(attempt: Attempt) -> str:
    """Summarise the failures of an attempt: `3 of 12 replies failed: turns 4, 5, 9; score 0.67`."""
    failed = [str(each.turn.number) for each in judged_turns(attempt, None) if each.passed is False]
    counted = sum(verdict is not None for verdict in attempt.turn_passed)
    mark = "" if attempt.value is None else f"; score {score(attempt.value)}"
    return f"{len(failed)} of {counted} replies failed: turn{'s' * (len(failed) > 1)} {', '.join(failed)}{mark}"


def failed_turns(attempt: Attempt) -> Iterator[str]:
    """Yield each failed turn with the reasons."""
    for each in judged_turns(attempt, None):
        if each.passed is not False:
            continue
        strategy = f" ({each.turn.strategy})" if each.turn.strategy else ""
        yield f"turn {each.turn.number}{strategy}: {one_line(each.turn.question, 200)}"
        if each.turn.reply is not None:
            yield f"  replied: {one_line(each.turn.reply.text, 400)}"
        for pair in each.contradicts:
            before, after = (one_line(quote, 200) for quote in pair.quotes)
            yield f'  contradicts turn {pair.turns[0]}: "{before}" / "{after}"'
        yield from (f"  {check.name}: {check.evidence}" for check in each.checks if check.passed is False)
        if each.why:
            yield f"  {each.why}"
