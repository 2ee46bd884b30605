"""Human labels of a run: the pass rate by people, its correction of the judge, and the judge's noise."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from proctor.codec import encode
from proctor.errors import NoSuchRun
from proctor.findings.run import Findings
from proctor.findings.run.circumstances import origin_of, runs_of_same_replies
from proctor.findings.run.noise import RunSize, noise_finding
from proctor.findings.run.people import JudgedShare, PeopleFinding, carried_finding, majority, people_finding
from proctor.reports.noise import noise_sentences
from proctor.reports.people import carried_sentences, people_sentences
from proctor.run import Attempt, HumanLabel, Key, Run, Settings
from proctor.running.plan import exams_of
from proctor.score import SecondOpinion
from proctor.statistics.estimate import Estimate
from proctor.statistics.length_preference import LabelledMark, length_preference
from proctor.storage import Store, open_store
from proctor.workflows.stored_counts import accumulate_attempts


def is_in_rate(run: Run, key: Key) -> bool:
    """Whether an attempt counts in the corrected rate: with a plain run among several conditions only its attempts, in
    battles those of all conditions."""
    return run.settings.type != "standard" or not run.settings.has_plain_run or not key.condition


def with_people(opened: Store, run: Run, findings: Findings) -> Findings:
    """Add to the findings what human labels and repeated judgements show."""
    findings = replace(findings, replies_of=origin_of(_with_same_replies(opened, run)))
    return _with_noise(opened, run, _with_labels(opened, run, findings))


def with_labels_among(opened: Store, run: Run, findings: Findings, exams: Container[str]) -> Findings:
    """Add to the findings of some of a run's cases what the labels of those cases show."""
    every = labels_in_rate(opened, run)
    labels = [label for label in every if label.key.exam in exams]
    return _with_these(opened, run, findings, labels, drawn=every) if labels else findings


def _with_labels(opened: Store, run: Run, findings: Findings) -> Findings:
    labels = labels_in_rate(opened, run)
    if not labels:
        rate, held = corrected_rate(findings), findings.battle is not None
        carried = _carry_over(opened, run, findings)
        if carried is None:
            return findings
        return replace(findings, carried=carried, notes=(*findings.notes, *carried_sentences(rate, carried, held=held)))
    return _with_these(opened, run, findings, labels, drawn=labels)


def _with_these(
    opened: Store, run: Run, findings: Findings, labels: Sequence[HumanLabel], *, drawn: Sequence[HumanLabel]
) -> Findings:
    """Add to the findings what these labels show; `drawn` are all labels of the run, which may be more."""
    rate, held = corrected_rate(findings), findings.battle is not None
    judged = _verdicts_on(opened, drawn)
    people = people_finding(
        labels,
        judged,
        judged_share(findings),
        categories=dict(_categories(findings)),
        weights=_weights(opened, run, drawn, judged),
    )
    if people is not None:
        people = replace(people, labels_from=_labels_from(opened, run))
    found = replace(findings, people=people, notes=(*findings.notes, *people_sentences(rate, people, held=held)))
    return with_length_preference(opened, found, labels)


def labels_in_rate(opened: Store, run: Run) -> list[HumanLabel]:
    """Return the labels of attempts that count in the corrected rate.

    Labels are of replies: a rescored run shares those of its source. Of a person's labels of a reply in several runs,
    the one in the latest counts.
    """
    return [label for label in labels_of(opened, run) if is_in_rate(run, label.key)]


def labels_of(opened: Store, run: Run) -> list[HumanLabel]:
    """Return the labels of all attempts, including those of runs with the same replies."""
    latest_labels: dict[tuple[Key, str], HumanLabel] = {}
    for source in reversed(_with_same_replies(opened, run)):
        for label in opened.human_labels.of_run(source.id):
            here = replace(label, key=replace(label.key, run=run.id))
            latest_labels[here.key, here.who] = here
    return [latest_labels[each] for each in sorted(latest_labels, key=repr)]


def read_labels(name: str, *, store: str) -> dict[Key, list[HumanLabel]]:
    """Return the labels of a stored run by attempt, with names."""
    labels_by_attempt: dict[Key, list[HumanLabel]] = {}
    with open_store(store, create=False) as opened:
        for label in labels_of(opened, opened.archive.find(name)):
            labels_by_attempt.setdefault(label.key, []).append(label)
    return labels_by_attempt


def _with_same_replies(opened: Store, run: Run) -> list[Run]:
    def find(source: str) -> Run | None:
        with suppress(NoSuchRun):
            return opened.archive.find(source)
        return None

    return runs_of_same_replies(run, find)


