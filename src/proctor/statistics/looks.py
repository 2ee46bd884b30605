"""Many looks: which runs of a history differ from the baseline, when one looks after every run.

Both rules are online: a mark once given never vanishes when a later run comes. The baseline moves to the marked run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

CHART_LEVEL = 0.005
"""One false mark in 200 comparisons, as on a control chart."""
STRICT_LEVEL = 0.05
"""Share of false marks among all marks, kept by LOND."""
_POWER = 1.6
_SUM = 2.2857656
"""Σ t^−1.6, so that the levels of all times together are spent exactly once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """One run against the baseline in force when it came."""

    run: int
    """Its place in the history, from 0."""
    baseline: int
    """The place of the run it was compared with."""
    p_value: float
    level: float
    """What the p-value was held against."""
    marked: bool
    """Whether it differs; it is then the next baseline."""


def lond_level(look: int, marks: int, *, level: float = STRICT_LEVEL) -> float:
    """What the t-th p-value is held against after so many marks (LOND, Javanmard & Montanari 2015).

    Keeps the share of false marks below the level for independent or positively dependent p-values.
    """
    share: float = look**-_POWER / _SUM
    return level * share * (marks + 1)


def watch(
    runs: int,
    p_value: Callable[[int, int], float],
    *,
    confirmed: Callable[[int, int], bool] = lambda baseline, run: True,
    strict: bool = False,
) -> list[Look]:
    """Each run of a history after the first against the current baseline, by p_value(baseline, run).

    A run whose p-value would do is marked if that is `confirmed`, which is asked of no others.
    """
    looks: list[Look] = []
    baseline = marks = 0
    for run in range(1, runs):
        level = lond_level(run, marks) if strict else CHART_LEVEL
        p = p_value(baseline, run)
        marked = p <= level and confirmed(baseline, run)
        looks.append(Look(run=run, baseline=baseline, p_value=p, level=level, marked=marked))
        if looks[-1].marked:
            baseline, marks = run, marks + 1
    return looks
