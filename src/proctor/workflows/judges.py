"""Compare judges on the labelled attempts of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from proctor.benchmark import Exam
from proctor.config import Config, load_config
from proctor.errors import InputError
from proctor.findings.run.judges import (
    JudgeOpinion,
    JudgeRecord,
    JudgesFinding,
    LabelledReply,
    cascade,
    judges_finding,
)
from proctor.findings.run.panel import passing_score
from proctor.findings.run.people import label_basis, majority
from proctor.run import Attempt, Key, Run, Settings
from proctor.running.plan import exams_of
from proctor.settings import BY_RULES
from proctor.storage import Store, open_store
from proctor.usage import Usage
from proctor.workflows.judgements import (
    JudgeBeside,
    build_judge,
    can_be_judged,
    is_unsure,
    judge_beside,
    repeat_all,
)
from proctor.workflows.ledger import Watch
from proctor.workflows.people import draw_of, judge_id, judged_share, labels_in_rate, weights_of_draw
from proctor.workflows.read import findings_of_run
from proctor.workflows.replies import usage_of
from proctor.workflows.run_limits import allowing
from proctor.workflows.store_url import store_url

EMBEDDED = "embedded"


async def acompare_judges(
    run: str,
    *,
    reviewers: Sequence[str] = (),
    budget: float | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 - of the calls that judges make, not of this one
    concurrency: int | None = None,
    retries: int | None = None,
    store: str | Path | None = None,
    config: Config | None = None,
    watch: Watch | None = None,
) -> JudgesFinding:
    """Compare the run's own judge, the embedded reviewer and these judges with people, as `proctor judges` does.

    The run's own verdicts are stored and cost nothing; the others judge the labelled attempts once, and their
    judgements are stored with the run. `budget` is for all of them together.
    """
    config = config or load_config()
    url = store_url(store, config)
    pace = {"timeout": timeout, "concurrency": concurrency, "retries": retries}
    with open_store(url, create=False) as opened:
        found = opened.archive.find(run)
        labelled = LabelledAttempts(opened, found)
        replies = labelled.replies()
        judges = _judges(labelled, reviewers, config, budget)
        asks = repeat_all((reply.key for reply in replies), 1)
        with allowing(replace(found.settings, budget=budget, max_tokens=None), config):
            asked = {judge.id: (judge, asks) for judge in judges}
            ended = await judge_beside(opened, found, asked, config=config, pace=pace, watch=watch)
        notes = labelled.notes()
        others = (
            _record(opened, found, judge.id, is_free=judge.is_free, rubric=judge.settings.rubric) for judge in judges
        )
        records = [*labelled.own(), *others]
        records += _cascades(found, records)
    stopped = {judge.name: ended[judge.id] for judge in judges if judge.id in ended}
    return replace(judges_finding(found, replies, records, basis=labelled.basis, notes=notes), stopped=stopped)


def read_judges(run: str, *, store: str) -> JudgesFinding:
    """Compare the run's own judge and all others with stored judgements, without calling any."""
    with open_store(store, create=False) as opened:
        found = opened.archive.find(run)
        labelled = LabelledAttempts(opened, found)
        replies = labelled.replies()
        others = dict.fromkeys(given.judge for given in opened.judgements.of_run(found.id))
        others.pop(judge_id(found.settings), None)
        records = [
            _record(opened, found, judge, is_free=judge.startswith(_FREE), rubric="") for judge in others
        ]  # fmt: skip
        records = [*labelled.own(), *records]
        records += _cascades(found, records)
        return judges_finding(found, replies, records, basis=labelled.basis, notes=labelled.notes())


_CHOSEN_BY_RULES = (*BY_RULES, "checks")
_FREE = tuple(f"{name} " for name in BY_RULES)
"""Prefixes of the ids of rule-based judges, which call no model."""


