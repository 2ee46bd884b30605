"""A battle in which no fair question was asked: its verdicts rest on the seed questions alone and tell nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from proctor.battle.finding import BattleFindings
from proctor.battle.units import Units
from proctor.findings.finding import CaseFinding, CategoryFinding, Counts, Findings
from proctor.run import Attempt, Run
from proctor.statistics.estimate import Estimate

_WHY = "no fair question was asked"


def rests_on_seeds_alone(run: Run, attempts: Iterable[Attempt]) -> bool:
    """Whether a battle is `untested`, told by its outcomes without transcripts."""
    if run.settings.type != "abm-dynamic" or run.settings.max_turns == 1:
        return False
    over = False
    for attempt in attempts:
        if attempt.finished and _was_tested(attempt):
            return False
        over = over or attempt.finished
    return over


def _was_tested(attempt: Attempt) -> bool:
    """Whether a reply after that to the seed question counts, would if it had a mark, or the agent itself failed."""
    if attempt.failure is not None:
        return attempt.failure.owner == "agent"
    wanting = any(missing.of == "agent" and (missing.turn or 0) > 1 for missing in attempt.unscored)
    return wanting or any(verdict is not None for verdict in attempt.turn_passed[1:])


def without_verdicts(found: Findings) -> Findings:
    """The same findings with every rate and mark unknown, and what had a verdict unscored."""
    unknown = _unknown(found.counts.planned)
    return replace(
        found,
        counts=_uncounted(found.counts),
        pass_rate=unknown,
        mean_score=unknown,
        median_score=None,
        pass_at_k=dict.fromkeys(found.pass_at_k, unknown),
        pass_hat_k=dict.fromkeys(found.pass_hat_k, unknown),
        categories={name: _category(name, found.cases) for name in found.categories},
        parts={},
        cases=tuple(map(_undecided, found.cases)),
        battle=None if found.battle is None else _unfought(found.battle, unknown),
        conditions=tuple(
            replace(
                each,
                counts=_uncounted(each.counts),
                pass_rate=_unknown(each.counts.planned),
                mean_score=_unknown(each.counts.planned),
                difference=None,
                p_value=None,
            )
            for each in found.conditions
        ),
    )


def _unknown(planned: int) -> Estimate:
    """Anything from none to all."""
    return Units(seeds=True).estimate(missing=planned, note=_WHY)


def _uncounted(counts: Counts) -> Counts:
    return replace(counts, scored=0, unscored=counts.unscored + counts.scored)


def _undecided(case: CaseFinding) -> CaseFinding:
    return replace(
        case,
        counted=0,
        passed=0,
        unscored=case.unscored + case.counted,
        score=None,
        share=None,
        conditions=dict.fromkeys(case.conditions, (0, 0)),
    )


def _category(name: str, cases: Iterable[CaseFinding]) -> CategoryFinding:
    inside = [case for case in cases if name in case.categories]
    unknown = _unknown(sum(case.planned for case in inside))
    return CategoryFinding(cases=len(inside), passed=0, pass_rate=unknown, mean_score=unknown)


def _unfought(battle: BattleFindings, unknown: Estimate) -> BattleFindings:
    return replace(
        battle,
        replies=0,
        passed=0,
        pass_rate=unknown,
        mean_score=unknown,
        held_rate=unknown,
        parts={},
        survival=None,
        bounds=None,
    )
