"""Coverage of the intervals, ours beside the usual ones, and whether the target is kept: `make simulate`.

A case with m trials has m+1 possible values, and every interval here but the bootstrap's depends on the cases only
through the sum and the sum of squares of their values. The joint law of these two is a power of a small polynomial:
it is taken by Fourier transform, so the coverage is exact, not simulated. The bootstrap is drawn 1,000 times a cell,
each time with its exact quantiles (endless resamples), paired runs 4,000 times. Runs of the same agent with equal and
unequal trials are drawn 400 times a world, runs whose cases are named stable or flaky 20 to 100 times; whether a name
is right is then exact again. Exit code 1: the target was missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import fft, special, stats

from proctor.statistics.common_trials import counts_in_common
from proctor.statistics.compare import Differences, compare_counts, differences_of, sign_flip_test
from proctor.statistics.hierarchical import STABLE, SURE, Population, fit_for_means
from proctor.statistics.intervals import Sums
from proctor.statistics.looks import CHART_LEVEL
from proctor.statistics.pass_at_k import pass_at_k, pass_hat_k

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CASES = (5, 10, 30, 100, 300)
TRIALS = (1, 4)
RATES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
Z = 1.959963984540054
EPS = 1e-12
DRAWS = 1000
PAIRED_DRAWS = 4000
SAME_DRAWS = 400
NAMED_CASES = 2000
FEW_RATES = (0.5, 0.8, 0.95)


# Worlds: how the cases' true rates are spread around their mean -------------------------------------------------


@dataclass(frozen=True)
class World:
    """A distribution of cases' rates on points: every world here is a true world, its mean is the truth."""

    name: str
    rates: Floats
    weights: Floats
    beta: tuple[float, float] | None = None
    """Its parameters, where it is a Beta distribution and the points stand for it."""

    def drawn(self, n: int, rng: np.random.Generator) -> Floats:
        """The rates of n cases."""
        if self.beta is not None:
            return rng.beta(*self.beta, n)
        return rng.choice(self.rates, n, p=self.weights / self.weights.sum())

    def law(self, trials: int) -> Floats:
        """The chance of 0..trials passes of a case drawn from it."""
        passes = np.arange(trials + 1)
        return np.asarray(self.weights @ stats.binom.pmf(passes[None, :], trials, self.rates[:, None]))

    def mean(self) -> float:
        return float(self.weights @ self.rates)


def worlds(mu: float) -> Iterator[World]:
    """All alike; Beta with correlation .1 and .5; always or never; always, never or by half."""
    one = np.ones(1)
    yield World("const", np.array([mu]), one)
    for rho in (0.1, 0.5):
        yield World(f"beta {rho}", *beta_points(mu, rho), (mu * (1 - rho) / rho, (1 - mu) * (1 - rho) / rho))
    yield World("det", np.array([0.0, 1.0]), np.array([1 - mu, mu]))
    yield World("mix", np.array([0.0, 0.5, 1.0]), np.array([(1 - mu) / 2, 1 - mu, 1 - 1.5 * (1 - mu)]))


def beta_points(mu: float, rho: float) -> tuple[Floats, Floats]:
    """A Beta distribution by Gauss-Jacobi quadrature: its moments up to the 79th are exact."""
    a, b = mu * (1 - rho) / rho, (1 - mu) * (1 - rho) / rho
    with np.errstate(invalid="ignore"):  # SciPy computes 0/0 on the way where a + b = 1, and drops it
        nodes, weights = special.roots_jacobi(40, b - 1, a - 1)
    return (nodes + 1) / 2, weights / weights.sum()


# Exact laws and intervals on them ---------------------------------------------------------------------------------


@dataclass
class Law:
    """The joint law of the sum and the sum of squares of n whole-number values."""

    total: Floats
    squares: Floats
    chance: Floats


