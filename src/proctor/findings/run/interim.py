"""Notes on a run that was monitored for early stopping."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.run import Run
from proctor.score import InterimVerdict


def sentences(run: Run) -> Iterator[str]:
    """Yield a note that the run stopped early and how that biases its numbers; nothing for a run played to the end."""
    if run.cut and run.interim is not None:
        yield (
            f"Stopped early {where(run.interim)}: {phrase(run.interim)}. The rate is biased by up to two points, away "
            f"from the gate. The verdict stays, whatever the rest would show; the run can be resumed to its end."
        )
    elif run.cut:
        yield "Judges a run that stopped early: the rate is biased by up to two points, away from that run's gate."
    elif run.interim is not None and was_settled_early(run):
        yield (
            f"The gates were checked during the run, and settled {where(run.interim)}: {phrase(run.interim)}. The rest "
            "was run afterwards and does not change that."
        )


def was_settled_early(run: Run) -> bool:
    """Whether the gates were decided before everything was asked, even if the rest was played afterwards."""
    if run.cut or run.interim is None:
        return run.cut
    return run.interim.is_settled and run.interim.attempts < run.settings.planned_trials(run.interim.of)


def where(verdict: InterimVerdict) -> str:
    """Format the position of a look, such as `at look 5 of 20, after 125 of 500 cases`."""
    again = f" and {verdict.attempts:,} attempts" if verdict.attempts > verdict.cases else ""
    return f"at look {verdict.look} of {verdict.looks}, after {verdict.cases:,} of {verdict.of:,} cases{again}"


def _awaited_words(verdict: InterimVerdict) -> str:
    """Describe an undecided run: the next look, which may end it."""
    ahead = next((point.attempts for point in verdict.path if point.value is None), verdict.attempts)
    return f"Undecided so far; look {verdict.look + 1} of {verdict.looks} at {ahead:,} attempts may end the run"


def phrase(verdict: InterimVerdict) -> str:
    """Format the verdicts of all gates, such as `pass_rate>=0.9 is met`."""
    return ", ".join(f"{gate} is {each}" for gate, each in verdict.verdicts.items())


def drawn(verdict: InterimVerdict) -> str:
    """Return the caption of the chart of looks."""
    stands = f"{phrase(verdict)}, {where(verdict)}" if verdict.is_settled else _awaited_words(verdict)
    upper = any(point.high is not None for point in verdict.path)
    lower = any(point.low is not None for point in verdict.path)
    met = ["above the upper line the first gate is met"] if upper else []
    unmet = ["below the lower one it is not" if upper else "below the lower line the first gate is not met"]
    bounds = ", ".join([*met, *(unmet if lower else [])])
    told = f"{bounds[:1].upper()}{bounds[1:]}; on" if bounds else "On"
    return f"{stands}. {told} the line across, the rate is just at the gate."
