"""Stored runs against each other: by their stored scores, or by a chat model that compares their replies."""

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
"""A case, and two runs by their places."""


class StoredContests:
    """What judges have said of these runs' contests. A verdict counts only for the very texts that it was given on."""

    def __init__(self, store: Store, runs: Sequence[Run]) -> None:
        self._store = store
        self._runs = runs

    def judges(self) -> list[str]:
        """Those who have judged a contest of any two of these runs."""
        pairs = combinations(sorted(run.id for run in self._runs), 2)
        return sorted({each.judge for a, b in pairs for each in self._store.contests.of_runs(a, b)})

    def known(self, judge: str, contests: Mapping[Place, Contest]) -> dict[Place, ContestVerdict]:
        """The verdicts that this judge has given on them."""
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
        """Store what was said; what was never answered is asked for again, and equal replies need no judge."""
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
        """Both runs as they are stored, the earlier first, and whether the contest has them the other way round."""
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
    """The same as if the replies had been named in the other order."""
    score = None if verdict.score is None else 1 - verdict.score
    return replace(verdict, score=score, explanations=verdict.explanations[::-1])


_NO_JUDGE = (
    "cannot compare two replies; expected a chat model such as openai:MODEL. "
    "Without --reviewer the stored scores decide"
)


def tournament(names: Sequence[str], *, store: str, force: bool = False) -> Tournament:
    """These runs against each other by their stored scores. Nobody is asked."""
    with open_store(store, create=False) as opened:
        runs = [opened.archive.find(name) for name in names]
        must_be_alike(runs, judged_anew=False, force=force)
        found = [findings_of_run(opened, run) for run in runs]
    return by_stored_scores(found, force=force)


def by_stored_scores(found: Sequence[Findings], *, force: bool = False) -> Tournament:
    """The same of runs whose findings are at hand."""
    runs = [findings.run for findings in found]
    unlike = must_be_alike(runs, judged_anew=False, force=force)
    return found_in(found, by_scores(found), unlike=unlike)


def stored_judges(opened: Store, runs: Sequence[Run]) -> list[str]:
    """The judges by their ids who have compared replies of any two of these runs."""
    return StoredContests(opened, runs).judges()


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedTournament:
    """What is to be judged, and what it will take, before anybody is asked."""

    findings: tuple[Findings, ...]
    """Of the runs as they were named."""
    judge: ChosenModel
    contests: dict[Place, Contest]
    known: dict[Place, ContestVerdict]
    """Those that this judge has judged before, which are not paid again."""
    settled: tuple[ContestOutcome, ...]
    """What needs no judge: where an agent failed, or there is no reply."""
    unlike: tuple[str, ...]

    @property
    def runs(self) -> list[Run]:
        """As they were named."""
        return [each.run for each in self.findings]

    @property
    def due(self) -> dict[Place, Contest]:
        """The contests that are still to be judged."""
        return {place: contest for place, contest in self.contests.items() if place not in self.known}

    @property
    def calls(self) -> int:
        """Both orders of every contest whose replies differ."""
        return 2 * sum(not contest.is_plain for contest in self.due.values())

    @property
    def tokens(self) -> tuple[int, int]:
        """Sent and received, about."""
        return tokens_of(list(self.due.values()), self.judge.criteria)

    @property
    def cost(self) -> float | None:
        """About; None: the model's price is not known."""
        return None if self.judge.price is None else self.judge.price.of(*self.tokens)


def plan_tournament(
    names: Sequence[str], *, reviewer: str, store: str, config: Config, force: bool = False
) -> PlannedTournament:
    """Every case of every pair of runs that has two replies to compare."""
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
    """Every case of every pair: what there is to compare, and what needs no judge."""
    exams = {exam.id: exam for run in runs for exam in exams_of(opened.archive.benchmark_of(run.id), run.settings)}
    contests: dict[Place, Contest] = {}
    settled: list[ContestOutcome] = []
    for place, one, other in _meetings(exams, [_first_trials(opened, run) for run in runs]):
        if isinstance(one, str) and isinstance(other, str):
            contests[place] = _contest(exams[place[0]], one, other)
        else:
            settled.append(_settle(place, one, other))
    return contests, settled


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredTournament:
    """What a judge has said of these runs so far."""

    found: Tournament
    verdicts: dict[Place, ContestVerdict]
    """With the judge's words."""


def read_tournament(opened: Store, found: Sequence[Findings], judge: str, *, force: bool = False) -> StoredTournament:
    """The tournament of a judge by its id, from what is stored alone. Nobody is asked."""
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
    """The agent's own failure: it loses against any reply."""


Played = str | _Failed | None
"""What a run has to show of a case: a reply, or the whole conversation; its agent's failure; nothing."""


def _first_trials(opened: Store, run: Run) -> dict[str, Played]:
    """The first trial of each case that has something to show, under the first condition."""
    found: dict[str, Played] = {}
    condition = "" if "" in run.settings.conditions else run.settings.conditions[0]
    for attempt in opened.archive.full_attempts(run.id):
        if attempt.key.condition == condition and found.get(attempt.key.exam) is None:
            found[attempt.key.exam] = _shown(attempt)
    return found


def _shown(attempt: Attempt) -> Played:
    if not attempt.finished or (attempt.failure is not None and attempt.failure.owner == "environment"):
        return None
    if attempt.failure is not None and attempt.failure.stage == "agent":
        return _Failed()
    said = [(turn.question, turn.reply.text) for turn in attempt.transcript.turns if turn.reply is not None]
    if len(said) < 2:
        return said[0][1] if said else None
    return "\n\n".join(f"user: {question}\n\nagent: {reply}" for question, reply in said)


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


def _settle(place: Place, one: Played, other: Played) -> ContestOutcome:
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
    told: Callable[[int, ContestVerdict], None] = lambda place, verdict: None,
) -> Tournament:
    """Have the contests judged, each in both orders; every verdict is stored as it comes, and not paid again."""
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
            told(place, verdict)

        try:
            said = await judge_contests(
                contests, model, concurrency=settings.concurrency, criteria=judge.criteria, told=keep
            )
        except BudgetSpent as spent:
            raise UsageError(f"{spent}; not a single contest was judged") from spent
    verdicts = {**planned.known, **dict(zip(places, said, strict=True))}
    judged = [_outcome(place, verdicts[place]) for place in planned.contests]
    usage = sum((verdict.usage for verdict in said), Usage())
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
