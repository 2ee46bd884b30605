"""Tournament of stored runs: by their stored scores, or by a chat model that compares their replies."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from proctor.benchmark import Exam
from proctor.codec import digest
from proctor.config import Config
from proctor.errors import BudgetSpent, UsageError
from proctor.findings.run import Findings
from proctor.findings.tournament import ContestOutcome, Tournament, by_scores, must_be_alike
from proctor.findings.tournament import tournament as found_in
from proctor.redaction import remember_secrets
from proctor.run import Attempt, Run
from proctor.running.plan import exams_of
from proctor.score import PairVerdict
from proctor.storage import Store, open_store
from proctor.usage import Usage
from proctor.workflows.chat_model import ChosenModel, choose_model
from proctor.workflows.contests import EQUAL_REPLIES, Contest, ContestVerdict, judge_contests, tokens_of
from proctor.workflows.read import findings_of_run
from proctor.workflows.run_limits import allowing
from proctor.workflows.settings import make_settings

Place = tuple[str, int, int]
"""A case, and the indices of two runs."""


class StoredContests:
    """Stored verdicts on these runs' contests. A verdict only counts for the exact texts it was given on."""

    def __init__(self, store: Store, runs: Sequence[Run]) -> None:
        self._store = store
        self._runs = runs

    def judges(self) -> list[str]:
        """Return the judges of contests between any two of these runs."""
        pairs = combinations(sorted(run.id for run in self._runs), 2)
        return sorted({each.judge for a, b in pairs for each in self._store.contests.of_runs(a, b)})

    def known(self, judge: str, contests: Mapping[Place, Contest]) -> dict[Place, ContestVerdict]:
        """Return this judge's verdicts on the contests."""
        stored: dict[tuple[str, str, str], PairVerdict] = {}
        for a, b in combinations(sorted(run.id for run in self._runs), 2):
            stored |= {(a, b, each.exam): each for each in self._store.contests.of_runs(a, b) if each.judge == judge}
        found: dict[Place, ContestVerdict] = {}
        for place, contest in contests.items():
            first, other, turned = self._in_order(place)
            kept = stored.get((first, other, place[0]))
            if kept is not None and kept.digest == _digest(contest, turned=turned):
                found[place] = _turn_round(_verdict(kept)) if turned else _verdict(kept)
        return found

    def keep(self, judge: str, place: Place, contest: Contest, verdict: ContestVerdict) -> None:
        """Store a verdict, unless it was never answered or the replies are equal."""
        if verdict.is_open or contest.is_plain:
            return
        first, other, turned = self._in_order(place)
        given = _turn_round(verdict) if turned else verdict
        kept = PairVerdict(
            exam=place[0],
            other=other,
            judge=judge,
            digest=_digest(contest, turned=turned),
            score=given.score,
            flipped=given.flipped,
            leans=given.leans,
            confidence=given.confidence,
            explanations=given.explanations,
            reason=given.reason,
            usage=given.usage,
            made=time.time(),
        )
        self._store.contests.put(first, [kept])

    def _in_order(self, place: Place) -> tuple[str, str, bool]:
        """Return both runs in stored order, and whether that swaps the contest's order."""
        one, other = (self._runs[each].id for each in place[1:])
        return (one, other, False) if one < other else (other, one, True)


def _digest(contest: Contest, *, turned: bool) -> str:
    return digest(contest.mirrored_contest if turned else contest)


def _verdict(kept: PairVerdict) -> ContestVerdict:
    return ContestVerdict(
        score=kept.score,
        flipped=kept.flipped,
        leans=kept.leans,
        confidence=kept.confidence,
        explanations=kept.explanations,
        reason=kept.reason,
        usage=kept.usage,
    )


def _turn_round(verdict: ContestVerdict) -> ContestVerdict:
    """Return the verdict with the replies in the other order."""
    score = None if verdict.score is None else 1 - verdict.score
    return replace(verdict, score=score, explanations=verdict.explanations[::-1])


_NO_JUDGE = (
    "cannot compare two replies; expected a chat model such as openai:MODEL. "
    "Without --reviewer the stored scores decide"
)


def tournament(names: Sequence[str], *, store: str, force: bool = False) -> Tournament:
    """Rank these runs by their stored scores, without calling a judge."""
    with open_store(store, create=False) as opened:
        runs = [opened.archive.find(name) for name in names]
        must_be_alike(runs, judged_anew=False, force=force)
        found = [findings_of_run(opened, run) for run in runs]
    return by_stored_scores(found, force=force)


