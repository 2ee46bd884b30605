"""Input and output models of the metrics: Dataset, Batch, AgenticMetric, ToolCorrectnessScore."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from proctor.settings import nearest
from proctor.statistics.estimate import Estimate
from proctor.statistics.quality import Quality


class _Given(BaseModel):
    """Base of user-supplied data: a field that looks misspelt is an error, other unknown fields are ignored."""

    @model_validator(mode="before")
    @classmethod
    def _no_misspelt_fields(cls, given: Any) -> Any:
        if isinstance(given, dict):
            for name in given.keys() - cls.model_fields.keys():
                if near := nearest(name, cls.model_fields, alike=0.85):
                    raise ValueError(f"unknown field {name!r}; did you mean {near!r}?")
        return given


class Batch(_Given):
    """One interaction: a question, the agent's answer, and what was expected."""

    qa_id: str
    """Identifier, unique within the Dataset."""
    query: str
    """The question."""
    assistant: str
    """The agent's answer."""
    ground_truth_assistant: str | None = None
    """The expected answer, which the Agentic metric requires."""
    agentic: dict[str, Any] | None = None
    """The agent's tool use: `tools_used`, `final_answer_uses_tools`."""
    ground_truth_agentic: dict[str, Any] | None = None
    """The expected tool use: `expected_tools`, `tool_sequence_matters`, `extra_tools_allowed`, `alternatives`,
    `must_use_result`."""
    observation: str | None = None
    """Free-form note, shown to the judge by Context but not by Agentic."""
    logprobs: dict[str, Any] | None = None
    """Kept for other metrics; not judged."""
    weight: float | None = Field(default=None, ge=0)
    """Weight in the mean of Context; Agentic weights all interactions equally."""


class Dataset(_Given):
    """One complete conversation."""

    session_id: str
    """Identifier of the conversation, shared by its repeated trials."""
    conversation: list[Batch]
    """Its interactions, in order."""
    assistant_id: str = ""
    """Identifier of the agent."""
    language: str | None = "english"
    """Not judged."""
    context: str = ""
    """Context of the conversation; Context judges its use, Agentic ignores it."""
    trial: int = Field(default=1, ge=1)
    """Number of the repetition; (session_id, trial) is unique."""
    chatbot_role: str | None = None
    """Kept for other metrics; not judged."""


class ToolCorrectnessScore(BaseModel):
    """Correctness of the tool calls of one interaction."""

    tool_selection_correct: float
    """0 to 1: matched calls divided by all calls expected or used."""
    parameter_accuracy: float
    """0 to 1: correct arguments of matched calls divided by those of the expected calls."""
    sequence_correct: float
    """0 to 1: how well the order was kept; 1 if it does not matter."""
    result_utilization: float
    """0 to 1: share of matched calls whose result was used."""
    overall_correctness: float
    """Weighted mean of the applicable aspects."""
    is_correct: bool
    """Whether it reaches the tool threshold and every result that must be used was used."""
    undecided: bool = False
    """Whether it is unknown if a required result was used, so that the interaction has no verdict."""
    reasoning: str | None = None
    """Description of calls that matched, were missing, extra, wrong, out of order or unused."""


class UnscoredInteraction(BaseModel):
    """An interaction without a verdict: its answer has no score and its tools do not decide it."""

    index: int
    """Index in the conversation, from 0."""
    qa_id: str
    reason: str


class AgenticMetric(BaseModel):
    """Result of one conversation."""

    session_id: str
    assistant_id: str = ""
    trial: int = 1
    total_interactions: int
    """Number of interactions."""
    scored_interactions: int
    """Interactions with a verdict, the n of the formulas; wrong tools count as one even if the answer has no score."""
    correct_interactions: int
    """Correct interactions, the c of the formulas."""
    is_fully_correct: bool | None
    """False if any interaction is wrong; None if none is wrong but some could not be judged."""
    threshold: float
    tool_threshold: float
    correctness_scores: list[float | None]
    """One score per interaction; None where the answer has no score."""
    correct_indices: list[int]
    """Indexes of the correct interactions, from 0."""
    tool_correctness_scores: list[ToolCorrectnessScore | None]
    """One score per interaction; None where no tool calls were expected."""
    explanations: list[str | None]
    """The judge's explanation per interaction; None where the answer has no score."""
    unscored: list[UnscoredInteraction]
    """The interactions not counted in n, with reasons."""
    k: int
    pass_at_k: float | None
    """pass@k, or None if nothing was scored."""
    pass_at_k_ci_low: float | None = None
    pass_at_k_ci_high: float | None = None
    pass_pow_k: float | None
    pass_pow_k_ci_low: float | None = None
    pass_pow_k_ci_high: float | None = None
    method: str
    """`plug-in` (point estimate) or `posterior`."""
    quality: Quality | None = None
    """Reliable, Inconsistent, Fair or Needs improvement, from pass@k and pass^k; None if nothing was scored."""


class UnscoredPlace(UnscoredInteraction):
    """An unscored interaction with its conversation."""

    session_id: str
    trial: int = 1


class AgenticSummary(BaseModel):
    """Results over all conversations; n counts conversations, so that more of them narrow the intervals."""

    model_config = ConfigDict(frozen=True)

    k: int
    conversations: int
    """Number of distinct session_ids."""
    attempts: int
    """Number of Datasets: conversations times trials."""
    counted: int
    """Attempts with a verdict."""
    fully_correct: int
    """Attempts in which every interaction is correct."""
    pass_rate: Estimate
    """Share of conversations that are fully correct."""
    pass_at_k: Estimate
    pass_pow_k: Estimate
    quality: str | None
    """Reliable, Inconsistent, Fair or Needs improvement; None if nothing was counted."""
    quality_certain: bool
    """Whether the label is the same at all ends of the intervals."""
    assessment: str
    """The label with its certainty, as a sentence."""
    unscored: list[UnscoredPlace]
    """Interactions without a verdict, with reasons."""
    notes: list[str]
    """Notes that must be shown with the numbers."""
    judge_calls: int
    """Number of judge calls, including retries and repairs."""
    input_tokens: int
    output_tokens: int

    @property
    def n(self) -> int:
        """Number of conversations that pass@k and pass^k are based on."""
        return self.pass_at_k.n

    def __str__(self) -> str:
        lines = [
            f"{self.fully_correct} of {self.counted} conversations fully correct: {self.assessment}",
            f"  pass rate {_format_estimate(self.pass_rate)}",
            f"  pass@{self.k} {_format_estimate(self.pass_at_k)}",
            f"  pass^{self.k} {_format_estimate(self.pass_pow_k)}",
            *(f"  {note}" for note in self.notes),
        ]
        return "\n".join(lines)


def _format_estimate(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"– ({estimate.note})"
    return (
        f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}] "
        f"({estimate.level:.0%}, n = {estimate.n}, {estimate.method})"
    )
