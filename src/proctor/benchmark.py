"""Benchmark model: questions and expected replies (Benchmark, Exam, Case, Expectation, ExpectedCall)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Strings = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedCall:
    """An expected tool call."""

    name: str
    """Tool name, compared case-sensitively unless names are folded."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """Expected arguments."""
    ignore: Strings = ()
    """Arguments that may have any value or be absent."""
    optional: Strings = ()
    """Arguments that are compared only if they were passed."""
    match: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Argument → how to compare it: `any_of`, `pattern`, `tolerance`, `fold`, `whole`."""
    step: int | None = None
    """Position in a partial order; calls with the same step may come in any order."""
    may_be_absent: bool = False
    """Whether the call is optional: it is not counted if it was not made."""
    must_use_result: bool | None = None
    """Whether its result must be used in the answer or a later call; False if not; None for the usual scoring."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Expectation:
    """Everything that deterministic checks can require of a reply."""

    tools_used: Strings = ()
    """Tools that must be called."""
    tools_not_used: Strings = ()
    """Tools that must not be called."""
    keywords: Strings = ()
    """Words or phrases that the reply must contain, in any inflection; `=` requires this form, `re:` is a pattern."""
    exclusions: Strings = ()
    """Words or phrases that the reply must not contain."""
    citations: int | None = None
    """Minimum number of citations; None for no check."""
    sources: Strings = ()
    """Sources that may be cited; empty for any."""
    quotes: bool = False
    """Whether each quote must appear verbatim in its source."""
    tool_calls: tuple[ExpectedCall, ...] | None = None
    """Expected tool calls; None for no check, empty if no call is expected."""
    tool_threshold: float = 1.0
    """Minimum score of the `tool_calls` check."""
    ordered: bool = False
    """Whether the order of `tool_calls` matters."""
    extra_allowed: bool = False
    """Whether calls beyond the expected ones are allowed."""
    result_used: bool | None = None
    """Whether tool results were used, as stated by the caller; None to detect it from the texts."""
    fold_names: bool = False
    """Whether tool names ignore case and separators: getWeather matches get_weather and get-weather."""
    sub_agents: Strings = ()
    """Sub-agents to which an orchestrator must delegate."""
    steps: tuple[dict[str, Any], ...] = ()
    """Steps that an orchestrator must take, each `{kind, name, after, …}`."""
    limits: dict[str, float] = field(default_factory=dict)
    """Upper bounds: `tool_calls`, `seconds`, `tokens`, `cost`."""
    checks: Strings = ()
    """Names of user-defined checks."""
    role: str | None = None
    """Role that the reply must keep to, as judged by a model; None for no check."""


AskedPart = str | dict[str, str | float]
"""A criterion: its question, or `{asks, weight}`."""
OWN_PART = "criteria"
"""Name of the score part if the criteria are a single text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A question and what is expected of the reply."""

    id: str
    """Unique within its benchmark."""
    question: str
    """The question, sent to the agent verbatim."""
    answer: str | None = None
    """The expected answer; a suite's `reference`."""
    reasoning: str | None = None
    """Expected reasoning behind the answer."""
    context: str | None = None
    """Summary of the earlier conversation, given to the agent."""
    categories: Strings = ()
    """Categories for grouping results."""
    expect: Expectation = Expectation()
    """Requirements for the deterministic checks."""
    passing_score: float | None = None
    """Passing score of this case; None for that of the run."""
    criteria: dict[str, AskedPart] = field(default_factory=dict)
    """Further criteria for a model reviewer: part → its question, or `{asks, weight}`."""
    trials: int | None = None
    """Number of trials; None for that of the run."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """Additional data, shown and exported but not part of the examination."""
    review: str | None = None
    """Review status of a draft: `needed` until a person has reviewed it, then `done`; not part of the examination."""
    line: int | None = None
    """Line number in its file, from 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exam:
    """The unit that one attempt plays: one case, up to 50 scripted cases, one seed question, or one Dataset."""

    id: str
    """Id of the case, `exam-1` … for a script, or a session id."""
    cases: tuple[Case, ...]
    """In the order they are asked."""
    open: bool = False
    """Whether the examiner continues with its own questions after the last case."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Benchmark:
    """A named set of cases."""

    name: str
    """Display name."""
    digest: str
    """Digest of the cases' content; runs with equal digests are comparable."""
    cases: tuple[Case, ...]
    """Cases in file order."""
    exams: tuple[Exam, ...] = ()
    """Predefined conversations; if empty, they are derived from the cases by the run's type."""
    description: str = ""
    """Purpose of the benchmark."""
    expect: Expectation = Expectation()
    """Expectations for every reply, including replies to improvised questions."""
    joined_cases: Strings = ()
    """Ids of cases whose `expect` already includes the benchmark's, as in a suite; their own values take precedence."""
    sources: str | None = None
    """Folder with the texts of cited sources."""
    passing_score: float | None = None
    """Passing score for the judge in a suite; None if the judge does not affect the verdict of the checks."""
    conditions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Condition name → the fault to inject."""
