"""What a person should know of a run that was looked at as it went on."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.run import Run
from proctor.score import InterimVerdict


def sentences(run: Run) -> Iterator[str]:
    """That it stopped early, and what that does to its numbers; nothing of a run that was played to the end."""
    if run.cut and run.interim is not None:
        yield (
            f"Stopped early {where(run.interim)}: the rate is off by up to two points, away from the gate. The verdict "
            f"stays, whatever the rest would show: `proctor resume {run.id} --to-the-end` plays it."
        )
    elif run.cut:
        yield "Judges a run that stopped early: the rate is off by up to two points, away from that run's gate."
    elif run.interim is not None and run.interim.attempts < run.settings.planned_trials(run.interim.of):
        yield f"The gates were decided {where(run.interim)}; the rest was played afterwards and does not change that."


def where(verdict: InterimVerdict) -> str:
    """`at look 5 of 20, after 125 of 500 cases`."""
    again = f" and {verdict.attempts:,} attempts" if verdict.attempts > verdict.cases else ""
    return f"at look {verdict.look} of {verdict.looks}, after {verdict.cases:,} of {verdict.of:,} cases{again}"


def drawn(verdict: InterimVerdict) -> str:
    """What a chart of the looks shows."""
    gates = ", ".join(f"{gate}: {said}" for gate, said in verdict.verdicts.items())
    return (
        f"{gates}, {where(verdict)}. Above the upper line the first gate is met, below the lower one it is not; on the "
        "line across, the rate is just at the gate."
    )
