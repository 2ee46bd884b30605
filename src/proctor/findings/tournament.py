"""Tournament of several runs, case by case: wins, strengths, and the ranking that the cases support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from statistics import fmean

from proctor.errors import UsageError
from proctor.findings.comparison.comparability import refusal, remedy, unlike
from proctor.findings.comparison.many import MOST_RUNS, letter
from proctor.findings.run import CaseFinding, Findings
from proctor.run import Run
from proctor.statistics.bradley_terry import FEWEST_CASES, Pair, Ranking, ranking
from proctor.statistics.estimate import Estimate
from proctor.statistics.judges import share_toward_first
from proctor.statistics.pass_at_k import over_cases, pass_at_k
from proctor.usage import Usage

WIN_BY = 0.05
"""Stored scores that differ by at most this much are a tie."""
_REASONS = 3
"""Why contests have no verdict: so many are named."""
_JUDGED_ANEW = ("reviewer", "rubric", "weights", "passing score", "checks")
"""Settings in which runs may differ when the tournament judges their replies itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContestOutcome:
    """Outcome of one case between two runs."""

    case: str
    a: int
    b: int
    score: float | None
    """1 if A won, 0 if B won, 0.5 for a tie, or None without a verdict."""
    flipped: bool = False
    """Whether the judge's verdict changed when the order of the replies was swapped."""
    leans: float = 0.0
    """Position bias if flipped: above 0 towards the reply shown first, below 0 towards the second; 0 if unknown."""
    asked: bool = False
    """Whether a judge decided it, seeing the replies in both orders."""
    is_open: bool = False
    """Whether the judge gave no answer, so that it can be asked again."""
    reason: str = ""
    """Why there is no verdict."""

    @property
    def place(self) -> tuple[str, int, int]:
        """Key of the contest: case and the two runs."""
        return self.case, self.a, self.b


@dataclass(frozen=True, kw_only=True, slots=True)
class ContestTally:
    """Number of contests by result."""

    won: int
    tied: int
    lost: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Tournament:
    """Results of a tournament between runs."""

    findings: tuple[Findings, ...]
    """Findings of the runs in the given order."""
    judge: str | None
    """The judge of the contests, or None if stored scores decided."""
    ranking: Ranking
    outcomes: tuple[ContestOutcome, ...]
    flips: Estimate | None
    """Share of contests in which swapping the replies changed the judge's verdict, or None without a judge."""
    toward_first: Estimate | None
    """Share of those in which the judge favoured the reply shown first, or None without a judge."""
    usage: Usage
    """Usage of the judge."""
    warnings: tuple[str, ...]

    @property
    def runs(self) -> list[Run]:
        """The runs in the given order."""
        return [each.run for each in self.findings]

    @property
    def is_by_verdicts(self) -> bool:
        """Whether contests were decided by verdicts, without a judge or stored scores."""
        return self.judge is None and not _have_marks_to_compare(self.findings)

    @property
    def is_decided(self) -> bool:
        """Whether one run is certainly the strongest, by its interval of ranks."""
        return any(strength.worst == 1 for strength in self.ranking.strengths)

    @property
    def open(self) -> int:
        """Contests without an answer from the judge; running the same command again retries them."""
        return sum(outcome.is_open for outcome in self.outcomes)

    def tally(self, place: int, other: int | None = None) -> ContestTally:
        """Count a run's wins, ties and losses against all other runs or one of them."""
        scores = Counter(
            outcome.score if outcome.a == place else 1 - outcome.score
            for outcome in self.outcomes
            if outcome.score is not None
            and place in (outcome.a, outcome.b)
            and (other is None or other in (outcome.a, outcome.b))
        )
        return ContestTally(won=scores[1.0], tied=scores[0.5], lost=scores[0.0])


def must_be_alike(runs: Sequence[Run], *, judged_anew: bool, force: bool) -> list[str]:
    """Check that the runs are comparable; refuse differences in settings or, if forced, return them."""
    if not 2 <= len(runs) <= MOST_RUNS:
        named = f"{len(runs)} {'run is' if len(runs) == 1 else 'runs are'} no tournament"
        raise UsageError(f"{named}; expected 2 to {MOST_RUNS}", terminal=": `proctor list` shows them")
    found = []
    for a, b in combinations(runs, 2):
        if a.id == b.id:
            raise UsageError(
                f"run {a.id} is named twice; expected different runs", terminal=": `proctor list` shows them"
            )
        apart = [one for one in unlike(a, b) if not (judged_anew and one.what in _JUDGED_ANEW)]
        if apart and not force:
            raise UsageError(refusal(a, b, apart), terminal=remedy(a, b, apart))
        found += [one.what for one in apart]
    return list(dict.fromkeys(found))


def by_scores(found: Sequence[Findings]) -> list[ContestOutcome]:
    """Decide every contest by the stored scores, or by verdicts if there are no scores or they are not comparable."""
    marked = _have_marks_to_compare(found)
    known = [{case.id: case for case in findings.compared_on} for findings in found]
    cases = dict.fromkeys(case.id for findings in found for case in findings.compared_on)
    return [
        _by_values(case, a, b, *_values(known[a][case], known[b][case], marked=marked))
        for case in cases
        for a, b in combinations(range(len(found)), 2)
        if case in known[a] and case in known[b]
    ]


