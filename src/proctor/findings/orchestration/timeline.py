"""Layout of one reply's steps on a timeline: Timeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.findings.orchestration.parallelism import parallelism_of
from proctor.findings.orchestration.step_tree import Node, StepTree, read
from proctor.transcript import Step


@dataclass(frozen=True, kw_only=True, slots=True)
class Lane:
    """One step on the timeline."""

    id: str
    name: str
    kind: str
    """plan, delegate, tool, re-plan, error or other."""
    agent: str | None
    depth: int
    """Number of ancestors."""
    start: float | None
    """Seconds after the first start, or None if not reported."""
    length: float | None
    """Duration in seconds, or None if not reported or if the end was before the start."""
    failed: bool
    """Whether the step is an error or ended in one."""
    critical: bool
    """Whether it is on the critical path."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Timeline:
    """The steps of one reply by start time, each below its parent."""

    lanes: tuple[Lane, ...]
    seconds: float
    """Seconds from the first start to the last end; 0 if there are no times."""


def timeline(steps: Sequence[Step]) -> Timeline:
    """Lay out the steps as lanes."""
    tree = read(steps)
    starts = [node.start for node in tree.nodes if node.start is not None]
    first = min(starts, default=0.0)
    last = max((node.end for node in tree.nodes if node.end is not None), default=first)
    lay = parallelism_of(tree)
    critical = frozenset(lay.critical_steps if lay is not None else ())
    lanes = tuple(_lane(node, first, critical) for node in _in_order(tree))
    return Timeline(lanes=lanes, seconds=max(last, *starts, first) - first)


def _in_order(tree: StepTree) -> list[Node]:
    """Return the steps depth-first, siblings by start time."""
    below: dict[int | None, list[Node]] = {}
    for node in sorted(tree.nodes, key=_begin, reverse=True):
        below.setdefault(node.parent, []).append(node)
    waiting = below.get(None, [])
    found: list[Node] = []
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting.extend(below.get(node.place, ()))
    return found


def _begin(node: Node) -> tuple[float, int]:
    """Return a sort key that puts steps without a start last."""
    return (float("inf") if node.start is None else node.start, node.place)


def _lane(node: Node, first: float, critical: frozenset[str]) -> Lane:
    return Lane(
        id=node.step.id,
        name=node.step.name,
        kind=node.kind,
        agent=node.agent,
        depth=node.depth,
        start=None if node.start is None else node.start - first,
        length=None if node.start is None or node.end is None else node.end - node.start,
        failed=node.is_error,
        critical=node.step.id in critical,
    )
