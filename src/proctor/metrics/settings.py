"""The metric's keyword arguments, checked before anything is asked of anybody."""

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
    """Number of attempts that pass@k and pass^k speak of."""
    statistical_mode: StatisticalMode | None
    """FrequentistMode() or BayesianMode()."""
    threshold: float
    """An answer is correct from this score on."""
    tool_threshold: float
    """Tool calls are correct from this score on."""
    fold_names: bool
    """Compare names of tools without case and separators."""
    tool_weights: Mapping[str, float] | None
    """Weights of selection, parameters, sequence, utilization; 0.25 each."""
    use_structured_output: bool
    """False: the judge's JSON is read out of its text."""
    verbose: bool
    """Show progress and the judge's words on standard error."""
    concurrency: int
    """Judge calls under way at once."""
    retries: int
    """Further tries where the judge does not answer."""
    timeout: float
    """Seconds that one judge call may take."""
    retriever_options: Mapping[str, Any] | None
    """Keyword arguments for the retriever's own constructor."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeSettings:
    """How the judge is asked, checked and complete; every metric has them."""

    model: ChatModel
    use_structured_output: bool
    verbose: bool
    concurrency: int
    retries: int
    timeout: float

    def patient_model(self) -> PatientModel:
        """The judge, asked as patiently as that."""
        return PatientModel(
            self.model, structured=self.use_structured_output, retries=self.retries, timeout=self.timeout
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class AgenticSettings(JudgeSettings):
    """The same with all that Agentic takes."""

    k: int
    statistical_mode: StatisticalMode
    threshold: float
    tool_threshold: float
    fold_names: bool
    tool_weights: dict[str, float]


def check_settings(options: Mapping[str, Any]) -> AgenticSettings:
    """The settings that these keyword arguments make; raises UsageError or InputError for the first wrong one."""
    check_names(options, AgenticOptions, metric="Agentic", required=("model", "k"))
    return AgenticSettings(
        k=_whole("k", options["k"]),
        statistical_mode=mode_of(options.get("statistical_mode")),
        threshold=_share("threshold", options.get("threshold", 0.7)),
        tool_threshold=_share("tool_threshold", options.get("tool_threshold", 1.0)),
        fold_names=_flag("fold_names", options.get("fold_names", False)),
        tool_weights=tool_weights(options.get("tool_weights")),
        **of_judge(options),
    )


def of_judge(options: Mapping[str, Any], *, structured: bool = True) -> dict[str, Any]:
    """The settings of the judge, as keyword arguments of JudgeSettings; `structured` where nothing is said."""
    return {
        "use_structured_output": _flag("use_structured_output", options.get("use_structured_output", structured)),
        "verbose": _flag("verbose", options.get("verbose", False)),
        "concurrency": _whole("concurrency", options.get("concurrency", 10)),
        "retries": _whole("retries", options.get("retries", 2)),
        "timeout": _seconds("timeout", options.get("timeout", 60.0)),
        "model": load_model(options["model"]),
    }


def check_names(options: Mapping[str, Any], options_type: type, *, metric: str, required: Iterable[str]) -> None:
    """Refuse keyword arguments that a metric does not have, and miss those that it needs."""
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


def _whole(name: str, value: object) -> int:
    bounds = BOUNDS[name]
    whole = None if isinstance(value, bool) or not hasattr(value, "__index__") else int(value)
    if whole is None or not bounds.holds(whole):
        raise InputError(f"{name}={shown(value)} cannot be used: expected {bounds.requirement}")
    return whole


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
    """The mode that was given, or the usual one; raises InputError."""
    if mode is None:
        return FrequentistMode()
    if isinstance(mode, StatisticalMode):
        return mode
    said = f"{mode.__name__}, a class: write {mode.__name__}()" if isinstance(mode, type) else repr(mode)
    raise InputError(f"statistical_mode is {said}; expected FrequentistMode() or BayesianMode()")
