"""Parse the steps of one reply into a tree: parents, agents, order and anomalies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite

from proctor.benchmark import Exam, Expectation
from proctor.reading.text.fold import fold
from proctor.transcript import Reply, Step, ToolCall, Transcript, Turn

KINDS = ("plan", "delegate", "tool", "re-plan", "error")
OTHER = "other"
"""Kind of a step whose kind is not in `KINDS`."""
PLANS = ("plan", "re-plan")
_SPELLINGS = {"replan": "re-plan", "re plan": "re-plan"}
_JOINTS = re.compile(r"[\W_]+")
_DEEPEST = 100  # maximum nesting depth; deeper steps are moved up to it, which bounds the work per reply
_SHORT = 80  # characters; longer names are tasks or plans, which rarely recur
_LATEST = 1e15  # seconds; keeps sums over any reply finite


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """One step in the tree."""

    step: Step
    place: int
    """Index in the reply's list of steps."""
    kind: str
    """One of `KINDS`, or `OTHER`."""
    parent: int | None
    """Index of the parent step, or None if there is no known parent."""
    depth: int
    """Number of ancestors."""
    leaf: bool
    """Whether the step has no sub-steps."""
    agent: str | None
    """The step's agent, inherited from its parent if not given; None for the orchestrator itself."""
    start: float | None
    """Start time, or None if missing or invalid."""
    end: float | None
    """End time, or None if missing, invalid or before the start."""

    @property
    def is_error(self) -> bool:
        """Whether the step is of kind error or has the status error."""
        return self.kind == "error" or self.step.status.strip().lower() == "error"

    @property
    def works(self) -> bool:
        """Whether the step does work, rather than plan or report an error."""
        return self.kind not in PLANS and self.kind != "error"

    @property
    def label(self) -> str:
        """Label for display, such as `researcher: find sources`."""
        name, agent = self.step.name or self.kind, self.step.agent
        return f"{agent}: {name}" if agent and agent != name else name


@dataclass(frozen=True, kw_only=True, slots=True)
class StepTree:
    """The steps of one reply as a tree."""

    nodes: tuple[Node, ...]
    timed: bool
    """Whether every step has a start, so that order is by time rather than by position."""
    calls: dict[str, ToolCall]
    """The reply's tool calls by id."""
    oddities: dict[str, int]
    """Anomaly in the reported steps → number of occurrences."""

    def above(self, node: Node) -> Iterator[Node]:
        """Yield the ancestors of a step, nearest first."""
        while node.parent is not None:
            node = self.nodes[node.parent]
            yield node

    def inside(self, inner: Node, outer: Node) -> bool:
        """Whether `inner` is a descendant of `outer`."""
        return inner.depth > outer.depth and any(each is outer for each in self.above(inner))

    def follows(self, later: Node, earlier: Node) -> bool:
        """Whether `later` began inside `earlier` or after it had ended."""
        if later is earlier or self.inside(earlier, later):
            return False
        if self.inside(later, earlier):
            return True
        if not self.timed:
            return later.place > earlier.place
        if _begins_when_ended(later, earlier):
            return later.place > earlier.place or not _begins_when_ended(earlier, later)
        return False

    def by_begin(self) -> list[Node]:
        """Return the steps in order of their start."""
        return sorted(self.nodes, key=lambda node: (node.start or 0.0) if self.timed else 0.0)

    def text(self, node: Node) -> str:
        """Return the text of a step: its name, detail, and the arguments of its tool call."""
        call = self.calls.get(node.step.call or "")
        given = repr(sorted(call.arguments.items(), key=repr)) if call is not None and call.arguments else ""
        return "\n".join(piece for piece in (node.step.name, node.step.detail, given) if piece)


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnWithSteps:
    """An answered turn whose reply has steps, with the expectation of its case."""

    turn: Turn
    reply: Reply
    tree: StepTree
    expect: Expectation


def turns_with_steps(exam: Exam, transcript: Transcript) -> tuple[TurnWithSteps, ...]:
    """Return the turns of a conversation whose replies have steps."""
    expectations = {case.id: case.expect for case in exam.cases}
    return tuple(
        TurnWithSteps(
            turn=turn,
            reply=turn.reply,
            tree=read(turn.reply.steps, turn.reply.tool_calls),
            expect=expectations.get(turn.case or "", Expectation()),
        )
        for turn in transcript.turns
        if turn.reply is not None and turn.reply.steps
    )


