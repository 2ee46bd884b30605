"""Comparison of several runs: which differ, possible ranks, disagreements, and the cost-quality front."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from string import ascii_uppercase

from proctor.errors import UsageError
from proctor.findings.comparison.compared import Compared, compare_findings, lacking
from proctor.findings.run import CaseFinding, Findings
from proctor.findings.run.cost import cost_per_pass
from proctor.statistics.compare import Comparison, holm
from proctor.statistics.estimate import Estimate

MOST_RUNS = 20
_LEVEL = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class PairFinding:
    """Comparison of two of the runs, by their positions."""

    a: int
    b: int
    comparison: Comparison
    """B − A in the pass rate."""
    adjusted: float | None
    """P-value after Holm correction over all pairs; None if nothing was counted in both."""
    certain: int
    """1 if B is certainly better, −1 if A is, 0 if undecided."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunStanding:
    """A run's standing among the others."""

    findings: Findings
    best: int
    """Best possible rank: one plus the number of certainly better runs."""
    worst: int
    """Worst possible rank."""
    cost: float | None
    """Mean cost of an attempt; None if unknown."""
    cost_per_pass: Estimate
    """Cost per passed case: mean cost of an attempt divided by the pass rate."""
    seconds: float | None
    """Median time of an attempt; None if unknown."""
    on_front: bool | None
    """Whether it is Pareto-optimal in pass rate and cost; None if either is unknown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatrixRow:
    """A case in all of the runs."""

    id: str
    question: str
    categories: tuple[str, ...]
    cells: tuple[CaseFinding | None, ...]
    """By run; None if the run does not have the case."""

    @property
    def shares(self) -> list[float | None]:
        """Share of passed attempts by run; None if nothing was counted."""
        return [None if cell is None or not cell.counted else cell.passed / cell.counted for cell in self.cells]

    @property
    def runs_with_verdict(self) -> int:
        """Number of runs in which the case was counted; agreement of two runs needs a verdict in both."""
        return sum(share is not None for share in self.shares)

    @property
    def spread(self) -> float:
        """Difference between the highest and lowest share: 0 if all agree, 1 if one always passes and one never."""
        known = [share for share in self.shares if share is not None]
        return max(known) - min(known) if known else 0.0


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class ManyCompared:
    """Comparison of three or more runs."""

    runs: tuple[RunStanding, ...]
    """In the order given."""
    pairs: tuple[PairFinding, ...]
    rows: tuple[MatrixRow, ...]
    """Largest disagreement first, then hardest."""
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        """Return one line, since all runs in full would flood a prompt or notebook cell."""
        decided = "one is the best" if self.is_decided else "none is shown to be the best"
        return f"<ManyCompared: {len(self.runs)} runs, {decided}>"

    @property
    def is_decided(self) -> bool:
        """Whether one run is certainly the best."""
        return any(standing.worst == 1 for standing in self.runs)


def compare_many(found: Sequence[Findings], *, force: bool = False) -> ManyCompared:
    """Compare all pairs of runs with Holm correction; refuse runs with incomparable settings unless forced."""
    if not 2 <= len(found) <= MOST_RUNS:
        raise UsageError(f"{len(found)} runs cannot be compared at once; expected 2 to {MOST_RUNS}")
    pairs = [(a, b, compare_findings(found[a], found[b], force=force)) for a, b in combinations(range(len(found)), 2)]
    judged = _judge_pairs(pairs)
    return ManyCompared(
        runs=tuple(_standings(found, judged)),
        pairs=tuple(judged),
        rows=tuple(sorted(_rows(found), key=_worst_disagreement)),
        warnings=tuple(_warnings(found, [each for _, _, each in pairs])),
    )


def letter(place: int) -> str:
    """Return the letter for the run at this position: A, B, C …"""
    return ascii_uppercase[place]


def _warnings(found: Sequence[Findings], pairs: Sequence[Compared]) -> Iterator[str]:
    unlike = dict.fromkeys(one.what for each in pairs for one in each.unlike)
    if unlike:
        yield f"These runs were not evaluated in the same way: {', '.join(unlike)}."
    for place, findings in enumerate(found):
        yield from lacking(letter(place), findings)
    shared = [len(each.cases) for each in pairs]
    if min(shared) < max(len(findings.compared_on) for findings in found):
        yield f"A pair is compared on the cases that both runs have: {min(shared)} to {max(shared)} of them."


def _judge_pairs(pairs: Sequence[tuple[int, int, Compared]]) -> list[PairFinding]:
    tested = [each.pass_rate.p_value for _, _, each in pairs]
    known = iter(holm([p for p in tested if p is not None]))
    adjusted = [None if p is None else next(known) for p in tested]
    return [
        PairFinding(a=a, b=b, comparison=each.pass_rate, adjusted=p, certain=_certain(each.pass_rate, p))
        for (a, b, each), p in zip(pairs, adjusted, strict=True)
    ]


def _certain(comparison: Comparison, p: float | None) -> int:
    """Return which run is better, if the test is significant and the interval excludes 0; else 0."""
    return comparison.difference.side if p is not None and p <= _LEVEL and comparison.confirmed else 0


def _standings(found: Sequence[Findings], pairs: Sequence[PairFinding]) -> Iterator[RunStanding]:
    prices = [_price(findings) for findings in found]
    for place, findings in enumerate(found):
        above = sum(_beats(pair, other=place) for pair in pairs)
        below = sum(_beaten(pair, by=place) for pair in pairs)
        yield RunStanding(
            findings=findings,
            best=1 + above,
            worst=len(found) - below,
            cost=prices[place],
            cost_per_pass=cost_per_pass(findings),
            seconds=findings.latency.median if findings.latency is not None else None,
            on_front=_on_front(place, [findings.pass_rate.value for findings in found], prices),
        )


def _beats(pair: PairFinding, *, other: int) -> bool:
    """Whether the paired run is certainly better than the run at position `other`."""
    return (pair.a == other and pair.certain > 0) or (pair.b == other and pair.certain < 0)


def _beaten(pair: PairFinding, *, by: int) -> bool:
    return (pair.b == by and pair.certain > 0) or (pair.a == by and pair.certain < 0)


def _price(findings: Findings) -> float | None:
    """Return the mean cost of an attempt."""
    played = findings.counts.played
    spent = findings.usage.cost
    return spent / played if spent is not None and played else None


def _on_front(place: int, rates: Sequence[float | None], prices: Sequence[float | None]) -> bool | None:
    rate, price = rates[place], prices[place]
    if rate is None or price is None:
        return None
    others = [(r, p) for r, p in zip(rates, prices, strict=True) if r is not None and p is not None]
    return not any(r >= rate and p <= price and (r > rate or p < price) for r, p in others)


def _rows(found: Sequence[Findings]) -> Iterator[MatrixRow]:
    known = [{case.id: case for case in findings.compared_on} for findings in found]
    for name in dict.fromkeys(name for cases in known for name in cases):
        first = next(cases[name] for cases in known if name in cases)
        yield MatrixRow(
            id=name,
            question=first.question,
            categories=first.categories,
            cells=tuple(cases.get(name) for cases in known),
        )


def _worst_disagreement(row: MatrixRow) -> tuple[float, float]:
    known = [share for share in row.shares if share is not None]
    return -row.spread, fmean(known) if known else 2.0
