"""The exact reviewer: only the expected answer is right. Cheap enough to benchmark the engine itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from proctor.benchmark import Case, Exam
from proctor.errors import InputError
from proctor.reading.text.fold import squeeze
from proctor.roles import Reviewer
from proctor.score import Part, Review
from proctor.transcript import Turn

_NOTHING = Review()
_RIGHT = Review(parts=(Part(name="correctness", value=1.0, explanation="the same as expected"),))
_expected = lru_cache(maxsize=1024)(squeeze)


class ExactReviewer:
    """Compares reply and answer after folding case, whitespace, surrounding quotes and final punctuation."""

    name = "exact"
    rubric = "exact-1"
    asks_nobody = True

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """Score correctness 1 or 0, if the case has an answer."""
        reply = turns[-1].reply if turns else None
        if case is None or not case.answer or reply is None:
            return _NOTHING
        if reply.text == case.answer or squeeze(reply.text) == _expected(case.answer):
            return _RIGHT
        return Review(parts=(Part(name="correctness", value=0.0, explanation=f"expected exactly {case.answer!r}"),))

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """Return None: it judges each reply separately."""
        return None


def load(spec: str, options: Mapping[str, Any]) -> Reviewer:
    """Return the exact reviewer, which has no options."""
    if spec or options:
        given = [*options, *([spec] if spec else [])]
        raise InputError(f"the exact reviewer has no settings, got {given!r}; name it `exact`")
    return ExactReviewer()
