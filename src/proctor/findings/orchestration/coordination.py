"""Coordination: did each task go to the right sub-agent, and was any work done twice?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.errors import InputError
from proctor.findings.orchestration.expected import ExpectedStep, read_step
from proctor.findings.orchestration.share import Share, share
from proctor.findings.orchestration.step_tree import Node, StepTree, TurnWithSteps, kind_of, plain


@dataclass(frozen=True, kw_only=True, slots=True)
class Coordination:
    """How well the work was handed out."""

    hand_offs: int
    """Delegations."""
    right: Share
    """Delegations to the sub-agent that was expected; nothing is judged where none was."""
    distinct: Share
    """Delegations that do not repeat one that had succeeded: same sub-agent, same task."""

    @property
    def duplicated(self) -> int:
        """Delegations of work that was done already."""
        return len(self.distinct.of) - len(self.distinct.met)


def coordination(turns: Sequence[TurnWithSteps]) -> Coordination:
    """How well the work of an attempt's replies was handed out."""
    return Coordination(
        hand_offs=sum(len(_delegations(each.tree)) for each in turns),
        right=share(pair for each in turns for pair in _right(each)),
        distinct=share(pair for each in turns for pair in _distinct(each.tree)),
    )


def _delegations(tree: StepTree) -> list[Node]:
    return [node for node in tree.nodes if node.kind == "delegate"]


def _right(turn: TurnWithSteps) -> Iterator[tuple[str, bool]]:
    """By the task where an expected step names it; else any sub-agent will do that is expected at all."""
    tasks: dict[str, set[str]] = {}
    expected = {plain(name) for name in turn.expect.sub_agents}
    for wanted in _expected_delegations(turn):
        if wanted.which.agent is None:
            continue
        expected.add(plain(wanted.which.agent))
        if wanted.which.name is not None:
            tasks.setdefault(plain(wanted.which.name), set()).add(plain(wanted.which.agent))
    for node in _delegations(turn.tree):
        allowed = tasks.get(plain(node.step.name), expected)
        if allowed:
            yield node.label, plain(node.agent or "") in allowed


def _expected_delegations(turn: TurnWithSteps) -> Iterator[ExpectedStep]:
    for entry in turn.expect.steps:
        try:
            wanted = read_step(entry)
        except InputError:  # said where the step itself is judged
            continue
        if kind_of(wanted.which.kind or "") == "delegate" and wanted.most != 0:
            yield wanted


def _distinct(tree: StepTree) -> Iterator[tuple[str, bool]]:
    """A repeat after a failure is a new try; a delegation that does not tell its task cannot be a repeat."""
    succeeded: set[tuple[str, str]] = set()
    for node in _delegations(tree):
        agent, task = plain(node.agent or ""), plain(tree.text(node))
        untold = task in ("", agent, node.kind)
        yield node.label, untold or (agent, task) not in succeeded
        if not node.failed:
            succeeded.add((agent, task))