def draw_of(opened: Store, run: Run) -> Run:
    """Return the run with the same replies from which most of the labels were drawn."""
    return max(_with_same_replies(opened, run), key=lambda each: len(opened.human_labels.of_run(each.id)))


def _labels_from(opened: Store, run: Run) -> tuple[str, ...]:
    others = _with_same_replies(opened, run)[1:]
    return tuple(each.id for each in others if opened.human_labels.of_run(each.id))


def _weights(
    opened: Store, run: Run, labels: Sequence[HumanLabel], judged: Mapping[Key, bool]
) -> dict[Key, float] | None:
    """Return the weights of a run's labels; None if they were drawn by the very verdicts they are compared with."""
    whose = draw_of(opened, run)
    return None if whose is run else weights_of_draw(opened, whose, majority(labels).keys() & judged.keys())


def weights_of_draw(opened: Store, drawn: Run, keys: Collection[Key]) -> dict[Key, float]:
    """Return the weight of each labelled attempt, as attempts that the run's judge failed are oversampled.

    `keys` must be all labelled attempts: a subset does not show how they were drawn.
    """
    there = {key: opened.archive.attempt(replace(key, run=drawn.id)) for key in keys}
    verdicts = {key: attempt.passed for key, attempt in there.items() if attempt is not None}
    share = judged_share(_count(opened, drawn)).share
    counts, shares = Counter(verdicts.values()), {True: share, False: 1 - share}
    if any(shares[passed] and not counts[passed] for passed in shares):
        return dict.fromkeys(keys, 1.0)  # without labels of a verdict, no weights can represent it
    usual = 1 / max(1, len(keys))
    return {
        key: usual if passed is None else max(shares[passed] / counts[passed], 1e-9)
        for key in keys
        for passed in [verdicts.get(key)]
    }


def _verdicts_on(opened: Store, labels: Sequence[HumanLabel]) -> dict[Key, bool]:
    """Return the judge's verdicts on labelled attempts, excluding the agent's own failures, which cannot be
    labelled."""
    attempts = (opened.archive.attempt(key) for key in {label.key for label in labels})
    return {
        each.key: each.passed
        for each in attempts
        if each is not None and each.passed is not None and each.failure is None
    }


def _categories(findings: Findings) -> Iterator[tuple[str, tuple[set[str], JudgedShare]]]:
    """Yield each category with its cases and the judge's share; none for battles, which are judged as a whole."""
    if findings.battle is not None:
        return
    for name, category in findings.categories.items():
        inside = [case for case in findings.cases if name in case.categories]
        counted, lost = sum(case.counted for case in inside), sum(case.failed_by_agent for case in inside)
        share = JudgedShare(rate=category.pass_rate, unanswered=lost / counted if counted else 0.0)
        yield name, ({case.id for case in inside}, share)


def rates_by_people(opened: Store, runs: Iterable[Run]) -> dict[str, PeopleFinding]:
    """Map runs to their rate by people, for those with enough labels; the others are not read."""
    counts, rates = opened.human_labels.counts(), {}
    for run in runs:
        if run.planned and any(each.id in counts for each in _with_same_replies(opened, run)):
            with suppress(NoSuchRun):  # it has just been deleted
                people = _with_labels(opened, run, _count(opened, run)).people
                if people is not None and people.rate.value is not None:
                    rates[run.id] = people
    return rates


def _count(opened: Store, run: Run) -> Findings:
    exams = exams_of(opened.archive.benchmark_of(run.id), run.settings)
    return accumulate_attempts(opened, run, exams).findings(run)


def _carry_over(opened: Store, run: Run, findings: Findings) -> PeopleFinding | None:
    """Return the rate by the labels of another run with the same judge, or None.

    Runs of the same benchmark come first, then those with the most labels.
    """
    counts = opened.human_labels.counts()
    runs = opened.archive.runs() if counts else []
    alike = [
        other
        for other in runs
        if other.id in counts and _is_judged_alike(run, other) and _are_cases_alike(opened, run, other)
    ]
    other = max(alike, key=lambda each: (each.digest == run.digest, counts[each.id], each.created), default=None)
    labels = [] if other is None else labels_in_rate(opened, other)
    if other is None or not labels:
        return None
    there, judged = judged_share(_count(opened, other)), _verdicts_on(opened, labels)
    weights = _weights(opened, other, labels, judged)
    return carried_finding(other.id, labels, judged, there, judged_share(findings), weights=weights)


