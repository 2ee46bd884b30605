"""What is asked and what is expected: Benchmark, Exam, Case, Expectation, ExpectedCall."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Strings = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedCall:
    """One tool call that should be made."""

    name: str
    """The tool's name, compared case-sensitively unless names are folded."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """The arguments it should be given."""
    ignore: Strings = ()
    """Arguments that may be anything, or absent."""
    optional: Strings = ()
    """Arguments that count only where they were used."""
    match: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Argument → how it is compared: `any_of`, `pattern`, `tolerance`, `fold`, `whole`."""
    step: int | None = None
    """Its place in a partial order; calls of equal step may come in any order."""
    may_be_absent: bool = False
    """An optional call: left out of the count where it was not made."""
    must_use_result: bool | None = None
    """Whether its result must come back in the answer or a later call; False: it need not; None: it counts as usual."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Expectation:
    """Every deterministic thing a reply can be held to."""

    tools_used: Strings = ()
    """Tools that must be called."""
    tools_not_used: Strings = ()
    """Tools that must not be called."""
    keywords: Strings = ()
    """Words or phrases that must stand in the reply, in any plain form; `=` asks for this one, `re:` is a pattern."""
    exclusions: Strings = ()
    """Words or phrases that must not."""
    citations: int | None = None
    """The least number of citations; None: not checked."""
    sources: Strings = ()
    """The sources that may be cited; empty: any."""
    quotes: bool = False
    """Whether each quote must be in its source, word for word."""
    tool_calls: tuple[ExpectedCall, ...] | None = None
    """The calls expected; None: not judged; empty: no call expected."""
    tool_threshold: float = 1.0
    """The tool correctness that `tool_calls` must reach."""
    ordered: bool = False
    """Whether the order of `tool_calls` matters."""
    extra_allowed: bool = False
    """Whether calls beyond the expected ones are free."""
    result_used: bool | None = None
    """The caller's word on whether tool results were used; None: judged from the texts."""
    fold_names: bool = False
    """Whether names of tools are compared without case and separators: getWeather is get_weather is get-weather."""
    sub_agents: Strings = ()
    """Sub-agents an orchestrator must delegate to."""
    steps: tuple[dict[str, Any], ...] = ()
    """Steps an orchestrator must take, each `{kind, name, after, …}`."""
    limits: dict[str, float] = field(default_factory=dict)
    """Upper bounds: `tool_calls`, `seconds`, `tokens`, `cost`."""
    checks: Strings = ()
    """Users' own checks, by name."""
    role: str | None = None
    """The role that the reply must keep to, as a model judges it; None: any."""


AskedPart = str | dict[str, str | float]
"""What a part asks: a text, or `{asks, weight}`."""
OWN_PART = "criteria"
"""What the part is called where the criteria of one's own are a single text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A question with what is expected of the reply."""

    id: str
    """Unique within its benchmark."""
    question: str
    """What the agent is asked, word for word."""
    answer: str | None = None
    """The expected answer; a suite's `reference`."""
    reasoning: str | None = None
    """The reasoning that leads to it."""
    context: str | None = None
    """The summary of the conversation so far; handed to the agent."""
    categories: Strings = ()
    """What it tests."""
    expect: Expectation = Expectation()
    """What the checks hold the reply to."""
    passing_score: float | None = None
    """Its own passing score; None: the run's."""
    criteria: dict[str, AskedPart] = field(default_factory=dict)
    """What a model reviewer marks in this reply besides: part → what it asks, or `{asks, weight}`."""
    trials: int | None = None
    """How often it is asked; None: as often as the run says."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """Whatever else is known of it; shown and exported, and no part of what is examined."""
    review: str | None = None
    """Of a draft: `needed` until a person has looked at it, then `done`; no part of what is examined."""
    line: int | None = None
    """Where it stands in its file, from 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exam:
    """What one attempt plays: one case, up to 50 scripted cases, one seed question, or one Dataset."""

    id: str
    """The case's id, `exam-1` … for a script, or a session's id."""
    cases: tuple[Case, ...]
    """In the order they are asked."""
    open: bool = False
    """Whether the examiner goes on by itself after the last case."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Benchmark:
    """A named set of cases."""

    name: str
    """What people call it."""
    digest: str
    """A digest of the cases' content: equal digests are comparable runs."""
    cases: tuple[Case, ...]
    """In the order of the file."""
    exams: tuple[Exam, ...] = ()
    """Given conversations; empty: cut from the cases by the run's type."""
    description: str = ""
    """What it is for."""
    expect: Expectation = Expectation()
    """What every reply is held to, also one to a question that an examiner made up."""
    joined_cases: Strings = ()
    """The ids of the cases that have it already, joined to their own: those of a suite, whose own word then counts."""
    sources: str | None = None
    """The folder where cited sources can be read."""
    passing_score: float | None = None
    """A suite's passing score for the judge; None: the judge only stands beside the checks."""
    conditions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Name → the fault that is injected."""
