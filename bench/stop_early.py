"""Stopping early: calls used and errors, exact beside simulated, with Wald's sequential test as a yardstick.

    python bench/stop_early.py [--runs N]

The gate is `pass_rate>=0.9`, looked at every 5 %. Ends with 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from proctor.benchmark import Case, Exam
from proctor.findings.gates.gate import parse
from proctor.findings.gates.interim import InterimLooks
from proctor.findings.run import gather
from proctor.run import Attempt, Key, Run, Settings
from proctor.statistics.gate import fewest_cases
from proctor.statistics.intervals import Sums, wilson
from proctor.statistics.sequential import (
    ALPHA,
    Plan,
    binomial,
    is_futile,
    look_sizes,
    operating_point,
    plan,
    score_z,
    z_bounds,
)

BOUND = 0.9
TRUTHS = (0.80, 0.85, 0.88, 0.90, 0.92, 0.94, 0.95, 0.96, 0.98)
Bools = NDArray[np.bool_]
End = tuple[str, float]
"""What became of a run, and the share of the calls that it made."""


def by_count(planned: Plan, passed: Bools) -> End:
    """One verdict a case."""
    for look in planned.looks:
        count = int(passed[: look.cases].sum())
        share = look.cases / planned.cases
        if count >= look.met:
            return "met", share
        if look.not_met is not None and count <= look.not_met:
            return "not met", share
        if planned.is_futile(look.cases, count):
            return "open", share
    return "open", 1.0


def by_z(trials: Bools, bounds: tuple[float, ...], sizes: tuple[int, ...]) -> End:
    """Several trials a case: rows are trials, and the first of every case comes first."""
    for bound, size in zip(bounds, sizes, strict=True):
        sums = counted(trials, size)
        z, share = score_z(sums.mean, BOUND, sums.effective()), size / trials.size
        if abs(z) >= bound:
            return ("met" if z > 0 else "not met"), share
        if is_futile(z, share, bounds[-1]):
            return "open", share
    return "open", 1.0


def counted(trials: Bools, size: int) -> Sums:
    """What is known of the cases after so many attempts."""
    cases = trials.shape[1]
    whole, rest = divmod(size, cases)
    passed, asked = trials[:whole].sum(axis=0, dtype=float), np.full(cases, float(whole))
    if rest:
        passed[:rest] += trials[whole, :rest]
        asked[:rest] += 1
    rates = passed[asked > 0] / asked[asked > 0]
    return Sums(rates.size, float(rates.sum()), float((rates**2).sum()))


def in_full(trials: Bools) -> str:
    """The verdict of the same run without looks."""
    low, high = counted(trials, trials.size).interval()
    return "met" if low >= BOUND else "not met" if high < BOUND else "open"


def by_flips(differences: NDArray[np.int_], bounds: tuple[float, ...], sizes: tuple[int, ...]) -> End:
    """Not worse than another run by 0: McNemar's z."""
    for bound, size in zip(bounds, sizes, strict=True):
        seen = differences[:size]
        squares = int((seen**2).sum())
        if not squares:
            continue
        z, share = seen.sum() / sqrt(squares), size / differences.size
        if abs(z) >= bound:
            return ("met" if z > 0 else "not met"), share
        if is_futile(z, share, bounds[-1]):
            return "open", share
    return "open", 1.0


def as_played(trials: Bools, gate: str, before: Bools | None = None) -> End:
    """What `proctor run --stop-early` makes of the same run, beside another: the rules above are quicker copies."""
    exams = [Exam(id=f"c{n}", cases=(Case(id=f"c{n}", question="?"),)) for n in range(trials.shape[1])]
    run = Run(
        id="now", name="now", benchmark="b", digest="d", agent="a", planned=trials.size,
        settings=Settings(trials=trials.shape[0], stop_early=(gate,)),
    )  # fmt: skip
    slots = [(trial, exam.id) for trial in range(1, trials.shape[0] + 1) for exam in exams]
    other = gather(replace(run, id="before"), exams, attempts_of(before)) if before is not None else None
    looks = InterimLooks(run, exams, slots, [parse(gate)], lambda _: other)  # type: ignore[arg-type, return-value]
    looks.add(attempts_of(trials))
    assert looks.verdict is not None
    said = looks.verdict.verdicts[gate]
    return "open" if said == "inconclusive" else said, looks.verdict.attempts / trials.size


