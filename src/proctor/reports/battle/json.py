"""A battle as JSON: everything that is known of it."""

from __future__ import annotations

from typing import Any

from proctor.findings.battle.findings import BattleFindings
from proctor.reports.values import plain


def as_dict(battle: BattleFindings) -> dict[str, Any]:
    """Under `battle` of `--json`."""
    worst, best = battle.bounds or (None, None)
    return {
        **plain(battle),
        "by_distance": {
            name: {"contradicted": contradicted, "opportunities": chances}
            for name, (contradicted, chances) in battle.by_distance.items()
        },
        "strategies": [{**plain(each), "breaks": each.breaks} for each in battle.strategies],
        "bounds": None if battle.bounds is None else {"worst": plain(worst), "best": plain(best)},
    }