def read(steps: Sequence[Step], calls: Iterable[ToolCall] = ()) -> StepTree:
    """Build the tree; malformed steps are kept and their anomalies counted."""
    oddities: Counter[str] = Counter()
    parents = _parents(steps, oddities)
    depths = _hang(parents)
    agents: list[str | None] = [None] * len(steps)
    for place in sorted(range(len(steps)), key=depths.__getitem__):
        above = parents[place]
        agents[place] = _agent(steps[place]) or (agents[above] if above is not None else None)
    inner = set(parents)
    nodes = tuple(
        _node(step, place, parents[place], depths[place], agents[place], place not in inner, oddities)
        for place, step in enumerate(steps)
    )
    return StepTree(
        nodes=nodes,
        timed=all(node.start is not None for node in nodes),
        calls={call.id: call for call in calls if call.id},
        oddities={what: count for what, count in sorted(oddities.items()) if count},
    )


def plain(name: str) -> str:
    """Normalize the spelling of a name: `Research_Agent` becomes `research agent`."""
    return _known(name) if len(name) <= _SHORT else _plain(name)


def _plain(name: str) -> str:
    return " ".join(_JOINTS.split(fold(name))).strip() or name.strip()


_known = lru_cache(maxsize=4096)(_plain)  # the same few names recur in every attempt


def mentions(text: str, name: str) -> bool:
    """Whether a text contains a name as whole words."""
    return bool(plain(name)) and f" {plain(name)} " in f" {plain(text)} "


@lru_cache(maxsize=256)
def kind_of(kind: str) -> str:
    """Normalize a step's kind; `OTHER` if it is not in `KINDS`."""
    folded = fold(kind).strip()
    known = _SPELLINGS.get(folded.replace("_", " ").replace("-", " "), folded)
    return known if known in KINDS else OTHER


def _begins_when_ended(later: Node, earlier: Node) -> bool:
    ended = earlier.start if earlier.end is None else earlier.end
    return later.start is not None and ended is not None and later.start >= ended


def _agent(step: Step) -> str | None:
    """Return the step's agent; a delegation without one takes its name as the agent."""
    return step.agent or (step.name if kind_of(step.kind) == "delegate" else None) or None


def _node(
    step: Step, place: int, parent: int | None, depth: int, agent: str | None, leaf: bool, oddities: Counter[str]
) -> Node:
    start, end = _time(step.start), _time(step.end)
    kind = kind_of(step.kind)
    oddities["unknown kind"] += kind == OTHER
    oddities["no time"] += start is None or end is None
    if start is None or (end is not None and end < start):
        oddities["end before start"] += start is not None
        end = None
    return Node(
        step=step, place=place, kind=kind, parent=parent, depth=depth, leaf=leaf, agent=agent, start=start, end=end
    )


def _time(reported: float | None) -> float | None:
    return reported if reported is not None and isfinite(reported) and abs(reported) <= _LATEST else None


def _parents(steps: Sequence[Step], oddities: Counter[str]) -> list[int | None]:
    """Return the index of each step's parent; among duplicate ids, the first one is used."""
    places: dict[str, int] = {}
    for place, step in enumerate(steps):
        oddities["repeated id"] += places.setdefault(step.id, place) != place
    parents = [places.get(step.parent) if step.parent else None for step in steps]
    oddities["unknown parent"] += sum(
        bool(step.parent) and parent is None for step, parent in zip(steps, parents, strict=True)
    )
    for place in _in_circles(parents):
        parents[place] = None
        oddities["parents in a circle"] += 1
    return parents


def _in_circles(parents: Sequence[int | None]) -> set[int]:
    """Return the indexes of steps on a cycle of parents."""
    found: set[int] = set()
    seen: set[int] = set()
    for begin in range(len(parents)):
        path: dict[int, None] = {}
        at: int | None = begin
        while at is not None and at not in seen and at not in path:
            path[at] = None
            at = parents[at]
        if at is not None and at in path:
            chain = list(path)
            found.update(chain[chain.index(at) :])
        seen.update(path)
    return found


def _hang(parents: list[int | None]) -> list[int]:
    """Return the depth of each step, moving steps below `_DEEPEST` up in place."""
    depths = [-1] * len(parents)
    for begin in range(len(parents)):
        path = [begin]
        while depths[path[-1]] < 0 and (above := parents[path[-1]]) is not None:
            path.append(above)
        for at in reversed(path):
            above = parents[at]
            if depths[at] < 0 and above is not None and depths[above] >= _DEEPEST:
                above = parents[at] = parents[above]
            depths[at] = 0 if above is None else depths[above] + 1
    return depths
