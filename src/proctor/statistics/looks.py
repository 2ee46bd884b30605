"""Repeated looks: find the runs of a history that differ from the baseline when every run is tested.

Both rules are online: a mark never disappears when later runs arrive. The baseline moves to the marked run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

CHART_LEVEL = 0.005
"""One false mark in 200 comparisons, as on a control chart."""
STRICT_LEVEL = 0.05
"""Maximum share of false marks among all marks, controlled by LOND."""
_POWER = 1.6
_SUM = 2.2857656
"""Σ t^−1.6, so that the levels of all looks add up to the total level."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """Comparison of a run with the baseline at that time."""

    run: int
    """Index in the history, from 0."""
    baseline: int
    """Index of the run it was compared with."""
    p_value: float
    level: float
    """Significance level for the p-value."""
    marked: bool
    """Whether it differs, and thus becomes the next baseline."""


def lond_level(look: int, marks: int, *, level: float = STRICT_LEVEL) -> float:
    """Return the significance level of the t-th p-value after `marks` marks (LOND, Javanmard & Montanari 2015).

    Controls the share of false marks at the level, for independent or positively dependent p-values.
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
    """Compare each run of a history after the first with the current baseline, by p_value(baseline, run).

    A run with a significant p-value is marked if `confirmed`, which is only called for such runs.
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
