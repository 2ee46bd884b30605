"""Read candidates from a stored run: failed and flaky cases, and what passed trials have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from proctor.benchmark import Case
from proctor.formats.rules import LONGEST
from proctor.run import Attempt, Run
from proctor.running.plan import exams_of
from proctor.storage import Store
from proctor.transcript import Turn
from proctor.workflows.harvest.agreement import Agreement
from proctor.workflows.harvest.candidate import Candidate, HarvestLog, Only, Verdict, conversation_before
from proctor.workflows.harvest.recordings import TOO_LONG, time_of

_WANTED: dict[Only | None, tuple[Verdict, ...]] = {
    None: ("failed", "flaky"),
    "failed": ("failed",),
    "flaky": ("flaky",),
    "all": ("failed", "flaky", "passed", "unjudged"),
}
_NOT_TAKEN: dict[Verdict, str] = {
    "failed": "it failed",
    "flaky": "it is flaky",
    "passed": "it passed",
    "unjudged": "it has no verdict",
}


@dataclass(slots=True)
class _Question:
    """A question of a run with its trials."""

    candidate: Candidate
    passed: int = 0
    failed: int = 0
    agreement: Agreement = field(default_factory=Agreement)

    @property
    def verdict(self) -> Verdict:
        if self.passed and self.failed:
            return "flaky"
        return "passed" if self.passed else "failed" if self.failed else "unjudged"


class RunHarvest:
    """Reader of one stored run. If it has a plain run among its conditions, only that counts."""

    def __init__(
        self, opened: Store, run: Run, log: HarvestLog, *, only: Only | None, outline: Callable[[str], str]
    ) -> None:
        self._opened, self._run, self._log = opened, run, log
        self._only, self._outline = only, outline
        self._source = f"run {run.id}"
        log.runs.add(self._source)
        exams = exams_of(opened.archive.benchmark_of(run.id), run.settings)
        self._exams = {exam.id for exam in exams}
        self._cases = {case.id: case for exam in exams for case in exam.cases}
        self._questions: dict[tuple[str, str, str | None], _Question] = {}

    def candidates(self) -> Iterator[Candidate]:
        """Yield the questions with the selected verdicts."""
        chosen = self._chosen_exams()
        for attempt in self._opened.archive.full_attempts(self._run.id):
            if attempt.finished and self._counts(attempt) and (chosen is None or attempt.key.exam in chosen):
                self._add(attempt)
        for question in self._questions.values():
            if question.verdict in _WANTED[self._only]:
                self._log.read[self._source] += 1
                question.candidate.verdict, question.candidate.agreement = question.verdict, question.agreement
                yield question.candidate
            else:
                self._leave_out(question.verdict)

    def _counts(self, attempt: Attempt) -> bool:
        return not attempt.key.condition or not self._run.settings.has_plain_run

    def _chosen_exams(self) -> set[str] | None:
        """Return the exams that may match the selection, or None if attempts must be read to know."""
        settings = self._run.settings
        if self._only == "all" or settings.type != "standard" or len(settings.conditions) > 1:
            return None
        counted = self._opened.archive.verdict_counts(self._run.id)
        passed = {exam for exam, (judged, right) in counted.items() if judged and judged == right}
        for _ in passed:
            self._leave_out("passed")
        return self._exams - passed

    def _leave_out(self, verdict: Verdict) -> None:
        self._log.read[self._source] += 1
        self._log.pass_over(_NOT_TAKEN[verdict])

    def _add(self, attempt: Attempt) -> None:
        turns = attempt.transcript.turns
        for place, turn in enumerate(turns):
            case = self._cases.get(turn.case or "")
            if len(turn.question) > LONGEST:
                self._log.leave_out(TOO_LONG, f"{self._source}, {attempt.key.exam}")
                continue
            context = conversation_before(turns[:place], None if case is None else case.context)
            key = (turn.case or "", turn.question, context)
            if key not in self._questions:
                self._questions[key] = _Question(self._candidate(attempt, turn, case, context))
            self._count(self._questions[key], attempt, turn, place)

    def _count(self, question: _Question, attempt: Attempt, turn: Turn, place: int) -> None:
        failure = attempt.failure
        broke = failure is not None and attempt.outcome == "agent_failed" and failure.turn in (None, turn.number)
        verdict = False if broke else _verdict(attempt, place)
        if verdict and turn.reply is not None:
            question.passed += 1
            question.agreement.add(turn.reply, self._outline, passed=True)
        elif verdict is False:
            question.failed += 1
            if question.failed == 1:
                found = question.candidate
                found.origin = self._origin(attempt, turn)
                found.reply = None if turn.reply is None else turn.reply.text
                found.failure = failure.reason if broke and failure is not None else None

    def _candidate(self, attempt: Attempt, turn: Turn, case: Case | None, context: str | None) -> Candidate:
        return Candidate(
            question=turn.question,
            context=context,
            origin=self._origin(attempt, turn),
            case=case,
            reply=None if turn.reply is None else turn.reply.text,
        )

    def _origin(self, attempt: Attempt, turn: Turn) -> dict[str, Any]:
        key = attempt.key
        several = {"turn": turn.number} if len(attempt.transcript.turns) > 1 else {}
        condition = {"condition": key.condition} if key.condition else {}
        where = {"case": key.exam, "trial": key.trial, **condition, **several}
        return {"source": "run", "run": key.run, "attempt": where, **time_of(turn.started or attempt.started)}


def _verdict(attempt: Attempt, place: int) -> bool | None:
    if attempt.failure is not None:
        return None
    if place < len(attempt.turn_passed):
        return attempt.turn_passed[place]
    return attempt.passed if len(attempt.transcript.turns) == 1 else None
