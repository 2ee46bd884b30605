"""A run and its parts: Run, Settings, Key, Attempt, Failure, PendingAttempt, and the records of the stream."""

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
"""Number of places reserved per exam for its trials, so that a run can be extended without renumbering."""
Outcome = Literal["passed", "failed", "agent_failed", "environment_failed", "unscored", "undecided", "pending"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """Failure of an attempt, which is never a score."""

    stage: Stage
    """Stage at which it failed."""
    owner: Owner
    """Who is responsible: the agent's failures count as not passed, the environment's are left out of n and retried by
    `resume`."""
    reason: str
    """Reason, as one sentence."""
    kind: FailureKind = "unknown"
    """Machine-readable kind of failure."""
    host: str = ""
    """HOST:PORT of the server that was called, if known."""
    turn: int | None = None
    """Turn in which it failed."""
    tries: int = 1
    """Calls made, including retries."""
    setbacks: int = 0
    """Sessions in which the environment failed for this attempt although nearly all others succeeded."""
    detail: str = ""
    """Traceback, or the last output of a program."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """Identifies an attempt, uniquely within a store; a turn adds its number."""

    run: str
    """Id of the run."""
    exam: str
    """Id of the exam."""
    condition: str = ""
    """Name of the condition; empty if there is none."""
    trial: int = 1
    """Number of the trial, from 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """An exam played once."""

    key: Key
    place: int = 0
    """Sort key within a run: by exam, then condition, then trial."""
    transcript: Transcript = Transcript()
    """The conversation; empty if only the outcome was loaded."""
    scores: tuple[Score, ...] = ()
    unscored: tuple[Unscored, ...] = ()
    """Scores that could not be given, with the reasons."""
    checks: tuple[CheckResult, ...] = ()
    """Results of deterministic checks."""
    contradictions: tuple[Contradiction, ...] = ()
    dropped: int = 0
    """Contradictions that a judge reported with an invalid quote or turn, so that they were dropped."""
    failure: Failure | None = None
    """Failure that ended the attempt, if any."""
    turn_passed: tuple[bool | None, ...] = ()
    """Verdict per turn; None if not counted (examiner's fault, unscored, environment)."""
    passed: bool | None = None
    """False if any turn failed, None if undecided, else True."""
    resumed: Resumed = ""
    """How an interrupted conversation went on: continued, or replayed from the start because the agent keeps its own
    memory."""
    finished: bool = False
    """Whether it is over. An attempt with an environment failure is over too, until `resume` retries it."""
    usage: Usage = Usage()
    """Usage of agent, examiner and reviewers together, including retries."""
    lost: Usage = Usage()
    """The part of `usage` that belongs to no turn or review: failed tries and restarted conversations."""
    seconds: float | None = None
    """Time the agent took, over all turns."""
    first_token: float | None = None
    """Mean time to the first token of a reply, or None if not measured."""
    struck: int | None = None
    """How often the fault of its condition was hit; None if there is no fault or hits were not recorded."""
    lie: InjectedLie | None = None
    """The false tool result that was injected and how the agent reacted; None if nothing was injected or recorded."""
    judges: dict[str, Usage] = field(default_factory=dict)
    """Judge of a panel → usage of its reviews; empty without a panel, or if its judges used nothing."""
    judge_checked: bool = False
    """Whether a judge contributed checks or contradictions, beyond the deterministic checks of the case. Not stored."""
    cut_off: int = 0
    """Number of replies that the model truncated at its output limit."""
    changed: dict[str, float] = field(default_factory=dict)
    """Settings that differed from the run's own when this attempt was played: timeout, concurrency, retries; and under
    `retried_timeouts`, how often it was played again after a timeout."""
    started: float = 0.0
    """Seconds since the epoch."""
    ended: float = 0.0
    """Seconds since the epoch."""

    @property
    def outcome(self) -> Outcome:
        """State of the attempt, in the shared vocabulary of outcomes."""
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
        """Mean of the agent's scores over turns, or None if there is no score."""
        if len(self.scores) == 1 and self.scores[0].of == "agent":
            return self.scores[0].value
        marks = [score.value for score in self.scores if score.of == "agent"]
        return sum(marks) / len(marks) if marks else None


@dataclass(frozen=True, kw_only=True, slots=True)
class HumanLabel:
    """A person's verdict on an attempt."""

    key: Key
    passed: bool
    who: str
    """Who gave it."""
    note: str = ""
    made: float = 0.0
    """When it was given, in seconds since the epoch."""
    seconds: float | None = None
    """Seconds it took to give."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spec:
    """How a component is built, as data, so that another process can build the same."""

    spec: str
    """Such as `python:module:attribute`."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options from `proctor.toml`; secrets remain `${NAME}`."""


SECOND = "second_reviewer"
"""Role in `Settings.built` of the judge for what the first reviewer is unsure about."""


def judge_roles(panel: int) -> list[tuple[str, str]]:
    """Return the roles in `Settings.built` as (judge, its second judge); a panel has several."""
    return [(f"judge_{place}", f"judge_{place}_second") for place in range(1, panel + 1)] or [("reviewer", SECOND)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Settings of a run: data only, so that any worker can rebuild it."""

    type: ExamType = "standard"
    """Type of exam."""
    reviewer: str | None = "embedded"
    """Name or spec of the reviewer, or None for checks alone."""
    panel: Strings = ()
    """Names of the judges whose majority decides; empty if there is at most one judge."""
    rubric: str = "standard-1"
    """Version of the reviewer's criteria."""
    examiner: str | None = None
    """Name or spec of the examiner, in battles."""
    weights: dict[str, float] = field(default_factory=dict)
    """Part → weight; empty for the defaults of the exam type."""
    passing_score: float | None = 0.7
    """Minimum score to pass, for cases without their own; None if scores are only reported next to the checks and
    decide nothing."""
    own_scores: bool = True
    """Whether cases may have their own passing scores; if not, `passing_score` alone decides."""
    checks: str | None = None
    """Suite whose expectations are applied to the cases."""
    canaries: str = "none"
    """Replies with known verdicts used to test the judge: `standard`, a file, or `none`."""
    max_turns: int = 50
    """Maximum number of turns in a conversation, 1 to 50."""
    seeds: int | None = None
    """Use only the first so many seed questions."""
    conversation_tokens: int | None = None
    """Maximum number of tokens per conversation."""
    conversation_seconds: float | None = None
    """Maximum duration of a conversation in seconds."""
    trials: int = 1
    """Number of trials of each exam that does not set its own."""
    case_trials: dict[str, int] = field(default_factory=dict)
    """Exam → number of trials, if set by its suite (`trials:`)."""
    conditions: Strings = ("",)
    """Conditions to play; the empty string is the plain run without a condition."""
    concurrency: int = 10
    """Maximum number of concurrent attempts."""
    timeout: float = 60.0
    """Timeout of one call to the agent, in seconds."""
    retries: int = 2
    """Maximum number of retries after an environment failure."""
    retry_agent_failures: int = 0
    """Maximum number of retries after the agent's own failure; makes runs incomparable."""
    retried_timeouts: int = 0
    """How often attempts that timed out were played again (`resume --retry-timeouts`); makes runs incomparable."""
    budget: float | None = None
    """Maximum cost of agent, examiner and reviewer together."""
    max_tokens: int | None = None
    """Maximum number of tokens to spend."""
    stop_early: Strings = ()
    """Gates that are evaluated during the run and end it once decided; empty if the run is always played to the end."""
    order: PlayOrder = "file"
    """Order in which cases are asked; `random` is seeded by the benchmark and stratified by category."""
    look: int = 1
    """Number of this evaluation of the gates: each extension of the run is a further look, and costs part of the
    significance level."""
    context_given: bool = True
    """Whether the agent receives the context; if not, its use is not judged."""
    built: dict[str, Spec] = field(default_factory=dict)
    """Role (agent, reviewer, second_reviewer, examiner, judge_1 …) → how it is built; objects passed in Python are left
    out."""

    @property
    def judges(self) -> tuple[tuple[Spec, ...], ...]:
        """How each judge is built, with its second judge if it has one; judges passed as objects are left out."""
        roles = judge_roles(len(self.panel))
        built = (tuple(self.built[role] for role in pair if role in self.built) for pair in roles)
        return tuple(specs for specs in built if specs)

    @property
    def paid_reviewer(self) -> Spec | None:
        """How the judge that may call a model is built, the second of two; None for an object or a panel."""
        return self.built.get(SECOND) or self.built.get("reviewer")

    @property
    def has_plain_run(self) -> bool:
        """Whether the plain run is one of several conditions: the run's rates then come from it alone."""
        return len(self.conditions) > 1 and "" in self.conditions

    @property
    def most_trials(self) -> int:
        """Highest number of trials of any exam."""
        return max(self.trials, *self.case_trials.values()) if self.case_trials else self.trials

    @property
    def repeats(self) -> int:
        """Maximum number of attempts per exam: every trial under every condition."""
        return self.most_trials * len(self.conditions)

    @property
    def rated_conditions(self) -> int:
        """Number of conditions that count towards the run's rates: only the plain run if there is one, else all."""
        return 1 if self.has_plain_run else len(self.conditions)

    def trials_of(self, exam: str) -> int:
        """Return the number of trials of an exam under each condition."""
        return self.case_trials.get(exam, self.trials)

    def planned_trials(self, exams: int) -> int:
        """Return the attempts of `exams` exams under one condition, including all that have their own trials."""
        return (exams - len(self.case_trials)) * self.trials + sum(self.case_trials.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """Why a run stopped early, for programs; `Run.reason` is the text for people."""

    kind: StopKind
    """Stop requested; a key was pressed; process killed; budget spent; only environment failures; wrong key or address;
    an agent that blocked the event loop or tried to end the process; attempts left unplayed, or lost to the
    environment; a store that failed; a bug in Proctor.
    """
    cost: float = 0.0
    """Budget needed for at least the next call, including all that was spent before; 0 if cost was not the reason."""
    tokens: int = 0
    """The same in tokens."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One benchmark × one agent × settings. Persistent, resumable, comparable."""

    id: str
    """Id that sorts by time."""
    name: str
    """Display name."""
    benchmark: str
    """Name of the benchmark."""
    digest: str
    """Digest of the benchmark."""
    agent: str
    """Name in `proctor.toml`, spec, or `object:NAME`."""
    kind: AgentKind = "standard"
    """Kind of agent."""
    settings: Settings = Settings()
    labels: dict[str, str] = field(default_factory=dict)
    """Free-form labels: version, model, prompt, commit, anything."""
    status: Status = "queued"
    """Status of the run; every status but completed can be resumed."""
    reason: str = ""
    """Why it stopped, if it did."""
    stop: Stop | None = None
    """Why it stopped, for programs; None if it did not, or if that is unknown."""
    interim: InterimVerdict | None = None
    """Verdict of a run that stops early, once there is one."""
    earlier_rubrics: Strings = ()
    """Earlier rubric versions that judged part of the run; empty if `settings.rubric` judged all of it."""
    cut: bool = False
    """Whether it stopped early: only what was asked counts as planned, and the rest is not missing."""
    canaries: CanaryVerdicts | None = None
    """The judge's verdicts on canaries, or None if it was shown none."""
    gates: Strings = ()
    """Gates that the finished run has to meet, such as `pass_rate>=0.9`."""
    together: Strings = ()
    """Runs started together on the same cases, including this one; they share a budget. Empty for a single run."""
    judge_decides: bool | None = None
    """Whether any verdict depends on the judge, or None if unknown."""
    imported: ImportedFrom | None = None
    """Where it was played and judged, or None if here."""
    planned: int = 0
    """Number of planned attempts."""
    rescored_from: str | None = None
    """Run whose transcripts it scores again."""
    created: float = 0.0
    """Seconds since the epoch."""
    started: float | None = None
    """First start, in seconds since the epoch."""
    ended: float | None = None
    """Last stop, in seconds since the epoch."""
    seconds: float = 0.0
    """Running time in seconds, over all resumes."""
    workers: WorkerCounts | None = None
    """Counts of the workers that played it, or None if it was played by a single process."""
    sent: dict[str, str] = field(default_factory=dict)
    """Destination to which the run was sent → URL of its page there."""

    @property
    def exams(self) -> int:
        """Number of exams; for a run that was cut short, the number that matches its attempts."""
        settings = self.settings
        others = self.planned // len(settings.conditions) - sum(settings.case_trials.values())
        return others // settings.trials + len(settings.case_trials)


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingAttempt:
    """An attempt to be played, or to be continued from where it stopped."""

    exam: Exam
    attempt: Attempt
    """Stored state: new, or with turns that need no second call."""
    reviews: dict[int, tuple[Review, ...]] = field(default_factory=dict)
    """Turn → reviews already given and paid for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turned:
    """Record: a turn was asked (no reply yet) or answered."""

    key: Key
    turn: Turn
    """Replaces the stored turn of the same number."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reviewed:
    """Record: a turn was reviewed; the attempt is not over yet."""

    key: Key
    turn: int
    """Number of the turn; 0 for the whole conversation."""
    reviews: tuple[Review, ...]
    """One per reviewer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """Record: an attempt is over, or (if `attempt.finished` is false) was interrupted or is restarted."""

    attempt: Attempt
    """The attempt with its transcript, whose turns are already recorded."""


Record = Turned | Reviewed | Finished
