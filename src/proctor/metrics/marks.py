"""Combine verdicts and tool scores into one AgenticMetric per conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from proctor.metrics.conversations import CheckedConversation, Interaction
from proctor.metrics.judge import JudgeVerdict
from proctor.metrics.schemas import AgenticMetric, ToolCorrectnessScore, UnscoredInteraction
from proctor.metrics.settings import AgenticSettings
from proctor.metrics.statistical import Rates
from proctor.reviewers.tools import best_score
from proctor.score import reaches
from proctor.statistics.quality import label

ToolScores = list[list[ToolCorrectnessScore | None]]


async def mark_tools(conversations: Sequence[CheckedConversation], settings: AgenticSettings) -> ToolScores:
    """Score the tool calls of every interaction; None where no calls were expected.

    This needs no judge and yields to the event loop, so it runs while waiting for the judge.
    """
    scores = []
    for conversation in conversations:
        scores.append([_tools(interaction, settings) for interaction in conversation.interactions])
        await asyncio.sleep(0)
    return scores


def _tools(interaction: Interaction, settings: AgenticSettings) -> ToolCorrectnessScore | None:
    best = best_score(
        interaction.expectations, interaction.reply, question=interaction.question, weights=settings.tool_weights
    )
    if best is None:
        return None
    return ToolCorrectnessScore(
        tool_selection_correct=best.selection,
        parameter_accuracy=best.parameters,
        sequence_correct=best.sequence,
        result_utilization=best.utilisation,
        overall_correctness=best.overall,
        is_correct=best.is_correct,
        undecided=best.is_correct and bool(best.undecided),
        reasoning=best.explanation,
    )


def is_correct(verdict: JudgeVerdict, tools: ToolCorrectnessScore | None, threshold: float) -> bool | None:
    """Whether the interaction is correct; wrong tools or a wrong answer alone make it wrong. None if undecided."""
    if tools is not None and not tools.is_correct:
        return False
    right = None if verdict.score is None else reaches(verdict.score, threshold)
    return None if right and tools is not None and tools.undecided else right


def metrics_of(
    conversations: Sequence[CheckedConversation],
    verdicts: Sequence[Sequence[JudgeVerdict]],
    tools: ToolScores,
    settings: AgenticSettings,
) -> list[AgenticMetric]:
    """Return one metric per conversation, in the same order."""
    correct = [
        [
            is_correct(verdict, score, settings.threshold)
            for verdict, score in zip(session_verdicts, scores, strict=True)
        ]
        for session_verdicts, scores in zip(verdicts, tools, strict=True)
    ]
    counts = [(len(marks) - marks.count(None), marks.count(True)) for marks in correct]
    rates = iter(settings.statistical_mode.rates([pair for pair in counts if pair[0]], settings.k))
    return [
        _metric(each, session_verdicts, scores, marks, rates=next(rates) if n else None, settings=settings)
        for each, session_verdicts, scores, marks, (n, _) in zip(
            conversations, verdicts, tools, correct, counts, strict=True
        )
    ]


def _metric(
    conversation: CheckedConversation,
    verdicts: Sequence[JudgeVerdict],
    tools: list[ToolCorrectnessScore | None],
    correct: list[bool | None],
    *,
    rates: Rates | None,
    settings: AgenticSettings,
) -> AgenticMetric:
    return AgenticMetric(
        session_id=conversation.session_id,
        assistant_id=conversation.assistant_id,
        trial=conversation.trial,
        total_interactions=len(correct),
        scored_interactions=len(correct) - correct.count(None),
        correct_interactions=correct.count(True),
        is_fully_correct=False if False in correct else None if None in correct else True,
        threshold=settings.threshold,
        tool_threshold=settings.tool_threshold,
        correctness_scores=[verdict.score for verdict in verdicts],
        correct_indices=[index for index, right in enumerate(correct) if right],
        tool_correctness_scores=tools,
        explanations=[verdict.explanation for verdict in verdicts],
        unscored=_unscored_interactions(conversation, verdicts, tools, correct),
        k=settings.k,
        pass_at_k=rates.at_k if rates else None,
        pass_at_k_ci_low=rates.at_k_low if rates else None,
        pass_at_k_ci_high=rates.at_k_high if rates else None,
        pass_pow_k=rates.hat_k if rates else None,
        pass_pow_k_ci_low=rates.hat_k_low if rates else None,
        pass_pow_k_ci_high=rates.hat_k_high if rates else None,
        method=settings.statistical_mode.method,
        quality=label(rates.at_k, rates.hat_k) if rates else None,
    )


def _unscored_interactions(
    conversation: CheckedConversation,
    verdicts: Sequence[JudgeVerdict],
    tools: Sequence[ToolCorrectnessScore | None],
    correct: Sequence[bool | None],
) -> list[UnscoredInteraction]:
    """Return the interactions not counted in n; wrong tools decide an interaction even if its answer has no score."""
    judged = zip(conversation.interactions, verdicts, tools, correct, strict=True)
    return [
        UnscoredInteraction(index=index, qa_id=interaction.qa_id, reason=_reason(verdict, score))
        for index, (interaction, verdict, score, right) in enumerate(judged)
        if right is None
    ]


def _reason(verdict: JudgeVerdict, tools: ToolCorrectnessScore | None) -> str:
    return (tools.reasoning or "") if verdict.score is not None and tools is not None else verdict.reason
