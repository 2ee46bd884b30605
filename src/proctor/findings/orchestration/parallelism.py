"""Parallelism: how much work overlapped, how much time that saved, and the critical path.

In the terms of Brent (1974), `busy` is the work and `critical_path` is the span; always critical path ≤ wall ≤ busy.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from proctor.findings.orchestration.step_tree import StepTree, TurnWithSteps


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """A time interval in which a step was working itself, not through its sub-steps."""

    place: int
    start: float
    end: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Parallelism:
    """Parallelism metrics of one attempt."""

    steps: int
    """Number of steps that did work of their own and have times."""
    busy: float
    """Total work in seconds; parallel work is counted separately."""
    wall: float
    """Seconds during which any step was running."""
    overlapped: float
    """Seconds during which two or more steps were running."""
    at_once: int
    """Maximum number of steps running at the same time."""
    overlap: float
    """Overlapped share of the wall time."""
    speed_up: float
    """Busy time divided by wall time; 1 means sequential."""
    critical_path: float
    """Length in seconds of the longest chain of work in which each piece starts after the previous one has ended."""
    critical_steps: tuple[str, ...]
    """Ids of the steps on the critical path."""


def parallelism(turns: Sequence[TurnWithSteps]) -> Parallelism | None:
    """Compute the parallelism metrics of an attempt's replies, or return None if the steps have no times."""
    found = [part for each in turns if (part := parallelism_of(each.tree)) is not None]
    if not found:
        return None
    busy, wall = sum(part.busy for part in found), sum(part.wall for part in found)
    overlapped = sum(part.overlapped for part in found)
    return Parallelism(
        steps=sum(part.steps for part in found),
        busy=busy,
        wall=wall,
        overlapped=overlapped,
        at_once=max(part.at_once for part in found),
        overlap=overlapped / wall,
        speed_up=busy / wall,
        critical_path=sum(part.critical_path for part in found),
        critical_steps=tuple(step for part in found for step in part.critical_steps),
    )


def parallelism_of(tree: StepTree) -> Parallelism | None:
    """Compute the parallelism metrics of one reply, or return None if its steps have no times."""
    worked = stretches(tree)
    if not worked:
        return None
    busy = wall = overlapped = 0.0
    at_once = 0
    for width, length in _widths(worked):
        at_once = max(at_once, width)
        busy += width * length
        wall += length if width else 0.0
        overlapped += length if width > 1 else 0.0
    chain = critical_path(worked)
    return Parallelism(
        steps=len({each.place for each in worked}),
        busy=busy,
        wall=wall,
        overlapped=overlapped,
        at_once=at_once,
        overlap=overlapped / wall,
        speed_up=busy / wall,
        critical_path=min(wall, sum(each.end - each.start for each in chain)),  # they may differ by rounding errors
        critical_steps=tuple(dict.fromkeys(tree.nodes[each.place].step.id for each in chain)),
    )


def stretches(tree: StepTree) -> list[Stretch]:
    """Return the intervals in which each step worked itself, by end time; sub-steps' time counts as theirs."""
    running = [False] * len(tree.nodes)
    inside = [0] * len(tree.nodes)
    since: dict[int, float] = {}
    found: list[Stretch] = []
    for time, changes in groupby(_changes(tree), key=lambda change: change[0]):
        touched: dict[int, None] = {}
        for _, begins, place in changes:
            running[place] = begins
            touched[place] = None
            for above in tree.above(tree.nodes[place]):
                inside[above.place] += 1 if begins else -1
                touched[above.place] = None
        for place in touched:
            works = running[place] and not inside[place]
            if works and place not in since:
                since[place] = time
            elif not works and place in since:
                found.append(Stretch(place=place, start=since.pop(place), end=time))
    return found


def critical_path(worked: Sequence[Stretch]) -> list[Stretch]:
    """Return the longest chain of intervals that each start after the previous one's end; `worked` is by end."""
    ends = [each.end for each in worked]
    longest = [0.0]
    taken: list[int | None] = []
    for each in worked:
        before = bisect_right(ends, each.start)
        length = longest[before] + (each.end - each.start)
        taken.append(before if length > longest[-1] else None)
        longest.append(max(longest[-1], length))
    chain: list[Stretch] = []
    count = len(worked)
    while count:
        before_it = taken[count - 1]
        if before_it is not None:
            chain.append(worked[count - 1])
        count = before_it if before_it is not None else count - 1
    return chain[::-1]


def _changes(tree: StepTree) -> list[tuple[float, bool, int]]:
    """Return the start and end events of every step with a duration, in order."""
    return sorted(_begins_and_ends(tree))


def _begins_and_ends(tree: StepTree) -> Iterator[tuple[float, bool, int]]:
    for node in tree.nodes:
        if node.start is not None and node.end is not None and node.end > node.start:
            yield node.start, True, node.place
            yield node.end, False, node.place


def _widths(worked: Iterable[Stretch]) -> Iterator[tuple[int, float]]:
    """Yield the number of running steps and the duration for each period between two events."""
    changes = sorted([(each.start, 1) for each in worked] + [(each.end, -1) for each in worked])
    width, last = 0, changes[0][0]
    for time, change in changes:
        if time > last:
            yield width, time - last
        width += change
        last = time
