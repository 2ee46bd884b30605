"""Compile the headline estimates, in the order used by all renderings."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.findings.run import Findings
from proctor.reports.numbers import EstimateText, Unit, plural, say, score
from proctor.run import Run
from proctor.statistics.estimate import Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadlineLine:
    """An estimate with its label and text."""

    label: str
    estimate: Estimate
    unit: Unit
    said: EstimateText


def headline(findings: Findings, *, k: int | None = None) -> list[HeadlineLine]:
    """Return pass rate, pass@k and pass^k if there are several trials (or for the given `k`), and mean score.

    In a battle, also the rate of conversations held, and the agent's consistency.
    """
    chosen, battle = k if k is not None else findings.run.settings.trials, findings.battle
    lines = [_line(findings, "Pass rate", findings.pass_rate)]
    if battle is not None:
        lines.append(_line(findings, "Held rate", battle.held_rate))
    if chosen > 1:
        for label, by_k in ((f"pass@{chosen}", findings.pass_at_k), (f"pass^{chosen}", findings.pass_hat_k)):
            if chosen in by_k and (by_k[chosen].value is not None or not findings.run.cut):
                lines.append(_line(findings, label, by_k[chosen], noun=exam_noun(findings.run)))
    if findings.mean_score.value is not None or findings.run.settings.reviewer is not None:
        lines.append(_line(findings, "Mean score", findings.mean_score, "score"))
    if battle is not None and battle.consistency.value is not None:
        lines.append(_line(findings, "Consistency", battle.consistency))
    return lines


def _line(
    findings: Findings, label: str, estimate: Estimate, unit: Unit = "percent", *, noun: str = ""
) -> HeadlineLine:
    conditions = findings.run.settings.rated_conditions
    estimate_text = say(estimate, unit, noun=noun or noun_of(findings.run), conditions=conditions)
    return HeadlineLine(label=label, estimate=estimate, unit=unit, said=estimate_text)


def median_scores(findings: Findings) -> str:
    """The median: `0.73`; where a case has several attempts `0.73 of a case, 0.21 of an attempt`; empty: no marks."""
    of_case, of_attempt = findings.median_case_score, findings.median_score
    if of_case is None or of_attempt is None:
        return ""
    settings = findings.run.settings
    if settings.most_trials * settings.rated_conditions == 1:
        return score(of_attempt)
    over = f" over its {settings.rated_conditions} conditions" if settings.rated_conditions > 1 else ""
    return f"{score(of_case)} of a {exam_noun(findings.run)}{over}, {score(of_attempt)} of an attempt"


def noun_of(run: Run) -> str:
    """Return what n counts: cases, or conversations in battles."""
    return "case" if run.settings.type == "standard" else "conversation"


def extent(run: Run, findings: Findings | None) -> str:
    """Format the size of a run: `30 cases × 3`, `30 cases × 1 to 3`; only what was asked if it stopped early."""
    under = len(run.settings.conditions)
    if findings is not None and findings.cases:
        cases, trials = len(findings.cases), sorted({case.attempts // under for case in findings.cases})
    elif run.cut:
        return plural(run.planned, "attempt")
    else:
        cases, trials = run.exams, sorted({run.settings.trials, *run.settings.case_trials.values()})
    text = plural(cases, exam_noun(run))
    if trials != [1]:
        text += f" × {trials[0]}" + (f" to {trials[-1]}" if len(trials) > 1 else "")
    return text if under == 1 else f"{text} × {plural(under, 'condition')}"


def paired_noun(run: Run) -> str:
    """What is held against the same in another run: of a script its rows one by one, else what is played."""
    return "row" if run.settings.type == "abm-static" else exam_noun(run)


def exam_noun(run: Run) -> str:
    """Return the unit repeated in each trial, such as `case`: the k attempts of pass@k are attempts at the same one."""
    return {"standard": "case", "abm-static": "script", "abm-dynamic": "seed"}[run.settings.type]
