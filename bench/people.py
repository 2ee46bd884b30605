"""The pass rate as people judge and a judge's noise, over simulated judges: part of `make simulate`.

27 worlds: the truth .5, .8 or .95; the judge's sensitivity and specificity .7, .85 or .95; 500 cases, of which 25, 50
or 100 are labelled at random. Ours stands beside PPI++ (Angelopoulos et al. 2023, with the best λ), the labels alone
and the judge alone. Exit code 1: the target was missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import sqrt

import numpy as np

from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import wilson
from proctor.statistics.judges import Opinion, agreement_with_people
from proctor.statistics.noise import flip_rate, noise_components
from proctor.statistics.people import Labelled, difference_by_people, rate_by_people, variance_by_people

CASES = 500
LABELS = (25, 50, 100)
TRUTHS = (0.5, 0.8, 0.95)
QUALITIES = (0.7, 0.85, 0.95)
DRAWS = 1000
NOISE_DRAWS = 400
Z = 1.959963984540054
Ends = tuple[float, float]


@dataclass(frozen=True)
class Draw:
    """One run of a world: how many cases are right and passed, wrong and passed, right and failed, wrong and failed."""

    all: Sequence[int]
    labelled: Sequence[int]

    @property
    def share(self) -> float:
        return (self.all[0] + self.all[1]) / CASES

    @property
    def labels(self) -> Labelled:
        right_passed, wrong_passed, right_failed, wrong_failed = map(int, self.labelled)
        return Labelled(
            passes=right_passed + wrong_passed, passes_right=right_passed, fails=right_failed + wrong_failed,
            fails_wrong=right_failed,
        )  # fmt: skip


def draw(truth: float, sensitivity: float, specificity: float, labels: int, rng: np.random.Generator) -> Draw:
    good, bad = truth, 1 - truth
    cells = [good * sensitivity, bad * (1 - specificity), good * (1 - sensitivity), bad * specificity]
    every = rng.multinomial(CASES, cells)
    return Draw(every.tolist(), rng.multivariate_hypergeometric(every, labels).tolist())


def ours(run: Draw) -> Ends | None:
    found = rate_by_people(run.labels, share=run.share, cases=CASES)
    return None if found.low is None or found.high is None else (found.low, found.high)


def labels_alone(run: Draw) -> Ends:
    size = sum(run.labelled)
    return wilson((run.labelled[0] + run.labelled[2]) / size, size)


def judge_alone(run: Draw) -> Ends:
    return wilson(run.share, CASES)


def ppi(run: Draw) -> Ends:
    """Prediction-powered inference with power tuning: labelled and unlabelled cases apart, a normal interval."""
    y, f = np.repeat([1, 0, 1, 0], run.labelled), np.repeat([1, 1, 0, 0], run.labelled)
    n, rest = len(y), CASES - len(y)
    others = (run.share * CASES - f.sum()) / rest
    spread = others * (1 - others)
    tuning = np.cov(y, f)[0, 1] / ((1 + n / rest) * spread) if spread else 0.0
    value = y.mean() + tuning * (others - f.mean())
    half = Z * sqrt(np.var(y - tuning * f, ddof=1) / n + tuning**2 * spread / rest)
    return float(value - half), float(value + half)


METHODS: dict[str, Callable[[Draw], Ends | None]] = {
    "ours": ours,
    "PPI++": ppi,
    "labels alone": labels_alone,
    "the judge alone": judge_alone,
}


@dataclass
class Tally:
    """How often an interval holds the truth, and how wide it is, world by world."""

    covered: list[float] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    without: int = 0

    def add(self, ends: Sequence[Ends | None], truth: float) -> None:
        known = [each for each in ends if each is not None]
        self.without += len(ends) - len(known)
        self.covered.append(float(np.mean([low <= truth <= high for low, high in known])))
        self.width.append(float(np.mean([high - low for low, high in known])) / 2)

    def __str__(self) -> str:
        return f"{np.mean(self.covered):.3f} / {min(self.covered):.3f} | {np.mean(self.width):.3f} | {self.without}"


def rate_table(rng: np.random.Generator, draws: int) -> list[str]:
    """The table of the rulings; returns what it misses."""
    missed: list[str] = []
    print(f"\nPass rate as people judge, nominal 95 %, 27 worlds, {CASES} cases, {draws} draws each")
    print("\n| labels | method | coverage mean / worst | half-width | draws without a rate |\n|---|---|---|---|---|")
    for labels in LABELS:
        tallies = {name: Tally() for name in METHODS}
        for truth, sensitivity, specificity in product(TRUTHS, QUALITIES, QUALITIES):
            runs = [draw(truth, sensitivity, specificity, labels, rng) for _ in range(draws)]
            for name, method in METHODS.items():
                tallies[name].add([method(run) for run in runs], truth)
        for name, tally in tallies.items():
            print(f"| {labels} | {name} | {tally} |", flush=True)
        found = tallies["ours"]
        if not (0.94 <= np.mean(found.covered) <= 0.97 and min(found.covered) >= 0.90):
            missed.append(f"{labels} labels: ours covers {found}, expected .94 to .97, worst .90")
        if np.mean(found.width) > np.mean(tallies["labels alone"].width):
            missed.append(f"{labels} labels: ours is wider than the labels alone")
    return missed


def difference_table(rng: np.random.Generator, draws: int) -> list[str]:
    """Two labelled runs whose truths differ by ten points, judged by one judge."""
    missed = []
    print("\nDifference of two labelled runs, .75 to .85, 9 judges")
    print("\n| labels each | coverage mean / worst | half-width |")
    print("|---|---|---|")
    for labels in LABELS:
        tally = Tally()
        for sensitivity, specificity in product(QUALITIES, QUALITIES):
            pairs = [
                [draw(truth, sensitivity, specificity, labels, rng) for truth in (0.75, 0.85)] for _ in range(draws)
            ]
            tally.add([_difference(*pair) for pair in pairs], 0.10)
        print(f"| {labels} | {np.mean(tally.covered):.3f} / {min(tally.covered):.3f} | {np.mean(tally.width):.3f} |")
        if min(tally.covered) < 0.92:
            missed.append(f"difference, {labels} labels: worst coverage {min(tally.covered):.3f}, expected .92")
    return missed


def _difference(a: Draw, b: Draw) -> Ends | None:
    sides = []
    for run in (a, b):
        rate = rate_by_people(run.labels, share=run.share, cases=CASES)
        if rate.value is None:
            return None
        sides.append((rate.value, variance_by_people(run.labels, share=run.share, cases=CASES)))
    found = difference_by_people(sides[0], sides[1], cases=CASES, labels=2 * a.labels.labels)
    return _ends(found)


def _ends(found: Estimate) -> Ends:
    return found.low or 0.0, found.high or 0.0


def judge_table(rng: np.random.Generator, draws: int) -> list[str]:
    """Sensitivity, specificity and agreement of a judge, from labels at random."""
    missed = []
    print("\nA judge beside people, 27 worlds\n\n| labels | what | coverage mean / worst | half-width | without |")
    print("|---|---|---|---|---|")
    for labels in LABELS:
        tallies = {name: Tally() for name in ("sensitivity", "specificity", "agreement")}
        for truth, sensitivity, specificity in product(TRUTHS, QUALITIES, QUALITIES):
            agreement = truth * sensitivity + (1 - truth) * specificity
            truths = {"sensitivity": sensitivity, "specificity": specificity, "agreement": agreement}
            qualities = [_quality(draw(truth, sensitivity, specificity, labels, rng)) for _ in range(draws)]
            for name, tally in tallies.items():
                tally.add([_known(getattr(each, name)) for each in qualities], truths[name])
        for name, tally in tallies.items():
            print(f"| {labels} | {name} | {tally} |", flush=True)
            if np.mean(tally.covered) < 0.94:
                missed.append(f"{name}, {labels} labels: mean coverage {np.mean(tally.covered):.3f}, expected .94")
    return missed


def _quality(run: Draw) -> object:
    """As `proctor judges` does it: what was labelled weighs by what it stands for."""
    found, cells = run.labels, ((True, True), (False, True), (True, False), (False, False))
    weights = {True: run.share / max(1, found.passes), False: (1 - run.share) / max(1, found.fails)}
    return agreement_with_people(
        [
            Opinion(people=people, judge=judge, weight=weights[judge])
            for (people, judge), times in zip(cells, run.labelled, strict=True)
            for _ in range(times)
        ]
    )


def _known(estimate: Estimate) -> Ends | None:
    return None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)


def noise_table(rng: np.random.Generator, draws: int) -> list[str]:
    """Components that made the values, and those that are found; then flip rates."""
    missed = []
    print(f"\nNoise components, 100 cases × 3 trials × 3 judgements, {draws} draws")
    print("\n| component | true | found, mean | deviation | coverage |\n|---|---|---|---|---|")
    truths = {"cases": 0.09, "trials": 0.03, "judgements": 0.02}
    scales = [value**0.5 for value in truths.values()]
    worlds = [_nested(scales, rng) for _ in range(draws)]
    for name, truth in truths.items():
        found = [getattr(each, name) for each in worlds]
        values = np.array([each.value for each in found])
        covered = np.mean([each.low <= truth <= each.high for each in found])
        print(f"| {name} | {truth:.4f} | {values.mean():.4f} | {values.std():.4f} | {covered:.3f} |")
        if abs(values.mean() - truth) > 4 * values.std() / draws**0.5 or covered < 0.91:
            missed.append(f"component {name}: found {values.mean():.4f} of {truth}, covered {covered:.3f}")
    print("\n| flips of 150 replies | found, mean | deviation | coverage |\n|---|---|---|---|")
    for rate in (0.02, 0.1, 0.3):
        q = (1 - sqrt(1 - 2 * rate)) / 2
        flips = [flip_rate(rng.binomial(3, q, (150, 1)).tolist(), 3) for _ in range(draws)]
        values = np.array([each.value for each in flips])
        covered = np.mean([(each.low or 0) <= rate <= (each.high or 0) for each in flips])
        print(f"| {rate} | {values.mean():.4f} | {values.std():.4f} | {covered:.3f} |", flush=True)
        if abs(values.mean() - rate) > 4 * values.std() / draws**0.5 or covered < 0.92:
            missed.append(f"flip rate {rate}: found {values.mean():.4f}, covered {covered:.3f}")
    return missed


def _nested(scales: Sequence[float], rng: np.random.Generator) -> object:
    values = rng.normal(0, scales[0], (100, 1, 1)) + rng.normal(0, scales[1], (100, 3, 1))
    return noise_components((values + rng.normal(0, scales[2], (100, 3, 3))).tolist())


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=DRAWS)
    given = parser.parse_args(arguments)
    rng, began = np.random.default_rng(given.seed), time.perf_counter()
    missed = rate_table(rng, given.draws) + difference_table(rng, given.draws)
    missed += judge_table(rng, min(given.draws, NOISE_DRAWS)) + noise_table(rng, min(given.draws, NOISE_DRAWS))
    print(f"\n{time.perf_counter() - began:.0f} s. Target {'missed:' if missed else 'kept.'}")
    for what in missed:
        print(f"  {what}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