def attempts_of(trials: Bools) -> Iterator[Attempt]:
    for (trial, case), passed in np.ndenumerate(trials):
        key = Key(run="now", exam=f"c{case}", condition="", trial=trial + 1)
        yield Attempt(key=key, passed=bool(passed), finished=True)


def simulate(played: Iterable[End]) -> tuple[float, Counter[str]]:
    """The mean share of calls, and how runs ended."""
    ends = list(played)
    return sum(share for _, share in ends) / len(ends), Counter(verdict for verdict, _ in ends)


def fixed_test(cases: int, rate: float) -> tuple[float, float]:
    """Without looks: the chance of met and of not met."""
    law = binomial(cases, rate)
    ends = [wilson(count / cases, cases) for count in range(cases + 1)]
    met = sum(chance for chance, (low, _) in zip(law, ends, strict=True) if low >= BOUND)
    return float(met), float(sum(chance for chance, (_, high) in zip(law, ends, strict=True) if high < BOUND))


def wald(rate: float) -> float:
    """The cases that Wald's test of .9 against a rate .05 from it takes on average, by his approximation."""
    other = 0.95 if rate >= BOUND else 0.85
    passed, failed = log(other / BOUND), log((1 - other) / (1 - BOUND))
    high, low = log((1 - ALPHA) / ALPHA), log(ALPHA / (1 - ALPHA))
    drift = rate * passed + (1 - rate) * failed
    if abs(drift) < 1e-9:
        return -high * low / (rate * passed**2 + (1 - rate) * failed**2)

    def moment(power: float) -> float:
        return rate * exp(power * passed) + (1 - rate) * exp(power * failed) - 1

    root = brentq(moment, 1e-6, 60) if drift < 0 else brentq(moment, -60, -1e-6)
    above = (1 - exp(low * root)) / (exp(high * root) - exp(low * root))
    return (above * high + (1 - above) * low) / drift


def one_trial(runs: int, chance: np.random.Generator) -> list[str]:
    """The nine truths at four sizes."""
    missed = []
    print("One trial: share of the calls, exact (simulated); right verdicts beside those of the full run")
    print(
        f"{'cases':>6} {'truth':>6} {'calls':>15} {'met':>15} {'not met':>15} {'in full':>10} {'not met':>8}{'Wald':>7}"
    )
    for cases in (100, 200, 500, 1000):
        planned, calls = plan(cases, BOUND), []
        for rate in TRUTHS:
            exact = operating_point(planned, rate)
            share, ends = simulate(by_count(planned, chance.random(cases) < rate) for _ in range(runs))
            met, not_met = fixed_test(cases, rate)
            calls.append(exact.calls)
            print(
                f"{cases:>6} {rate:>6.2f} {exact.calls:>7.3f} ({share:.3f}) "
                f"{exact.met:>7.3f} ({ends['met'] / runs:.3f}) {exact.not_met:>7.3f} ({ends['not met'] / runs:.3f}) "
                f"{met:>10.3f} {not_met:>8.3f} {wald(rate):>6.0f}"
            )
            if rate == BOUND and max(exact.met, exact.not_met) > ALPHA:
                missed.append(f"{cases} cases: an error of {max(exact.met, exact.not_met):.4f}")
            if cases == 500 and max(met - exact.met, not_met - exact.not_met) > 0.05:
                missed.append(f"500 cases, {rate}: a verdict less likely by more than .05")
        mean = sum(calls) / len(calls)
        print(f"{cases:>6}   mean {mean:>7.3f}; at least {fewest_cases(BOUND)} cases for any verdict of met")
        if cases == 500 and mean > 0.51:
            missed.append(f"500 cases: mean calls {mean:.3f}")
    return missed