def joint(values: Ints, chances: Floats, n: int) -> Law:
    """By the n-th power of the transform; (v² − v)/2 stands for v², which halves the table."""
    low = int(values.min())
    shift = values - low
    half = shift * (shift - 1) // 2
    shape = (int(shift.max()) * n + 1, int(half.max()) * n + 1)
    padded = [fft.next_fast_len(size, real=True) for size in shape]
    table = np.zeros(padded)
    np.add.at(table, (shift, half), chances)
    power = fft.irfft2(fft.rfft2(table, workers=-1) ** n, s=padded, workers=-1)[: shape[0], : shape[1]]
    i, j = np.nonzero(power > 1e-13)
    moved = i.astype(float)
    raw = moved + 2 * j
    return Law(moved + n * low, raw + 2 * low * moved + n * low * low, power[i, j])


def ours(total: Floats, squares: Floats, n: int) -> tuple[Floats, Floats]:
    """`Sums.interval` on whole arrays; `agrees` holds it to the original."""
    size = n * worth(total, squares, n)
    p = total / n
    centre, scale = p + Z * Z / (2 * size), 1 + Z * Z / size
    spread = Z * np.sqrt(p * (1 - p) / size + Z * Z / (4 * size * size))
    return np.maximum(0, np.minimum(p, (centre - spread) / scale)), np.minimum(
        1, np.maximum(p, (centre + spread) / scale)
    )


def cluster_t(total: Floats, squares: Floats, n: int) -> tuple[Floats, Floats]:
    mean = total / n
    spread = special.stdtrit(n - 1, 0.975) * np.sqrt(np.maximum(0, squares - n * mean * mean) / (n - 1) / n)
    return mean - spread, mean + spread


def pseudo_cases(total: Floats, squares: Floats, n: int, trials: Floats) -> tuple[Floats, Floats]:
    """`Differences.interval` on whole arrays."""
    centre = total / (n + 2)
    variance = (squares + 2 / trials - (n + 2) * centre * centre) / (n + 1)
    spread = special.stdtrit(n + 1, 0.975) * np.sqrt(variance / (n + 2))
    return np.maximum(-1, centre - spread), np.minimum(1, centre + spread)


def worth(total: Floats, squares: Floats, n: int) -> Floats:
    """Effective cases over cases."""
    y = (total + 1) / (n + 2)
    return np.maximum(1, y * (1 - y) * (n + 1) / (squares + 1 - (n + 2) * y * y))


