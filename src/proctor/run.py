"""One examination and its pieces: Run, Settings, Key, Attempt, Failure, PendingAttempt, and the stream's records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from proctor.benchmark import Exam
from proctor.errors import FailureKind
from proctor.score import (
    CanaryVerdicts,
    CheckResult,
    Contradiction,
    ImportedFrom,
    InterimVerdict,
    Review,
    Score,
    Unscored,
)
from proctor.transcript import InjectedLie, Transcript, Turn
from proctor.usage import Usage, WorkerCounts

Strings = tuple[str, ...]
ExamType = Literal["standard", "abm-static", "abm-dynamic"]
AgentKind = Literal["standard", "orchestrator"]
PlayOrder = Literal["file", "random"]
Status = Literal["queued", "running", "paused", "completed", "failed", "cancelled"]
StopRequest = Literal["pause", "cancel"]
Resumed = Literal["", "continued", "replayed"]
Stage = Literal["agent", "examiner", "reviewer", "engine"]
Owner = Literal["agent", "environment"]
StopKind = Literal[
    "asked", "interrupted", "killed", "budget", "storm", "misconfigured", "blocked", "exited", "unplayed", "lost",
    "store", "unexpected",
]  # fmt: skip
PLACES = 1_000_000
"""Places an exam keeps for its trials, so that a run can be extended without moving any."""
Outcome = Literal["passed", "failed", "agent_failed", "environment_failed", "unscored", "undecided", "pending"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """An attempt that broke. Never a score."""

    stage: Stage
    """Where it broke."""
    owner: Owner
    """Whose it is: the agent's counts as not passed, the environment's is out of n and tried again by `resume`."""
    reason: str
    """One sentence."""
    kind: FailureKind = "unknown"
    """What went wrong, for programs."""
    host: str = ""
    """HOST:PORT of the server that was called, where it is known."""
    turn: int | None = None
    """The turn in which it broke."""
    tries: int = 1
    """Calls made, retries included."""
    setbacks: int = 0
    """Sessions in which the environment failed here although it served nearly all others."""
    detail: str = ""
    """A traceback or a program's last words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """Which attempt: unique in a store; a turn adds its number."""

    run: str
    """The run's id."""
    exam: str
    """The exam's id."""
    condition: str = ""
    """The condition's name; empty: none."""
    trial: int = 1
    """From 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One exam played once."""

    key: Key
    """Which one."""
    place: int = 0
    """Where it stands when a run is read: by exam, then condition, then trial."""
    transcript: Transcript = Transcript()
    """What was said; empty where only the outcome was read."""
    scores: tuple[Score, ...] = ()
    """Marks given."""
    unscored: tuple[Unscored, ...] = ()
    """Marks that could not be given, and why."""
    checks: tuple[CheckResult, ...] = ()
    """Deterministic checks."""
    contradictions: tuple[Contradiction, ...] = ()
    """Pairs of turns that cannot both be true."""
    dropped: int = 0
    """Contradictions that a judge named besides, with a quote that stands in no reply."""
    failure: Failure | None = None
    """Why it broke; None: it did not."""
    turn_passed: tuple[bool | None, ...] = ()
    """Per turn; None: not counted (examiner's fault, unscored, environment)."""
    passed: bool | None = None
    """False if any turn is; None if undecided; else True."""
    resumed: Resumed = ""
    """How a conversation that was cut off went on: continued, or replayed from the start for an agent's own memory."""
    finished: bool = False
    """Whether it is over. An environment failure is over too, until `resume` takes it up again."""
    usage: Usage = Usage()
    """The agent's, the examiner's and the reviewer's together, retries included."""
    lost: Usage = Usage()
    """Of that, what no turn and no review tells: tries that failed, and conversations that were begun again."""
    seconds: float | None = None
    """Time the agent took, over all turns."""
    first_token: float | None = None
    """Of that, the mean time to the first token of a reply; None: it was not measured."""
    struck: int | None = None
    """How often it came across the fault of its condition; None: it had none, or nobody looked."""
    lie: InjectedLie | None = None
    """What it made of a wrong result on purpose; None: it was not lied to, or nobody looked."""
    judges: dict[str, Usage] = field(default_factory=dict)
    """Judge of a panel → what its reviews took; empty: there is no panel, or its judges took nothing."""
    judge_checked: bool = False
    """Whether a judge, and not only what its cases expect, let checks fail or pass."""
    cut_off: int = 0
    """Replies in it that the model stopped in the middle, at its output limit."""
    changed: dict[str, float] = field(default_factory=dict)
    """Settings that it was played with and that differ from the run's own: timeout, concurrency, retries; and under
    `retried_timeouts`, how often it was played again because it had timed out."""
    started: float = 0.0
    """Seconds since the epoch."""
    ended: float = 0.0
    """Seconds since the epoch."""

    @property
    def outcome(self) -> Outcome:
        """Where it stands, in the one vocabulary that everything counts by."""
        if not self.finished:
            return "pending"
        if self.failure is not None:
            blames_agent = self.failure.owner == "agent" and self.failure.stage != "reviewer"
            return "agent_failed" if blames_agent else "environment_failed"
        if self.passed is None:
            return "unscored" if self.unscored else "undecided"
        return "passed" if self.passed else "failed"

    @property
    def value(self) -> float | None:
        """The mean of the agent's marks over turns; None: no mark."""
        if len(self.scores) == 1 and self.scores[0].of == "agent":
            return self.scores[0].value
        marks = [score.value for score in self.scores if score.of == "agent"]
        return sum(marks) / len(marks) if marks else None