def _have_marks_to_compare(found: Sequence[Findings]) -> bool:
    """Whether there are scores and they are as comparable between runs as the verdicts."""
    if not any(case.score is not None for findings in found for case in findings.compared_on):
        return False
    pairs = combinations([findings.run for findings in found], 2)
    return not any(unlike(a, b, marks=True) and not unlike(a, b) for a, b in pairs)


def _by_values(case: str, a: int, b: int, one: float | None, other: float | None) -> ContestOutcome:
    if one is None or other is None:
        return ContestOutcome(case=case, a=a, b=b, score=None, reason="one of both has no score")
    apart = round(one - other, 9)
    score = 0.5 if abs(apart) <= WIN_BY else float(apart > 0)
    return ContestOutcome(case=case, a=a, b=b, score=score)


def _values(one: CaseFinding, other: CaseFinding, *, marked: bool) -> tuple[float | None, float | None]:
    """Return a case's value in both runs over equally many trials.

    A single trial is 0 or 1, and a 1 would beat any mean below 1.
    """
    if one.counted == other.counted:
        return _value(one, marked=marked), _value(other, marked=marked)
    pairs = [
        (one_values[: len(other_values)], other_values[: len(one_values)])
        for one_values, other_values in zip(_trials(one, marked=marked), _trials(other, marked=marked), strict=False)
    ]
    one_values, other_values = [*chain(*(pair[0] for pair in pairs))], [*chain(*(pair[1] for pair in pairs))]
    return (fmean(one_values), fmean(other_values)) if one_values else (None, None)


def _trials(case: CaseFinding, *, marked: bool) -> Sequence[Sequence[float]]:
    """Return a case's trials in order, per condition."""
    if case.trials is not None:
        return case.trials.values(case.id) if marked else case.trials.verdicts(case.id)
    value = _value(case, marked=marked)
    return [[] if value is None else [value]]


def _value(case: CaseFinding, *, marked: bool) -> float | None:
    """Return a case's value, counting the agent's own failures as 0, or None if it has no score."""
    if not marked:
        return case.passed / case.counted if case.counted else None
    if case.score is None:
        return 0.0 if case.failed_by_agent and not case.unscored else None
    others = max(1, case.counted - case.failed_by_agent)
    return case.score * others / (others + case.failed_by_agent)


def tournament(
    found: Sequence[Findings],
    outcomes: Sequence[ContestOutcome],
    *,
    judge: str | None = None,
    usage: Usage | None = None,
    unlike: Sequence[str] = (),
) -> Tournament:
    """Rank the runs from the outcomes of the contests."""
    if not outcomes:
        raise UsageError("these runs have no case in common; there is nothing to compare")
    cases: dict[str, dict[Pair, float]] = {}
    for outcome in outcomes:
        if outcome.score is not None:
            cases.setdefault(outcome.case, {})[outcome.a, outcome.b] = outcome.score
    ranked = ranking(list(cases.values()), len(found))
    return Tournament(
        findings=tuple(found),
        judge=judge,
        ranking=ranked,
        outcomes=tuple(outcomes),
        flips=None if judge is None else _flips(outcomes),
        toward_first=None if judge is None else share_toward_first((each.case, each.leans) for each in outcomes),
        usage=usage or Usage(),
        warnings=tuple(_warnings([each.run for each in found], outcomes, ranked, unlike)),
    )


def _flips(outcomes: Sequence[ContestOutcome]) -> Estimate:
    """Estimate the flip rate as a mean over cases, since the contests of one case are not independent."""
    counts: dict[str, tuple[int, int]] = {}
    for outcome in outcomes:
        if outcome.asked:
            n, flipped = counts.get(outcome.case, (0, 0))
            counts[outcome.case] = n + 1, flipped + outcome.flipped
    return over_cases(pass_at_k, counts.values(), 1)


def _warnings(
    runs: Sequence[Run], outcomes: Sequence[ContestOutcome], ranked: Ranking, unlike: Sequence[str]
) -> Iterator[str]:
    if unlike:
        yield f"These runs were not evaluated in the same way: {', '.join(unlike)}."
    for place, run in enumerate(runs):
        if run.status != "completed":
            yield f"{letter(place)} is {run.status}: it is compared on what it has."
    missing = Counter(outcome.reason for outcome in outcomes if outcome.score is None)
    if missing:
        why = [f"{number} × {reason}" for reason, number in missing.most_common()]
        why[_REASONS:] = [f"and {len(why) - _REASONS} more"] if len(why) > _REASONS else []
        verbs = ("has", "does") if sum(missing.values()) == 1 else ("have", "do")
        told = f"{sum(missing.values())} of {len(outcomes)} contests {verbs[0]} no verdict and {verbs[1]} not count"
        yield f"{told}: {'; '.join(why)}."
    if ranked.cases < FEWEST_CASES:
        yield f"{ranked.cases} cases are too few for intervals and ranks; they take {FEWEST_CASES}."