def _is_judged_alike(run: Run, other: Run) -> bool:
    """Whether the verdicts of two runs are comparable: same judge, rubric, weights and thresholds.

    The demonstration's labels are examples and never used; nor are runs whose judge was a Python object, which its name
    does not identify.
    """
    a, b = run.settings, other.settings
    if (
        other.labels.get("demo")
        or run.earlier_rubrics
        or other.earlier_rubrics
        or (a.reviewer is not None and not a.judges)
    ):
        return False
    same = ("type", "passing_score", "weights", "panel")
    checked_alike = a.checks == b.checks and (a.checks is None or run.digest == other.digest)
    alike = all(getattr(a, name) == getattr(b, name) for name in same)
    return other.id != run.id and alike and checked_alike and judge_id(a) == judge_id(b)


def _are_cases_alike(opened: Store, run: Run, other: Run) -> bool:
    """Whether two runs have the same standards per case: a case's own criteria and passing score apply to no other
    case."""
    if run.digest == other.digest:
        return True
    both = (case for each in (run, other) for case in opened.archive.benchmark_of(each.id).cases)
    return not any(case.criteria or case.passing_score is not None for case in both)


def judge_id(settings: Settings) -> str:
    """Return the identity of a run's judge: name and a digest of prompt, model and options."""
    built = {role: spec for role, spec in settings.built.items() if role.startswith(("reviewer", "second", "judge_"))}
    digest = hashlib.sha256(f"{settings.rubric} {encode(built)}".encode()).hexdigest()[:12]
    return f"{settings.reviewer} {digest}"


def _with_noise(opened: Store, run: Run, findings: Findings) -> Findings:
    """Add to the findings the noise of judges that judged the same replies repeatedly."""
    by_judge: dict[str, list[SecondOpinion]] = {}
    for given in opened.judgements.of_run(run.id):
        by_judge.setdefault(given.judge, []).append(given)
    size = _size(run, findings)
    found = [noise_finding(judge.rpartition(" ")[0], given, size) for judge, given in by_judge.items()]
    noise = tuple(each for each in found if each is not None)
    sentences = [sentence for each in noise for sentence in noise_sentences(each)]
    return replace(findings, noise=noise, notes=(*findings.notes, *sentences)) if noise else findings


def _size(run: Run, findings: Findings) -> RunSize:
    counts, cost = findings.counts, findings.usage.cost
    played = counts.scored + counts.failed_by_agent + counts.unscored
    trials = run.settings.trials * run.settings.rated_conditions
    counted = corrected_rate(findings).n if findings.battle is None else corrected_rate(findings).n // trials
    return RunSize(
        cases=max(1, counted),
        trials=trials,
        attempt_cost=cost / played if cost and played else None,
    )


def corrected_rate(findings: Findings) -> Estimate:
    """Return the judge's rate that labels correct: conversations held in a battle, else the pass rate."""
    return findings.battle.held_rate if findings.battle is not None else findings.pass_rate


def judged_share(findings: Findings) -> JudgedShare:
    """Return the rate by the run's judge, and the share without a reply, where the agent itself failed."""
    rate = corrected_rate(findings)
    plain = [each.counts for each in findings.conditions if not each.name and findings.battle is None]
    counts = plain[0] if plain else findings.counts
    decided = counts.scored + counts.failed_by_agent if findings.battle is None else rate.n
    unanswered = min(1.0, counts.failed_by_agent / decided) if decided else 0.0
    return JudgedShare(rate=rate, unanswered=unanswered)


def with_length_preference(opened: Store, findings: Findings, labels: Sequence[HumanLabel]) -> Findings:
    """Add the correlation of score and length given people's label, and a note if it is clear."""
    found = length_preference(list(_marks(opened, labels)))
    notes = (*findings.notes, *_sentences(found))
    return replace(findings, length_preference=found, notes=notes)


def _marks(opened: Store, labels: Sequence[HumanLabel]) -> Iterator[LabelledMark]:
    for key, people in majority(labels).items():
        attempt = opened.archive.attempt(key)
        if attempt is not None and attempt.value is not None:
            yield LabelledMark(mark=attempt.value, words=_words(attempt), people=people)


def _words(attempt: Attempt) -> int:
    return sum(len(turn.reply.text.split()) for turn in attempt.transcript.turns if turn.reply is not None)


def _sentences(found: Estimate) -> Iterator[str]:
    if found.value is None or found.low is None or found.high is None or not found.side:
        return
    which = "Longer" if found.side > 0 else "Shorter"
    yield (
        f"{which} replies get higher scores than people's labels account for: the correlation of score and length "
        f"given the label is {_with_sign(found.value)} ({_with_sign(found.low)} to {_with_sign(found.high)}, {found.n} "
        "labelled replies)."
    )


def _with_sign(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