@dataclass(frozen=True, kw_only=True, slots=True)
class HumanLabel:
    """What a person says of an attempt."""

    key: Key
    passed: bool
    who: str
    """Who says so."""
    note: str = ""
    made: float = 0.0
    """When, in seconds since 1970."""
    seconds: float | None = None
    """How long it took."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spec:
    """How a part is built, as data: another process can build the same."""

    spec: str
    """Such as `python:module:attribute`."""
    options: dict[str, Any] = field(default_factory=dict)
    """From `proctor.toml`; secrets stay `${NAME}`."""


SECOND = "second_reviewer"
"""The role in `Settings.built` of who judges what the reviewer leaves unsure."""


def judge_roles(panel: int) -> list[tuple[str, str]]:
    """The roles in `Settings.built` of each judge and of who judges what it leaves unsure; a panel has several."""
    return [(f"judge_{place}", f"judge_{place}_second") for place in range(1, panel + 1)] or [("reviewer", SECOND)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """How a run is played: data only, so that any worker can rebuild it."""

    type: ExamType = "standard"
    """What an exam is."""
    reviewer: str | None = "embedded"
    """A reviewer's name or spec; None: checks alone."""
    panel: Strings = ()
    """The names of several judges whose majority decides; empty: there is one, or none."""
    rubric: str = "standard-1"
    """The version of what the reviewer is asked to judge."""
    examiner: str | None = None
    """An examiner's name or spec, in battles."""
    weights: dict[str, float] = field(default_factory=dict)
    """Part → weight; empty: the type's own."""
    passing_score: float | None = 0.7
    """A case passes here, unless it has its own; None: marks stand beside the checks and decide nothing."""
    own_scores: bool = True
    """Whether cases have passing scores of their own, or that is not known; if not, `passing_score` alone decides."""
    checks: str | None = None
    """A suite whose expectations are applied to the cases."""
    canaries: str = "none"
    """Replies with a known verdict that the judge is tried on: standard, a file, or none."""
    max_turns: int = 50
    """Turns in a conversation, 1 to 50."""
    seeds: int | None = None
    """Only the first so many seed questions."""
    conversation_tokens: int | None = None
    """Most tokens that one conversation may take."""
    conversation_seconds: float | None = None
    """Longest that one conversation may take."""
    trials: int = 1
    """How often each exam is played that has no trials of its own."""
    case_trials: dict[str, int] = field(default_factory=dict)
    """Exam → how often it is played, where its suite says so (`trials:`)."""
    conditions: Strings = ("",)
    """Conditions played; the empty one is none."""
    concurrency: int = 10
    """Attempts under way at once."""
    timeout: float = 60.0
    """Seconds one call to the agent may take."""
    retries: int = 2
    """Further tries after an environment failure."""
    retry_agent_failures: int = 0
    """Further tries after the agent's own failure; makes runs incomparable."""
    retried_timeouts: int = 0
    """How often attempts that had timed out were played again (`resume --retry-timeouts`); makes runs incomparable."""
    budget: float | None = None
    """Most that may be spent, over agent, examiner and reviewer."""
    max_tokens: int | None = None
    """Most tokens that may be spent."""
    stop_early: Strings = ()
    """Gates that are looked at as the run goes on: when they are decided it is over; empty: it is played to the end."""
    order: PlayOrder = "file"
    """In which order cases are asked; `random`: seeded by the benchmark, every category in its share all along."""
    look: int = 1
    """Which verdict on this run a gate gives: every extension is a further look, and costs some of the level."""
    context_given: bool = True
    """Whether the agent is handed the context; if not, its use is not judged."""
    built: dict[str, Spec] = field(default_factory=dict)
    """Role (agent, reviewer, second_reviewer, examiner, judge_1 …) → how it is built; a live object's is left out."""

    @property
    def judges(self) -> tuple[tuple[Spec, ...], ...]:
        """How each judge is built, of one that is two both; a judge that is a live object is left out."""
        roles = judge_roles(len(self.panel))
        built = (tuple(self.built[role] for role in pair if role in self.built) for pair in roles)
        return tuple(specs for specs in built if specs)

    @property
    def paid_reviewer(self) -> Spec | None:
        """How the judge is built who may call a model: the second of two; None: a live object, or a panel."""
        return self.built.get(SECOND) or self.built.get("reviewer")

    @property
    def has_plain_run(self) -> bool:
        """Whether one of several conditions is none: its numbers are the run's, the others stand beside them."""
        return len(self.conditions) > 1 and "" in self.conditions

    @property
    def most_trials(self) -> int:
        """The trials of the exam that has most."""
        return max(self.trials, *self.case_trials.values()) if self.case_trials else self.trials

    @property
    def repeats(self) -> int:
        """How often an exam is played at most: every trial under every condition."""
        return self.most_trials * len(self.conditions)

    @property
    def rated_conditions(self) -> int:
        """Under how many conditions an exam counts for the run's rates: the plain run alone, else all of them."""
        return 1 if self.has_plain_run else len(self.conditions)

    def trials_of(self, exam: str) -> int:
        """How often an exam is played under each condition."""
        return self.case_trials.get(exam, self.trials)

    def planned_trials(self, exams: int) -> int:
        """The attempts of so many exams under one condition, all those among them that have trials of their own."""
        return (exams - len(self.case_trials)) * self.trials + sum(self.case_trials.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """Why a run stopped before its end, for programs; `Run.reason` says it in words."""

    kind: StopKind
    """Asked to; a key was pressed; its process was killed; no budget left; environment failures alone; a wrong key or
    address; an agent that held up the event loop or tried to end the process; attempts left unplayed, or lost to the
    environment; a store that failed; a mistake of ours."""
    cost: float = 0.0
    """The budget that the next call needs at least, with all that was spent before; 0: not a question of money."""
    tokens: int = 0
    """The same in tokens."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One benchmark × one agent × settings. Lasting, resumable, comparable."""

    id: str
    """Sorts by time."""
    name: str
    """What people call it."""
    benchmark: str
    """The benchmark's name."""
    digest: str
    """The benchmark's digest."""
    agent: str
    """Its name in `proctor.toml`, its spec, or `object:NAME`."""
    kind: AgentKind = "standard"
    """What sort of agent it is."""
    settings: Settings = Settings()
    """How it is played."""
    labels: dict[str, str] = field(default_factory=dict)
    """Version, model, prompt, commit, anything."""
    status: Status = "queued"
    """Where it stands; all but completed can be resumed."""
    reason: str = ""
    """Why it stopped, where it did."""
    stop: Stop | None = None
    """The same for programs; None: it did not, or nobody knows."""
    interim: InterimVerdict | None = None
    """Of a run that stops early: the verdict, once there is one."""
    earlier_rubrics: Strings = ()
    """Rubrics of earlier versions by which some of it was judged; empty: all of it by `settings.rubric`."""
    cut: bool = False
    """Whether it stopped early: only what was asked counts as planned, and the rest is not missing."""
    canaries: CanaryVerdicts | None = None
    """What its judge said of canaries; None: it was shown none."""
    gates: Strings = ()
    """What it is held to once it is over, such as `pass_rate>=0.9`."""
    together: Strings = ()
    """Runs that were started together on the same cases, this one among them: they share a budget; empty: none."""
    judge_decides: bool | None = None
    """Whether a verdict hangs on what the judge says; None: not known."""
    imported: ImportedFrom | None = None
    """Where it was played and judged, if not here; None: here."""
    planned: int = 0
    """Attempts it consists of."""
    rescored_from: str | None = None
    """The run whose transcripts it reads."""
    created: float = 0.0
    """Seconds since the epoch."""
    started: float | None = None
    """Seconds since the epoch; of the first start."""
    ended: float | None = None
    """Seconds since the epoch; of the last stop."""
    seconds: float = 0.0
    """Time spent running, over all resumes."""
    workers: WorkerCounts | None = None
    """The workers that have played it, or some of it; None: one process alone."""
    sent: dict[str, str] = field(default_factory=dict)
    """Its pages elsewhere: the destination it was sent to → the address."""

    @property
    def exams(self) -> int:
        """The exams it consists of; of a run that was cut short, as many as would take so many attempts."""
        settings = self.settings
        others = self.planned // len(settings.conditions) - sum(settings.case_trials.values())
        return others // settings.trials + len(settings.case_trials)


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingAttempt:
    """An attempt about to be played, or continued where it stopped."""

    exam: Exam
    """What is asked."""
    attempt: Attempt
    """As stored: fresh, or with turns that need no second call."""
    reviews: dict[int, tuple[Review, ...]] = field(default_factory=dict)
    """Turn → reviews already given and paid for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turned:
    """Record: a turn was asked (no reply yet) or answered."""

    key: Key
    """Which attempt."""
    turn: Turn
    """Replaces the stored turn of the same number."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reviewed:
    """Record: a turn was reviewed; the attempt is not over yet."""

    key: Key
    """Which attempt."""
    turn: int
    """The turn's number; 0 stands for the conversation."""
    reviews: tuple[Review, ...]
    """One per reviewer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """Record: an attempt is over, or (`attempt.finished` is false) was cut off, or is begun again."""

    attempt: Attempt
    """With its transcript, whose turns are already recorded."""


Record = Turned | Reviewed | Finished
