"""The reviewer that runs the checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from proctor import threads
from proctor.benchmark import Case, Exam, Expectation
from proctor.codec import digest
from proctor.reading.text.patterns import sharing_time
from proctor.reviewers.checks.answer import PATTERN, exclusions, keywords
from proctor.reviewers.checks.citations import citation_accuracy, citations_present
from proctor.reviewers.checks.completion import no_error, no_error_failed
from proctor.reviewers.checks.contract import BuiltIn, Outcome, result
from proctor.reviewers.checks.limits import limits
from proctor.reviewers.checks.merge import keep_common, merge
from proctor.reviewers.checks.own import OwnCheck
from proctor.reviewers.checks.role import role
from proctor.reviewers.checks.sources import Sources
from proctor.reviewers.checks.steps import steps, sub_agents
from proctor.reviewers.checks.tool_calls import tool_calls, tools_not_used, tools_used
from proctor.score import CheckResult, Review
from proctor.transcript import Reply, Turn

BUILT_IN: tuple[BuiltIn, ...] = (
    tools_used,
    tools_not_used,
    tool_calls,
    keywords,
    exclusions,
    citations_present,
    citation_accuracy,
    sub_agents,
    steps,
    limits,
)
"""Checks that a case may ask for, in report order; "no error" is checked for every case."""
EVERY: tuple[BuiltIn, ...] = (no_error, *BUILT_IN, role)
RUBRIC = "checks-3"
_NOTHING = Expectation()


class CheckReviewer:
    """Checks the last reply against the expectations of its case.

    It gives no scores: a check passes, fails, or is not checkable. `extra` maps a question to additional expectations,
    `everywhere` holds expectations for every reply; `joined` maps a case id to expectations that already include those.
    `own` holds user-defined checks from `load_own`.
    """

    name = "checks"

    def __init__(
        self,
        *,
        sources: Path | None = None,
        extra: Mapping[str, Expectation] | None = None,
        everywhere: Expectation | None = None,
        joined: Mapping[str, Sequence[Expectation]] | None = None,
        own: Mapping[str, OwnCheck] | None = None,
    ) -> None:
        self._sources = Sources(sources)
        self._extra = {question.strip(): expect for question, expect in (extra or {}).items()}
        self._everywhere = everywhere or _NOTHING
        self._joined = joined or {}
        self._own = dict(own or {})
        self.asks_nobody = not self._own
        added = [sorted(self._own), self._extra, self._everywhere]
        self.rubric = RUBRIC if added == [[], {}, _NOTHING] else f"{RUBRIC}+{digest(added)[:8]}"

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """Check the last reply; a question without a case is checked against the expectations for every reply."""
        turn = turns[-1]
        if turn.reply is None:
            return Review(checks=(no_error_failed(turn.number, "the agent gave no reply"),)) if case else Review()
        expect = self._expectation_for(case)
        results = await self._built_in(case, expect, turn, turn.reply)
        for name in expect.checks:
            results.append(await self._apply_own(name, case, expect, turns))
        return Review(checks=tuple(results))

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """Return None: each reply has been checked separately."""
        return None

    def _expectation_for(self, case: Case | None) -> Expectation:
        if case is None:
            return self._everywhere
        expect = self._join(case)
        extra = self._extra.get(case.question.strip()) if self._extra else None
        return merge(expect, extra) if extra is not None else expect

    def _join(self, case: Case) -> Expectation:
        """Merge a case's expectations with those for every reply, unless they already include them.

        A seed that is asked again may have dropped some of its own expectations, but keeps the common ones.
        """
        known = self._joined.get(case.id, ())
        if case.expect in known:
            return case.expect
        everywhere = keep_common(self._everywhere, known[0]) if known else self._everywhere
        return merge(everywhere, case.expect)

    async def _built_in(self, case: Case | None, expect: Expectation, turn: Turn, reply: Reply) -> list[CheckResult]:
        checks: tuple[BuiltIn, ...] = BUILT_IN if case is None else EVERY
        if _takes_time(expect):
            return await threads.call(_apply_checks, checks, expect, turn, reply, self._sources)
        return _apply_checks(checks, expect, turn, reply, self._sources)

    async def _apply_own(self, name: str, case: Case | None, expect: Expectation, turns: Sequence[Turn]) -> CheckResult:
        turn, own = turns[-1], self._own.get(name)
        if own is None:
            return result(turn.number, name, Outcome(None, f"there is no check {name!r} in this run"))
        given = {
            "case": case,
            "expect": expect,
            "turn": turn,
            "turns": turns,
            "question": turn.question,
            "answer": case.answer if case else None,
            "reply": turn.reply.text if turn.reply else None,
            "context": case.context if case else None,
            "sources": self._sources,
        }
        return result(turn.number, own.name, await own.run(given))


def _apply_checks(
    checks: Sequence[BuiltIn], expect: Expectation, turn: Turn, reply: Reply, sources: Sources
) -> list[CheckResult]:
    with sharing_time():
        outcomes = [(check.name, check.function(expect, turn, reply, sources)) for check in checks]
    return [result(turn.number, name, outcome) for name, outcome in outcomes if outcome is not None]


def _takes_time(expect: Expectation) -> bool:
    """Whether checking may read a file or search a pattern, which would block the event loop."""
    return (
        expect.quotes
        or bool(expect.sources)
        or any(phrase.startswith(PATTERN) for phrase in expect.keywords + expect.exclusions)
        or any("pattern" in rule for call in expect.tool_calls or () for rule in call.match.values())
    )
