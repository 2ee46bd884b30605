"""Coverage of a tournament's strengths and ranks, over simulated agents: part of `make simulate`.

Each agent's performance in a case is its strength and a Gumbel deviation, so that i beats j with the chance of Bradley
and Terry, and the contests of one case hang together as real ones do. With ties, performances that are close are none
better; the true strengths are then those of 200,000 cases. Exit code 1: the target was missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from proctor.statistics.bradley_terry import Pair, Ranking, ranking, strengths

CASES = (30, 60, 200)
DRAWS = 300
LARGE = 200_000
LEVEL = 0.95
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """Agents by their strengths; contests closer than `tie` are ties."""

    name: str
    strengths: tuple[float, ...]
    tie: float = 0.0

    @property
    def pairs(self) -> list[Pair]:
        return list(combinations(range(len(self.strengths)), 2))

    def scores(self, cases: int, rng: np.random.Generator) -> Floats:
        """Cases × pairs: what the first of each pair got."""
        shown = np.asarray(self.strengths) + rng.gumbel(size=(cases, len(self.strengths)))
        apart = np.stack([shown[:, a] - shown[:, b] for a, b in self.pairs], axis=1)
        return np.where(np.abs(apart) <= self.tie, 0.5, (apart > 0).astype(float))

    def played(self, cases: int, rng: np.random.Generator) -> list[Mapping[Pair, float]]:
        pairs = self.pairs
        return [dict(zip(pairs, row, strict=True)) for row in self.scores(cases, rng).tolist()]

    def truth(self, rng: np.random.Generator) -> Floats:
        """What the strengths come to in the end."""
        wins = np.zeros((len(self.strengths),) * 2)
        for (a, b), share in zip(self.pairs, self.scores(LARGE, rng).mean(0), strict=True):
            wins[a, b], wins[b, a] = LARGE * share, LARGE * (1 - share)
        found = np.array(strengths(wins.tolist()))
        return found if self.tie else np.asarray(self.strengths) - np.mean(self.strengths)


WORLDS = (
    World("two equals", (0.0, 0.0)),
    World("four equals", (0.0,) * 4),
    World("four equals, ties", (0.0,) * 4, tie=0.7),
    World("four in a row", (0.9, 0.3, -0.3, -0.9)),
    World("one ahead of three", (0.9, -0.3, -0.3, -0.3), tie=0.4),
    World("eight, half apart", (0.4,) * 4 + (-0.4,) * 4),
)


@dataclass
class Counted:
    """What many tournaments of one world showed."""

    covered: list[float] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    ranks_hold: list[bool] = field(default_factory=list)
    wrong: list[bool] = field(default_factory=list)
    told: list[float] = field(default_factory=list)

    def add(self, found: Ranking, truth: Floats) -> None:
        ends = [(one.value.low or 0.0, one.value.high or 0.0) for one in found.strengths]
        self.covered.append(
            float(np.mean([low <= true <= high for (low, high), true in zip(ends, truth, strict=True)]))
        )
        self.widths.append(float(np.mean([(high - low) / 2 for low, high in ends])))
        signs = {(one.a, one.b): np.sign(round(float(truth[one.a] - truth[one.b]), 2)) for one in found.meetings}
        self.wrong.append(any(one.certain and one.certain != signs[one.a, one.b] for one in found.meetings))
        differing = [one for one in found.meetings if signs[one.a, one.b]]
        if differing:
            self.told.append(float(np.mean([one.certain == signs[one.a, one.b] for one in differing])))
        self.ranks_hold.append(all(_holds(place, found, truth) for place in range(len(truth))))


def _holds(place: int, found: Ranking, truth: Floats) -> bool:
    """Whether the range of ranks has every rank that an agent may be given, equals in any order."""
    above, equal = np.sum(truth > truth[place] + 0.01), np.sum(np.abs(truth - truth[place]) <= 0.01)
    one = found.strengths[place]
    return bool(one.best <= above + 1 and one.worst >= above + equal)


def table(rng: np.random.Generator, draws: int) -> list[str]:
    missed = []
    print("| world | cases | coverage | half-width | all ranks hold | a pair wrongly certain | differing pairs told |")
    print("|---|---|---|---|---|---|---|")
    for world in WORLDS:
        truth = world.truth(rng)
        for cases in CASES:
            counted = Counted()
            for number in range(draws):
                counted.add(ranking(world.played(cases, rng), len(truth), seed=number), truth)
            covered, wrong, hold = (
                float(np.mean(each)) for each in (counted.covered, counted.wrong, counted.ranks_hold)
            )
            told = f"{np.mean(counted.told):.3f}" if counted.told else "–"
            width = f"{np.mean(counted.widths):.3f}"
            print(
                f"| {world.name} | {cases} | {covered:.3f} | {width} | {hold:.3f} | {wrong:.3f} | {told} |", flush=True
            )
            error = 3 * (LEVEL * (1 - LEVEL) / draws) ** 0.5
            if covered < LEVEL - 0.02 - error or wrong > 1 - LEVEL + 0.01 + error:
                missed.append(f"{world.name}, {cases} cases: covered {covered:.3f}, wrongly certain {wrong:.3f}")
    return missed


def king_of_the_hill(rng: np.random.Generator, draws: int) -> None:
    """How often the agent that comes last has the most crowns, of four equals, where each challenges the king once."""
    crowned = 0
    for _ in range(draws):
        crowns = np.zeros(4)
        for _ in range(60):
            king = 0
            for challenger in (1, 2, 3):
                king = challenger if rng.random() < 0.5 else king
            crowns[king] += 1
        crowned += bool(crowns[3] > crowns[:3].max())
    print(f"\nKing of the hill, four equals, 60 cases: the last has the most crowns in {crowned / draws:.3f}.")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=DRAWS)
    given = parser.parse_args(arguments)
    began = time.perf_counter()
    rng = np.random.default_rng(given.seed)
    missed = table(rng, given.draws)
    king_of_the_hill(rng, 1000)
    print(f"\n{time.perf_counter() - began:.0f} s. Target {'missed:' if missed else 'kept.'}")
    for what in missed:
        print(f"  {what}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
