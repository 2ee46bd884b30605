"""The Agentic metric: the correctness of complete conversations, with confidence.

    metrics = Agentic.run(MyRetriever, model=judge, k=3)
    for metric in metrics:
        print(metric.session_id, metric.pass_at_k, metric.pass_pow_k)
    print(metrics.summary)

An interaction is correct when the judge's score of its answer reaches `threshold` and, if tool calls were expected,
their score reaches `tool_threshold`. A conversation is correct when all its interactions are.
"""

from __future__ import annotations

import asyncio
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TextIO, TypeVar, Unpack

from pydantic import BaseModel

from proctor.metrics.conversations import CheckedConversation, Interaction, load, prepare, takes
from proctor.metrics.judge import JudgeVerdict, Told, judge_all
from proctor.metrics.marks import mark_tools, metrics_of
from proctor.metrics.schemas import (
    AgenticMetric,
    AgenticSummary,
    Batch,
    Dataset,
    ToolCorrectnessScore,
    UnscoredInteraction,
)
from proctor.metrics.settings import AgenticOptions, check_settings
from proctor.metrics.statistical import BayesianMode, FrequentistMode, StatisticalMode
from proctor.metrics.summary import summarise
from proctor.reports.run.frame import frame_library
from proctor.threads import run_anywhere


class Retriever(ABC):
    """A source of conversations. Subclass it and pass the class to a metric."""

    def __init__(self, **kwargs: Any) -> None:
        self.kwargs = kwargs

    @abstractmethod
    def load_dataset(self) -> Iterable[Dataset]:
        """Return the conversations, each as one Dataset, as a list or a generator."""


M = TypeVar("M", bound=BaseModel)


class MetricResults(list[M]):
    """List of a metric's results."""

    def to_dataframe(self) -> Any:
        """Return a data frame with one row per result, from pandas if installed, else from polars."""
        return frame_library().DataFrame([metric.model_dump() for metric in self])


class AgenticResults(MetricResults[AgenticMetric]):
    """One AgenticMetric per conversation, in input order."""

    def __init__(self, metrics: Iterable[AgenticMetric], *, summary: AgenticSummary) -> None:
        super().__init__(metrics)
        self.summary = summary


def _silent(conversation: CheckedConversation, interaction: Interaction, verdict: JudgeVerdict) -> None:
    """Show nothing."""


@contextmanager
def progress(total: int, *, verbose: bool, stream: TextIO | None = None) -> Iterator[Told]:
    """Yield the callback that reports each verdict during judging; silent unless `verbose`."""
    stream = stream or sys.stderr
    if not verbose:
        yield _silent
    elif stream.isatty():
        with _bar(total, stream) as callback:
            yield callback
    else:
        yield _lines(total, stream)


def _lines(total: int, stream: TextIO) -> Told:
    done = 0

    def report_verdict(conversation: CheckedConversation, interaction: Interaction, verdict: JudgeVerdict) -> None:
        nonlocal done
        done += 1
        with suppress(OSError):  # a closed pipe is no reason to lose verdicts
            print(f"[agentic {done}/{total}] {line(conversation, interaction, verdict)}", file=stream, flush=True)

    return report_verdict


@contextmanager
def _bar(total: int, stream: TextIO) -> Iterator[Told]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=stream, force_jupyter=False), transient=True) as bar:
        task = bar.add_task("judging", total=total)

        def report_verdict(conversation: CheckedConversation, interaction: Interaction, verdict: JudgeVerdict) -> None:
            text = line(conversation, interaction, verdict)
            bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
            bar.advance(task)

        yield report_verdict


def line(conversation: CheckedConversation, interaction: Interaction, verdict: JudgeVerdict) -> str:
    """Format one verdict on one line, replacing control characters."""
    trial = f" trial {conversation.trial}" if conversation.trial > 1 else ""
    outcome = (
        f"{verdict.score:.2f}: {verdict.explanation}" if verdict.score is not None else f"unscored: {verdict.reason}"
    )
    text = f"{conversation.session_id}{trial} {interaction.qa_id} {outcome}"
    return "".join(letter if letter.isprintable() else " " for letter in text)


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
        """Judge every conversation of the retriever. Works in scripts and in notebooks.

        Options: `model` and `k` (required), `statistical_mode` (FrequentistMode()), `threshold` (0.7), `tool_threshold`
        (1.0), `fold_names` (False), `tool_weights` (0.25 each), `use_structured_output` (True), `verbose` (False),
        `concurrency` (10), `retries` (2), `timeout` (60 s), `retriever_options`. The input is validated before the
        first call of the judge.
        """
        return run_anywhere(lambda: cls.arun(retriever, **options))

    @classmethod
    async def arun(cls, retriever: type[Retriever] | Retriever, **options: Unpack[AgenticOptions]) -> AgenticResults:
        """Async version of `run`."""
        own, retriever_options = split_options(retriever, options, AgenticOptions)
        settings = check_settings(own)
        conversations = prepare(
            await load(retriever, retriever_options),
            tool_threshold=settings.tool_threshold,
            fold_names=settings.fold_names,
        )
        total = sum(len(conversation.interactions) for conversation in conversations)
        with progress(total, verbose=settings.verbose) as callback:
            judged = judge_all(conversations, settings, callback)
            verdicts, tools = await asyncio.gather(judged, mark_tools(conversations, settings))
        metrics = metrics_of(conversations, verdicts, tools, settings)
        return AgenticResults(metrics, summary=summarise(metrics, verdicts, settings))


def split_options(
    retriever: Any, options: Mapping[str, Any], options_type: type
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split off the retriever's options, which are in `retriever_options` or named by its constructor."""
    given: dict[str, Any] = dict(options)
    retriever_options = dict(given.pop("retriever_options", None) or {})
    for name in takes(retriever) - options_type.__annotations__.keys():
        if name in given:
            retriever_options[name] = given.pop(name)
    return given, retriever_options