class LabelledAttempts:
    """The labelled attempts of a run that have a reply to judge."""

    def __init__(self, opened: Store, run: Run) -> None:
        self.opened = opened
        self.run = run
        self.benchmark = opened.archive.benchmark_of(run.id)
        exams = {exam.id: exam for exam in exams_of(self.benchmark, run.settings)}
        labels = labels_in_rate(opened, run)
        if not labels:
            raise InputError(
                f"nobody has labelled run {run.id}, so no judge can be compared with people",
                terminal=f": label some with `proctor label {run.id}`",
                page="; label some of its replies first",
            )
        self.basis = label_basis(labels)
        self._said = majority(labels)
        found = ((exams.get(key.exam), opened.archive.attempt(key)) for key in self._said)
        self._found = {
            attempt.key: (exam, attempt)
            for exam, attempt in found
            if exam is not None and attempt is not None and can_be_judged(exam, attempt)
        }
        if not self._found:
            raise InputError(
                f"the labels of run {run.id} are all tied, or on attempts without a reply; label more of it",
                terminal=f" with `proctor label {run.id}`",
            )

    @property
    def keys(self) -> tuple[Key, ...]:
        """Keys of the attempts."""
        return tuple(self._found)

    def replies(self) -> list[LabelledReply]:
        """Return people's verdict on each attempt and its weight, as judge-failed attempts are oversampled."""
        weights = self._weights()
        return [
            LabelledReply(
                key=key,
                people=self._said[key],
                weight=weights[key],
                categories=_categories(exam),
                words=_words(attempt),
            )
            for key, (exam, attempt) in sorted(self._found.items(), key=lambda item: item[1][1].place)
        ]

    def _weights(self) -> dict[Key, float]:
        drawn = draw_of(self.opened, self.run)
        if drawn is not self.run:
            return weights_of_draw(self.opened, drawn, self._found)
        share = judged_share(findings_of_run(self.opened, self.run)).share
        passed = {key: bool(attempt.passed) for key, (_, attempt) in self._found.items()}
        counts, shares = Counter(passed.values()), {True: share, False: 1 - share}
        weights = {key: shares[passes] / counts[passes] for key, passes in passed.items()}
        return weights if any(weights.values()) else dict.fromkeys(weights, 1.0)

    def notes(self) -> list[str]:
        """Return notes on where the labels come from, if from another run, and how many verdicts depend on a judge."""
        drawn, notes = draw_of(self.opened, self.run), []
        if drawn is not self.run:
            notes.append(f"the labels are those of run {drawn.id}, whose replies these are")
        marked = sum(self._is_marked(exam) for exam, _ in self._found.values())
        if marked < len(self._found):
            which = f"only {marked:,}" if marked else "none"
            others = "the verdict on the others" if marked else "the verdict"
            notes.append(
                f"marks decide {which} of the {len(self._found):,} labelled attempts: whoever judges, {others} is that "
                "of the checks"
            )
        return notes

    def _is_marked(self, exam: Exam) -> bool:
        """Whether a judge's score affects the verdict on this exam."""
        settings = replace(self.run.settings, reviewer=EMBEDDED)
        return any(passing_score(case, settings) is not None for case in exam.cases)

    def own(self) -> list[JudgeRecord]:
        """Return the record of the run's own judge from stored verdicts, even if it only has checks."""
        settings = self.run.settings
        verdicts = {
            key: JudgeOpinion(
                passed=attempt.passed,
                unscored="; ".join(dict.fromkeys(missing.reason for missing in attempt.unscored)),
                usage=_usage_or_none(
                    attempt.usage - usage_of(attempt.transcript.turns), is_free=_is_by_rules(settings)
                ),
                unsure=is_unsure(attempt),
            )
            for key, (_, attempt) in self._found.items()
        }
        name = settings.reviewer or "checks"
        return [JudgeRecord(name=name, rubric=settings.rubric, is_own=True, verdicts=verdicts)]


def _judges(
    labelled: LabelledAttempts, names: Sequence[str], config: Config, budget: float | None
) -> list[JudgeBeside]:
    """Build the embedded reviewer and the named judges, each once, excluding the run's own."""
    run = labelled.run
    built = (
        build_judge(name, run, labelled.benchmark, config, budget=budget) for name in dict.fromkeys((EMBEDDED, *names))
    )
    judges = {judge.id: judge for judge in built}
    judges.pop(judge_id(run.settings), None)
    return list(judges.values())


def _cascades(run: Run, records: Sequence[JudgeRecord]) -> list[JudgeRecord]:
    """Return the embedded reviewer in a cascade with each other judge; in battles it also judges whole
    conversations."""
    first = next((record for record in records if record.name == EMBEDDED), None)
    if first is None or run.settings.type != "standard":
        return []
    names = {record.name for record in records}
    seconds = [record for record in records if not record.name.startswith(_CHOSEN_BY_RULES) and "," not in record.name]
    found = [cascade(first, second) for second in seconds if " + " not in second.name]
    return [record for record in found if record is not None and record.name not in names]


def _record(opened: Store, run: Run, judge: str, *, is_free: bool, rubric: str) -> JudgeRecord:
    """Return the record of a judge's first judgements of a run."""
    verdicts, failures = {}, {}
    for opinion in opened.judgements.of_run(run.id, judge):
        key = Key(run=run.id, exam=opinion.exam, condition=opinion.condition, trial=opinion.trial)
        if opinion.repeat != 1:
            continue
        if opinion.finished:
            used = _usage_or_none(opinion.usage, is_free=is_free)
            verdicts[key] = JudgeOpinion(
                passed=opinion.passed,
                unscored=opinion.unscored,
                usage=used,
                seconds=opinion.seconds,
                unsure=opinion.unsure,
            )
        elif opinion.unscored:
            failures[key] = opinion.unscored
    name = judge.rpartition(" ")[0]
    return JudgeRecord(name=name, rubric=rubric, is_own=False, verdicts=verdicts, failures=failures)


def _usage_or_none(usage: Usage, *, is_free: bool) -> Usage | None:
    """Return the usage, or None if unknown: a custom judge that reports nothing may have called a model."""
    has_usage = usage.calls or usage.cached or usage.input_tokens or usage.output_tokens or usage.least
    return usage if has_usage or is_free else None


def _is_by_rules(settings: Settings) -> bool:
    """Whether a run was judged by checks or by a rule-based reviewer."""
    specs = [spec for judge in settings.judges for spec in judge]
    return settings.reviewer is None or (bool(specs) and all(spec.spec in BY_RULES for spec in specs))


def _categories(exam: Exam) -> tuple[str, ...]:
    return tuple(dict.fromkeys(category for case in exam.cases for category in case.categories))


def _words(attempt: Attempt) -> int:
    return sum(len(turn.reply.text.split()) for turn in attempt.transcript.turns if turn.reply is not None)
