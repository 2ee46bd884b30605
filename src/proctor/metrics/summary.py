"""Summary of the Agentic metric, in which n counts conversations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from proctor.metrics.judge import JudgeVerdict
from proctor.metrics.schemas import AgenticMetric, AgenticSummary, UnscoredPlace
from proctor.metrics.settings import AgenticSettings
from proctor.metrics.statistical import StatisticalMode
from proctor.statistics.estimate import Estimate
from proctor.statistics.pass_at_k import Formula, over_cases, pass_at_k, pass_hat_k
from proctor.statistics.quality import certain, label, sentence
from proctor.usage import Usage

FEW = 30
"""Number of conversations below which the summary asks for more."""


@dataclass(slots=True)
class _Session:
    """One conversation over all its trials."""

    planned: int = 0
    counted: int = 0
    passed: int = 0


def summarise(
    metrics: Sequence[AgenticMetric], verdicts: Iterable[Iterable[JudgeVerdict]], settings: AgenticSettings
) -> AgenticSummary:
    """Summarize all conversations."""
    sessions = _sessions(metrics)
    at_k, hat_k = _pass_values(sessions, settings)
    usage = sum((verdict.usage for session_verdicts in verdicts for verdict in session_verdicts), Usage())
    unscored = _unscored_places(metrics)
    return AgenticSummary(
        k=settings.k,
        conversations=len(sessions),
        attempts=len(metrics),
        counted=sum(session.counted for session in sessions),
        fully_correct=sum(session.passed for session in sessions),
        pass_rate=_from_trials(pass_at_k, sessions, 1),
        pass_at_k=at_k,
        pass_pow_k=hat_k,
        quality=None if at_k.value is None or hat_k.value is None else label(at_k.value, hat_k.value),
        quality_certain=certain(at_k, hat_k),
        assessment=sentence(at_k, hat_k),
        unscored=unscored,
        notes=list(_notes(sessions, at_k, hat_k, len(unscored), settings)),
        judge_calls=usage.calls,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
    )


def _sessions(metrics: Sequence[AgenticMetric]) -> list[_Session]:
    sessions: dict[str, _Session] = {}
    for metric in metrics:
        session = sessions.setdefault(metric.session_id, _Session())
        session.planned += 1
        session.counted += metric.is_fully_correct is not None
        session.passed += metric.is_fully_correct is True
    return list(sessions.values())


def _has_several_trials(sessions: Sequence[_Session]) -> bool:
    return any(session.planned > 1 for session in sessions)


def _pass_values(sessions: Sequence[_Session], settings: AgenticSettings) -> tuple[Estimate, Estimate]:
    """Return unbiased estimates if there are repeated trials, else the mode's estimates over conversations."""
    if _has_several_trials(sessions):
        return _from_trials(pass_at_k, sessions, settings.k), _from_trials(pass_hat_k, sessions, settings.k)
    return _from_conversations(settings.statistical_mode, sessions, settings.k)


def _from_conversations(mode: StatisticalMode, sessions: Sequence[_Session], k: int) -> tuple[Estimate, Estimate]:
    planned, counted = len(sessions), sum(session.counted for session in sessions)
    passed, missing = sum(session.passed for session in sessions), planned - counted
    nothing = Estimate(value=None, low=None, high=None, n=0, method=mode.method, note="no conversation has a verdict")
    shown = mode.estimates(counted, passed, k) if counted else (nothing, nothing)
    worst = mode.estimates(planned, passed, k)
    best = mode.estimates(planned, passed + missing, k)
    at_k, hat_k = (_with_bounds(*three, missing) for three in zip(shown, worst, best, strict=True))
    return at_k, hat_k


def _from_trials(formula: Formula, sessions: Sequence[_Session], k: int) -> Estimate:
    shown = over_cases(formula, ((each.counted, each.passed) for each in sessions), k)
    worst = over_cases(formula, ((each.planned, each.passed) for each in sessions), k)
    lacking = sum(each.planned - each.counted for each in sessions)
    best = over_cases(formula, ((each.planned, each.passed + each.planned - each.counted) for each in sessions), k)
    return _with_bounds(shown, worst, best, lacking)


def _with_bounds(shown: Estimate, worst: Estimate, best: Estimate, missing: int) -> Estimate:
    """Add bounds for missing verdicts, as if all of them were failures or passes."""
    if not missing:
        return shown
    shown = _tenable(shown, worst, best)
    return replace(shown, missing=missing, worst=worst.value, best=best.value, gate_low=worst.low, gate_high=best.high)


def _tenable(shown: Estimate, worst: Estimate, best: Estimate) -> Estimate:
    """Clamp the estimate to what some outcome of the missing verdicts could produce."""
    if worst.value is None or best.value is None:
        return shown
    if shown.value is None:
        return worst if worst.value == best.value else shown
    return worst if shown.value < worst.value else best if shown.value > best.value else shown


def _unscored_places(metrics: Sequence[AgenticMetric]) -> list[UnscoredPlace]:
    return [
        UnscoredPlace(session_id=metric.session_id, trial=metric.trial, **place.model_dump())
        for metric in metrics
        for place in metric.unscored
    ]


def _notes(
    sessions: Sequence[_Session], at_k: Estimate, hat_k: Estimate, unscored: int, settings: AgenticSettings
) -> Iterable[str]:
    k = settings.k
    if _has_several_trials(sessions):
        yield f"pass@{k} and pass^{k} are unbiased estimates from repeated trials, averaged over conversations."
        short = sum(session.counted < k for session in sessions)
        if short:
            told = f"{short} of {len(sessions)} conversations {'has' if short == 1 else 'have'} fewer than k = {k}"
            yield f"{told} counted trials and {'is' if short == 1 else 'are'} left out."
    else:
        yield f"pass@{k} and pass^{k} speak of {k} different conversations drawn at random, not of {k} tries of one."
    if len(sessions) < FEW:
        yield f"{many(len(sessions), 'conversation')}: too few for narrow intervals; collect {FEW} or more."
    if unscored:
        yield _unscored_note(unscored, at_k, hat_k, k)


def _unscored_note(unscored: int, at_k: Estimate, hat_k: Estimate, k: int) -> str:
    text = f"{many(unscored, 'answer')} could not be judged"
    if not at_k.missing:
        return f"{text}; every conversation is decided without."
    left_out = f"{text}; {many(at_k.missing, 'conversation')} undecided and out of n"
    if at_k.worst is None or at_k.best is None or hat_k.worst is None or hat_k.best is None:
        return f"{left_out}."
    return (
        f"{left_out}. Had they failed or passed: pass@{k} {at_k.worst:.3f} to {at_k.best:.3f}, "
        f"pass^{k} {hat_k.worst:.3f} to {hat_k.best:.3f}."
    )


def many(count: int, noun: str) -> str:
    """Format a count: `1 conversation`, `2 conversations`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
