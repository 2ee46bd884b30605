"""What a run will ask of its models, told before it begins: calls, tokens, cost and time, as ranges.

Text that exists is counted, what nobody can know is assumed: how long replies are, how many tools are called, when an
examiner ends. The assumptions stand below, once each for little, usual and much, so that a range says what it rests on.
Retries after failures are not in it.
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
"""Tokens of the instructions that every call carries, where the caller does not know better."""
_SHORTEST_OPEN_EXAM = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Range:
    """From little to much."""

    low: float
    likely: float
    high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """Somebody in a run who calls a model."""

    role: Role
    name: str
    """What people call it."""
    price: Price | None = None
    """None: unknown."""
    prompt: int | None = None
    """Tokens that every call carries: instructions, declarations of tools."""
    max_output_tokens: int | None = None
    """The most that one answer may have."""
    tool_rounds: int = 0
    """The most rounds of tool calls in one reply; 0: it has no tools."""
    is_second: bool = False
    """Whether it is asked only what another judge leaves unsure."""
    source: Source | None = None
    """Where its calls go: callers of the same place share its limit; None: a place of its own."""
    limit: Limit = Limit()
    """How fast it may be called there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """What one caller, or all of them, will take."""

    calls: Range
    input_tokens: Range
    output_tokens: Range
    cost: Range | None
    """None: a price is unknown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CostEstimate:
    """What a run will take."""

    calls: Range
    input_tokens: Range
    output_tokens: Range
    cost: Range | None
    """None: a price is unknown, see `unpriced`."""
    seconds: Range
    callers: Mapping[Role, Load] = field(default_factory=dict)
    """Role → its share."""
    unpriced: tuple[str, ...] = ()
    """Callers whose price is unknown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Assumptions:
    """What nobody can know before. Tokens, unless it says otherwise."""

    prompt: float
    """Share of the instructions' usual length, where the caller does not know it."""
    reply: int
    verdict: int
    question: int
    """That an examiner writes."""
    tool_call: int
    """With its result."""
    rounds: int
    """Rounds of tool calls before a reply, as far as they are allowed."""
    repairs: int
    """Answers of a reviewer or examiner that have to be asked for again, of each one."""
    conclusions: int
    """Words on a conversation as a whole: replies that may contradict each other are shown to the reviewer, if any."""
    unsure: float
    """Share of the replies that a first judge passes on to a second one."""
    length: float
    """Share of the turns that an open exam may have."""
    seconds: float
    """That a call takes."""


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
    """What one caller takes under one set of assumptions."""

    calls: int = 0
    sent: int = 0
    received: int = 0

    def add(self, sent: int, received: int, *, times: int = 1) -> None:
        self.calls += times
        self.sent += sent * times
        self.received += received * times


_Sums = list[_Sum]
"""One for each caller, in their order."""


def estimate(
    exams: Sequence[Exam],
    settings: Settings,
    callers: Sequence[Caller],
    *,
    count: Callable[[str], int] = tokens_in,
) -> CostEstimate:
    """What the exams will take, played as the settings say, by these callers; `count` is a better tokenizer."""
    scenes = [_scene(exams, settings, callers, assumed, count) for assumed in (LITTLE, USUAL, MUCH)]
    whole = _load(scenes, callers)
    attempts = sum(_repeats(exam, settings) for exam in exams)
    seconds = [
        _seconds(sums, callers, settings, assumed, attempts=attempts)
        for sums, assumed in zip(scenes, (LITTLE, USUAL, MUCH), strict=True)
    ]
    return CostEstimate(
        calls=whole.calls,
        input_tokens=whole.input_tokens,
        output_tokens=whole.output_tokens,
        cost=whole.cost,
        seconds=_range(seconds),
        callers={role: _load(scenes, callers, role) for role in dict.fromkeys(caller.role for caller in callers)},
        unpriced=tuple(caller.name for caller in callers if caller.price is None),
    )


def together(one: CostEstimate, other: CostEstimate) -> CostEstimate:
    """What both take, one after the other."""
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
    """All exams under one set of assumptions."""
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
    """One exam, gone through turn by turn: each carries all that was said before. It is held `repeats` times."""

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
        """Every turn, and what is said of all of them."""
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
        if case is None:  # what an examiner improvised is judged by all that was said before
            self._call("reviewer", self._said + given + asked + replied, self._assumed.verdict)
        elif case.answer or case.reasoning or case.context:
            expected = self._count(f"{case.answer or ''}{case.reasoning or ''}{case.context or ''}")
            self._call("reviewer", asked + expected + replied, self._assumed.verdict)
        self._said += asked + replied

    def _reply(self, sent: int) -> int:
        """The agent's calls for one reply; how many tokens they add to the conversation."""
        agent = next((caller for caller in self._callers if caller.role == "agent"), None)
        if agent is None:
            return self._assumed.reply
        rounds = min(self._assumed.rounds, agent.tool_rounds)
        for number in range(rounds):
            self._call("agent", sent + number * self._assumed.tool_call, self._assumed.tool_call // 2)
        tools = rounds * self._assumed.tool_call
        return tools + self._call("agent", sent + tools, self._assumed.reply)

    def _call(self, role: Role, sent: int, received: int) -> int:
        """Count a call of each model in that role; how many tokens the last of them answers."""
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
    whole = _Sum()
    for each in sums:
        whole.calls += each.calls
        whole.sent += each.sent
        whole.received += each.received
    return whole


def _load(scenes: Sequence[_Sums], callers: Sequence[Caller], role: Role | None = None) -> Load:
    """What the callers take, or those in one role, as ranges."""
    shares = [
        [(caller, each) for caller, each in zip(callers, sums, strict=True) if role in (None, caller.role)]
        for sums in scenes
    ]
    wholes = [_together(each for _, each in share) for share in shares]
    costs = [_cost(share) for share in shares]
    known = [cost for cost in costs if cost is not None]
    return Load(
        calls=_range([whole.calls for whole in wholes]),
        input_tokens=_range([whole.sent for whole in wholes]),
        output_tokens=_range([whole.received for whole in wholes]),
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
    """As long as the calls take side by side, and no shorter than the slowest provider's limits allow."""
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
    """What each place that is called has to take, whoever calls it."""
    places: dict[Source | int, list[int]] = {}
    for place, caller in enumerate(callers):
        places.setdefault(caller.source or place, []).append(place)
    for inside in places.values():
        yield callers[inside[0]].limit, _together(sums[place] for place in inside)


def _range(scenes: Sequence[float]) -> Range:
    low, likely, high = scenes
    return Range(low=low, likely=likely, high=high)
