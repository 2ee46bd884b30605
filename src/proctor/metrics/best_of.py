"""The BestOf metric: find which of several agents answers best.

    metrics = BestOf.run(MyRetriever, model=judge)
    for metric in metrics:
        print(metric.qa_id, metric.bestof_winner_id)
    print(metrics.summary)

For every question, every pair of agents that answered it is compared, anonymously and in both orders.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING, Any, Required, TypedDict, Unpack

from pydantic import BaseModel, ConfigDict

from proctor.errors import InputError
from proctor.metrics.agentic import MetricResults, Retriever, split_options
from proctor.metrics.conversations import load
from proctor.metrics.schemas import Batch, Dataset
from proctor.metrics.settings import JudgeSettings, check_names, of_judge
from proctor.metrics.summary import many
from proctor.statistics.bradley_terry import FEWEST_CASES, Pair, ranking
from proctor.statistics.estimate import Estimate
from proctor.statistics.judges import prefers_place, share_toward_first
from proctor.statistics.pass_at_k import over_cases, pass_at_k
from proctor.threads import run_anywhere
from proctor.usage import Usage
from proctor.workflows.contests import Contest, ContestVerdict, judge_contests

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

__all__ = [
    "AssistantStanding",
    "Batch",
    "BestOf",
    "BestOfContest",
    "BestOfMetric",
    "BestOfResults",
    "BestOfSummary",
    "Dataset",
    "Retriever",
]
TIE = "tie"
_USUAL = "BestOf"
_ALL = "bestof"
"""Session used when agents share no session and questions are matched by qa_id alone."""


class BestOfOptions(TypedDict, total=False):
    """Keyword arguments of `BestOf.run` and `BestOf.arun`."""

    model: Required[BaseChatModel | str]
    """The judge: a LangChain chat model, or a name such as `openai:MODEL`."""
    use_structured_output: bool
    """Whether to request structured output; if False, JSON is extracted from the judge's text."""
    strict: bool
    """Accepted without effect: invalid answers are always refused."""
    bos_json_clause: str
    """Accepted without effect: JSON is found anywhere in the text."""
    eos_json_clause: str
    """Accepted without effect."""
    criteria: str
    """What makes an answer better, in words; `BestOf` means correct and to the point."""
    verbose: bool
    """Show each verdict on standard error."""
    concurrency: int
    """Maximum number of concurrent contests."""
    retries: int
    """Number of retries if the judge does not answer."""
    timeout: float
    """Timeout of one judge call in seconds."""
    retriever_options: Mapping[str, Any] | None
    """Keyword arguments for the retriever's constructor."""


class BestOfContest(BaseModel):
    """Comparison of two answers to one question."""

    round: int
    """Number of the contest within the question, from 1."""
    left_id: str
    right_id: str
    winner_id: str | None
    """The agent that wins in both orders; `tie` if neither does or the orders disagree; None without a verdict."""
    confidence: float | None = None
    """Mean confidence of the judge over both orders, or None if they disagree."""
    verdict: str | None = None
    """left, right, tie or position flip; None without a verdict (see `unscored`)."""
    reasoning: dict[str, Any] | None = None
    """The judge's explanations by order: `left_first` and `right_first`."""
    thinkings: str | None = None
    """Both explanations as one text."""
    unscored: str = ""
    """Why there is no verdict."""


class BestOfMetric(BaseModel):
    """Result of one question answered by several agents."""

    session_id: str
    trial: int = 1
    qa_id: str
    assistant_id: str | None
    """Same as `bestof_winner_id`."""
    bestof_winner_id: str | None
    """The agent with the most points (a tie is half a win), `tie`, or None if missing verdicts could change it."""
    bestof_contests: list[BestOfContest]


class AssistantStanding(BaseModel):
    """Standing of one agent."""

    assistant_id: str
    strength: Estimate
    """Bradley-Terry strength in log odds."""
    rank_best: int
    """The best rank within its interval."""
    rank_worst: int
    won: int
    tied: int
    lost: int


