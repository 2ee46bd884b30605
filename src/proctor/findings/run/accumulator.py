"""Aggregate attempts into Findings in one pass and in any order: Accumulator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from proctor.benchmark import Case, Exam
from proctor.findings.battle.replies import as_counted
from proctor.findings.battle.units import Units
from proctor.findings.run.canaries import sentences as of_canaries
from proctor.findings.run.cases import add_rows, by_category, case_finding
from proctor.findings.run.circumstances import Circumstances
from proctor.findings.run.circumstances import sentences as of_circumstances
from proctor.findings.run.counter import AttemptCounter, place_of_part
from proctor.findings.run.findings import CategoryFinding, ConditionFinding, Findings
from proctor.findings.run.interim import sentences as of_interim
from proctor.findings.run.lies import lie_findings
from proctor.findings.run.model_families import sentences as of_kinship
from proctor.findings.run.notes import AgentFailures, notes
from proctor.findings.run.panel import PanelTally
from proctor.findings.run.panel import sentences as of_panel
from proctor.findings.run.shares import Shares, with_shares
from proctor.findings.run.tally import ExamTally, mean_score, over_k, pass_rate
from proctor.findings.run.trials import Trials
from proctor.findings.run.unsure import UnsureMarks
from proctor.findings.run.unsure import sentences as of_unsure
from proctor.reading.languages.detect import is_known
from proctor.run import Attempt, Key, Run
from proctor.statistics.common_trials import counts_in_common
from proctor.statistics.compare import compare_counts, holm
from proctor.statistics.intervals import Sums
from proctor.statistics.pass_at_k import pass_at_k, pass_hat_k

if TYPE_CHECKING:
    from proctor.findings.battle.tally import BattleTally
    from proctor.findings.orchestration.tally import OrchestrationTally
    from proctor.statistics.compare import Comparison
    from proctor.statistics.estimate import Estimate


def side_by_side(under: Mapping[str, AttemptCounter], trials: Trials | None) -> tuple[ConditionFinding, ...]:
    """Compare each condition with the plain run, case by case, with p-values corrected for the number of conditions."""
    if not under or trials is None:
        return ()
    plain = under.get("")
    against = {name: _against(name, plain, each, trials) for name, each in under.items() if plain is not None and name}
    tested = {name: each.p_value for name, each in against.items() if each.p_value is not None}
    corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
    return tuple(
        ConditionFinding(
            name=name,
            counts=each.counts(),
            pass_rate=pass_rate(each.tallies.values()),
            mean_score=mean_score(each.tallies.values()),
            difference=against[name].difference if name in against else None,
            p_value=corrected.get(name),
            latency=each.latency(),
            usage=each.usage,
            met=each.met,
            checks=each.checks(),
        )
        for name, each in sorted(under.items(), key=lambda item: item[0] != "")
    )


def _against(name: str, plain: AttemptCounter, each: AttemptCounter, trials: Trials) -> Comparison:
    common = [counts_in_common(trials.verdicts(case, ""), trials.verdicts(case, name)) for case in plain.tallies]
    planned = zip(_count_planned(plain), _count_planned(each), strict=True)
    return compare_counts(_counts(plain), _counts(each), planned=planned, common=common)


def _counts(counting: AttemptCounter) -> list[tuple[int, int]]:
    return [(tally.counted, tally.passed) for tally in counting.tallies.values()]


def _count_planned(counting: AttemptCounter) -> list[int]:
    return [tally.planned for tally in counting.tallies.values()]


_LOOKED_AT = 1_000
"""Maximum number of questions whose language is checked; a benchmark uses few languages."""


def language_sentences(run: Run, exams: Sequence[Exam]) -> Iterator[str]:
    """Yield a note if questions are in a language the embedded reviewer does not know."""
    built = run.settings.built.get("reviewer")
    if (built.spec if built is not None else run.settings.reviewer) != "embedded":
        return
    questions = [case.question for case in islice((case for exam in exams for case in exam.cases), _LOOKED_AT)]
    unknown = sum(not is_known(question) for question in questions)
    if unknown:
        are = "is" if unknown == 1 else "are"
        yield (
            f"{unknown:,} of {len(questions):,} questions {are} in a language that the embedded "
            "reviewer does not know: there only figures, dates in figures, names and the expected words are compared. "
            "Have a model judge them."
        )


def draft_sentences(exams: Sequence[Exam]) -> Iterator[str]:
    """Yield a note if cases are drafts that nobody has reviewed."""
    every = [case for exam in exams for case in exam.cases]
    drafts = sum(case.review == "needed" for case in every)
    if drafts:
        are = "is a draft" if drafts == 1 else "are drafts"
        yield f"{drafts:,} of {len(every):,} cases {are} that nobody has reviewed (review: needed)."


class Accumulator:
    """Accumulates findings from attempts in any order, as they finish or are read.

    Attempts of battles and of orchestrators need their transcripts.
    """

    def __init__(self, run: Run, exams: Sequence[Exam]) -> None:
        settings = run.settings
        conditions = settings.conditions
        self._exams = {exam.id: exam for exam in exams}
        self._plain_alone = settings.has_plain_run
        repeats = settings.most_trials * settings.rated_conditions
        self.whole = AttemptCounter.of(exams, settings, conditions=len(conditions))
        self.under = {
            name: AttemptCounter.of(exams, settings, conditions=1) for name in conditions if len(conditions) > 1
        }
        rated = self.under[""] if settings.has_plain_run else self.whole
        self._battle = None if settings.type == "standard" else _battle(run, rated.planned)
        self._beside = None if self._battle is None else _battle(run, self.whole.planned - rated.planned)
        self._panel = PanelTally(settings) if settings.panel else None
        steps = run.kind == "orchestrator"
        self._steps = {name: _steps() for name in (None, *self.under)} if steps else {}
        self._shares: dict[str, Sums] = {}
        self._by_category = (
            {name: Units(seeds=True, repeats=repeats) for exam in exams for name in exam.cases[0].categories}
            if settings.type == "abm-dynamic"
            else {}
        )
        self._held = {name: Shares(seeds=settings.type == "abm-dynamic", trials=settings.trials) for name in self.under}
        self._rows = (
            {case.id: ExamTally(planned=repeats) for exam in exams for case in exam.cases}
            if settings.type == "abm-static"
            else {}
        )
        self.trials = _trials(run, self._exams)
        self._row_trials = _trials(run, self._rows)

    @property
    def is_plain(self) -> bool:
        """Whether neither conversations, nor steps, nor a panel's judges are analysed."""
        return self._battle is None and not self._steps and self._panel is None

    def add(self, attempt: Attempt) -> None:
        """Count one attempt."""
        if not attempt.finished:
            self.whole.usage += attempt.usage  # it was paid for, even if unfinished
            return
        played, attempt = attempt, as_counted(self._exams[attempt.key.exam], attempt)
        self.whole.add(attempt)
        if self._panel is not None:
            self._panel.add(self._exams[attempt.key.exam], attempt)
        if self.trials is not None:
            self.trials.add(attempt.key.exam, attempt.key, verdict=attempt.passed, mark=attempt.value)
        if self.under:
            self.under[attempt.key.condition].add(attempt)
        for tally in {None, attempt.key.condition} & self._steps.keys():
            self._steps[tally].add(self._exams[attempt.key.exam], attempt)
        if self._battle is not None:
            exam = self._exams[attempt.key.exam]
            under_fault = self._plain_alone and attempt.key.condition != ""
            fought = self._beside if under_fault and self._beside is not None else self._battle
            held = fought.add(exam, played if played.failure is not None else attempt)
            if held.share is not None:
                self._add_share(exam, attempt.key, held.share, beside=under_fault)
            if self._rows and not under_fault:
                add_rows(self._rows, exam, attempt, self._row_trials)

    def _add_share(self, exam: Exam, key: Key, share: float, *, beside: bool) -> None:
        """Count a conversation's share of passed replies; if `beside`, for its condition only and not for the run."""
        if self.trials is not None:
            self.trials.add(exam.id, key, share=share)
        if self.under:
            self._held[key.condition].add(exam.id, share)
        if beside:
            return
        self._shares.setdefault(exam.id, Sums()).add(share)
        for category in self._by_category.keys() & exam.cases[0].categories:
            self._by_category[category].add(exam.id, share)

    def verdict_counts(self) -> dict[str, tuple[int, int]]:
        """Return exam → (attempts with a verdict, attempts that passed), for exams with any verdict."""
        return {exam: (tally.counted, tally.passed) for exam, tally in self.whole.tallies.items() if tally.counted}

    def verdict_order(self, run: Run) -> dict[tuple[str, str], str]:
        """Return (exam, condition) → its verdicts in trial order as a string of + and -, if there are any."""
        trials, [first, *_] = self.trials, run.settings.conditions
        if trials is None:
            return {(exam, first): "-+"[passed] for exam, (_, passed) in self.verdict_counts().items()}
        found = {
            (exam, condition): "".join("-+"[verdict > 0] for verdict in trials.verdicts(exam, condition)[0])
            for exam in self._exams
            for condition in run.settings.conditions
        }
        return {key: verdicts for key, verdicts in found.items() if verdicts}

    def cut(self) -> Accumulator:
        """Return a copy in which only attempts that were asked count as planned, so that the rest are not missing."""
        cut = copy(self)
        cut.whole = self.whole.cut()
        cut.under = {name: each.cut() for name, each in self.under.items()}
        cut._exams = {name: exam for name, exam in self._exams.items() if name in cut.whole.tallies}
        cut._rows = {name: replace(each, planned=each.played) for name, each in self._rows.items() if each.played}
        if self._battle is not None:
            cut._battle = copy(self._battle)
            cut._battle.planned = (cut.under[""] if self._plain_alone else cut.whole).planned
        return cut

    def findings(self, run: Run) -> Findings:
        """Compute the findings; `run` is the run in its current state."""
        if run.cut and run.planned < self.whole.planned:
            return self.cut().findings(run)
        found = self._with_steps(_findings(run, list(self._exams.values()), self.whole, self.under, self.trials))
        if self._panel is not None:
            judges = self._panel.findings()
            found = replace(found, judges=judges, notes=(*of_panel(run, judges), *found.notes))
        if self._battle is None:
            return found
        battle = self._battle.findings()
        rows = tuple(
            case_finding(case.id, case, self._rows[case.id], trials=_rated_trials(run, self._row_trials))
            for case in self._cases()
            if case.id in self._rows
        )
        conditions = with_shares(found.conditions, list(self._exams), self._held, self.trials)
        fought = replace(
            found,
            pass_rate=battle.pass_rate,
            mean_score=battle.mean_score,
            categories=by_category(rows, self._rows) if rows else self._with_shares(found),
            parts={name: battle.parts[name] for name in sorted(battle.parts, key=place_of_part)},
            cases=tuple(replace(case, share=self._share(case.id)) for case in found.cases),
            conditions=conditions,
            battle=battle,
            rows=rows,
        )
        unmet = _unmet(run, self.whole, self.under)
        run_notes = notes(
            run,
            fought.counts,
            fought.pass_rate,
            cases=len(self._exams),
            battle=battle,
            unmet=unmet,
            parts=fought.parts,
            broke=_agent_failures(run, self.whole, self.under, fought.mean_score),
        )
        exams = list(self._exams.values())
        others = _all_notes(run, exams, fought.circumstances, fought.unsure, run_notes)
        return replace(fought, notes=(*of_panel(run, found.judges), *others))

    def _with_steps(self, found: Findings) -> Findings:
        """Add the orchestration findings, overall and per condition."""
        if not self._steps:
            return found
        shown = {name: tally.findings() for name, tally in self._steps.items()}
        conditions = tuple(replace(each, orchestration=shown[each.name]) for each in found.conditions)
        return replace(found, orchestration=shown[None], conditions=conditions)

    def _with_shares(self, found: Findings) -> dict[str, CategoryFinding]:
        """Return the categories of seed questions with mean shares of passed replies as pass rates, like the run's."""
        planned, counted = Counter[str](), Counter[str]()
        for case in found.cases:
            planned.update(dict.fromkeys(case.categories, case.planned))
            counted.update(dict.fromkeys(case.categories, self._shares[case.id].n if case.id in self._shares else 0))
        return {
            name: replace(each, pass_rate=self._by_category[name].estimate(missing=planned[name] - counted[name]))
            for name, each in found.categories.items()
        }

    def _share(self, exam: str) -> float | None:
        return self._shares[exam].mean if exam in self._shares else None

    def _cases(self) -> Iterable[Case]:
        return (case for exam in self._exams.values() for case in exam.cases)


