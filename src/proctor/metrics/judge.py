"""The judge of the Agentic metric: scores answers concurrently, each interaction independently of the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator

from proctor.metrics.conversations import CheckedConversation, Interaction
from proctor.metrics.settings import AgenticSettings
from proctor.models.fence import FENCE_RULE, fence
from proctor.models.parse import LONGEST_EXPLANATION
from proctor.usage import Usage

_SYSTEM = f"""You judge whether an answer of an AI agent is correct. You are given the question, the expected answer \
and the agent's answer. The expected answer is the authority, even where you would answer otherwise.

Mark from 0 to 1:
- 1: it says the same in substance. Wording, length and politeness do not count.
- 0.75 to 0.95: right, with a slip that misleads nobody, such as a misspelt name.
- 0.4 to 0.7: partly right: something that matters is missing, or stands beside something wrong.
- 0 to 0.3: wrong, contradicts the expected answer, evades it, hedges between several answers, or is empty.

First give your reasoning in one or two sentences that name what decided it, then the mark.

{FENCE_RULE}"""


def _require_all(schema: dict[str, Any]) -> None:
    """Mark all fields as required in the schema; an answer without an explanation is still accepted."""
    schema["required"] = list(schema["properties"])
    for field in schema["properties"].values():
        field.pop("default", None)


class AnswerCorrectness(BaseModel):
    """Whether the answer is correct, and why."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=_require_all)

    reasoning: str = Field(
        default="",
        description="What decided the mark, in one or two sentences.",
        json_schema_extra={"maxLength": LONGEST_EXPLANATION},
    )
    correctness_score: float = Field(
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="The mark, from 0 to 1.",
        validation_alias=AliasChoices("correctness_score", "score"),
    )

    @field_validator("correctness_score", mode="before")
    @classmethod
    def _no_truth_value(cls, given: Any) -> Any:
        if isinstance(given, bool):
            raise ValueError("expected a number from 0 to 1, not true or false")
        return given


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeVerdict:
    """The judge's verdict on one answer, or why there is none."""

    score: float | None = None
    explanation: str | None = None
    reason: str = ""
    """Why there is no score."""
    usage: Usage = Usage()


Told = Callable[[CheckedConversation, Interaction, JudgeVerdict], None]


class Judge:
    """Requests one verdict at a time; stops calling the model once it is clear that it will not answer."""

    def __init__(self, settings: AgenticSettings) -> None:
        self._model = settings.patient_model()
        self.raise_misconfigured = self._model.raise_misconfigured

    async def verdict(self, interaction: Interaction) -> JudgeVerdict:
        """Return the verdict on one answer; a failure is a verdict without a score."""
        asked = await self._model.ask(system=_SYSTEM, user=prompt(interaction), schema=AnswerCorrectness)
        if asked.value is None:
            return JudgeVerdict(reason=asked.reason, usage=asked.usage)
        mark = asked.value
        return JudgeVerdict(score=mark.correctness_score, explanation=mark.reasoning.strip(), usage=asked.usage)


def prompt(interaction: Interaction) -> str:
    """Return the judge's prompt: question, expected answer and answer, each fenced as data."""
    parts = (
        ("question", interaction.question),
        ("expected answer", interaction.expected),
        ("answer of the agent", interaction.reply.text),
    )
    return "\n\n".join(fence(text, name) for name, text in parts)


async def judge_all(
    conversations: Sequence[CheckedConversation], settings: AgenticSettings, report_verdict: Told
) -> list[list[JudgeVerdict]]:
    """Judge every interaction; raise Misconfigured if that is why not a single verdict was given."""
    judge = Judge(settings)
    verdicts = [[JudgeVerdict()] * len(conversation.interactions) for conversation in conversations]
    places = _interaction_positions(conversations)

    async def work() -> None:
        for at, place in places:
            conversation = conversations[at]
            interaction = conversation.interactions[place]
            verdicts[at][place] = verdict = await judge.verdict(interaction)
            report_verdict(conversation, interaction, verdict)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(settings.concurrency, sum(map(len, verdicts)))):
            group.create_task(work())
    judge.raise_misconfigured()
    return verdicts


def _interaction_positions(conversations: Sequence[CheckedConversation]) -> Iterator[tuple[int, int]]:
    """Yield the indexes of all interactions; the workers share the iterator, so that each is judged once."""
    for at, conversation in enumerate(conversations):
        for place in range(len(conversation.interactions)):
            yield at, place
