"""Resource use of an attempt: totals, shares per sub-agent, and whether limits were kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from proctor.findings.orchestration.findings import Share, share
from proctor.findings.orchestration.step_tree import StepTree, TurnWithSteps
from proctor.run import Attempt
from proctor.transcript import Reply, Turn
from proctor.usage import Usage

ITSELF = "orchestrator"
"""Name under which steps without a sub-agent are counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceUse:
    """Resources used by the agent; None means not reported, which is not 0."""

    tokens: float | None
    cost: float | None
    tool_calls: float | None
    seconds: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class LimitUse:
    """Use of one resource limited by a case, in one reply."""

    turn: int
    name: str
    """tokens, cost, tool_calls or seconds."""
    most: float
    used: float | None
    """Amount used, or None if not reported."""
    kept: bool | None
    """Whether the limit was kept, or None if the use is not reported."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Resources:
    """Resource use by sub-agent, and whether limits were kept."""

    tokens: dict[str, float]
    """Sub-agent → its share of the tokens reported by steps, largest first; empty if none are reported."""
    cost: dict[str, float]
    """Sub-agent → its share of the cost; empty unless every step with usage reports its cost."""
    limits: tuple[LimitUse, ...]
    kept: Share
    """Limits that were kept, out of those that can be checked."""


def resources(turns: Sequence[TurnWithSteps]) -> Resources:
    """Compute the resource use of an attempt's replies."""
    limits = tuple(limit for each in turns for limit in _limits(each))
    used = [pair for each in turns for pair in used_by(each)]
    return Resources(
        tokens=_shares((agent, float(_tokens(usage))) for agent, usage in used),
        cost=_shares((agent, usage.cost) for agent, usage in used),
        limits=limits,
        kept=share((limit.name, limit.kept) for limit in limits if limit.kept is not None),
    )


def spent_by(attempt: Attempt) -> ResourceUse:
    """Sum the resources over all turns; None where a turn does not report one."""
    turns = [spent_in(turn) for turn in attempt.transcript.turns]
    total = {each.name: _sum(getattr(turn, each.name) for turn in turns) for each in fields(ResourceUse)}
    if attempt.seconds is not None:
        total["seconds"] = attempt.seconds
    return ResourceUse(**total)


def spent_in(turn: Turn) -> ResourceUse:
    """Return the resources used for one reply, as reported by the reply or else by its steps."""
    reply = turn.reply
    if reply is None:
        return ResourceUse(tokens=None, cost=None, tool_calls=None, seconds=None)
    usage = reply.usage if reply.usage is not None else _usage_of_steps(reply)
    return ResourceUse(
        tokens=None if usage is None else float(_tokens(usage)),
        cost=None if usage is None else usage.cost,
        tool_calls=float(max(len(reply.tool_calls), sum(step.kind == "tool" for step in reply.steps))),
        seconds=turn.seconds,
    )


def used_by(turn: TurnWithSteps) -> Iterator[tuple[str, Usage]]:
    """Yield each step's agent and usage.

    Some orchestrators include the usage of sub-steps in that of the parent step. If the steps add up to more than the
    whole reply, this is assumed and the usage of sub-steps is subtracted from their parents.
    """
    own = {node.place: usage for node in turn.tree.nodes if (usage := node.step.usage)}
    total = turn.reply.usage
    if total and sum(map(_tokens, own.values())) > _tokens(total):
        own = _without_parts(own, turn.tree)
    yield from ((turn.tree.nodes[place].agent or ITSELF, usage) for place, usage in own.items())


def _without_parts(usages: Mapping[int, Usage], tree: StepTree) -> dict[int, Usage]:
    own = dict(usages)
    for place, part in usages.items():
        above = next((node.place for node in tree.above(tree.nodes[place]) if node.place in usages), None)
        if above is not None:
            own[above] -= part
    return own


def _limits(turn: TurnWithSteps) -> Iterator[LimitUse]:
    spent = spent_in(turn.turn)
    known = {each.name for each in fields(ResourceUse)}
    for name, most in turn.expect.limits.items():
        used: float | None = getattr(spent, name) if name in known else None
        kept = None if used is None else used <= most * (1 + 1e-9)  # tolerate rounding errors of sums
        yield LimitUse(turn=turn.turn.number, name=name, most=most, used=used, kept=kept)


def _usage_of_steps(reply: Reply) -> Usage | None:
    usages = [step.usage for step in reply.steps if step.usage]
    return sum(usages, Usage()) if usages else None


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _shares(amounts: Iterable[tuple[str, float | None]]) -> dict[str, float]:
    totals: dict[str, float] = {}
    for agent, amount in amounts:
        if amount is None:
            return {}
        totals[agent] = totals.get(agent, 0.0) + amount
    total = sum(totals.values())
    if not total:
        return {}
    return {agent: amount / total for agent, amount in sorted(totals.items(), key=lambda item: (-item[1], item[0]))}


def _sum(amounts: Iterable[float | None]) -> float | None:
    total = 0.0
    for amount in amounts:
        if amount is None:
            return None
        total += amount
    return total