def _battle(run: Run, planned: int) -> BattleTally:
    """Create a BattleTally; imported lazily because loading the language modules takes a while."""
    from proctor.findings.battle.tally import BattleTally

    return BattleTally(run.settings, planned=planned)


def _steps() -> OrchestrationTally:
    from proctor.findings.orchestration.tally import OrchestrationTally

    return OrchestrationTally()


def gather(run: Run, exams: Sequence[Exam], attempts: Iterable[Attempt]) -> Findings:
    """Compute the findings of a run from its attempts, in one pass."""
    gathering = Accumulator(run, exams)
    for attempt in attempts:
        gathering.add(attempt)
    return gathering.findings(run)


def _trials(run: Run, cases: Iterable[str]) -> Trials | None:
    """Return storage for verdicts per trial, or None if each case has one trial, for which counts suffice."""
    settings = run.settings
    return Trials(cases, conditions=settings.conditions, trials=settings.most_trials) if settings.repeats > 1 else None


def _rated_trials(run: Run, trials: Trials | None) -> Trials | None:
    """Return the trials that count towards the run's rates."""
    return trials.under("") if trials is not None and run.settings.has_plain_run else trials


def _findings(
    run: Run, exams: Sequence[Exam], total: AttemptCounter, under: Mapping[str, AttemptCounter], trials: Trials | None
) -> Findings:
    shown = under[""] if run.settings.has_plain_run else total
    checks, rated = shown.checks(), _rated_trials(run, trials)
    cases = tuple(
        case_finding(
            exam.id,
            exam.cases[0],
            shown.tallies[exam.id],
            {name: each.tallies[exam.id] for name, each in under.items()},
            failed_checks=shown.failed_checks(exam.id, checks) if checks else {},
            trials=rated,
        )
        for exam in exams
    )
    tallies = list(shown.tallies.values())
    tried = [[each.tallies[exam.id] for each in _conditions_tried(shown, total, under)] for exam in exams]
    rate, mean = pass_rate(tallies), mean_score(tallies)
    circumstances, unsure = total.circumstances.findings(run), total.unsure.findings(run)
    unmet, broke = _unmet(run, total, under), _agent_failures(run, total, under, mean)
    run_notes = notes(
        run, total.counts(), rate, cases=len(cases), battle=None, unmet=unmet, parts=total.parts(), broke=broke
    )
    return Findings(
        run=run,
        counts=total.counts(),
        pass_rate=rate,
        mean_score=mean,
        median_score=shown.median_mark(),
        pass_at_k=over_k(tried, run.settings.trials, pass_at_k),
        pass_hat_k=over_k(tried, run.settings.trials, pass_hat_k),
        categories=by_category(cases, shown.tallies),
        parts=shown.parts(),
        cases=cases,
        troubles=total.troubles(under),
        usage=total.usage if run.canaries is None else total.usage + run.canaries.usage,
        latency=shown.latency(),
        first_token=shown.first_token(),
        checks=checks,
        conditions=side_by_side(under, trials),
        lies=lie_findings(total.lies),
        circumstances=circumstances,
        unsure=unsure,
        notes=_all_notes(run, exams, circumstances, unsure, run_notes),
    )


