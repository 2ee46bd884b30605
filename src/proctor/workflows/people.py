"""What people's labels make of a run, beside what its attempts show."""

from __future__ import annotations

from dataclasses import replace

from proctor.findings.run import Findings
from proctor.findings.run.people import people_finding
from proctor.reports.people import people_sentences
from proctor.run import Key, Run
from proctor.statistics.estimate import Estimate
from proctor.storage import Store


def is_in_rate(run: Run, key: Key) -> bool:
    """Whether the rate that is corrected counts an attempt: under several conditions the pass rate is the plain run's,
    the held rate of battles goes over all of them.
    """
    return run.settings.type != "standard" or not run.settings.has_plain_run or not key.condition


def with_people(opened: Store, run: Run, findings: Findings) -> Findings:
    """The findings with what people's labels make of the run, where there are any."""
    labels = [label for label in opened.human_labels.of_run(run.id) if is_in_rate(run, label.key)]
    if not labels:
        return findings
    attempts = (opened.archive.attempt(key) for key in {label.key for label in labels})
    judged = {each.key: each.passed for each in attempts if each is not None and each.passed is not None}
    rate = corrected_rate(findings)
    people = people_finding(labels, judged, rate, unanswered=unanswered(findings))
    return replace(findings, people=people, notes=(*findings.notes, *people_sentences(rate, people)))


def corrected_rate(findings: Findings) -> Estimate:
    """The rate by the judge that labels correct: how many conversations held in a battle, else the pass rate."""
    return findings.battle.held_rate if findings.battle is not None else findings.pass_rate


def unanswered(findings: Findings) -> float:
    """The share of decided attempts in which the agent itself failed: nobody is asked about those."""
    plain = [each.counts for each in findings.conditions if not each.name and findings.battle is None]
    counts = plain[0] if plain else findings.counts
    decided = counts.scored + counts.failed_by_agent
    return counts.failed_by_agent / decided if decided and findings.battle is None else 0.0


def judge_share(findings: Findings) -> float:
    """How much of what was answered the run's judge passes."""
    answered = 1.0 - unanswered(findings)
    return min(1.0, (corrected_rate(findings).value or 0.0) / answered) if answered else 0.0
