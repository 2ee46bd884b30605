"""Two judges in sequence: the second judges only what the first is unsure about, and its score decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proctor.benchmark import Case, Exam
from proctor.roles import Reviewer
from proctor.score import ROLE, Part, Review
from proctor.transcript import Turn
from proctor.usage import Usage


class SecondJudge:
    """Asks the second judge if the first is unsure; keeps no state between replies."""

    settles = True
    """Of the two judges, one that calls a model settles with the run's budget on its own."""

    def __init__(self, first: Reviewer, second: Reviewer) -> None:
        self._first = first
        self._second = second
        self.name = f"{first.name},{second.name}"
        self.rubric = f"{first.rubric},{second.rubric}"
        self.judges_improvised = bool(getattr(first, "judges_improvised", False))
        self.asks_nobody = all(getattr(judge, "asks_nobody", False) for judge in (first, second))

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """Return the first judge's scores, or the second's if any of those is unsure and the second has scores to give.

        The second is also asked if the first does not score the case's own criteria, or does not check whether a reply
        keeps to its role.
        """
        first = await self._first.review(case, turns)
        doubted = [part for part in first.parts if part.unsure]
        role = case is not None and case.expect.role is not None and ROLE not in {each.name for each in first.checks}
        unmarked = case is not None and not case.criteria.keys() <= {part.name for part in first.parts}
        if not (doubted or role or unmarked):
            return first
        second = await self._second.review(case, turns)
        took = second.usage or Usage()
        usage = (first.usage or Usage()) + took or None
        if not (doubted or unmarked):
            return replace(first, checks=first.checks + second.checks, usage=usage, passed_on=took)
        if not second.parts and second.unscored is None:
            return replace(first, usage=usage, passed_on=took)
        return replace(
            second,
            question_parts=second.question_parts or first.question_parts,
            checks=first.checks + second.checks,
            contradictions=first.contradictions + second.contradictions,
            explanation="\n".join(filter(None, (self._describe_doubts(doubted), second.explanation))),
            usage=usage,
            passed_on=took,
        )

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """Return the first judge's review of the conversation."""
        return await self._first.conclude(exam, turns)

    def _describe_doubts(self, doubted: Sequence[Part]) -> str:
        """Explain which of the first judge's scores were unsure."""
        if not doubted:
            return ""
        doubts = "; ".join(f"{part.name} {part.value:.2f}, {part.explanation}" for part in doubted)
        return f"{self._first.name} was unsure and asked {self._second.name}: {doubts}"