def by_stored_scores(found: Sequence[Findings], *, force: bool = False) -> Tournament:
    """Rank runs by their scores, given their findings."""
    runs = [findings.run for findings in found]
    unlike = must_be_alike(runs, judged_anew=False, force=force)
    return found_in(found, by_scores(found), unlike=unlike)


def stored_judges(opened: Store, runs: Sequence[Run]) -> list[str]:
    """Return the ids of judges that have compared replies of any two of these runs."""
    return StoredContests(opened, runs).judges()


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedTournament:
    """A planned tournament with its estimated cost."""

    findings: tuple[Findings, ...]
    """Findings of the runs, in the order named."""
    judge: ChosenModel
    contests: dict[Place, Contest]
    known: dict[Place, ContestVerdict]
    """Stored verdicts of this judge, which are not paid for again."""
    settled: tuple[ContestOutcome, ...]
    """Contests that need no judge: an agent failed, or a reply is missing."""
    unlike: tuple[str, ...]

    @property
    def runs(self) -> list[Run]:
        """Runs in the order named."""
        return [each.run for each in self.findings]

    @property
    def due(self) -> dict[Place, Contest]:
        """Contests still to be judged."""
        return {place: contest for place, contest in self.contests.items() if place not in self.known}

    @property
    def calls(self) -> int:
        """Number of calls: both orders of every contest with different replies."""
        return 2 * sum(not contest.is_plain for contest in self.due.values())

    @property
    def tokens(self) -> tuple[int, int]:
        """Estimated input and output tokens."""
        return tokens_of(list(self.due.values()), self.judge.criteria)

    @property
    def cost(self) -> float | None:
        """Estimated cost, or None if the model's price is unknown."""
        return None if self.judge.price is None else self.judge.price.of(*self.tokens)


def plan_tournament(
    names: Sequence[str], *, reviewer: str, store: str, config: Config, force: bool = False
) -> PlannedTournament:
    """Plan a contest for every case and every pair of runs with two replies to compare."""
    remember_secrets()
    judge = choose_model(reviewer, config, refusal=_NO_JUDGE)
    with open_store(store, create=False) as opened:
        runs = [opened.archive.find(name) for name in names]
        unlike = must_be_alike(runs, judged_anew=True, force=force)
        contests, settled = _all_contests(opened, runs)
        known = StoredContests(opened, runs).known(judge.id, contests)
        found = tuple(findings_of_run(opened, run) for run in runs)
    return PlannedTournament(
        findings=found, judge=judge, contests=contests, known=known, settled=tuple(settled), unlike=tuple(unlike)
    )


def _all_contests(opened: Store, runs: Sequence[Run]) -> tuple[dict[Place, Contest], list[ContestOutcome]]:
    """Return the contests to judge and the outcomes that need no judge, for every case and pair."""
    exams = {exam.id: exam for run in runs for exam in exams_of(opened.archive.benchmark_of(run.id), run.settings)}
    contests: dict[Place, Contest] = {}
    settled: list[ContestOutcome] = []
    for place, one, other in _meetings(exams, [_first_trials(opened, run) for run in runs]):
        if isinstance(one, str) and isinstance(other, str):
            contests[place] = _contest(exams[place[0]], one, other)
        else:
            settled.append(_settle_unplayed(place, one, other))
    return contests, settled


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredTournament:
    """A judge's tournament of these runs so far."""

    found: Tournament
    verdicts: dict[Place, ContestVerdict]
    """Verdicts with the judge's explanations."""


def read_tournament(opened: Store, found: Sequence[Findings], judge: str, *, force: bool = False) -> StoredTournament:
    """Return a judge's tournament, by the judge's id, from stored verdicts without calling it."""
    runs = [each.run for each in found]
    unlike = must_be_alike(runs, judged_anew=True, force=force)
    contests, settled = _all_contests(opened, runs)
    known = StoredContests(opened, runs).known(judge, contests)
    plain = {place: EQUAL_REPLIES for place, each in contests.items() if each.is_plain}
    open_ = ContestVerdict(reason="not judged yet", is_open=True)
    outcomes = [_outcome(place, known.get(place) or plain.get(place, open_)) for place in contests]
    usage = sum((verdict.usage for verdict in known.values()), Usage())
    name = judge.rpartition(" ")[0]
    judged = found_in(found, [*settled, *outcomes], judge=name, usage=usage, unlike=unlike)
    return StoredTournament(found=judged, verdicts=known)