def four_trials(runs: int, chance: np.random.Generator) -> list[str]:
    """The nine truths at four sizes, with cases that differ, each asked four times; nothing of it is known exactly."""
    missed = []
    print("\nFour trials, cases from a Beta with intra-class correlation ρ; for Wald an attempt is worth 1/(1 + 3ρ)")
    heads = ("cases", "ρ", "truth", "calls", "met", "not met", "in full", "not met", "Wald")
    print(" ".join(f"{head:>{width}}" for head, width in zip(heads, (6, 4, 6, 7, 7, 8, 10, 8, 6), strict=True)))
    for cases in (100, 200, 500, 1000):
        sizes = look_sizes(4 * cases)
        bounds = z_bounds(tuple(size / (4 * cases) for size in sizes))
        for rho in (0.1, 0.5, 0.9):
            for rate in TRUTHS:
                played = [draw(rate, rho, cases, chance) for _ in range(runs)]
                share, ends = simulate(by_z(trials, bounds, sizes) for trials in played)
                full = Counter(map(in_full, played))
                met, not_met = ends["met"] / runs, ends["not met"] / runs
                print(
                    f"{cases:>6} {rho:>4} {rate:>6.2f} {share:>7.3f} {met:>7.3f} {not_met:>8.3f} "
                    f"{full['met'] / runs:>10.3f} {full['not met'] / runs:>8.3f} {(1 + 3 * rho) * wald(rate):>6.0f}"
                )
                noise = 3 * sqrt(0.04 / runs)
                if rate == BOUND and (met > 0.025 + noise or not_met > 0.04 + noise):
                    missed.append(f"four trials, {cases} cases, ρ {rho}: met {met:.3f}, not met {not_met:.3f}")
    return missed


def draw(rate: float, rho: float, cases: int, chance: np.random.Generator) -> Bools:
    """Four trials of each case; rows are trials."""
    a, b = rate * (1 - rho) / rho, (1 - rate) * (1 - rho) / rho
    found: Bools = chance.random((4, cases)) < chance.beta(a, b, cases)
    return found


def two_runs(runs: int, chance: np.random.Generator) -> list[str]:
    """Not worse than another run by 0: 200 cases of which a fifth flip."""
    missed, cases = [], 200
    sizes = look_sizes(cases)
    bounds = z_bounds(tuple(size / cases for size in sizes))
    print("\nNot worse than RUN by 0, 200 cases, flips .20")
    for gain in (-0.10, 0.0, 0.10):
        weights = [0.10 - gain / 2, 0.80, 0.10 + gain / 2]
        share, ends = simulate(
            by_flips(chance.choice([-1, 0, 1], cases, p=weights), bounds, sizes) for _ in range(runs)
        )
        met, not_met = ends["met"] / runs, ends["not met"] / runs
        print(f"  difference {gain:+.2f}: calls {share:.3f}, met {met:.3f}, not met {not_met:.3f}")
        if gain == 0.10 and (met < 0.85 or share > 0.65):
            missed.append(f"difference .10: met {met:.3f} with {share:.3f} of the calls")
        if gain == 0 and max(met, not_met) > 0.025 + 3 * sqrt(0.025 / runs):
            missed.append(f"no difference: met {met:.3f}, not met {not_met:.3f}")
    return missed


def copies(runs: int, chance: np.random.Generator) -> list[str]:
    """Whether the rules that are simulated here end runs as Proctor does."""
    gate, apart, flips = f"pass_rate>={BOUND}", Counter[str](), "not worse than before by 0"
    for _ in range(runs):
        rate = float(chance.choice(TRUTHS))
        once, often = chance.random((1, 100)) < rate, draw(rate, 0.5, 60, chance)
        before = chance.random((1, 100)) < rate
        sizes, by_four = look_sizes(100), look_sizes(often.size)
        found = {
            "one trial": (by_count(plan(100, BOUND), once[0]), as_played(once, gate)),
            "four trials": (by_z(often, shares_bounds(by_four), by_four), as_played(often, gate)),
            "two runs": (
                by_flips(once[0].astype(int) - before[0].astype(int), shares_bounds(sizes), sizes),
                as_played(once, flips, before),
            ),
        }
        apart.update(name for name, (ours, theirs) in found.items() if ours != theirs)
    print(f"\n{runs} runs of each kind, played by Proctor itself: {dict(apart) or 'every one ends alike'}")
    return [f"{name}: {count} of {runs} runs end otherwise in Proctor" for name, count in apart.items()]


def shares_bounds(sizes: tuple[int, ...]) -> tuple[float, ...]:
    return z_bounds(tuple(size / sizes[-1] for size in sizes))


def main(arguments: list[str]) -> int:
    """Print the tables; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=2_000, help="simulated runs for each line [default: 2,000]")
    runs = parser.parse_args(arguments).runs
    chance = np.random.default_rng(20261116)
    missed = [
        *one_trial(runs, chance),
        *four_trials(runs, chance),
        *two_runs(4 * runs, chance),
        *copies(runs // 20, chance),
    ]
    print("\n" + ("\n".join(f"MISSED  {each}" for each in missed) or "All goals are reached."))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
