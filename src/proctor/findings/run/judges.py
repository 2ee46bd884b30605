"""Judges side by side on the attempts that people have labelled: which of them can be believed, and what each costs."""

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
"""Labelled replies below which they are not parted by length."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledReply:
    """A reply that people have judged, and what it stands for."""

    key: Key
    people: bool
    weight: float
    """How much of the run it stands for."""
    categories: tuple[str, ...] = ()
    words: int = 0
    """Of the reply; of a conversation, of all its replies."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeOpinion:
    """What a judge says of one of them."""

    passed: bool | None
    unscored: str = ""
    """Why there is no verdict."""
    usage: Usage | None = None
    """What it took; None: nobody knows."""
    seconds: float | None = None
    unsure: bool = False
    """Whether the judge is not sure of a mark, so that a second one would be asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedJudge:
    """One judge beside people."""

    name: str
    rubric: str
    is_own: bool
    """Whether it is the run's own: its verdicts were stored with the run."""
    judged: int
    """Labelled attempts that it has a verdict on."""
    unscored: dict[str, int]
    """Why it could give none → how often."""
    pending: int
    """Labelled attempts that it has not judged: it failed, or was stopped."""
    failures: dict[str, int]
    """Why it failed on some of those → how often."""
    quality: JudgeAgreement
    cost: float | None
    """A verdict's, on average; None: unknown, which is not 0."""
    seconds: float | None
    """A verdict's, on average; None: it was not measured."""
    categories: dict[str, JudgeAgreement] = field(default_factory=dict)
    lengths: dict[str, JudgeAgreement] = field(default_factory=dict)
    """By the length of the reply, in thirds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeDifference:
    """How much more often one judge agrees with people than another, on the attempts that both have judged."""

    a: str
    b: str
    difference: Estimate
    """B − A."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgesFinding:
    """Judges side by side."""

    run: Run
    labels: int
    """Attempts with a label that counts and a reply to judge."""
    basis: LabelBasis
    """All that people have said, also what does not count."""
    judges: tuple[ComparedJudge, ...]
    differences: tuple[JudgeDifference, ...]
    notes: tuple[str, ...] = ()
    stopped: Mapping[str, str] = field(default_factory=dict)
    """Judge → why it was stopped before its end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeRecord:
    """A judge, and what it has said."""

    name: str
    rubric: str
    is_own: bool
    verdicts: Mapping[Key, JudgeOpinion]
    failures: Mapping[Key, str] = field(default_factory=dict)
    """Why it failed on others."""


def cascade(first: JudgeRecord, second: JudgeRecord) -> JudgeRecord | None:
    """What both would say one after the other, the second of what the first is unsure of; None: it is never unsure.

    Nobody has to be asked for it: each has said its part already.
    """
    doubted = {key for key, said in first.verdicts.items() if said.unsure}
    if not doubted:
        return None
    of_first = {key: replace(said, seconds=said.seconds or 0.0) for key, said in first.verdicts.items()}
    of_second = {key: _after(of_first[key], said) for key, said in second.verdicts.items() if key in doubted}
    return JudgeRecord(
        name=f"{first.name},{second.name}",
        rubric=",".join(filter(None, (first.rubric, second.rubric))),
        is_own=False,
        verdicts={**{key: said for key, said in of_first.items() if key not in doubted}, **of_second},
        failures={
            **first.failures, **{key: why for key, why in second.failures.items() if key in doubted},
        },
    )  # fmt: skip


def _after(first: JudgeOpinion, second: JudgeOpinion) -> JudgeOpinion:
    """What a second judge says when it is asked after a first one, which it had to wait for."""
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
    """Each judge beside people, and every two of them beside each other."""
    return JudgesFinding(
        run=run,
        labels=len(replies),
        basis=basis,
        judges=tuple(_finding(record, replies) for record in records),
        differences=tuple(_difference(a, b, replies) for a, b in combinations(records, 2)),
        notes=tuple(notes),
    )


def _finding(record: JudgeRecord, replies: Sequence[LabelledReply]) -> ComparedJudge:
    said = [record.verdicts[reply.key] for reply in replies if reply.key in record.verdicts]
    given = [verdict for verdict in said if verdict.passed is not None]
    reasons = [verdict.unscored or "no reason was given" for verdict in said if verdict.passed is None]
    return ComparedJudge(
        name=record.name,
        rubric=record.rubric,
        is_own=record.is_own,
        judged=len(given),
        unscored=dict(Counter(reasons)),
        pending=len(replies) - len(said),
        failures=dict(Counter(record.failures[reply.key] for reply in replies if reply.key in record.failures)),
        quality=_agreement(record, replies),
        cost=_mean_cost(said),
        seconds=_mean_seconds(said),
        categories=_agreement_by_group(record, by_category(replies)),
        lengths=_agreement_by_group(record, by_length(replies)),
    )


def _agreement(record: JudgeRecord, replies: Sequence[LabelledReply]) -> JudgeAgreement:
    return agreement_with_people([said for reply in replies if (said := _opinion(record, reply)) is not None])


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
    """What a verdict cost on average; nothing used is 0, used and without a price is unknown."""
    costs = []
    for verdict in verdicts:
        used = verdict.usage
        if used is None or (used and used.cost is None and not used.known_cost):
            return None
        costs.append(used.least)
    return sum(costs) / len(costs) if costs else None


def _mean_seconds(verdicts: Sequence[JudgeOpinion]) -> float | None:
    """How long a verdict took on average; of some of them alone it would say nothing of the others."""
    times = [verdict.seconds for verdict in verdicts if verdict.seconds is not None]
    return fmean(times) if times and len(times) == len(verdicts) else None


def _difference(a: JudgeRecord, b: JudgeRecord, replies: Sequence[LabelledReply]) -> JudgeDifference:
    pairs = [(_opinion(a, reply), _opinion(b, reply)) for reply in replies]
    both = [(x, y) for x, y in pairs if x is not None and y is not None]
    difference = agreement_difference([x for x, _ in both], [y for _, y in both])
    names = [f"{each.name} ({each.rubric})" if a.name == b.name else each.name for each in (a, b)]
    return JudgeDifference(a=names[0], b=names[1], difference=difference)


def by_category(replies: Sequence[LabelledReply]) -> dict[str, list[LabelledReply]]:
    """Category → its replies, by name; one with several stands in each."""
    groups: dict[str, list[LabelledReply]] = {}
    for reply in replies:
        for category in reply.categories:
            groups.setdefault(category, []).append(reply)
    return dict(sorted(groups.items()))


def by_length(replies: Sequence[LabelledReply]) -> dict[str, list[LabelledReply]]:
    """The shortest, the middle and the longest third of the replies; nothing where all are as long, or few."""
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