class BestOfSummary(BaseModel):
    """Results over all questions."""

    model_config = ConfigDict(frozen=True)

    assistants: list[AssistantStanding]
    questions: int
    contests: int
    unscored: int
    """Contests without a verdict."""
    position_flips: Estimate
    """Share of contests in which swapping the answers changed the judge's verdict."""
    flips_toward_first: Estimate
    """Share of those in which the judge favoured the answer shown first."""
    cycles: list[list[str]]
    """Cycles in which each agent significantly beats the next, and the last one the first."""
    notes: list[str]
    judge_calls: int
    input_tokens: int
    output_tokens: int

    def __str__(self) -> str:
        lines = [f"{many(self.questions, 'question')}, {many(self.contests, 'contest')}"]
        for one in sorted(self.assistants, key=lambda each: -(each.strength.value or 0)):
            rank = str(one.rank_best) if one.rank_best == one.rank_worst else f"{one.rank_best} to {one.rank_worst}"
            text = f"  {one.assistant_id}: rank {rank}, strength {one.strength.value:+.2f}"
            known = one.strength.low is not None and one.strength.high is not None
            ends = f" [{one.strength.low:+.2f}, {one.strength.high:+.2f}]" if known else ""
            lines.append(f"{text}{ends}, {one.won} won, {one.tied} tied, {one.lost} lost")
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


class BestOfResults(MetricResults[BestOfMetric]):
    """One BestOfMetric per question, in input order."""

    def __init__(self, metrics: Iterable[BestOfMetric], *, summary: BestOfSummary) -> None:
        super().__init__(metrics)
        self.summary = summary


class BestOf:
    """Compares the answers of several agents to the same questions, pair by pair."""

    @classmethod
    def run(cls, retriever: type[Retriever] | Retriever, **options: Unpack[BestOfOptions]) -> BestOfResults:
        """Judge every pair of answers to every question. Works in scripts and in notebooks.

        Options: `model` (required), `use_structured_output` (False), `criteria` ("BestOf"), `verbose` (False),
        `concurrency` (10), `retries` (2), `timeout` (60 s), `retriever_options`; `strict`, `bos_json_clause` and
        `eos_json_clause` are accepted without effect.
        """
        return run_anywhere(lambda: cls.arun(retriever, **options))

    @classmethod
    async def arun(cls, retriever: type[Retriever] | Retriever, **options: Unpack[BestOfOptions]) -> BestOfResults:
        """Async version of `run`."""
        own, retriever_options = split_options(retriever, options, BestOfOptions)
        check_names(own, BestOfOptions, metric="BestOf", required=("model",))
        criteria = own.get("criteria", _USUAL)
        if not isinstance(criteria, str) or not criteria.strip():
            raise InputError(f"criteria={criteria!r} cannot be used: expected what is better, in words")
        settings = JudgeSettings(**of_judge(own, structured=False))
        questions = gather(await load(retriever, retriever_options))
        meetings = [(question, pair) for question in questions for pair in question.pairs]
        verdicts = await judge_contests(
            [question.contest(*pair) for question, pair in meetings],
            settings.patient_model(),
            concurrency=settings.concurrency,
            criteria="" if criteria == _USUAL else criteria.strip(),
            on_verdict=_verdict_reporter(meetings, verbose=settings.verbose),
        )
        verdict_by_pair = dict(zip(((id(question), pair) for question, pair in meetings), verdicts, strict=True))
        judged = [
            (question, {pair: verdict_by_pair[id(question), pair] for pair in question.pairs}) for question in questions
        ]
        return BestOfResults([_metric(*each) for each in judged], summary=_summary(judged))


