"""Pydantic models of the API's requests and responses, from which the schema is generated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from proctor.errors import UsageError
from proctor.run import ExamType, Status
from proctor.settings import LONGEST_NAME, LONGEST_VALUE, RunSetting, check_name


def bounded_type(setting: RunSetting) -> Any:
    """Return the type of an optional value within the bounds of a setting, which are the same everywhere."""
    if setting.bounds is None:
        return Literal[setting.words] | None if setting.words else Name | None
    return Annotated[setting.kind | None, Field(strict=True, **setting.bounds.as_json)]


def refusing(check: Callable[[Any], None]) -> AfterValidator:
    """Turn a setting's check into a pydantic validator."""

    def validate(value: Any) -> Any:
        try:
            if value is not None:
                check(value)
        except UsageError as error:
            raise ValueError(str(error)) from error
        return value

    return AfterValidator(validate)


Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), refusing(partial(check_name, "the name"))]
Value = Annotated[str, Field(max_length=LONGEST_VALUE)]
Identity = Annotated[str, Field(min_length=1, max_length=64, examples=["handbook-30"])]
Version = Annotated[str, Field(pattern="^[0-9a-f]{12}$", description="Of the file; the newest if it is left out")]


class RequestBody(BaseModel):
    """What programs send: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ResponseBody(BaseModel):
    """What they get: keys may be added, those named here stay."""

    model_config = ConfigDict(extra="allow", frozen=True)


class FaultBody(ResponseBody):
    """One thing that is wrong with a request or a file."""

    message: str
    where: str | None = None
    line: int | None = None
    column: int | None = None


class ProblemBody(ResponseBody):
    """What went wrong."""

    error: str = Field(description="In one sentence, with what to do next")
    faults: list[FaultBody] | None = Field(default=None, description="All of them, where there are several")


class EstimateBody(ResponseBody):
    """A value with its 95 % interval."""

    value: float | None
    low: float | None
    high: float | None
    n: int = Field(description="Cases counted, in battles conversations")
    attempts: int
    method: str
    missing: int | None = None
    worst: float | None = None
    best: float | None = None


class RangeBody(ResponseBody):
    """From little to much."""

    low: float
    likely: float
    high: float


class RunEstimateBody(ResponseBody):
    """What a run would take; retries are not in it."""

    runs: int = Field(description="One for each agent")
    exams: int
    planned: int = Field(description="Attempts, in all runs together")
    calls: RangeBody = Field(description="Of chat models; what the agent itself calls is its own")
    input_tokens: RangeBody
    output_tokens: RangeBody
    cost: RangeBody | None = Field(description="null: a price is unknown")
    seconds: RangeBody
    unpriced: list[str] = Field(description="Models whose price is unknown")
    seconds_by_last_run: float | None = Field(
        description="At the speed of the agent's last run on the benchmark; null: there is none"
    )
    warnings: list[str]


class RepliesBody(ResponseBody):
    """How many replies of a battle somebody judged."""

    asked: int = Field(description="Questions asked, in conversations that the environment did not break")
    judged: int = Field(description="Of them, those whose reply has a verdict")


class RunBody(ResponseBody):
    """A run as `proctor list --json` shows it."""

    run: str
    name: str
    status: Status
    reason: str
    benchmark: str
    digest: str
    agent: str
    reviewer: str | None
    examiner: str | None
    type: ExamType
    trials: int
    labels: dict[str, str]
    created: float
    planned: int
    pass_rate: EstimateBody | None = Field(description="null: it is not known (yet), or it is no test")
    replies: RepliesBody | None = Field(description="In battles; null: no battle, or it is not known (yet)")
    no_test: bool | None = Field(description="Whether nothing was judged, in battles nothing but seed questions")
    duration_s: float


class Runs(ResponseBody):
    """Some of the runs."""

    runs: list[RunBody]
    found: int


class StartedRuns(ResponseBody):
    """Runs that were started together, one for each agent."""

    runs: list[RunBody]
    compare: str | None = Field(description="The page that sets them side by side; null: there is but one")


class CountsBody(ResponseBody):
    """Where the planned attempts went."""

    planned: int
    scored: int
    unscored: int
    failed: int
    pending: int
    failed_by: dict[Literal["agent", "environment"], int]


class Category(ResponseBody):
    """What was found in one category."""

    cases: int
    passed: int
    pass_rate: EstimateBody
    mean_score: EstimateBody


class FindingsBody(ResponseBody):
    """What a run found, as `proctor show --json` prints it."""

    run: str
    name: str
    status: Status
    benchmark: str
    agent: str
    type: ExamType
    trials: int
    attempts: CountsBody
    pass_rate: EstimateBody
    pass_rate_people: EstimateBody | None = Field(default=None, description="As people judge, where some have labelled")
    mean_score: EstimateBody
    pass_at_k: dict[str, EstimateBody]
    pass_hat_k: dict[str, EstimateBody]
    categories: dict[str, Category]
    usage: dict[str, Any]
    duration_s: float


class PendingFindingsBody(ResponseBody):
    """A large run that is still being read."""

    run: str
    status: Literal["gathering"]


class KeyBody(ResponseBody):
    """Which attempt."""

    run: str
    exam: str
    condition: str
    trial: int


class AttemptBody(ResponseBody):
    """One exam played once."""

    key: KeyBody
    outcome: str = Field(description="passed, not_passed, agent_failed, unscored, environment_failed or pending")
    passed: bool | None
    score: float | None
    seconds: float | None
    checks: list[dict[str, Any]]
    scores: list[dict[str, Any]]
    failure: dict[str, Any] | None


class Attempts(ResponseBody):
    """A page of attempts, without what was said."""

    attempts: list[AttemptBody]
    found: int | None = Field(description="How many there are on all pages; null in a search")
    next: str | None = Field(description="Of a search that is not over: send it as `after`")


class ProgressBody(ResponseBody):
    """Where a run stands at this moment."""

    run: str
    status: Status
    planned: int
    done: int
    steps: dict[str, int] = Field(description="done and planned: in a battle turns, else attempts; for a bar")
    turns: int | None = Field(description="Turns played so far, also in conversations that go on; null: no battle")
    verdicts: dict[str, int]
    per_second: float
    seconds_left: float | None
    time_left: str = Field(description="seconds_left in words; empty where it is not known")


class IndicatorBody(ResponseBody):
    """Whether a file serves one kind of benchmark."""

    indicator: Literal["✓", "✗", "⚠"]
    reason: str


class ConversionBody(ResponseBody):
    """How a table became a benchmark: which column is which, what was left out."""

    columns: dict[str, str]
    dropped: list[str]
    notes: list[str]


class Checked(ResponseBody):
    """A file as `proctor check --json` shows it."""

    rows: int
    errors: list[FaultBody]
    preview: list[dict[str, Any]]
    compatibility: dict[str, IndicatorBody]
    more_errors: int
    converted: ConversionBody | None


class BenchmarkVersion(ResponseBody):
    """One state of a benchmark."""

    id: str
    file: str
    digest: str
    cases: int
    added: float
    inside: str = Field("", description="Of a zip file, the path of the suite in it")


class BenchmarkBody(ResponseBody):
    """A benchmark of the library."""

    id: str
    name: str
    description: str
    own: bool = Field(description="false: it came with Proctor")
    versions: list[BenchmarkVersion] = Field(description="The newest first")


class Benchmarks(ResponseBody):
    """The library."""

    benchmarks: list[BenchmarkBody]


class CaseBody(ResponseBody):
    """A question with what is expected."""

    id: str
    question: str
    answer: str | None
    categories: list[str]


class Cases(ResponseBody):
    """Some cases of a benchmark."""

    cases: list[CaseBody]
    found: int


class BenchmarkProblemBody(ResponseBody):
    """What the doctor says."""

    kind: str
    severity: Literal["error", "warning", "information"]
    cases: list[str]
    message: str
    advice: str


class BenchmarkProblemsBody(ResponseBody):
    """Everything that is wrong with a benchmark itself."""

    complaints: list[BenchmarkProblemBody]


class ChoiceBody(ResponseBody):
    """One that can be chosen for a run."""

    name: str
    about: str
    kind: str


class Players(ResponseBody):
    """Who can be chosen for a run."""

    agents: list[ChoiceBody]
    reviewers: list[ChoiceBody]
    examiners: list[ChoiceBody]


class QuestionBody(RequestBody):
    """One question to one agent."""

    agent: Name = Field(examples=["demo:librarian"])
    question: str = Field(min_length=1, max_length=6000, examples=["Which policy covers remote work?"])
    timeout: float = Field(default=60.0, gt=0, le=600)


class AgentTestBody(ResponseBody):
    """What became of it."""

    agent: str
    reply: dict[str, Any] | None = Field(description="null: there was none, and `trouble` says why")
    seconds: float
    trouble: str
    owner: str


class ComparedBody(ResponseBody):
    """Two runs side by side, as `proctor compare --json` prints it."""

    sentence: str
    verdict: str
    comparable: bool
    differences: list[str]
    warnings: list[str]
    flips: dict[str, int]


class ManyComparedBody(ResponseBody):
    """Several runs side by side, as `proctor compare A B C --json` prints it."""

    sentence: str
    warnings: list[str]
    runs: list[dict[str, Any]]
    pairs: list[dict[str, Any]]
    cases: list[dict[str, Any]]


class HistoryBody(ResponseBody):
    """The runs of one benchmark over time, each as `proctor history --json` prints it."""

    entries: list[RunBody]


class Server(ResponseBody):
    """How the server is set up, without its secrets."""

    version: str
    store: str = Field(description="Without a password")
    config: str | None = Field(description="The configuration that is read; null: there is none")
    host: str = Field(description="The address it listens at")
    token: bool = Field(description="Whether one is asked for")
    processes: int = Field(description="Runs that are executed at the same time")
    waiting: list[str] = Field(description="Queued runs, the next one first")
    destinations: list[str] = Field(description="Services that runs can be sent to")
    declared: dict[str, Any] | None = Field(
        description="models, judges, prices, limits, workers and defaults of the configuration; null: see trouble"
    )
    trouble: str | None = Field(description="What is wrong with the configuration")
