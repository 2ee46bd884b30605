"""The Context metric: judge whether an agent's answers use the context of their conversation.

    metrics = Context.run(MyRetriever, model=judge)
    for metric in metrics:
        print(metric.session_id, metric.context_awareness)

The score is the part `context` of the model reviewer, as in `proctor run --reviewer MODEL`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Required, TypedDict, Unpack

from pydantic import BaseModel

from proctor.benchmark import Case
from proctor.errors import InputError
from proctor.metrics.agentic import MetricResults, Retriever, split_options
from proctor.metrics.conversations import load
from proctor.metrics.schemas import Batch, Dataset
from proctor.metrics.settings import JudgeSettings, check_names, mode_of, of_judge
from proctor.metrics.statistical import BayesianMode, FrequentistMode, StatisticalMode
from proctor.models.load import load_model
from proctor.models.structured import StructuredAnswer, UnusableAnswer
from proctor.reviewers.model import ModelReviewer, usual_temperature
from proctor.score import Part
from proctor.statistics.intervals import wilson
from proctor.threads import run_anywhere
from proctor.transcript import Reply, Turn
from proctor.usage import Usage
from proctor.workflows.patient_model import ModelOutcome

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

__all__ = [
    "Batch",
    "BayesianMode",
    "Context",
    "ContextInteraction",
    "ContextMetric",
    "ContextResults",
    "Dataset",
    "FrequentistMode",
    "Retriever",
]
_PART = "context"


class ContextOptions(TypedDict, total=False):
    """Keyword arguments of `Context.run` and `Context.arun`."""

    model: Required[BaseChatModel | str]
    """The judge: a LangChain chat model, or a name such as `openai:MODEL`."""
    statistical_mode: StatisticalMode | None
    """FrequentistMode() or BayesianMode(), which determines the interval."""
    use_structured_output: bool
    """Whether to request structured output; if False, JSON is extracted from the judge's text."""
    verbose: bool
    """Show each score on standard error."""
    concurrency: int
    """Maximum number of concurrent judge calls."""
    retries: int
    """Number of retries if the judge does not answer."""
    timeout: float
    """Timeout of one judge call in seconds."""
    retriever_options: Mapping[str, Any] | None
    """Keyword arguments for the retriever's constructor."""


class ContextInteraction(BaseModel):
    """Result of one answer."""

    qa_id: str
    context_awareness: float | None
    """The reviewer's score for the use of the context, or None."""
    weight: float = 1.0
    """Weight in the mean."""
    explanation: str | None = None
    """The judge's explanation."""
    unscored: str = ""
    """Why there is no score."""


class ContextMetric(BaseModel):
    """Result of one conversation of one agent."""

    session_id: str
    assistant_id: str = ""
    trial: int = 1
    n_interactions: int
    """Number of interactions."""
    scored_interactions: int
    """Number of interactions with a score."""
    context_awareness: float | None
    """Weighted mean of the scores, or None if no score has a positive weight."""
    context_awareness_ci_low: float | None
    context_awareness_ci_high: float | None
    method: str
    """Method of the interval."""
    interactions: list[ContextInteraction]


class ContextResults(MetricResults[ContextMetric]):
    """One ContextMetric per Dataset, in input order."""


@dataclass(frozen=True, slots=True)
class _BatchPlace:
    dataset: Dataset
    batch: Batch


class Context:
    """Judges how recorded answers use the context of their conversation."""

    @classmethod
    def run(cls, retriever: type[Retriever] | Retriever, **options: Unpack[ContextOptions]) -> ContextResults:
        """Judge every answer of the retriever. Works in scripts and in notebooks.

        Options: `model` (required), `statistical_mode` (FrequentistMode()), `use_structured_output` (True), `verbose`
        (False), `concurrency` (10), `retries` (2), `timeout` (60 s), `retriever_options`.
        """
        return run_anywhere(lambda: cls.arun(retriever, **options))

    @classmethod
    async def arun(cls, retriever: type[Retriever] | Retriever, **options: Unpack[ContextOptions]) -> ContextResults:
        """Async version of `run`."""
        own, retriever_options = split_options(retriever, options, ContextOptions)
        check_names(own, ContextOptions, metric="Context", required=("model",))
        mode = mode_of(own.get("statistical_mode"))
        settings = JudgeSettings(**of_judge({**own, "model": _as_reviewer(own["model"])}))
        datasets = await load(retriever, retriever_options)
        _check(datasets)
        places = [_BatchPlace(dataset, batch) for dataset in datasets for batch in dataset.conversation]
        marks = iter(await _judge(places, settings))
        return ContextResults(
            _metric(dataset, [_interaction(batch, next(marks)) for batch in dataset.conversation], mode)
            for dataset in datasets
        )


def _as_reviewer(model: Any) -> Any:
    """Load a model given by name with the temperature of a reviewer."""
    if not isinstance(model, str):
        return model
    return load_model(model, temperature=usual_temperature(model))


