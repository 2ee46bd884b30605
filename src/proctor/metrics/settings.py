"""Validation of the metrics' keyword arguments, before any call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Required, TypedDict

from proctor.errors import InputError, UsageError
from proctor.metrics.statistical import FrequentistMode, StatisticalMode, is_number
from proctor.models.contract import ChatModel
from proctor.models.load import load_model
from proctor.reviewers.tools import tool_weights
from proctor.settings import BOUNDS, did_you_mean, shown
from proctor.workflows.patient_model import PatientModel

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class AgenticOptions(TypedDict, total=False):
    """Keyword arguments of `Agentic.run` and `Agentic.arun`."""

    model: Required[BaseChatModel | str]
    """The judge: a LangChain chat model, or a name such as `openai:MODEL`."""
    k: Required[int]
    """The k of pass@k and pass^k."""
    statistical_mode: StatisticalMode | None
    """FrequentistMode() or BayesianMode()."""
    threshold: float
    """Minimum score of a correct answer."""
    tool_threshold: float
    """Minimum score of correct tool calls."""
    fold_names: bool
    """Whether to ignore case and separators in names of tools."""
    tool_weights: Mapping[str, float] | None
    """Weights of selection, parameters, sequence, utilization; 0.25 each."""
    use_structured_output: bool
    """Whether to request structured output; if False, JSON is extracted from the judge's text."""
    verbose: bool
    """Show progress and the judge's explanations on standard error."""
    concurrency: int
    """Maximum number of concurrent judge calls."""
    retries: int
    """Number of retries if the judge does not answer."""
    timeout: float
    """Timeout of one judge call in seconds."""
    retriever_options: Mapping[str, Any] | None
    """Keyword arguments for the retriever's constructor."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeSettings:
    """Validated settings of the judge, common to all metrics."""

    model: ChatModel
    use_structured_output: bool
    verbose: bool
    concurrency: int
    retries: int
    timeout: float

    def patient_model(self) -> PatientModel:
        """Return the judge's model with these retries and this timeout."""
        return PatientModel(
            self.model, structured=self.use_structured_output, retries=self.retries, timeout=self.timeout
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class AgenticSettings(JudgeSettings):
    """Validated settings of the Agentic metric."""

    k: int
    statistical_mode: StatisticalMode
    threshold: float
    tool_threshold: float
    fold_names: bool
    tool_weights: dict[str, float]


def check_settings(options: Mapping[str, Any]) -> AgenticSettings:
    """Validate the keyword arguments; raise UsageError or InputError for the first invalid one."""
    check_names(options, AgenticOptions, metric="Agentic", required=("model", "k"))
    return AgenticSettings(
        k=_read_integer("k", options["k"]),
        statistical_mode=mode_of(options.get("statistical_mode")),
        threshold=_share("threshold", options.get("threshold", 0.7)),
        tool_threshold=_share("tool_threshold", options.get("tool_threshold", 1.0)),
        fold_names=_flag("fold_names", options.get("fold_names", False)),
        tool_weights=tool_weights(options.get("tool_weights")),
        **of_judge(options),
    )


def of_judge(options: Mapping[str, Any], *, structured: bool = True) -> dict[str, Any]:
    """Return the judge's settings as arguments of JudgeSettings; `structured` is the default of structured output."""
    return {
        "use_structured_output": _flag("use_structured_output", options.get("use_structured_output", structured)),
        "verbose": _flag("verbose", options.get("verbose", False)),
        "concurrency": _read_integer("concurrency", options.get("concurrency", 10)),
        "retries": _read_integer("retries", options.get("retries", 2)),
        "timeout": _seconds("timeout", options.get("timeout", 60.0)),
        "model": load_model(options["model"]),
    }


def check_names(options: Mapping[str, Any], options_type: type, *, metric: str, required: Iterable[str]) -> None:
    """Refuse unknown keyword arguments and missing required ones."""
    known = options_type.__annotations__
    for name in options:
        if name not in known:
            meant = did_you_mean(name, known, otherwise=f"expected one of {', '.join(known)}.")
            raise UsageError(
                f"{metric}.run() has no keyword argument {name!r}: {meant} "
                "What the retriever's constructor takes goes into retriever_options={…}."
            )
    for name in required:
        if name not in options:
            raise UsageError(f"{metric}.run() needs {name}=…; it has no default")


def _read_integer(name: str, value: object) -> int:
    bounds = BOUNDS[name]
    number = None if isinstance(value, bool) or not hasattr(value, "__index__") else int(value)
    if number is None or not bounds.holds(number):
        raise InputError(f"{name}={shown(value)} cannot be used: expected {bounds.requirement}")
    return number


def _share(name: str, value: Any) -> float:
    if not is_number(value) or not 0 <= value <= 1:
        raise InputError(f"{name}={shown(value)} cannot be used: expected a number from 0 to 1")
    return float(value)


def _seconds(name: str, value: Any) -> float:
    bounds = BOUNDS[name]
    if not is_number(value) or not 0 < value <= bounds.most:
        raise InputError(f"{name}={shown(value)} cannot be used: expected {bounds.requirement}")
    return float(value)


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{name}={value!r} cannot be used: expected True or False")
    return value


def mode_of(mode: object) -> StatisticalMode:
    """Return the given mode or the default; raise InputError if it is not a mode."""
    if mode is None:
        return FrequentistMode()
    if isinstance(mode, StatisticalMode):
        return mode
    description = f"{mode.__name__}, a class: write {mode.__name__}()" if isinstance(mode, type) else repr(mode)
    raise InputError(f"statistical_mode is {description}; expected FrequentistMode() or BayesianMode()")
