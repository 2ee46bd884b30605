"""Verdicts of a tournament's contests, kept beside the runs so that none is paid twice and a page can show them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from proctor.codec import digest
from proctor.run import Run
from proctor.score import PairVerdict
from proctor.storage import Store
from proctor.workflows.contests import Contest, ContestVerdict

Place = tuple[str, int, int]
"""A case, and two runs by their places."""


class StoredContests:
    """What judges have said of these runs' contests. A verdict counts only for the very texts that it was given on."""

    def __init__(self, store: Store, runs: Sequence[Run]) -> None:
        self._store = store
        self._runs = runs

    def judges(self) -> list[str]:
        """Those who have judged a contest of any two of these runs."""
        pairs = combinations(sorted(run.id for run in self._runs), 2)
        return sorted({each.judge for a, b in pairs for each in self._store.contests.of_runs(a, b)})

    def known(self, judge: str, contests: Mapping[Place, Contest]) -> dict[Place, ContestVerdict]:
        """The verdicts that this judge has given on them."""
        stored: dict[tuple[str, str, str], PairVerdict] = {}
        for a, b in combinations(sorted(run.id for run in self._runs), 2):
            stored |= {(a, b, each.exam): each for each in self._store.contests.of_runs(a, b) if each.judge == judge}
        found: dict[Place, ContestVerdict] = {}
        for place, contest in contests.items():
            first, other, turned = self._in_order(place)
            kept = stored.get((first, other, place[0]))
            if kept is not None and kept.digest == _digest(contest, turned=turned):
                found[place] = _turn_round(_verdict(kept)) if turned else _verdict(kept)
        return found

    def keep(self, judge: str, place: Place, contest: Contest, verdict: ContestVerdict) -> None:
        """Store what was said; what was never answered is asked for again, and equal replies need no judge."""
        if verdict.is_open or contest.is_plain:
            return
        first, other, turned = self._in_order(place)
        given = _turn_round(verdict) if turned else verdict
        kept = PairVerdict(
            exam=place[0],
            other=other,
            judge=judge,
            digest=_digest(contest, turned=turned),
            score=given.score,
            flipped=given.flipped,
            leans=given.leans,
            confidence=given.confidence,
            explanations=given.explanations,
            reason=given.reason,
            usage=given.usage,
            made=time.time(),
        )
        self._store.contests.put(first, [kept])

    def _in_order(self, place: Place) -> tuple[str, str, bool]:
        """Both runs as they are stored, the earlier first, and whether the contest has them the other way round."""
        one, other = (self._runs[each].id for each in place[1:])
        return (one, other, False) if one < other else (other, one, True)


def _digest(contest: Contest, *, turned: bool) -> str:
    return digest(contest.turned if turned else contest)


def _verdict(kept: PairVerdict) -> ContestVerdict:
    return ContestVerdict(
        score=kept.score,
        flipped=kept.flipped,
        leans=kept.leans,
        confidence=kept.confidence,
        explanations=kept.explanations,
        reason=kept.reason,
        usage=kept.usage,
    )


def _turn_round(verdict: ContestVerdict) -> ContestVerdict:
    """The same as if the replies had been named in the other order."""
    score = None if verdict.score is None else 1 - verdict.score
    return replace(verdict, score=score, explanations=verdict.explanations[::-1])
