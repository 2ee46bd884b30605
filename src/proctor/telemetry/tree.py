"""Span trees and the subtrees that make up a turn: SpanTree, TurnSubtree."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from proctor.telemetry import names
from proctor.telemetry.names import kind_of
from proctor.telemetry.span import Span

_WRAPPERS = ("experiment-item-run", "experiment-item-task")
_JUDGING = "experiment-item-evaluation"

Placed = tuple[Span, tuple[Span, ...]]
"""A span with its ancestors, from the top down."""


class SpanTree:
    """Spans arranged by parent and start time, excluding evaluator spans."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans = sorted(spans, key=lambda span: span.start)
        self.roots: list[Span] = []
        self._children: dict[str, list[Span]] = {}
        known = {span.id for span in self.spans}
        for span in self.spans:
            if kind_of(span) == "evaluator" or span.name == _JUDGING:
                continue
            if span.parent is None or span.parent not in known or span.parent == span.id:
                self.roots.append(span)
            else:
                self._children.setdefault(span.parent, []).append(span)

    def children(self, span: Span) -> list[Span]:
        """Return the direct children of a span."""
        return self._children.get(span.id, [])

    def below(self, spans: Iterable[Span]) -> Iterator[Placed]:
        """Yield these spans and all their descendants, with their ancestors."""
        waiting: deque[Placed] = deque((span, ()) for span in spans)
        while waiting:
            span, above = waiting.popleft()
            yield span, above
            waiting.extend((child, (*above, span)) for child in self.children(span))

    def turns(self) -> list[TurnSubtree]:
        """Return one subtree per span marked as a turn, or one per trace if no span is marked."""
        own = [span for span in self.spans if isinstance(span.attributes.get(names.TURN), int)]
        if own:
            own.sort(key=lambda span: (span.start, span.attributes[names.TURN]))
            return [TurnSubtree(tree=self, head=span, top=tuple(self.children(span))) for span in own]
        traces: dict[str, list[Span]] = {}
        for root in self.roots:
            traces.setdefault(root.trace, []).append(root)
        return [self.turn_under(roots) for roots in traces.values()]

    def turn_under(self, roots: list[Span]) -> TurnSubtree:
        """Return the turn under these roots, headed by the only topmost agent span or else by the single root."""
        agents = self._topmost_agents(roots)
        around = roots[0] if len(roots) == 1 else None
        if len(agents) == 1:
            return TurnSubtree(tree=self, head=agents[0], around=around, top=tuple(roots))
        while around is not None and around.name in _WRAPPERS and len(self.children(around)) == 1:
            around = self.children(around)[0]
        tells = around is not None and kind_of(around) in ("other", "model")
        return TurnSubtree(tree=self, head=around if tells else None, top=tuple(roots))

    def _topmost_agents(self, spans: Iterable[Span]) -> list[Span]:
        agents = [(span, above) for span, above in self.below(spans) if kind_of(span) == "agent"]
        return [span for span, above in agents if not any(kind_of(each) == "agent" for each in above)]


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnSubtree:
    """The part of a tree that belongs to one turn."""

    tree: SpanTree
    head: Span | None
    """Span that represents the turn, or None if there are several spans without a common root."""
    around: Span | None = None
    """Root span above the turn, if different from `head`."""
    top: tuple[Span, ...]
    """Topmost spans of the turn; it also includes all their descendants."""

    def below(self) -> list[Placed]:
        """Return all spans of the turn except its head, in chronological order."""
        inside = [placed for placed in self.tree.below(self.top) if placed[0] is not self.head]
        return sorted(inside, key=lambda placed: placed[0].start)

    def models(self) -> list[Span]:
        """Return the model call spans. Nested model spans count once, as the same call; the head itself may be one."""
        if self.head is not None and kind_of(self.head) == "model":
            return [self.head]
        models = [(span, above) for span, above in self.below() if kind_of(span) == "model"]
        return [span for span, above in models if not any(kind_of(each) == "model" for each in above)]

    def telling(self) -> list[Span]:
        """Return the spans that may carry the turn's question and answer, the likeliest first."""
        if self.head is None:
            return [span for span in self.top if kind_of(span) == "other"]
        return [self.head] if self.around is None or self.around is self.head else [self.head, self.around]