@dataclass(frozen=True, slots=True)
class _Failed:
    """Sentinel for the agent's own failure, which loses against any reply."""


Played = str | _Failed | None
"""A run's result of a case: the reply or the whole conversation, the agent's failure, or nothing."""


def _first_trials(opened: Store, run: Run) -> dict[str, Played]:
    """Return the first trial with a result of each case, under the first condition."""
    found: dict[str, Played] = {}
    condition = "" if "" in run.settings.conditions else run.settings.conditions[0]
    for attempt in opened.archive.full_attempts(run.id):
        if attempt.key.condition == condition and found.get(attempt.key.exam) is None:
            found[attempt.key.exam] = _played_text(attempt)
    return found


def _played_text(attempt: Attempt) -> Played:
    if not attempt.finished or (attempt.failure is not None and attempt.failure.owner == "environment"):
        return None
    if attempt.failure is not None and attempt.failure.stage == "agent":
        return _Failed()
    exchanges = [(turn.question, turn.reply.text) for turn in attempt.transcript.turns if turn.reply is not None]
    if len(exchanges) < 2:
        return exchanges[0][1] if exchanges else None
    return "\n\n".join(f"user: {question}\n\nagent: {reply}" for question, reply in exchanges)


def _meetings(
    exams: dict[str, Exam], played: Sequence[dict[str, Played]]
) -> Iterator[tuple[Place, Played, Played]]:  # fmt: skip
    for name in exams:
        for a, b in combinations(range(len(played)), 2):
            if name in played[a] and name in played[b]:
                yield (name, a, b), played[a][name], played[b][name]


def _contest(exam: Exam, one: str, other: str) -> Contest:
    return Contest(
        question="\n".join(case.question for case in exam.cases),
        expected="\n".join(case.answer for case in exam.cases if case.answer),
        context="\n".join(dict.fromkeys(case.context for case in exam.cases if case.context)),
        left=one,
        right=other,
    )


def _settle_unplayed(place: Place, one: Played, other: Played) -> ContestOutcome:
    case, a, b = place
    if one is None or other is None:
        return ContestOutcome(case=case, a=a, b=b, score=None, reason="one of both has no reply")
    score = 0.5 if type(one) is type(other) else float(isinstance(one, str))
    return ContestOutcome(case=case, a=a, b=b, score=score, reason="an agent failed")


async def play_tournament(
    planned: PlannedTournament,
    *,
    store: str,
    config: Config,
    budget: float | None = None,
    concurrency: int | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 - of the calls that the judge takes, not of this one
    retries: int | None = None,
    on_verdict: Callable[[int, ContestVerdict], None] = lambda place, verdict: None,
) -> Tournament:
    """Judge the contests, each in both orders; verdicts are stored as they arrive and not paid for again."""
    given = {"budget": budget, "concurrency": concurrency, "timeout": timeout, "retries": retries}
    settings = replace(make_settings(given, config.run), budget=budget, max_tokens=None)
    judge = planned.judge
    model = judge.patient(retries=settings.retries, timeout=settings.timeout, budget=budget)
    due = planned.due
    places, contests = list(due), list(due.values())
    with open_store(store, create=False) as opened, allowing(settings, config, cache=True):
        kept = StoredContests(opened, planned.runs)

        def keep(place: int, verdict: ContestVerdict) -> None:
            kept.keep(judge.id, places[place], contests[place], verdict)
            on_verdict(place, verdict)

        try:
            new_verdicts = await judge_contests(
                contests, model, concurrency=settings.concurrency, criteria=judge.criteria, on_verdict=keep
            )
        except BudgetSpent as spent:
            raise UsageError(f"{spent}; not a single contest was judged") from spent
    verdicts = {**planned.known, **dict(zip(places, new_verdicts, strict=True))}
    judged = [_outcome(place, verdicts[place]) for place in planned.contests]
    usage = sum((verdict.usage for verdict in new_verdicts), Usage())
    outcomes = [*planned.settled, *judged]
    return found_in(planned.findings, outcomes, judge=judge.name, usage=usage, unlike=planned.unlike)


def _outcome(place: Place, verdict: ContestVerdict) -> ContestOutcome:
    case, a, b = place
    return ContestOutcome(
        case=case,
        a=a,
        b=b,
        score=verdict.score,
        flipped=verdict.flipped,
        leans=verdict.leans,
        asked=bool(verdict.explanations),
        is_open=verdict.is_open,
        reason=verdict.reason,
    )