def _agent_failures(
    run: Run, total: AttemptCounter, under: Mapping[str, AttemptCounter], mean: Estimate
) -> AgentFailures:
    plain = under[""] if run.settings.has_plain_run else total
    counts, every = plain.counts(), total.counts()
    return AgentFailures(
        rated=counts,
        marked=plain.by_agent_marked,
        mean_score=mean.value is not None,
        under_faults=every.failed_by_agent - counts.failed_by_agent if run.settings.has_plain_run else None,
        played_under_faults=every.played - counts.played,
    )


def _all_notes(
    run: Run, exams: Sequence[Exam], befell: Circumstances, unsure: UnsureMarks, notes: Iterable[str]
) -> tuple[str, ...]:
    befallen = (*draft_sentences(exams), *of_interim(run), *of_canaries(run), *of_circumstances(run, befell))
    known = language_sentences(run, exams)
    return (*befallen, *of_unsure(run, unsure), *of_kinship(run), *known, *notes)


def _conditions_tried(
    shown: AttemptCounter, total: AttemptCounter, under: Mapping[str, AttemptCounter]
) -> Iterable[AttemptCounter]:
    """Return the conditions over which pass@k is computed: the plain run alone, or else each of them."""
    return under.values() if shown is total and under else [shown]


def _unmet(run: Run, total: AttemptCounter, under: Mapping[str, AttemptCounter]) -> list[str]:
    """Return the conditions whose fault no attempt encountered."""
    gathered = under or {run.settings.conditions[0]: total}
    return [name for name, each in gathered.items() if name and each.met == 0]
