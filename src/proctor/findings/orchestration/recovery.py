"""Recovery: which errors were followed by success, and how often was the plan changed?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.findings.orchestration.share import Share, share
from proctor.findings.orchestration.step_tree import Node, StepTree, TurnWithSteps, plain


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


def recovery(turns: Sequence[TurnWithSteps]) -> Recovery:
    """What became of the errors in an attempt's replies."""
    return Recovery(
        recovered=share(pair for each in turns for pair in _errors(each.tree)),
        re_plans=sum(node.kind == "re-plan" for each in turns for node in each.tree.nodes),
    )


def _errors(tree: StepTree) -> Iterator[tuple[str, bool]]:
    """Steps that are an error or ended in one; an error step inside a step that failed is that same error."""
    successes = _last_successes(tree)
    changes = [node for node in tree.nodes if node.kind == "re-plan"]
    for node in tree.nodes:
        reported = node.kind == "error" and node.parent is not None and tree.nodes[node.parent].failed
        if node.failed and not reported:
            recovered = (
                _is_tried_again(node, successes, tree)
                or _is_coped_with(node, tree)
                or _is_planned_round(node, changes, successes, tree)
            )
            yield node.label, recovered


@dataclass(frozen=True, kw_only=True, slots=True)
class _Successes:
    """Whose, of what, and as part of what → the last step that succeeded."""

    by_agent: dict[str, Node]
    by_task: dict[tuple[str, str], Node]
    by_parent: dict[int | None, Node]


def _last_successes(tree: StepTree) -> _Successes:
    succeeded = [node for node in tree.by_begin() if _succeeds(node)]
    return _Successes(
        by_agent={_agent(node): node for node in succeeded},
        by_task={_task(node): node for node in succeeded},
        by_parent={node.parent: node for node in succeeded},
    )


def _is_tried_again(error: Node, successes: _Successes, tree: StepTree) -> bool:
    """Whether the same sub-agent did the same later; an error step has a name of its own, so there anything will do."""
    if error.kind == "error" and error.agent is not None:
        again = successes.by_agent.get(_agent(error))
    else:
        again = successes.by_task.get(_task(error))
    return again is not None and tree.follows(again, error) and not tree.inside(again, error)


def _is_coped_with(error: Node, tree: StepTree) -> bool:
    """Whether the sub-agent in whose work it happened ended that work well."""
    delegation = next((node for node in tree.above(error) if node.kind == "delegate"), None)
    return delegation is not None and _succeeds(delegation) and _agent(delegation) == _agent(error)


def _is_planned_round(error: Node, changes: Sequence[Node], successes: _Successes, tree: StepTree) -> bool:
    """Whether the plan was changed, and then a step beside the failed one succeeded, or the step both are part of."""
    since = [node for node in changes if tree.follows(node, error)]
    if since and error.parent is not None and _succeeds(tree.nodes[error.parent]):
        return True
    beside = successes.by_parent.get(error.parent)
    return beside is not None and any(tree.follows(beside, change) for change in since)


def _succeeds(node: Node) -> bool:
    return node.works and not node.failed


def _agent(node: Node) -> str:
    return plain(node.agent or "")


def _task(node: Node) -> tuple[str, str]:
    return _agent(node), plain(node.step.name)
