"""Format explanations of cases that failed or got no verdict, for the output of pytest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.benchmark import Case
from proctor.findings.run.deciders import why_undecided
from proctor.reports.numbers import score
from proctor.reports.words import clean, cut, one_line
from proctor.run import Attempt
from proctor.transcript import Reply, ToolCall

_REPLY = 4000
_SHOWN = 3
_BAR = "│ "
"""Prefix of each line quoted from the agent or the case, so that CI does not take it for a workflow command."""


def verdict(attempts: Sequence[Attempt], *, trials: int, needed: int) -> bool | None:
    """Whether a case passes, given how many passed trials it needs; None while undecided trials may tip it."""
    if sum(attempt.passed is True for attempt in attempts) >= needed:
        return True
    if sum(attempt.passed is False for attempt in attempts) > trials - needed:
        return False
    return None


def not_passed(case: Case, attempts: Sequence[Attempt], *, trials: int, needed: int) -> str:
    """Explain why a case failed: a headline, then details of the first failed trials."""
    failed = [attempt for attempt in attempts if attempt.passed is False]
    lines = [_headline(attempts, failed, trials, needed), "", *_question_lines(case)]
    for attempt in failed[:_SHOWN]:
        lines += ["", *([f"trial {attempt.key.trial}"] if trials > 1 else []), *_attempt(attempt)]
    if len(failed) > _SHOWN:
        lines += ["", f"and {len(failed) - _SHOWN} more trials that failed"]
    return "\n".join(lines)


def no_verdict(case: Case, attempts: Sequence[Attempt], *, trials: int, stopped: str) -> str:
    """Explain why a case has no verdict."""
    whys = list(dict.fromkeys(filter(None, (_why_missing(case, attempt) for attempt in attempts))))
    if len(attempts) < trials:
        whys.append(f"the suite stopped: {one_line(stopped)}" if stopped else "it was not asked")
    return "\n".join([f"no verdict: {'; '.join(whys)}", "", *_question_lines(case)])


def reasons(attempt: Attempt) -> list[str]:
    """List why an attempt failed: the agent's own failure, failed checks with their evidence, or else its scores."""
    if attempt.failure is not None:
        return [f"the agent failed: {one_line(attempt.failure.reason)}"]
    found = [f"{check.name}: {one_line(check.evidence)}" for check in attempt.checks if check.passed is False]
    return found or [f"score {score(mark.value)} by {mark.by}" for mark in attempt.scores if mark.of == "agent"]


def _headline(attempts: Sequence[Attempt], failed: Sequence[Attempt], trials: int, needed: int) -> str:
    why = "; ".join(reasons(failed[0])) or "not passed"
    if trials == 1:
        return why
    passed = sum(attempt.passed is True for attempt in attempts)
    return f"{passed} of {trials} trials passed, {needed} needed; trial {failed[0].key.trial}: {why}"


def _why_missing(case: Case, attempt: Attempt) -> str:
    if attempt.failure is not None and attempt.failure.owner == "environment":
        return f"the environment failed ({attempt.failure.stage}): {one_line(attempt.failure.reason)}"
    if attempt.passed is None:
        whys = [missing.reason for missing in attempt.unscored]
        whys = whys or list(why_undecided(case, attempt.scores, attempt.checks))
        return f"unscored: {'; '.join(map(one_line, whys))}"
    return ""


def _question_lines(case: Case) -> Iterator[str]:
    yield "question"
    yield from _quote_lines(case.question)
    if case.context:
        yield "context"
        yield from _quote_lines(case.context)
    if case.answer:
        yield "expected answer"
        yield from _quote_lines(case.answer)


def _attempt(attempt: Attempt) -> Iterator[str]:
    for turn in attempt.transcript.turns:
        if turn.reply is not None:
            yield from _reply_lines(turn.reply)
    if attempt.failure is not None and attempt.failure.detail:
        yield "what it said when it failed"
        yield from _quote_lines(attempt.failure.detail)
    for check in attempt.checks:
        if check.passed is not True:
            yield f"{'?' if check.passed is None else '✗'} {check.name}: {one_line(check.evidence)}"
    for mark in attempt.scores:
        if mark.of == "agent":
            yield f"score {score(mark.value)} by {mark.by}"
            yield from (f"  {part.name} {score(part.value)}: {one_line(part.explanation)}" for part in mark.parts)
    yield from (f"? no score by {missing.by}: {one_line(missing.reason)}" for missing in attempt.unscored)


def _reply_lines(reply: Reply) -> Iterator[str]:
    yield "reply"
    yield from _quote_lines(reply.text or "(an empty reply)")
    if reply.tool_calls:
        yield "tools it called"
        yield from (f"{_BAR}{_call(call)}" for call in reply.tool_calls)
    if reply.citations:
        yield "what it cited"
        yield from (f"{_BAR}{one_line(each.source)}{_quote(each.quote)}" for each in reply.citations)


def _call(call: ToolCall) -> str:
    arguments = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    ended = f" failed: {call.error}" if call.error else ""
    return one_line(f"{call.name}({arguments}){ended}", 200)


def _quote(quote: str | None) -> str:
    return "" if quote is None else f": “{one_line(quote, 200)}”"


def _quote_lines(text: str) -> list[str]:
    return [f"{_BAR}{line}" for line in cut(clean(text), _REPLY).splitlines() or [""]]