class Question:
    """One question with the answers of several agents."""

    def __init__(self, session_id: str, trial: int, qa_id: str) -> None:
        self.session_id, self.trial, self.qa_id = session_id, trial, qa_id
        self.answers: dict[str, Batch] = {}

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs of agents that answered it."""
        return list(combinations(self.answers, 2))

    def contest(self, left: str, right: str) -> Contest:
        """Return the contest between two agents, as shown to the judge."""
        one, other = self.answers[left], self.answers[right]
        return Contest(
            question=one.query,
            expected=one.ground_truth_assistant or other.ground_truth_assistant or "",
            left=one.assistant,
            right=other.assistant,
        )


def gather(datasets: Sequence[Dataset]) -> list[Question]:
    """Collect the questions answered by two or more agents; raise InputError if there are none."""
    by_session = any(len(question.answers) > 1 for question in _questions(datasets, by_session=True, strictly=False))
    questions = _questions(datasets, by_session=by_session, strictly=True)
    met = [question for question in questions if len(question.answers) > 1]
    if not met:
        known = sorted({dataset.assistant_id for dataset in datasets})
        raise InputError(
            f"no question was answered by two agents: assistant_id is {', '.join(map(repr, known))}; give each agent "
            "its own assistant_id, and the same question the same qa_id"
        )
    return met


def _questions(datasets: Sequence[Dataset], *, by_session: bool, strictly: bool) -> list[Question]:
    found: dict[tuple[str, int, str], Question] = {}
    for dataset in datasets:
        session = dataset.session_id if by_session else _ALL
        for batch in dataset.conversation:
            key = (session, dataset.trial, batch.qa_id)
            question = found.setdefault(key, Question(*key))
            if strictly:
                _refuse(question, dataset, batch)
            question.answers[dataset.assistant_id] = batch
    return list(found.values())


def _refuse(question: Question, dataset: Dataset, batch: Batch) -> None:
    where = f"conversation {dataset.session_id!r}, qa_id={batch.qa_id!r}, assistant_id={dataset.assistant_id!r}"
    if dataset.assistant_id in question.answers:
        raise InputError(f"{where}: this agent has answered it before; give each question of it its own qa_id")
    first = next(iter(question.answers.values()), batch)
    if first.query != batch.query:
        raise InputError(f"{where}: query={batch.query!r} is {first.query!r} elsewhere; expected the same question")


def _verdict_reporter(
    meetings: Sequence[tuple[Question, tuple[str, str]]], *, verbose: bool
) -> Callable[[int, ContestVerdict], None]:
    done = 0

    def report_verdict(place: int, verdict: ContestVerdict) -> None:
        nonlocal done
        done += 1
        question, (left, right) = meetings[place]
        outcome = _word(verdict) or f"unscored: {verdict.reason}"
        text = f"[best of {done}/{len(meetings)}] {question.qa_id} {left} against {right}: {outcome}"
        if verbose:
            with suppress(OSError):  # a closed pipe is no reason to lose verdicts
                printable = "".join(letter if letter.isprintable() else " " for letter in text)
                sys.stderr.write(f"{printable}\n")

    return report_verdict


def _word(verdict: ContestVerdict) -> str | None:
    if verdict.score is None:
        return None
    return "position flip" if verdict.flipped else {1.0: "left", 0.0: "right"}.get(verdict.score, TIE)


Judged = tuple[Question, dict[tuple[str, str], ContestVerdict]]


def _metric(question: Question, verdicts: Mapping[tuple[str, str], ContestVerdict]) -> BestOfMetric:
    winner = _winner(question, verdicts)
    return BestOfMetric(
        session_id=question.session_id,
        trial=question.trial,
        qa_id=question.qa_id,
        assistant_id=winner,
        bestof_winner_id=winner,
        bestof_contests=[_contest(number, pair, verdict) for number, (pair, verdict) in enumerate(verdicts.items(), 1)],
    )


def _contest(number: int, pair: tuple[str, str], verdict: ContestVerdict) -> BestOfContest:
    words = dict(zip(("left_first", "right_first"), verdict.explanations, strict=False))
    return BestOfContest(
        round=number,
        left_id=pair[0],
        right_id=pair[1],
        winner_id=None if verdict.score is None else {1.0: pair[0], 0.0: pair[1]}.get(verdict.score, TIE),
        confidence=verdict.confidence,
        verdict=_word(verdict),
        reasoning=words or None,
        thinkings="\n".join(verdict.explanations) or None,
        unscored=verdict.reason if verdict.score is None else "",
    )


def _winner(question: Question, verdicts: Mapping[tuple[str, str], ContestVerdict]) -> str | None:
    """Return the winner regardless of missing verdicts, `tie`, or None if missing verdicts could decide."""
    least, most = (_points(question, verdicts, missing) for missing in (0.0, 1.0))
    for name in question.answers:
        if all(least[name] > most[other] for other in question.answers if other != name):
            return name
    return None if any(verdict.score is None for verdict in verdicts.values()) else TIE


def _points(question: Question, verdicts: Mapping[tuple[str, str], ContestVerdict], missing: float) -> dict[str, float]:
    points = dict.fromkeys(question.answers, 0.0)
    for (left, right), verdict in verdicts.items():
        points[left] += missing if verdict.score is None else verdict.score
        points[right] += missing if verdict.score is None else 1 - verdict.score
    return points


def _summary(judged: Sequence[Judged]) -> BestOfSummary:
    names = list(dict.fromkeys(name for question, _ in judged for name in question.answers))
    every = [verdict for _, verdicts in judged for verdict in verdicts.values()]
    ranked = ranking([_outcomes(names, verdicts) for _, verdicts in judged], len(names))
    usage = sum((verdict.usage for verdict in every), Usage())
    unscored = sum(verdict.score is None for verdict in every)
    counts = [[verdict.flipped for verdict in verdicts.values() if verdict.explanations] for _, verdicts in judged]
    flips = over_cases(pass_at_k, ((len(flipped), sum(flipped)) for flipped in counts), 1)
    leans = ((place, each.leans) for place, (_, verdicts) in enumerate(judged) for each in verdicts.values())
    toward_first = share_toward_first(leans)
    return BestOfSummary(
        assistants=[
            AssistantStanding(
                assistant_id=name,
                strength=strength.value,
                rank_best=strength.best,
                rank_worst=strength.worst,
                **_tally(name, judged),
            )
            for name, strength in zip(names, ranked.strengths, strict=True)
        ],
        questions=len(judged),
        contests=len(every),
        unscored=unscored,
        position_flips=flips,
        flips_toward_first=toward_first,
        cycles=[[names[place] for place in cycle] for cycle in ranked.cycles],
        notes=list(_notes(ranked.cases, len(every), unscored, flips, toward_first)),
        judge_calls=usage.calls,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
    )


def _outcomes(names: Sequence[str], verdicts: Mapping[tuple[str, str], ContestVerdict]) -> dict[Pair, float]:
    found = {}
    for (left, right), verdict in verdicts.items():
        if verdict.score is not None:
            a, b = names.index(left), names.index(right)
            found[min(a, b), max(a, b)] = verdict.score if a < b else 1 - verdict.score
    return found


def _tally(name: str, judged: Sequence[Judged]) -> dict[str, int]:
    scores = [
        verdict.score if left == name else 1 - verdict.score
        for _, verdicts in judged
        for (left, right), verdict in verdicts.items()
        if verdict.score is not None and name in (left, right)
    ]
    return {"won": scores.count(1.0), "tied": scores.count(0.5), "lost": scores.count(0.0)}


def _notes(cases: int, contests: int, unscored: int, flips: Estimate, toward_first: Estimate) -> Iterator[str]:
    if cases < FEWEST_CASES:
        known = f"{many(cases, 'question')} with a verdict"
        yield f"{known}: too few for intervals and ranks; collect {FEWEST_CASES} or more."
    if unscored:
        lacks = "has no verdict and does" if unscored == 1 else "have no verdict and do"
        yield f"{unscored} of {contests} contests {lacks} not count."
    if flips.value and toward_first.value is not None:
        yield f"The judge said otherwise in {flips.value:.1%} of the contests when the answers changed places: ties."
        preferred = f": it prefers the {place} place" if (place := prefers_place(toward_first)) else ""
        yield f"In {toward_first.value:.1%} of those it favoured the answer that was shown first{preferred}."