def _check(datasets: Sequence[Dataset]) -> None:
    """Check that every conversation has a context and is unique by session, agent and trial."""
    seen = set()
    for place, dataset in enumerate(datasets, 1):
        where = f"dataset {place}, conversation {dataset.session_id!r} of assistant_id={dataset.assistant_id!r}"
        key = (dataset.session_id, dataset.assistant_id, dataset.trial)
        if key in seen:
            raise InputError(
                f"{where}: there is another with trial={dataset.trial}; number repetitions by trial=1, 2, …"
            )
        seen.add(key)
        if not dataset.conversation:
            raise InputError(f"{where}: its conversation is empty; expected at least one Batch")
        if not dataset.context.strip():
            raise InputError(f"{where}: context={dataset.context!r}; expected the context that answers should use")


def case_of(dataset: Dataset, batch: Batch) -> Case:
    """Return the case for the reviewer; its answer is the ground truth if known, never the agent's own."""
    noted = f"{dataset.context}\n\nObservation: {batch.observation}" if batch.observation else dataset.context
    return Case(id=batch.qa_id, question=batch.query, answer=batch.ground_truth_assistant or None, context=noted)


async def _judge(places: Sequence[_BatchPlace], settings: JudgeSettings) -> list[ModelOutcome[Part]]:
    """Return the score of every answer, in the same order."""
    reviewer = ModelReviewer(settings.model, name="context", structured=settings.use_structured_output)
    patient = settings.patient_model()
    marks: list[ModelOutcome[Part]] = [ModelOutcome()] * len(places)
    waiting = iter(range(len(places)))

    async def work() -> None:
        for at in waiting:
            place = places[at]
            marks[at] = await patient.wait_for(lambda place=place: _review(reviewer, place))  # type: ignore[misc]
            _print_verdict(place, marks[at], verbose=settings.verbose)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(settings.concurrency, len(places))):
            group.create_task(work())
    patient.raise_misconfigured()
    return marks


async def _review(reviewer: ModelReviewer, place: _BatchPlace) -> StructuredAnswer[Part]:
    batch = place.batch
    turn = Turn(number=1, question=batch.query, reply=Reply(text=batch.assistant), case=batch.qa_id)
    review = await reviewer.review(case_of(place.dataset, batch), [turn])
    usage = review.usage or Usage()
    for part in review.parts:
        if part.name == _PART:
            return StructuredAnswer(value=part, text=review.explanation or "", usage=usage)
    raise UnusableAnswer(review.unscored or "the judge gave no score for the context", usage)


def _print_verdict(place: _BatchPlace, mark: ModelOutcome[Part], *, verbose: bool) -> None:
    if not verbose:
        return
    outcome = f"unscored: {mark.reason}" if mark.value is None else f"{mark.value.value:.2f}: {mark.value.explanation}"
    text = f"[context] {place.dataset.session_id} {place.batch.qa_id} {outcome}"
    with suppress(OSError):  # a closed pipe is no reason to lose scores
        sys.stderr.write("".join(letter if letter.isprintable() else " " for letter in text) + "\n")


def _interaction(batch: Batch, mark: ModelOutcome[Part]) -> ContextInteraction:
    return ContextInteraction(
        qa_id=batch.qa_id,
        context_awareness=None if mark.value is None else mark.value.value,
        weight=1.0 if batch.weight is None else batch.weight,
        explanation=None if mark.value is None else mark.value.explanation,
        unscored=mark.reason,
    )


def _metric(dataset: Dataset, interactions: list[ContextInteraction], mode: StatisticalMode) -> ContextMetric:
    marks = [(one.context_awareness, one.weight) for one in interactions if one.context_awareness is not None]
    mean, low, high = _mean([(mark, weight) for mark, weight in marks if weight > 0], mode)
    return ContextMetric(
        session_id=dataset.session_id,
        assistant_id=dataset.assistant_id,
        trial=dataset.trial,
        n_interactions=len(interactions),
        scored_interactions=len(marks),
        context_awareness=mean,
        context_awareness_ci_low=low,
        context_awareness_ci_high=high,
        method="posterior" if isinstance(mode, BayesianMode) else "wilson",
        interactions=interactions,
    )


def _mean(
    marks: Sequence[tuple[float, float]], mode: StatisticalMode
) -> tuple[float | None, float | None, float | None]:
    """Return the weighted mean and its interval, based on the effective sample size (Kish 1965)."""
    if not marks:
        return None, None, None
    total = sum(weight for _, weight in marks)
    mean = min(1.0, max(0.0, sum(mark * weight for mark, weight in marks) / total))
    low, high = _ends(mean, total**2 / sum(weight**2 for _, weight in marks), mode)
    return mean, low, high


def _ends(mean: float, n: float, mode: StatisticalMode) -> tuple[float, float]:
    if not isinstance(mode, BayesianMode):
        return wilson(mean, n)
    from scipy.special import betaincinv

    a, b, tail = mode.beta_prior_a + mean * n, mode.beta_prior_b + (1 - mean) * n, (1 - mode.ci_level) / 2
    return min(mean, float(betaincinv(a, b, tail))), max(mean, float(betaincinv(a, b, 1 - tail)))
