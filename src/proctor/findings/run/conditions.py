"""A run under each of its conditions, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from proctor.findings.run.counter import AttemptCounter
from proctor.findings.run.findings import ConditionFinding
from proctor.findings.run.tally import mean_score, pass_rate
from proctor.findings.run.trials import Trials
from proctor.statistics.common_trials import counts_in_common
from proctor.statistics.compare import compare_counts, holm

if TYPE_CHECKING:
    from proctor.statistics.compare import Comparison


def side_by_side(under: Mapping[str, AttemptCounter], trials: Trials | None) -> tuple[ConditionFinding, ...]:
    """Each condition beside the plain run, case by case; corrected for the number of conditions."""
    if not under or trials is None:
        return ()
    plain = under.get("")
    against = {name: _against(name, plain, each, trials) for name, each in under.items() if plain is not None and name}
    tested = {name: each.p_value for name, each in against.items() if each.p_value is not None}
    corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
    return tuple(
        ConditionFinding(
            name=name,
            counts=each.counts(),
            pass_rate=pass_rate(each.tallies.values()),
            mean_score=mean_score(each.tallies.values()),
            difference=against[name].difference if name in against else None,
            p_value=corrected.get(name),
            latency=each.latency(),
            usage=each.usage,
            met=each.met,
        )
        for name, each in sorted(under.items(), key=lambda item: item[0] != "")
    )


def _against(name: str, plain: AttemptCounter, each: AttemptCounter, trials: Trials) -> Comparison:
    common = [counts_in_common(trials.verdicts(case, ""), trials.verdicts(case, name)) for case in plain.tallies]
    planned = zip(_count_planned(plain), _count_planned(each), strict=True)
    return compare_counts(_counts(plain), _counts(each), planned=planned, common=common)


def _counts(counting: AttemptCounter) -> list[tuple[int, int]]:
    return [(tally.counted, tally.passed) for tally in counting.tallies.values()]


def _count_planned(counting: AttemptCounter) -> list[int]:
    return [tally.planned for tally in counting.tallies.values()]