def bootstrap(steps: Ints, law: Floats, n: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Percentile intervals over cases of drawn runs, in steps, with the exact quantiles of the resampled mean."""
    counts, times = np.unique(rng.multinomial(n, law / law.sum(), size=DRAWS), axis=0, return_counts=True)
    length = fft.next_fast_len(int(steps.max()) * n + 1, real=True)
    table = np.zeros((len(counts), length))
    table[:, steps] = counts / n
    chance = fft.irfft(fft.rfft(table, axis=1) ** n, n=length, axis=1)
    reached = np.cumsum(chance, axis=1)
    low = (reached < 0.025 - EPS).sum(axis=1) / n
    high = (reached < 0.975 - EPS).sum(axis=1) / n
    return low, high, times / DRAWS


# Tables -------------------------------------------------------------------------------------------------------------


@dataclass
class Row:
    """One method at one number of cases, over all cells."""

    covered: list[float] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    above: list[float] = field(default_factory=list)
    point: list[float] = field(default_factory=list)

    def add(self, low: Floats, high: Floats, chance: Floats, truth: float) -> None:
        self.covered.append(float(chance[(low <= truth + EPS) & (high >= truth - EPS)].sum()))
        self.width.append(float(chance @ (high - low)))
        self.above.append(float(chance[low > truth + EPS].sum()))
        self.point.append(float(chance[high - low < EPS].sum()))

    def __str__(self) -> str:
        return (
            f"{np.mean(self.covered):.3f} / {np.min(self.covered):.3f} | {np.mean(self.width):.3f} "
            f"| {np.max(self.above):.3f} | {np.mean(self.point):.3f}"
        )


HEAD = "coverage mean / worst | mean width | lower end above the truth, worst | zero width, mean"


def pass_rate_table(rng: np.random.Generator) -> list[str]:
    """The grid of the target; returns what it misses."""
    missed: list[str] = []
    print(f"\nPass rate, nominal 95 %, trials {TRIALS}, 5 worlds, mean rates {RATES}\n\n| cases | method | {HEAD} |")
    print("|---|---|---|---|---|---|")
    for n in CASES:
        rows = {name: Row() for name in ("Wilson on effective cases", "cluster t", "cluster bootstrap")}
        for trials in TRIALS:
            values = np.arange(trials + 1)
            for world in (world for mu in RATES for world in worlds(mu)):
                chances = world.law(trials)
                law = joint(values, chances, n)
                sums = law.total / trials, law.squares / trials**2, n
                truth = world.mean()
                low, high = ours(*sums)
                rows["Wilson on effective cases"].add(low, high, law.chance, truth)
                rows["cluster t"].add(*cluster_t(*sums), law.chance, truth)
                ends = bootstrap(values, chances, n, rng)
                rows["cluster bootstrap"].add(ends[0] / trials, ends[1] / trials, ends[2], truth)
                if np.any(low > sums[0] / n) or np.any(high < sums[0] / n):
                    missed.append(f"n={n}: a value lies outside its interval")
        for name, row in rows.items():
            print(f"| {n} | {name} | {row} |", flush=True)
        missed += target(n, rows["Wilson on effective cases"])
    return missed


def target(n: int, row: Row) -> list[str]:
    """What of the target is missed at n cases."""
    least = 0.89 if n < 30 else 0.915
    checks = {
        f"mean coverage {np.mean(row.covered):.4f}, expected .945 to .975": 0.945 <= np.mean(row.covered) <= 0.975,
        f"worst coverage {np.min(row.covered):.4f}, expected {least}": np.min(row.covered) >= least,
        f"lower end above the truth {np.max(row.above):.4f}, expected at most .04": np.max(row.above) <= 0.04,
        f"zero width {np.max(row.point):.4f}, expected never": np.max(row.point) == 0,
    }
    return [f"n={n}: {what}" for what, kept in checks.items() if not kept]


def clopper_pearson_check() -> list[str]:
    """One trial a case: exact coverage of Clopper-Pearson, which must never fall below 95 %."""
    worst = 1.0
    for n in CASES:
        passes = np.arange(n + 1)
        low = np.where(passes == 0, 0, special.betaincinv(np.maximum(passes, 1), n - passes + 1, 0.025))
        high = np.where(passes == n, 1, special.betaincinv(passes + 1, np.maximum(n - passes, 1), 0.975))
        for mu in np.concatenate((RATES, np.linspace(0.005, 0.995, 199))):
            inside = (low <= mu + EPS) & (high >= mu - EPS)
            worst = min(worst, float(stats.binom.pmf(passes, n, mu)[inside].sum()))
    print(f"\nClopper-Pearson, one trial, 205 rates × cases {CASES}: worst coverage {worst:.4f}")
    return [] if worst >= 0.95 else [f"Clopper-Pearson covers {worst:.4f}, expected at least .95"]


def pass_k_table(n: int) -> None:
    """pass^k and pass@k from four trials."""
    print(f"\npass^k and pass@k, 4 trials, {n} cases, 5 worlds, 6 mean rates\n\n| what | method | {HEAD} |")
    print("|---|---|---|---|---|---|")
    for sign, formula in (("^", pass_hat_k), ("@", pass_at_k)):
        for k in (2, 3, 4):
            values = np.array([round(12 * formula(4, c, k)) for c in range(5)])
            rows = {name: Row() for name in ("Wilson on effective cases", "cluster t")}
            for world in (world for mu in RATES for world in worlds(mu)):
                law = joint(values, world.law(4), n)
                sums = law.total / 12, law.squares / 144, n
                chances = world.law(k)
                truth = float(chances[k] if sign == "^" else 1 - chances[0])
                rows["Wilson on effective cases"].add(*ours(*sums), law.chance, truth)
                rows["cluster t"].add(*cluster_t(*sums), law.chance, truth)
            for name, row in rows.items():
                print(f"| pass{sign}{k} | {name} | {row} |", flush=True)


def changes(world: World) -> Iterator[tuple[Floats, Floats, Floats]]:
    """From A to B: rates before, rates after, weights. Nothing; a little better; a tenth broken; a tenth exchanged."""
    p, w = world.rates, world.weights
    yield p, p, w
    yield p, p + 0.2 * (1 - p), w
    for after in (np.zeros_like(p), 1 - p):
        yield np.tile(p, 2), np.concatenate((p, after)), np.concatenate((0.9 * w, 0.1 * w))


def paired_law(before: Floats, after: Floats, weights: Floats, trials: int) -> Floats:
    """The chance of each pair of passes in A and in B."""
    passes = np.arange(trials + 1)
    a = stats.binom.pmf(passes[None, :], trials, before[:, None])
    b = stats.binom.pmf(passes[None, :], trials, after[:, None])
    return np.asarray(((a * weights[:, None]).T @ b).ravel())


def paired_table(rng: np.random.Generator) -> list[str]:
    """Returns where our own interval covers too little."""
    missed: list[str] = []
    print(f"\nPaired difference, 5 worlds, mean rates .5 .8 .95, 4 changes\n\n| cases | trials | method | {HEAD} |")
    print("|---|---|---|---|---|---|---|")
    for n in (10, 30, 100, 200):
        for trials in TRIALS:
            rows = {name: Row() for name in ("pseudo-cases", "pseudo-cases ±1/√trials", "paired t")}
            a, b = (
                np.repeat(np.arange(trials + 1), trials + 1) / trials,
                np.tile(np.arange(trials + 1), trials + 1) / trials,
            )
            for before, after, weights in (
                c for mu in (0.5, 0.8, 0.95) for world in worlds(mu) for c in changes(world)
            ):
                law = paired_law(before, after, weights, trials)
                counts = rng.multinomial(n, law / law.sum(), size=PAIRED_DRAWS)
                sums = counts @ (b - a), counts @ (b - a) ** 2, n
                share = (1 / worth(counts @ a, counts @ a**2, n) + 1 / worth(counts @ b, counts @ b**2, n)) / 2
                each, truth = np.full(PAIRED_DRAWS, 1 / PAIRED_DRAWS), float(weights @ (after - before))
                rows["pseudo-cases"].add(*pseudo_cases(*sums, np.minimum(trials, 1 / share)), each, truth)
                rows["pseudo-cases ±1/√trials"].add(*pseudo_cases(*sums, np.array(float(trials))), each, truth)
                rows["paired t"].add(*cluster_t(*sums), each, truth)
            for name, row in rows.items():
                print(f"| {n} | {trials} | {name} | {row} |", flush=True)
            if min(rows["pseudo-cases"].covered) < 0.92 or max(rows["pseudo-cases"].above) > 0.06:
                missed.append(f"paired, n={n}, {trials} trials: expected worst coverage .92, lower end above .06")
    return missed


def null_table(rng: np.random.Generator) -> None:
    """How often chance alone looks like a change."""
    print("\nNo difference at all, 2,000 runs a line: share that looks like one\n")
    print("| cases | trials | P(B better) > .975 | sign-flip p ≤ .05 |\n|---|---|---|---|")
    for n in (20, 50, 200):
        for trials in TRIALS:
            better = found = 0
            for _ in range(2000):
                rates = rng.beta(1.6, 0.4, n)
                values = (rng.binomial(trials, rates) - rng.binomial(trials, rates)) / trials
                better += Differences.of(values.tolist(), trials=trials).better() > 0.975
                found += sign_flip_test(values.tolist()) <= 0.05
            print(f"| {n} | {trials} | {better / 2000:.3f} | {found / 2000:.3f} |", flush=True)


# Unequal trials, and the names of cases -----------------------------------------------------------------------------


@dataclass
class Null:
    """Two runs of the same agent, many times: how often chance looks like a change."""

    looked: int = 0
    marked: int = 0
    significant: int = 0
    before: int = 0
    extreme: int = 0
    apart: int = 0

    def add(self, rates: Floats, trials: tuple[int, int], rng: np.random.Generator) -> None:
        a, b = ((rng.random((len(rates), m)) < rates[:, None]).astype(float) for m in trials)
        common = [counts_in_common([x], [y]) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
        counts = [[(side.shape[1], int(passes)) for passes in side.sum(axis=1)] for side in (a, b)]
        found = compare_counts(*counts, common=common)
        p, better = found.p_value or 0.0, found.better or 0.0
        self.looked += 1
        self.marked += p <= CHART_LEVEL and found.confirmed
        self.significant += p <= 0.05
        self.extreme += not 0.025 <= better <= 0.975
        self.apart += found.difference.side != 0
        self.before += sign_flip_test(differences_of(list(zip(*counts, strict=True)))) <= CHART_LEVEL

    def shares(self) -> tuple[float, ...]:
        """Marked; what p ≤ .005 over all trials would mark; p ≤ .05; P beyond its ends; intervals that leave out 0."""
        found = (self.marked, self.before, self.significant, self.extreme, self.apart)
        return tuple(each / self.looked for each in found)


def history_table(rng: np.random.Generator) -> list[str]:
    """Marks of a history in which nothing changed but the number of trials."""
    missed: list[str] = []
    runs = SAME_DRAWS * len(FEW_RATES) * 5
    print(f"\nThe same agent twice, 5 worlds, mean rates {FEW_RATES}, {runs} pairs a line: mean / worst world\n")
    print("| cases | trials | marked | p ≤ .005 over all trials | p ≤ .05 | P beyond .025 | interval without 0 |")
    print("|---|---|---|---|---|---|---|")
    for n in (10, 20, 50, 100):
        for trials in ((1, 1), (1, 4), (1, 8), (4, 2)):
            seen = np.array([same_agent(world, n, trials, rng) for mu in FEW_RATES for world in worlds(mu)])
            cells = [
                f"{mean:.4f} / {worst:.3f}" for mean, worst in zip(seen.mean(axis=0), seen.max(axis=0), strict=True)
            ]
            print(f"| {n} | {trials[0]} → {trials[1]} | {' | '.join(cells)} |", flush=True)
            if seen[:, 0].mean() > CHART_LEVEL + 3 * (CHART_LEVEL / runs) ** 0.5 or seen[:, 2].mean() > 0.05:
                missed.append(f"history, n={n}, trials {trials}: more false marks than one in 200")
    return missed


def same_agent(world: World, n: int, trials: tuple[int, int], rng: np.random.Generator) -> tuple[float, ...]:
    null = Null()
    for _ in range(SAME_DRAWS):
        null.add(world.drawn(n, rng), trials, rng)
    return null.shares()


def true_classes(world: World, trials: int) -> Floats:
    """The chance that a case with 0..trials passes is stable-pass, stable-fail, flaky: one row a number of passes."""
    passes = np.arange(trials + 1)
    if world.beta is not None:
        a, b = world.beta[0] + passes, world.beta[1] + trials - passes
        stable = np.column_stack([special.betaincc(a, b, STABLE), special.betainc(a, b, 1 - STABLE)])
    else:
        joint = stats.binom.pmf(passes[:, None], trials, world.rates[None, :]) * world.weights
        ends = (world.rates >= STABLE - EPS, world.rates <= 1 - STABLE + EPS)
        stable = (
            np.column_stack([joint[:, end].sum(axis=1) for end in ends])
            / np.maximum(joint.sum(axis=1), 1e-300)[:, None]
        )
    return np.column_stack([stable, 1 - stable.sum(axis=1)])


def named_by(population: Population, trials: int, passes: int) -> int:
    """The class that is named, 3: none."""
    passing, failing = population.stable(trials, passes)
    chances = (passing, failing, 1 - passing - failing)
    return int(np.argmax(chances)) if max(chances) >= SURE else 3


def at_its_mean(population: Population) -> Population:
    """As if the means of μ and ρ were known to be the truth."""
    mu, rho = population.weight @ population.mu, population.weight @ population.rho
    return Population(mu=np.array([mu]), rho=np.array([rho]), weight=np.ones(1))


def names_right(world: World, n: int, trials: int, rng: np.random.Generator) -> Floats:
    """Cases named and rightly named, by the mean over the posterior and at its mean."""
    truth, found = true_classes(world, trials), np.zeros(4)
    for _ in range(NAMED_CASES // n):
        passes = rng.binomial(trials, world.drawn(n, rng))
        population = fit_for_means([(trials, int(c)) for c in passes])
        for place, known in enumerate((population, at_its_mean(population))):
            for c, times in zip(*np.unique(passes, return_counts=True), strict=True):
                name = named_by(known, trials, int(c))
                if name < 3:
                    found[2 * place : 2 * place + 2] += times, times * truth[c, name]
    return found


def names_table(rng: np.random.Generator) -> list[str]:
    """Whether cases that are called stable or flaky are."""
    missed: list[str] = []
    print(f"\nNames of cases, 5 worlds, mean rates {FEW_RATES}; at the border: rates around .9\n")
    print("| cases | trials | named | right, mean / worst | at the border | at the mean of μ and ρ, mean / worst |")
    print("|---|---|---|---|---|---|")
    for n in (20, 100):
        for trials in (2, 4, 8):
            cells = np.array([names_right(w, n, trials, rng) for mu in FEW_RATES for w in worlds(mu)])
            border = np.sum([names_right(w, n, trials, rng) for w in worlds(0.9) if w.name == "beta 0.1"], axis=0)
            right, plain = (cells[:, k + 1] / np.maximum(cells[:, k], 1) for k in (0, 2))
            seen, known = (cells[:, k] > NAMED_CASES / 100 for k in (0, 2))
            means = [cells[:, k + 1].sum() / cells[:, k].sum() for k in (0, 2)]
            print(
                f"| {n} | {trials} | {cells[:, 0].mean() / NAMED_CASES:.2f} | {means[0]:.3f} / {right[seen].min():.3f} "
                f"| {border[1] / border[0]:.3f} | {means[1]:.3f} / {plain[known].min():.3f} |",
                flush=True,
            )
            if right[seen].min() < SURE - 0.04:
                missed.append(f"names, n={n}, {trials} trials: {right[seen].min():.3f} right, expected {SURE}")
    return missed


def agrees(rng: np.random.Generator) -> list[str]:
    """Whether the array formulas of this file are those of the package, on drawn values."""
    missed = []
    for n in CASES:
        values = rng.integers(0, 5, n) / 4
        mine = ours(np.array([values.sum()]), np.array([(values**2).sum()]), n)
        theirs = Sums.of(values.tolist()).interval()
        changed = values - rng.integers(0, 5, n) / 4
        pair = pseudo_cases(np.array([changed.sum()]), np.array([(changed**2).sum()]), n, np.array([4.0]))
        their_pair = Differences.of(changed.tolist(), trials=4).interval()
        both = np.array([mine[0][0], mine[1][0], pair[0][0], pair[1][0]])
        if not np.allclose(both, [*theirs, *their_pair], atol=1e-9):
            missed.append(f"n={n}: the formulas of this bench and of the package differ")
    return missed


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    rng = np.random.default_rng(parser.parse_args(arguments).seed)
    began = time.perf_counter()
    missed = agrees(rng) + pass_rate_table(rng) + clopper_pearson_check()
    pass_k_table(50)
    missed += paired_table(rng)
    null_table(rng)
    missed += history_table(rng) + names_table(rng)
    print(f"\n{time.perf_counter() - began:.0f} s. Target {'missed:' if missed else 'kept.'}")
    for what in missed:
        print(f"  {what}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
