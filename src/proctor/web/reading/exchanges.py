"""One case in two runs, turn by turn, what is different marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.reports import outcomes
from proctor.reports.turns import Judged, judged
from proctor.run import Attempt
from proctor.web.reading.difference import Difference, difference


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """One turn in both runs; None: it was not reached in one of them."""

    number: int
    a: Judged | None
    b: Judged | None
    asked: Difference | None
    """None: both were asked the same."""
    said: Difference


def exchanges(before: Attempt, after: Attempt, case: str) -> Iterator[Exchange]:
    """All turns; of a script, only the row that was asked for."""
    sides = [{each.turn.number: each for each in judged(attempt, None)} for attempt in (before, after)]
    for number in sorted(sides[0].keys() | sides[1].keys()):
        a, b = sides[0].get(number), sides[1].get(number)
        asked = [each.turn for each in (a, b) if each is not None]
        if before.key.exam == case or any(turn.case == case for turn in asked):
            yield Exchange(number=number, a=a, b=b, asked=_asked(a, b), said=difference(_reply(a), _reply(b)))


def _asked(a: Judged | None, b: Judged | None) -> Difference | None:
    if a is None or b is None or a.turn.question == b.turn.question:
        return None
    return difference(a.turn.question, b.turn.question)


def _reply(each: Judged | None) -> str:
    return "" if each is None or each.turn.reply is None else each.turn.reply.text


def worth_reading(attempts: Sequence[Attempt]) -> Attempt:
    """The first that did not pass, else the first."""
    return next((each for each in attempts if outcomes.of_attempt(each) is not outcomes.PASSED), attempts[0])


def telling_trial(before: Sequence[Attempt], after: Sequence[Attempt]) -> int:
    """The first that ended differently; else the one of B most worth reading."""
    known = {each.key.trial: outcomes.of_attempt(each) for each in before}
    both = [each for each in after if each.key.trial in known]
    unlike = (each for each in both if known[each.key.trial] != outcomes.of_attempt(each))
    return next(unlike, worth_reading(both or after)).key.trial
