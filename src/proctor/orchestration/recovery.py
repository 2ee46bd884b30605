"""Recovery: which errors were followed by success, and how often was the plan changed?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.orchestration.share import Share, share
from proctor.orchestration.trail import Node, Played, Trail, plain


@dataclass(frozen=True, kw_only=True, slots=True)
class Recovery:
    """What became of the errors."""

    recovered: Share
    """Errors that were followed by success; nothing is judged where there was none."""
    re_plans: int
    """Changes of the plan."""

    @property
    def errors(self) -> int:
        """Errors in all."""
        return len(self.recovered.of)


def recovery(turns: Sequence[Played]) -> Recovery:
    """What became of the errors in an attempt's replies."""
    return Recovery(
        recovered=share(
            (node.label, _is_recovered(node, each.trail)) for each in turns for node in _errors(each.trail)
        ),
        re_plans=sum(node.kind == "re-plan" for each in turns for node in each.trail.nodes),
    )


def _errors(trail: Trail) -> Iterator[Node]:
    """Steps that are an error or ended in one; an error step inside a step that failed is that same error."""
    for node in trail.nodes:
        reported = node.kind == "error" and node.parent is not None and trail.nodes[node.parent].failed
        if node.failed and not reported:
            yield node


def _is_recovered(error: Node, trail: Trail) -> bool:
    return _is_tried_again(error, trail) or _is_coped_with(error, trail) or _is_planned_round(error, trail)


def _is_tried_again(error: Node, trail: Trail) -> bool:
    """Whether the same was done later, by the same sub-agent, with success."""
    return any(_succeeds(node) and _is_same(node, error) and trail.follows(node, error) for node in trail.nodes)


def _is_coped_with(error: Node, trail: Trail) -> bool:
    """Whether the sub-agent in whose work it happened ended that work well."""
    delegation = next((node for node in trail.above(error) if node.kind == "delegate"), None)
    return delegation is not None and _succeeds(delegation) and _is_by_same_agent(delegation, error)


def _is_planned_round(error: Node, trail: Trail) -> bool:
    """Whether the plan was changed, and then a step beside the failed one succeeded, or the step both are part of."""
    changes = [node for node in trail.nodes if node.kind == "re-plan" and trail.follows(node, error)]
    if not changes:
        return False
    if error.parent is not None and _succeeds(trail.nodes[error.parent]):
        return True
    beside = (node for node in trail.nodes if _succeeds(node) and node.parent == error.parent)
    return any(trail.follows(node, change) for node in beside for change in changes)


def _succeeds(node: Node) -> bool:
    return node.works and not node.failed


def _is_same(node: Node, error: Node) -> bool:
    """An error step has a name of its own: there the sub-agent alone must agree."""
    by_agent_alone = error.kind == "error" and error.agent is not None
    return _is_by_same_agent(node, error) and (by_agent_alone or plain(node.step.name) == plain(error.step.name))


def _is_by_same_agent(node: Node, error: Node) -> bool:
    return plain(node.agent or "") == plain(error.agent or "")
