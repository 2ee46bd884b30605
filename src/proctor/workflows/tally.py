"""Running totals of a run (RunTally), used for progress, pages and lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proctor.benchmark import Exam
from proctor.findings.battle.replies import as_counted, replies_of
from proctor.findings.battle.units import Units
from proctor.run import Attempt, Finished, Key, Record, Reviewed, Run, Settings, Turned
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums
from proctor.statistics.pass_at_k import over_cases, pass_at_k, rate_of_counts
from proctor.usage import Usage


class RunTally:
    """Counts finished attempts as they are stored or read; in a battle, also replies."""

    def __init__(
        self,
        planned: int,
        *,
        conversations: Mapping[str, Exam] | None = None,
        seeds: bool = False,
        repeats: int = 1,
        rated: int | None = None,
        own_repeats: Mapping[str, int] | None = None,
        plain_only: bool = False,
        cut: bool = False,
        turns: int = Settings().max_turns,
    ) -> None:
        """Create an empty tally.

        `conversations`: the exams of a battle, with `seeds` one for each seed; each is played `repeats` times, or as
        often as in `own_repeats`. One continued by an examiner has at most `turns` turns.

        With `plain_only` the rates are those of the plain run among several conditions, of `rated` attempts. In a run
        that was `cut` short of its trials, none counts as missing.
        """
        self.planned = planned
        self.done = 0
        self.failed = 0
        self.passed = 0
        self.counted = 0
        self.lost = 0
        self.asked = 0
        self.judged = 0
        self.usage = Usage()
        self.turns = 0
        """Number of questions answered so far, including those in unfinished conversations."""
        self.ahead = ""
        """For a run that may stop early: the next look, and what would end the run there."""
        self._repeats = repeats
        self._own_repeats = own_repeats or {}
        self._rated = planned if rated is None else rated
        self._plain_only = plain_only
        self._cut = cut and max(repeats, *self._own_repeats.values(), 1) > 1
        self._conversations = conversations
        self._planned_turns = {
            name: turns if exam.open else len(exam.cases) for name, exam in (conversations or {}).items()
        }
        self._turns_over = 0
        self.under_way: dict[Key, int] = {}
        """Unfinished conversation → number of its finished turns."""
        self._units = Units(seeds=seeds, repeats=repeats)
        self._shares = 0
        self._no_test = 0
        self._cases: dict[str, tuple[int, int]] = {}
        self._sums = Sums()

    @classmethod
    def of(cls, run: Run, exams: Iterable[Exam]) -> RunTally:
        """Create an empty tally for this run."""
        settings = run.settings
        plain = settings.has_plain_run
        return cls(
            run.planned,
            conversations=None if settings.type == "standard" else {exam.id: exam for exam in exams},
            seeds=settings.type == "abm-dynamic",
            repeats=settings.trials * settings.rated_conditions,
            own_repeats={case: each * settings.rated_conditions for case, each in settings.case_trials.items()},
            rated=run.planned // len(settings.conditions) if plain else run.planned,
            plain_only=plain,
            cut=run.cut,
            turns=settings.max_turns,
        )

    @property
    def is_battle(self) -> bool:
        """Whether replies are counted rather than cases."""
        return self._conversations is not None

    @property
    def steps(self) -> tuple[int, int]:
        """Progress as (done, total): in turns for conversations, else in attempts.

        A finished conversation counts with its maximum number of turns.
        """
        each = self._planned_turns
        if not each:
            return self.done, self.planned
        begun = sum(min(turns, each[key.exam]) for key, turns in self.under_way.items())
        return self._turns_over + begun, self.planned * sum(each.values()) // len(each)

    @property
    def no_test(self) -> bool:
        """Whether conversations have ended, but in none of them anything beyond the seed question was judged."""
        return self._no_test > 0 and not self._shares

    def add(self, records: Iterable[Record]) -> None:
        """Count the answered questions and finished attempts in these records."""
        for record in records:
            if isinstance(record, Finished):
                if not record.attempt.transcript.turns:  # it starts again
                    self.under_way.pop(record.attempt.key, None)
                self.count(record.attempt)
            elif isinstance(record, Turned):
                self.turns += record.turn.reply is not None
            elif isinstance(record, Reviewed):
                self.under_way[record.key] = max(record.turn, self.under_way.get(record.key, 0))

    def count(self, attempt: Attempt) -> None:
        """Count one attempt, if it is finished."""
        if not attempt.finished:
            return
        self.done += 1
        self.under_way.pop(attempt.key, None)
        self._turns_over += self._planned_turns.get(attempt.key.exam, 0)
        if attempt.usage:
            self.usage += attempt.usage
        if attempt.failure is not None:
            self.failed += 1
            self.lost += attempt.outcome == "environment_failed"
        if self._conversations is not None:
            self._count_conversation(self._conversations[attempt.key.exam], attempt)
        elif attempt.passed is not None and self._is_rated(attempt):
            self.count_case(attempt.key.exam, 1, int(attempt.passed))

    def _count_conversation(self, exam: Exam, attempt: Attempt) -> None:
        replies, verdict = replies_of(exam, attempt), as_counted(exam, attempt).passed
        if verdict is not None:
            self.counted += 1
            self.passed += verdict
        if replies.lost or not self._is_rated(attempt):
            return
        self.asked += replies.asked
        self.judged += replies.judged
        if replies.share is None:
            self._no_test += 1
        else:
            self._shares += 1
            self._units.add(exam.id, replies.share)

    def _is_rated(self, attempt: Attempt) -> bool:
        return not (self._plain_only and attempt.key.condition)

    def count_case(self, case: str, counted: int, passed: int) -> None:
        """Add verdicts on a case and update the sums over cases, which are read many times a second."""
        if not counted:
            return
        self.counted += counted
        self.passed += passed
        m, c = self._cases.get(case, (0, 0))
        if m:
            self._sums.add(c / m, -1)
        self._cases[case] = m, c = m + counted, c + passed
        self._sums.add(c / m)

    def estimate(self) -> Estimate:
        """Return the pass rate as in the run's findings, including missing attempts."""
        if self._conversations is not None:
            return self._units.estimate(missing=self._rated - self._shares)
        if self._cut:
            return over_cases(pass_at_k, self._cases.values(), 1)
        own = self._own_repeats
        cases = (self._rated - sum(own.values())) // self._repeats + len(own)
        return rate_of_counts(self._cases, cases=cases, trials=self._repeats, own=own)

    def interval(self) -> tuple[float, float] | None:
        """Return the pass rate's interval so far, or None before the first verdict."""
        if self._conversations is None:
            return self._sums.interval() if self._sums.n else None
        found = self._units.estimate()
        return None if found.low is None or found.high is None else (found.low, found.high)

    def pass_rate(self) -> float | None:
        """Return the pass rate so far, over cases or conversations, or None before the first verdict."""
        if self._conversations is None:
            return self._sums.mean if self._sums.n else None
        return self._units.estimate().value

    @property
    def units(self) -> int:
        """Number of cases or conversations behind the pass rate."""
        return self._sums.n if self._conversations is None else self._shares
