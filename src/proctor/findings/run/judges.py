"""Compare judges on the attempts with human labels: agreement, cost and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import fmean

from proctor.findings.run.people import LabelBasis
from proctor.run import Key, Run
from proctor.statistics.estimate import Estimate
from proctor.statistics.judges import JudgeAgreement, Opinion, agreement_difference, agreement_with_people
from proctor.usage import Usage

_FEWEST_BY_LENGTH = 6
"""Fewest labelled replies for a breakdown by length."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledReply:
    """A reply with a human label, and its weight."""

    key: Key
    people: bool
    weight: float
    """Weight of the reply as a sample of the run."""
    categories: tuple[str, ...] = ()
    words: int = 0
    """Number of words in the reply or, for a conversation, in all its replies."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeOpinion:
    """A judge's verdict on one labelled reply."""

    passed: bool | None
    unscored: str = ""
    """Why there is no verdict."""
    usage: Usage | None = None
    """Usage of the judgement, or None if unknown."""
    seconds: float | None = None
    unsure: bool = False
    """Whether the judge is unsure of a score, so that a second judge would be asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedJudge:
    """One judge compared with human labels."""

    name: str
    rubric: str
    is_own: bool
    """Whether it is the run's own judge, whose verdicts are stored with the run."""
    judged: int
    """Labelled attempts it gave a verdict on."""
    unscored: dict[str, int]
    """Reason for giving no verdict → count."""
    pending: int
    """Labelled attempts it has not judged because it failed or was stopped."""
    failures: dict[str, int]
    """Reason for failing on those → count."""
    quality: JudgeAgreement
    cost: float | None
    """Mean cost per verdict; None if unknown, which is not 0."""
    seconds: float | None
    """Mean seconds per verdict, or None if not measured."""
    categories: dict[str, JudgeAgreement] = field(default_factory=dict)
    lengths: dict[str, JudgeAgreement] = field(default_factory=dict)
    """Agreement by length of the reply, in thirds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeDifference:
    """Difference in agreement with human labels between two judges, on the attempts that both judged."""

    a: str
    b: str
    difference: Estimate
    """B − A."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgesFinding:
    """Comparison of judges on one run."""

    run: Run
    labels: int
    """Attempts with a label that counts and a reply to judge."""
    basis: LabelBasis
    """Summary of all human labels, including those that do not count."""
    judges: tuple[ComparedJudge, ...]
    differences: tuple[JudgeDifference, ...]
    notes: tuple[str, ...] = ()
    stopped: Mapping[str, str] = field(default_factory=dict)
    """Judge → why it was stopped early."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeRecord:
    """A judge and its verdicts."""

    name: str
    rubric: str
    is_own: bool
    verdicts: Mapping[Key, JudgeOpinion]
    failures: Mapping[Key, str] = field(default_factory=dict)
    """Attempt → why the judge failed on it."""


def cascade(first: JudgeRecord, second: JudgeRecord) -> JudgeRecord | None:
    """Combine two judges into a cascade: the second decides where the first is unsure; None if it never is.

    No further calls are needed, since both have given all their verdicts.
    """
    doubted = {key for key, verdict in first.verdicts.items() if verdict.unsure}
    if not doubted:
        return None
    of_first = {key: replace(verdict, seconds=verdict.seconds or 0.0) for key, verdict in first.verdicts.items()}
    of_second = {key: _after(of_first[key], verdict) for key, verdict in second.verdicts.items() if key in doubted}
    return JudgeRecord(
        name=f"{first.name},{second.name}",
        rubric=",".join(filter(None, (first.rubric, second.rubric))),
        is_own=False,
        verdicts={**{key: verdict for key, verdict in of_first.items() if key not in doubted}, **of_second},
        failures={
            **first.failures, **{key: why for key, why in second.failures.items() if key in doubted},
        },
    )  # fmt: skip


def _after(first: JudgeOpinion, second: JudgeOpinion) -> JudgeOpinion:
    """Return the second judge's verdict in a cascade, with the first judge's time added."""
    seconds = None if second.seconds is None else second.seconds + (first.seconds or 0.0)
    return replace(second, seconds=seconds)


def judges_finding(
    run: Run,
    replies: Sequence[LabelledReply],
    records: Sequence[JudgeRecord],
    *,
    basis: LabelBasis,
    notes: Iterable[str] = (),
) -> JudgesFinding:
    """Compare each judge with the human labels, and every pair of judges with each other."""
    return JudgesFinding(
        run=run,
        labels=len(replies),
        basis=basis,
        judges=tuple(_finding(record, replies) for record in records),
        differences=tuple(_difference(a, b, replies) for a, b in combinations(records, 2)),
        notes=tuple(notes),
    )


def _finding(record: JudgeRecord, replies: Sequence[LabelledReply]) -> ComparedJudge:
    verdicts = [record.verdicts[reply.key] for reply in replies if reply.key in record.verdicts]
    given = [verdict for verdict in verdicts if verdict.passed is not None]
    reasons = [verdict.unscored or "no reason was given" for verdict in verdicts if verdict.passed is None]
    return ComparedJudge(
        name=record.name,
        rubric=record.rubric,
        is_own=record.is_own,
        judged=len(given),
        unscored=dict(Counter(reasons)),
        pending=len(replies) - len(verdicts),
        failures=dict(Counter(record.failures[reply.key] for reply in replies if reply.key in record.failures)),
        quality=_agreement(record, replies),
        cost=_mean_cost(verdicts),
        seconds=_mean_seconds(verdicts),
        categories=_agreement_by_group(record, by_category(replies)),
        lengths=_agreement_by_group(record, by_length(replies)),
    )


def _agreement(record: JudgeRecord, replies: Sequence[LabelledReply]) -> JudgeAgreement:
    return agreement_with_people([opinion for reply in replies if (opinion := _opinion(record, reply)) is not None])


def _opinion(record: JudgeRecord, reply: LabelledReply) -> Opinion | None:
    verdict = record.verdicts.get(reply.key)
    if verdict is None or verdict.passed is None:
        return None
    return Opinion(people=reply.people, judge=verdict.passed, weight=reply.weight)


def _agreement_by_group(
    record: JudgeRecord, groups: Mapping[str, Sequence[LabelledReply]]
) -> dict[str, JudgeAgreement]:
    return {name: _agreement(record, replies) for name, replies in groups.items()}


def _mean_cost(verdicts: Sequence[JudgeOpinion]) -> float | None:
    """Return the mean cost per verdict; no usage costs 0, while usage without a price makes the mean unknown."""
    costs = []
    for verdict in verdicts:
        used = verdict.usage
        if used is None or (used and used.cost is None and not used.known_cost):
            return None
        costs.append(used.least)
    return sum(costs) / len(costs) if costs else None


def _mean_seconds(verdicts: Sequence[JudgeOpinion]) -> float | None:
    """Return the mean time per verdict, or None unless all verdicts are timed."""
    times = [verdict.seconds for verdict in verdicts if verdict.seconds is not None]
    return fmean(times) if times and len(times) == len(verdicts) else None


def _difference(a: JudgeRecord, b: JudgeRecord, replies: Sequence[LabelledReply]) -> JudgeDifference:
    pairs = [(_opinion(a, reply), _opinion(b, reply)) for reply in replies]
    both = [(x, y) for x, y in pairs if x is not None and y is not None]
    difference = agreement_difference([x for x, _ in both], [y for _, y in both])
    names = [f"{each.name} ({each.rubric})" if a.name == b.name else each.name for each in (a, b)]
    return JudgeDifference(a=names[0], b=names[1], difference=difference)


def by_category(replies: Sequence[LabelledReply]) -> dict[str, list[LabelledReply]]:
    """Group replies by category, sorted by name; a reply with several categories is in each."""
    groups: dict[str, list[LabelledReply]] = {}
    for reply in replies:
        for category in reply.categories:
            groups.setdefault(category, []).append(reply)
    return dict(sorted(groups.items()))


def by_length(replies: Sequence[LabelledReply]) -> dict[str, list[LabelledReply]]:
    """Group replies into thirds by length; empty if there are few or all have the same length."""
    if len(replies) < _FEWEST_BY_LENGTH:
        return {}
    ordered = sorted(reply.words for reply in replies)
    first, second = ordered[len(ordered) // 3 - 1], ordered[2 * len(ordered) // 3 - 1]
    groups: dict[str, list[LabelledReply]] = {}
    for reply in sorted(replies, key=lambda each: each.words):
        groups.setdefault(_length(reply.words, first, second), []).append(reply)
    return groups if len(groups) > 1 else {}


def _length(words: int, first: int, second: int) -> str:
    if words <= first:
        return f"up to {_words(first)}"
    if words > second:
        return f"over {_words(second)}"
    return _words(second) if second == first + 1 else f"{first + 1} to {_words(second)}"


def _words(count: int) -> str:
    return f"{count} {'word' if count == 1 else 'words'}"
