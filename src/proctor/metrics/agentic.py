"""The Agentic metric: are complete conversations right, and with which certainty?

    metrics = Agentic.run(MyRetriever, model=judge, k=3)
    for metric in metrics:
        print(metric.session_id, metric.pass_at_k, metric.pass_pow_k)
    print(metrics.summary)

An interaction is correct when the judge's score of its answer reaches `threshold` and, where tool calls were expected,
their score reaches `tool_threshold`. A conversation is correct when all its interactions are.
"""

from __future__ import annotations

import asyncio
from typing import Any, Unpack

from proctor.metrics.conversations import load, prepare, takes
from proctor.metrics.judge import judge_all
from proctor.metrics.marks import mark_tools, metrics_of
from proctor.metrics.progress import progress
from proctor.metrics.results import AgenticResults
from proctor.metrics.retriever import Retriever
from proctor.metrics.schemas import (
    AgenticMetric,
    AgenticSummary,
    Batch,
    Dataset,
    ToolCorrectnessScore,
    UnscoredInteraction,
)
from proctor.metrics.settings import AgenticOptions, checked
from proctor.metrics.statistical import BayesianMode, FrequentistMode, StatisticalMode
from proctor.metrics.summary import summarise
from proctor.threads import run_anywhere

__all__ = [
    "Agentic",
    "AgenticMetric",
    "AgenticResults",
    "AgenticSummary",
    "Batch",
    "BayesianMode",
    "Dataset",
    "FrequentistMode",
    "Retriever",
    "StatisticalMode",
    "ToolCorrectnessScore",
    "UnscoredInteraction",
]


class Agentic:
    """Judges recorded conversations: pass@k, pass^k and tool correctness."""

    @classmethod
    def run(cls, retriever: type[Retriever] | Retriever, **options: Unpack[AgenticOptions]) -> AgenticResults:
        """Judge every conversation of the retriever; works in scripts and in notebooks.

        Options: `model` and `k` (required), `statistical_mode` (FrequentistMode()), `threshold` (0.7),
        `tool_threshold` (1.0), `tool_weights` (0.25 each), `use_structured_output` (True), `verbose` (False),
        `concurrency` (10), `retries` (2), `timeout` (60 s), `retriever_options`. Input is checked before the judge is
        called for the first time.
        """
        return run_anywhere(lambda: cls.arun(retriever, **options))

    @classmethod
    async def arun(cls, retriever: type[Retriever] | Retriever, **options: Unpack[AgenticOptions]) -> AgenticResults:
        """The same, awaited."""
        own, theirs = _split(retriever, options)
        settings = checked(own)
        conversations = prepare(await load(retriever, theirs), tool_threshold=settings.tool_threshold)
        total = sum(len(conversation.interactions) for conversation in conversations)
        with progress(total, verbose=settings.verbose) as told:
            judged = judge_all(conversations, settings, told)
            verdicts, tools = await asyncio.gather(judged, mark_tools(conversations, settings))
        metrics = metrics_of(conversations, verdicts, tools, settings)
        return AgenticResults(metrics, summary=summarise(metrics, verdicts, settings))


def _split(retriever: Any, options: AgenticOptions) -> tuple[dict[str, Any], dict[str, Any]]:
    """The metric's own options, and those of the retriever: in `retriever_options`, or named by its constructor."""
    given: dict[str, Any] = dict(options)
    theirs = dict(given.pop("retriever_options", None) or {})
    for name in takes(retriever) - AgenticOptions.__annotations__.keys():
        if name in given:
            theirs[name] = given.pop(name)
    return given, theirs
