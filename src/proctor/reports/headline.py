"""The estimates that stand on top of every rendering, in one order."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.findings.run import Findings
from proctor.reports.numbers import EstimateText, Unit, say
from proctor.run import Run
from proctor.statistics.estimate import Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadlineLine:
    """One estimate with its label and its words."""

    label: str
    estimate: Estimate
    unit: Unit
    said: EstimateText


def headline(findings: Findings, *, k: int | None = None) -> list[HeadlineLine]:
    """Pass rate, pass@k and pass^k where there are several trials (or `k` is asked for), mean score.

    In a battle also how many conversations held, and how consistent the agent was.
    """
    chosen, battle = k if k is not None else findings.run.settings.trials, findings.battle
    lines = [_line(findings, "Pass rate", findings.pass_rate)]
    if battle is not None:
        lines.append(_line(findings, "Held rate", battle.held_rate))
    if chosen > 1 or k is not None:
        for label, by_k in ((f"pass@{chosen}", findings.pass_at_k), (f"pass^{chosen}", findings.pass_hat_k)):
            if chosen in by_k:
                lines.append(_line(findings, label, by_k[chosen], noun=exam_noun(findings.run)))
    if findings.mean_score.value is not None or findings.run.settings.reviewer is not None:
        lines.append(_line(findings, "Mean score", findings.mean_score, "score"))
    if battle is not None and battle.consistency.value is not None:
        lines.append(_line(findings, "Consistency", battle.consistency))
    return lines


def _line(
    findings: Findings, label: str, estimate: Estimate, unit: Unit = "percent", *, noun: str = ""
) -> HeadlineLine:
    said = say(estimate, unit, noun=noun or noun_of(findings.run))
    return HeadlineLine(label=label, estimate=estimate, unit=unit, said=said)


def noun_of(run: Run) -> str:
    """What n counts: cases, or in battles conversations."""
    return "case" if run.settings.type == "standard" else "conversation"


def exam_noun(run: Run) -> str:
    """What is played once a trial: k tries are tries of the same one."""
    return {"standard": "case", "abm-static": "script", "abm-dynamic": "seed"}[run.settings.type]
