"""What goes into the metric and what comes out: Dataset, Batch, AgenticMetric, ToolCorrectnessScore."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from proctor.settings import nearest
from proctor.statistics.estimate import Estimate
from proctor.statistics.quality import Quality


class _Given(BaseModel):
    """Data from users: a field that looks misspelt is an error, any other unknown one is left alone."""

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
    """Unique within its Dataset."""
    query: str
    """What was asked."""
    assistant: str
    """What the agent answered."""
    ground_truth_assistant: str | None = None
    """The right answer. The metric refuses an interaction without one."""
    agentic: dict[str, Any] | None = None
    """What the agent did: `tools_used`, `final_answer_uses_tools`."""
    ground_truth_agentic: dict[str, Any] | None = None
    """What it should have done: `expected_tools`, `tool_sequence_matters`, `extra_tools_allowed`, `alternatives`,
    `must_use_result`."""
    observation: str | None = None
    """A note of yours; Context shows it to the judge, Agentic does not."""
    logprobs: dict[str, Any] | None = None
    """Kept for other metrics; not judged."""
    weight: float | None = Field(default=None, ge=0)
    """What it counts in the mean of Context; in Agentic every interaction counts the same."""


class Dataset(_Given):
    """One complete conversation."""

    session_id: str
    """Which conversation. Repeated trials of one conversation share it."""
    conversation: list[Batch]
    """Its interactions, in order."""
    assistant_id: str = ""
    """Which agent."""
    language: str | None = "english"
    """Not judged."""
    context: str = ""
    """What the conversation is about; Context judges its use, Agentic does not."""
    trial: int = Field(default=1, ge=1)
    """Which repetition of the conversation this is; (session_id, trial) is unique."""
    chatbot_role: str | None = None
    """Kept for other metrics; not judged."""


class ToolCorrectnessScore(BaseModel):
    """How right the tool calls of one interaction are."""

    tool_selection_correct: float
    """0 to 1: matched calls over all calls expected or used."""
    parameter_accuracy: float
    """0 to 1: right arguments of matched calls over the calls expected."""
    sequence_correct: float
    """0 to 1: how far the order was kept; 1 where it does not matter."""
    result_utilization: float
    """0 to 1: matched calls whose result was used."""
    overall_correctness: float
    """The weighted mean of the aspects that apply."""
    is_correct: bool
    """Whether it reaches the tool threshold, and every result that must be used was."""
    undecided: bool = False
    """Whether a result must be used and nothing shows whether it was: then the interaction has no verdict."""
    reasoning: str | None = None
    """What matched, was missing, extra, wrong, out of order or unused."""


class UnscoredInteraction(BaseModel):
    """An interaction without a verdict: its answer got no mark, and no wrong tools decide it."""

    index: int
    """Its place in the conversation, from 0."""
    qa_id: str
    reason: str


class AgenticMetric(BaseModel):
    """One conversation, judged."""

    session_id: str
    assistant_id: str = ""
    trial: int = 1
    total_interactions: int
    """All of them."""
    scored_interactions: int
    """Those with a verdict: n of the formulas. Wrong tools are one, even where the answer got no mark."""
    correct_interactions: int
    """c of the formulas."""
    is_fully_correct: bool | None
    """False as soon as one interaction is wrong; None: none is, but at least one could not be judged."""
    threshold: float
    tool_threshold: float
    correctness_scores: list[float | None]
    """One per interaction; None: the answer got no mark."""
    correct_indices: list[int]
    """Which interactions are correct, from 0."""
    tool_correctness_scores: list[ToolCorrectnessScore | None]
    """One per interaction; None: no tool calls were stated as expected."""
    explanations: list[str | None]
    """The judge's words, one per interaction; None: the answer got no mark."""
    unscored: list[UnscoredInteraction]
    """The interactions that are not in n, and why."""
    k: int
    pass_at_k: float | None
    """None: nothing was scored."""
    pass_at_k_ci_low: float | None = None
    pass_at_k_ci_high: float | None = None
    pass_pow_k: float | None
    pass_pow_k_ci_low: float | None = None
    pass_pow_k_ci_high: float | None = None
    method: str
    """plug-in (point estimate) or posterior."""
    quality: Quality | None = None
    """Reliable, Inconsistent, Fair or Needs improvement, by pass@k and pass^k; None: nothing was scored."""


class UnscoredPlace(UnscoredInteraction):
    """An unscored interaction and the conversation it stands in."""

    session_id: str
    trial: int = 1


class AgenticSummary(BaseModel):
    """All conversations together: here n counts conversations, so that more of them narrow the intervals."""

    model_config = ConfigDict(frozen=True)

    k: int
    conversations: int
    """Different session_ids."""
    attempts: int
    """Datasets: conversations times their trials."""
    counted: int
    """Attempts with a verdict."""
    fully_correct: int
    """Attempts of which every interaction is correct."""
    pass_rate: Estimate
    """Share of conversations that are fully correct."""
    pass_at_k: Estimate
    pass_pow_k: Estimate
    quality: str | None
    """Reliable, Inconsistent, Fair or Needs improvement; None: nothing was counted."""
    quality_certain: bool
    """Whether the label is the same at every end of the intervals."""
    assessment: str
    """The label with how far it can be trusted."""
    unscored: list[UnscoredPlace]
    """The interactions without a verdict, and why."""
    notes: list[str]
    """Sentences that belong beside the numbers."""
    judge_calls: int
    """Calls to the judge, retries and repairs included."""
    input_tokens: int
    output_tokens: int

    @property
    def n(self) -> int:
        """The conversations that pass@k and pass^k rest on."""
        return self.pass_at_k.n

    def __str__(self) -> str:
        lines = [
            f"{self.fully_correct} of {self.counted} conversations fully correct: {self.assessment}",
            f"  pass rate {_shown(self.pass_rate)}",
            f"  pass@{self.k} {_shown(self.pass_at_k)}",
            f"  pass^{self.k} {_shown(self.pass_pow_k)}",
            *(f"  {note}" for note in self.notes),
        ]
        return "\n".join(lines)


def _shown(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"– ({estimate.note})"
    return (
        f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}] "
        f"({estimate.level:.0%}, n = {estimate.n}, {estimate.method})"
    )
