"""Estimate a run's calls, tokens, cost and time as ranges, before it begins.

Known texts are counted; unknowns are assumed: the length of replies, the number of tool calls, when an examiner ends.
The assumptions are listed below, for a low, a likely and a high case. Retries after failures are not included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Literal

from proctor.benchmark import Case, Exam
from proctor.run import Settings
from proctor.spending.limits import Limit
from proctor.spending.prices import Price, tokens_in
from proctor.spending.providers import Source

Role = Literal["agent", "examiner", "reviewer"]
_PROMPT: Mapping[Role, int] = {"agent": 20, "examiner": 750, "reviewer": 500}
"""Prompt tokens of each call, unless the caller specifies its own."""
_SHORTEST_OPEN_EXAM = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Range:
    """A low, a likely and a high value."""

    low: float
    likely: float
    high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """A role of a run that calls a model."""

    role: Role
    name: str
    """Display name."""
    price: Price | None = None
    """None if unknown."""
    prompt: int | None = None
    """Fixed prompt tokens of each call: instructions, tool declarations."""
    max_output_tokens: int | None = None
    """Maximum number of output tokens per call."""
    tool_rounds: int = 0
    """Maximum rounds of tool calls per reply; 0 if it has no tools."""
    is_second: bool = False
    """Whether it is only asked about what the first judge is unsure of."""
    source: Source | None = None
    """Where its calls go: callers of the same source share its rate limit; None for a source of its own."""
    limit: Limit = Limit()
    """Rate limit of its source."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """Estimated usage of one caller, or of all."""

    calls: Range
    input_tokens: Range
    output_tokens: Range
    cost: Range | None
    """None if a price is unknown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CostEstimate:
    """Estimated usage and duration of a run."""

    calls: Range
    input_tokens: Range
    output_tokens: Range
    cost: Range | None
    """None if a price is unknown, see `unpriced`."""
    seconds: Range
    callers: Mapping[Role, Load] = field(default_factory=dict)
    """Role → its share of the usage."""
    unpriced: tuple[str, ...] = ()
    """Names of callers whose price is unknown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Assumptions:
    """Assumed values of what is not known in advance; in tokens unless stated otherwise."""

    prompt: float
    """Factor on the default prompt length, for callers that do not specify theirs."""
    reply: int
    verdict: int
    question: int
    """Length of a question by an examiner."""
    tool_call: int
    """Length of a tool call with its result."""
    rounds: int
    """Rounds of tool calls before a reply, up to the allowed maximum."""
    repairs: int
    """Number of repeated calls per answer of a reviewer or examiner, because the answer was unusable."""
    conclusions: int
    """Reviews of a whole conversation: the reviewer, if any, is shown all replies to find contradictions."""
    unsure: float
    """Share of replies that the first judge passes on to the second."""
    length: float
    """Share of the maximum number of turns that an open exam uses."""
    seconds: float
    """Duration of a call."""


LITTLE = Assumptions(
    prompt=0.6, reply=5, verdict=20, question=10, tool_call=50, rounds=0, repairs=0, conclusions=0, unsure=0.0,
    length=0.0, seconds=0.05,
)  # fmt: skip
USUAL = Assumptions(
    prompt=1.0, reply=200, verdict=200, question=60, tool_call=300, rounds=1, repairs=0, conclusions=1, unsure=0.1,
    length=0.5, seconds=3.0,
)  # fmt: skip
MUCH = Assumptions(
    prompt=1.5, reply=1_000, verdict=600, question=200, tool_call=1_000, rounds=100, repairs=1, conclusions=1,
    unsure=1.0, length=1.0, seconds=15.0,
)  # fmt: skip


@dataclass(slots=True)
class _Sum:
    """Usage of one caller under one set of assumptions."""

    calls: int = 0
    sent: int = 0
    received: int = 0

    def add(self, sent: int, received: int, *, times: int = 1) -> None:
        self.calls += times
        self.sent += sent * times
        self.received += received * times


_Sums = list[_Sum]
"""One entry per caller, in their order."""


def estimate(
    exams: Sequence[Exam],
    settings: Settings,
    callers: Sequence[Caller],
    *,
    count: Callable[[str], int] = tokens_in,
) -> CostEstimate:
    """Estimate the usage of playing the exams with these settings and callers; `count` may be a better tokenizer."""
    scenes = [_scene(exams, settings, callers, assumed, count) for assumed in (LITTLE, USUAL, MUCH)]
    total = _load(scenes, callers)
    attempts = sum(_repeats(exam, settings) for exam in exams)
    seconds = [
        _seconds(sums, callers, settings, assumed, attempts=attempts)
        for sums, assumed in zip(scenes, (LITTLE, USUAL, MUCH), strict=True)
    ]
    return CostEstimate(
        calls=total.calls,
        input_tokens=total.input_tokens,
        output_tokens=total.output_tokens,
        cost=total.cost,
        seconds=_range(seconds),
        callers={role: _load(scenes, callers, role) for role in dict.fromkeys(caller.role for caller in callers)},
        unpriced=tuple(caller.name for caller in callers if caller.price is None),
    )


def together(one: CostEstimate, other: CostEstimate) -> CostEstimate:
    """Add two estimates of runs played one after the other."""
    callers = dict(one.callers)
    for role, load in other.callers.items():
        callers[role] = _add(callers[role], load) if role in callers else load
    return CostEstimate(
        calls=_sum(one.calls, other.calls),
        input_tokens=_sum(one.input_tokens, other.input_tokens),
        output_tokens=_sum(one.output_tokens, other.output_tokens),
        cost=None if one.cost is None or other.cost is None else _sum(one.cost, other.cost),
        seconds=_sum(one.seconds, other.seconds),
        callers=callers,
        unpriced=tuple(dict.fromkeys((*one.unpriced, *other.unpriced))),
    )


def _add(one: Load, other: Load) -> Load:
    return Load(
        calls=_sum(one.calls, other.calls),
        input_tokens=_sum(one.input_tokens, other.input_tokens),
        output_tokens=_sum(one.output_tokens, other.output_tokens),
        cost=None if one.cost is None or other.cost is None else _sum(one.cost, other.cost),
    )


def _sum(one: Range, other: Range) -> Range:
    return Range(low=one.low + other.low, likely=one.likely + other.likely, high=one.high + other.high)


def _scene(
    exams: Iterable[Exam],
    settings: Settings,
    callers: Sequence[Caller],
    assumed: Assumptions,
    count: Callable[[str], int],
) -> _Sums:
    """Estimate all exams under one set of assumptions."""
    sums: _Sums = [_Sum() for _ in callers]
    for exam in exams:
        conversation = _Conversation(exam, callers, assumed, sums, count, repeats=_repeats(exam, settings))
        conversation.play(_turns(exam, settings, assumed))
    for caller, each in zip(callers, sums, strict=True):
        share = assumed.unsure if caller.is_second else 1
        each.calls, each.sent, each.received = (
            ceil(amount * share) for amount in (each.calls, each.sent, each.received)
        )
    return sums


def _repeats(exam: Exam, settings: Settings) -> int:
    return settings.trials_of(exam.id) * len(settings.conditions)


def _turns(exam: Exam, settings: Settings, assumed: Assumptions) -> int:
    if not exam.open:
        return len(exam.cases)
    shortest = min(_SHORTEST_OPEN_EXAM, settings.max_turns)
    return round(shortest + (settings.max_turns - shortest) * assumed.length)


class _Conversation:
    """One exam, simulated turn by turn: each turn includes the conversation so far. Counted `repeats` times."""

    def __init__(
        self,
        exam: Exam,
        callers: Sequence[Caller],
        assumed: Assumptions,
        sums: _Sums,
        count: Callable[[str], int],
        *,
        repeats: int,
    ) -> None:
        self._exam = exam
        self._repeats = repeats
        self._callers = callers
        self._assumed = assumed
        self._sums = sums
        self._count = count
        self._said = 0

    def play(self, turns: int) -> None:
        """Count all turns, and the review of the conversation."""
        for number in range(1, turns + 1):
            case = self._exam.cases[number - 1] if number <= len(self._exam.cases) else None
            self._turn(case)
        if turns > 1 and self._assumed.conclusions:
            self._call("reviewer", self._said, self._assumed.verdict)

    def _turn(self, case: Case | None) -> None:
        context = self._exam.cases[0].context if self._exam.open else case.context if case else None
        given = self._count(context or "")
        asked = self._assumed.question if case is None else self._count(case.question)
        if case is None:
            self._call("examiner", self._said + given, asked)
        replied = self._reply(self._said + given + asked)
        if case is None:  # an improvised question is judged by the whole conversation so far
            self._call("reviewer", self._said + given + asked + replied, self._assumed.verdict)
        elif case.answer or case.reasoning or case.context:
            expected = self._count(f"{case.answer or ''}{case.reasoning or ''}{case.context or ''}")
            self._call("reviewer", asked + expected + replied, self._assumed.verdict)
        self._said += asked + replied

    def _reply(self, sent: int) -> int:
        """Count the agent's calls for one reply; return the tokens they add to the conversation."""
        agent = next((caller for caller in self._callers if caller.role == "agent"), None)
        if agent is None:
            return self._assumed.reply
        rounds = min(self._assumed.rounds, agent.tool_rounds)
        for number in range(rounds):
            self._call("agent", sent + number * self._assumed.tool_call, self._assumed.tool_call // 2)
        tools = rounds * self._assumed.tool_call
        return tools + self._call("agent", sent + tools, self._assumed.reply)

    def _call(self, role: Role, sent: int, received: int) -> int:
        """Count a call of each model in that role; return the output tokens of the last."""
        answered = received
        for caller, each in zip(self._callers, self._sums, strict=True):
            if caller.role != role:
                continue
            answered = min(received, caller.max_output_tokens or received)
            prompt = round(_PROMPT[role] * self._assumed.prompt) if caller.prompt is None else caller.prompt
            times = 1 if role == "agent" else 1 + self._assumed.repairs
            each.add(prompt + sent, answered, times=times * self._repeats)
        return answered


def _together(sums: Iterable[_Sum]) -> _Sum:
    total = _Sum()
    for each in sums:
        total.calls += each.calls
        total.sent += each.sent
        total.received += each.received
    return total


def _load(scenes: Sequence[_Sums], callers: Sequence[Caller], role: Role | None = None) -> Load:
    """Return the usage of the callers, or of those in one role, as ranges."""
    shares = [
        [(caller, each) for caller, each in zip(callers, sums, strict=True) if role in (None, caller.role)]
        for sums in scenes
    ]
    totals = [_together(each for _, each in share) for share in shares]
    costs = [_cost(share) for share in shares]
    known = [cost for cost in costs if cost is not None]
    return Load(
        calls=_range([total.calls for total in totals]),
        input_tokens=_range([total.sent for total in totals]),
        output_tokens=_range([total.received for total in totals]),
        cost=_range(known) if len(known) == len(costs) else None,
    )


def _cost(share: Iterable[tuple[Caller, _Sum]]) -> float | None:
    total = 0.0
    for caller, each in share:
        if caller.price is None:
            return None
        total += caller.price.of(each.sent, each.received)
    return total


def _seconds(
    sums: _Sums, callers: Sequence[Caller], settings: Settings, assumed: Assumptions, *, attempts: int
) -> float:
    """Estimate the duration: that of concurrent calls, or of the strictest rate limit if that is longer."""
    calls = sum(each.calls for each in sums)
    if not calls or not attempts:
        return 0.0
    slowest = [calls * assumed.seconds / min(settings.concurrency, attempts)]
    for limit, each in _by_source(sums, callers):
        if limit.requests_per_minute:
            slowest.append(each.calls / limit.requests_per_minute * 60)
        if limit.tokens_per_minute:
            slowest.append((each.sent + each.received) / limit.tokens_per_minute * 60)
        if limit.concurrency:
            slowest.append(each.calls * assumed.seconds / limit.concurrency)
    return max(slowest)


def _by_source(sums: _Sums, callers: Sequence[Caller]) -> Iterator[tuple[Limit, _Sum]]:
    """Yield the limit and total usage of each source."""
    places: dict[Source | int, list[int]] = {}
    for place, caller in enumerate(callers):
        places.setdefault(caller.source or place, []).append(place)
    for inside in places.values():
        yield callers[inside[0]].limit, _together(sums[place] for place in inside)


def _range(scenes: Sequence[float]) -> Range:
    low, likely, high = scenes
    return Range(low=low, likely=likely, high=high)
