"""Which turns of a conversation failed, and why: the words of a JUnit failure."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.reports.numbers import score
from proctor.reports.turns import judged_turns
from proctor.reports.words import one_line
from proctor.run import Attempt


def which(attempt: Attempt) -> str:
    """`3 of 12 replies failed: turns 4, 5, 9; score 0.67`."""
    failed = [str(each.turn.number) for each in judged_turns(attempt, None) if each.passed is False]
    counted = sum(verdict is not None for verdict in attempt.turn_passed)
    mark = "" if attempt.value is None else f"; score {score(attempt.value)}"
    return f"{len(failed)} of {counted} replies failed: turn{'s' * (len(failed) > 1)} {', '.join(failed)}{mark}"


def failed_turns(attempt: Attempt) -> Iterator[str]:
    """Each turn that failed, with why."""
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
