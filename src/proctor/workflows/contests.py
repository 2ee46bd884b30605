"""Pairwise comparison of replies: a chat model is asked in both orders, without the agents' names.

A judge with a position bias contradicts itself: the contest then counts as a tie, with a position flip.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from proctor.models.fence import FENCE_RULE, fence
from proctor.spending.prices import tokens_in
from proctor.spending.run_limits import set_scope
from proctor.usage import Usage
from proctor.workflows.patient_model import ModelOutcome, PatientModel

ANSWER_TOKENS = 120
"""Approximate number of output tokens per answer."""
_SYSTEM = """You compare two replies to the same question. You do not know who wrote them, and the order in which they \
stand means nothing.

{criteria}

First give your reasoning in one or two sentences that name what decided it. Then say which is better: "first", \
"second", or "neither" where none of them is better in a way that matters. Length and politeness alone decide nothing. \
Then say how sure you are, from 0 to 1.

{rule}"""
_USUAL = (
    "Better is what is right and answers the question. Where an expected answer is given, it is the authority, even "
    "where you would answer otherwise."
)


class Preference(BaseModel):
    """Which of two replies is better, and why."""

    model_config = ConfigDict(extra="ignore")

    reasoning: str = Field(description="What decided it, in one or two sentences.")
    better: Literal["first", "second", "neither"] = Field(description="Which reply is better.")
    confidence: float = Field(ge=0, le=1, allow_inf_nan=False, description="How sure you are, from 0 to 1.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Contest:
    """Two replies to one question."""

    question: str
    left: str
    right: str
    expected: str = ""
    context: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether both replies are equal, so that no judge is needed."""
        return self.left.strip() == self.right.strip()

    @property
    def mirrored_contest(self) -> Contest:
        """The contest with the replies in the other order."""
        return replace(self, left=self.right, right=self.left)


@dataclass(frozen=True, kw_only=True, slots=True)
class ContestVerdict:
    """Result of a contest."""

    score: float | None = None
    """1 if left is better, 0 if right is, ½ for a tie; None without a verdict."""
    flipped: bool = False
    """Whether the verdict changed when the replies were swapped."""
    leans: float = 0.0
    """Position bias of a flipped verdict: above 0 towards the reply shown first, below 0 towards the second."""
    confidence: float | None = None
    """Mean confidence of both orders; None if they disagree."""
    explanations: tuple[str, ...] = ()
    """The judge's explanations with left first, then with right first; empty without a verdict."""
    reason: str = ""
    """Why there is no verdict, or why no judge was asked."""
    is_open: bool = False
    """Whether the judge never answered, so that it can be asked again."""
    usage: Usage = Usage()


EQUAL_REPLIES = ContestVerdict(score=0.5, reason="both replies are the same")
"""Verdict on equal replies, without a judge."""


def instructions(criteria: str = "") -> str:
    """Return the judge's instructions, with custom criteria in place of the default ones."""
    own = f"Better is what meets this criterion: {criteria}" if criteria else _USUAL
    return _SYSTEM.format(criteria=own, rule=FENCE_RULE)


def prompt(contest: Contest) -> str:
    """Return the judge's prompt, with each text fenced as data."""
    parts = {
        "question": contest.question,
        "context": contest.context,
        "expected answer": contest.expected,
        "first reply": contest.left,
        "second reply": contest.right,
    }
    always = ("question", "first reply", "second reply")
    return "\n\n".join(fence(text, name) for name, text in parts.items() if text or name in always)


def tokens_of(contests: Sequence[Contest], criteria: str = "") -> tuple[int, int]:
    """Estimate the input and output tokens of both orders of these contests."""
    instruction_tokens, asked = (
        tokens_in(instructions(criteria)),
        [contest for contest in contests if not contest.is_plain],
    )
    sent = sum(instruction_tokens + tokens_in(prompt(contest)) for contest in asked)
    return 2 * sent, 2 * ANSWER_TOKENS * len(asked)


async def judge_contests(
    contests: Sequence[Contest],
    model: PatientModel,
    *,
    concurrency: int,
    criteria: str = "",
    on_verdict: Callable[[int, ContestVerdict], None] = lambda place, verdict: None,
) -> list[ContestVerdict]:
    """Judge every contest, in order; raise Misconfigured if that is why there is no verdict at all."""
    verdicts = [ContestVerdict()] * len(contests)
    places: Iterator[int] = iter(range(len(contests)))
    system = instructions(criteria)

    async def work() -> None:
        set_scope(case=None, condition=None, trial=1)
        for place in places:
            verdicts[place] = verdict = await _judge(contests[place], model, system)
            on_verdict(place, verdict)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(concurrency, len(contests))):
            group.create_task(work())
    model.raise_misconfigured()
    return verdicts


async def _judge(contest: Contest, model: PatientModel, system: str) -> ContestVerdict:
    if contest.is_plain:
        return EQUAL_REPLIES
    first = await model.ask(system=system, user=prompt(contest), schema=Preference)
    if first.value is None:  # the other order would not decide anything
        return ContestVerdict(reason=first.reason, is_open=first.is_open, usage=first.usage)
    return _verdict(first, await model.ask(system=system, user=prompt(contest.mirrored_contest), schema=Preference))


_LEFT = {"first": 1.0, "second": 0.0, "neither": 0.5}


def _verdict(ahead: ModelOutcome[Preference], turned: ModelOutcome[Preference]) -> ContestVerdict:
    usage = ahead.usage + turned.usage
    if ahead.value is None or turned.value is None:
        return ContestVerdict(reason=turned.reason, is_open=turned.is_open, usage=usage)
    one, other = _LEFT[ahead.value.better], 1 - _LEFT[turned.value.better]
    agree = one == other
    return ContestVerdict(
        score=one if agree else 0.5,
        flipped=not agree,
        leans=one - other,
        confidence=(ahead.value.confidence + turned.value.confidence) / 2 if agree else None,
        explanations=(ahead.value.reasoning.strip(), turned.value.reasoning.strip()),
        usage=usage,
    )
