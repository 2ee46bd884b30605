"""Metrics of an orchestrator's steps in one attempt: Outline."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.benchmark import Exam
from proctor.errors import InputError
from proctor.findings.orchestration.expected import ExpectedStep, StepVerdict, judge, missing_from, read_step
from proctor.findings.orchestration.findings import Share, share
from proctor.findings.orchestration.parallelism import Parallelism, parallelism
from proctor.findings.orchestration.resources import Resources, ResourceUse, resources, spent_by
from proctor.findings.orchestration.step_tree import (
    PLANS,
    Node,
    StepTree,
    TurnWithSteps,
    kind_of,
    mentions,
    plain,
    turns_with_steps,
)
from proctor.reading.text.fold import fold
from proctor.reading.text.overlap import content, coverage
from proctor.reading.text.words import stem_set
from proctor.run import Attempt

_Verdicts = Sequence[tuple[ExpectedStep | None, StepVerdict]]

_ENTRY = re.compile(
    r"[ \t]*(?:[-*•–]|\(?\d{1,3}[.):]|(?:step|task)[ \t]+\d{1,3}[.:)]?)[ \t]+(?P<text>\S.*)", re.IGNORECASE
)
_LISTS = ("plan", "steps", "tasks", "items")
_DONE_FROM = 0.5  # share of an entry's content words that a later step must contain


@dataclass(frozen=True, kw_only=True, slots=True)
class Planning:
    """Planning metrics of one attempt."""

    plans: int
    """Number of plans, without re-plans."""
    planned: Share
    """Expected sub-agents and steps that a plan names; empty if no plan was reported."""
    used: Share
    """Expected sub-agents and steps that were used."""
    done: Share
    """Plan entries that were done; empty if the plan is not a list."""


def planning(turns: Sequence[TurnWithSteps]) -> Planning:
    """Compute the planning metrics of an attempt's replies."""
    judged = [(each, tuple(judge(each.expect.steps, each.tree))) for each in turns]
    return Planning(
        plans=sum(node.kind == "plan" for each in turns for node in each.tree.nodes),
        planned=share(pair for each, verdicts in judged for pair in _planned_sub_agents(each, verdicts)),
        used=share(pair for each, verdicts in judged for pair in _used_sub_agents(each, verdicts)),
        done=share(pair for each in turns for pair in _done(each.tree)),
    )


def _used_sub_agents(turn: TurnWithSteps, verdicts: _Verdicts) -> Iterator[tuple[str, bool]]:
    missing = missing_from(turn.tree, turn.expect)
    yield from ((name, name not in missing) for name in turn.expect.sub_agents)
    yield from ((verdict.wanted, verdict.passed) for _, verdict in verdicts if verdict.passed is not None)


def _planned_sub_agents(turn: TurnWithSteps, verdicts: _Verdicts) -> Iterator[tuple[str, bool]]:
    plan = "\n".join(_plans(turn.tree))
    if not plan:
        return
    yield from ((name, mentions(plan, name)) for name in turn.expect.sub_agents)
    for wanted, verdict in verdicts:
        names = _to_be_named(wanted) if wanted is not None else []
        if names:
            yield verdict.wanted, any(mentions(plan, name) for name in names)


def _plans(tree: StepTree) -> Iterator[str]:
    """Yield the text of each plan; a plan with a name but no content cannot be judged."""
    for node in tree.nodes:
        if node.kind in PLANS and tree.text(node) != node.step.name:
            yield tree.text(node)


def _to_be_named(wanted: ExpectedStep) -> list[str]:
    """Return the names a plan should mention; empty if only a kind is expected or the step is forbidden."""
    if wanted.most == 0 or kind_of(wanted.which.kind or "") in (*PLANS, "error"):
        return []
    return [name for name in (wanted.which.name, wanted.which.agent) if name]


def _done(tree: StepTree) -> Iterator[tuple[str, bool]]:
    """Yield the entries of the current plan (the last one that is a list) and whether each was done."""
    plans = [(node, entries) for node in tree.nodes if node.kind in PLANS and (entries := _entries(node.step.detail))]
    if not plans:
        return
    first, in_force = plans[0][0], plans[-1][1]
    later = [
        (node, stem_set(fold(tree.text(node))))
        for node in tree.nodes
        if node.works and not node.is_error and tree.follows(node, first)
    ]
    yield from ((entry, any(_is_done_by(entry, node, words) for node, words in later)) for entry in in_force)


def _is_done_by(entry: str, node: Node, words: frozenset[str]) -> bool:
    """Whether a step does what a plan entry says: the entry names it or its agent, or shares half its content words."""
    if any(name and mentions(entry, name) for name in (node.step.agent, node.step.name)):
        return True
    telling = content(fold(entry))
    return bool(telling) and coverage(telling, words) >= _DONE_FROM


def _entries(plan: str) -> tuple[str, ...]:
    """Return the entries of a plan given as JSON or as lines with bullets or numbers."""
    listed = _from_json(plan)
    if listed is not None:
        return listed
    return tuple(found["text"].strip() for line in plan.splitlines() if (found := _ENTRY.match(line)))


def _from_json(plan: str) -> tuple[str, ...] | None:
    if not plan.lstrip().startswith(("[", "{")):
        return None
    try:
        read = json.loads(plan)
    except (ValueError, RecursionError):
        return None
    if isinstance(read, dict):
        read = next((read[key] for key in _LISTS if isinstance(read.get(key), list)), None)
    if not isinstance(read, list):
        return None
    return tuple(text for entry in read if (text := _as_text(entry).strip()))


def _as_text(entry: object) -> str:
    if isinstance(entry, dict):
        return ", ".join(str(value) for value in entry.values() if isinstance(value, (str, int, float)))
    return str(entry)


@dataclass(frozen=True, kw_only=True, slots=True)
class Recovery:
    """Error recovery in one attempt."""

    recovered: Share
    """Errors that were followed by a success; empty if there were none."""
    re_plans: int
    """Number of re-plans."""

    @property
    def errors(self) -> int:
        """Number of errors."""
        return len(self.recovered.of)


def recovery(turns: Sequence[TurnWithSteps]) -> Recovery:
    """Determine which errors in an attempt's replies were recovered from."""
    return Recovery(
        recovered=share(pair for each in turns for pair in _errors(each.tree)),
        re_plans=sum(node.kind == "re-plan" for each in turns for node in each.tree.nodes),
    )


def _errors(tree: StepTree) -> Iterator[tuple[str, bool]]:
    """Yield each failed step and whether it was recovered from.

    An error step inside a failed step is the same error and does not count again.
    """
    successes = _last_successes(tree)
    changes = [node for node in tree.nodes if node.kind == "re-plan"]
    for node in tree.nodes:
        reported = node.kind == "error" and node.parent is not None and tree.nodes[node.parent].is_error
        if node.is_error and not reported:
            recovered = (
                _is_tried_again(node, successes, tree)
                or _is_coped_with(node, tree)
                or _is_planned_round(node, changes, successes, tree)
            )
            yield node.label, recovered


@dataclass(frozen=True, kw_only=True, slots=True)
class _Successes:
    """The last successful step per agent, per task and per parent step."""

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
    """Whether the same sub-agent later succeeded at the same task; after a step of kind error, at any task."""
    if error.kind == "error" and error.agent is not None:
        again = successes.by_agent.get(_agent(error))
    else:
        again = successes.by_task.get(_task(error))
    return again is not None and tree.follows(again, error) and not tree.inside(again, error)


def _is_coped_with(error: Node, tree: StepTree) -> bool:
    """Whether the sub-agent in whose delegation the error occurred still completed that delegation."""
    delegation = next((node for node in tree.above(error) if node.kind == "delegate"), None)
    return delegation is not None and _succeeds(delegation) and _agent(delegation) == _agent(error)


def _is_planned_round(error: Node, changes: Sequence[Node], successes: _Successes, tree: StepTree) -> bool:
    """Whether, after a re-plan, a sibling of the failed step or their common parent succeeded."""
    since = [node for node in changes if tree.follows(node, error)]
    if since and error.parent is not None and _succeeds(tree.nodes[error.parent]):
        return True
    sibling = successes.by_parent.get(error.parent)
    return sibling is not None and any(tree.follows(sibling, change) for change in since)


def _succeeds(node: Node) -> bool:
    return node.works and not node.is_error


def _agent(node: Node) -> str:
    return plain(node.agent or "")


def _task(node: Node) -> tuple[str, str]:
    return _agent(node), plain(node.step.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Coordination:
    """Quality of the delegations in one attempt."""

    hand_offs: int
    """Number of delegations."""
    right: Share
    """Delegations to an expected sub-agent; empty if none is expected."""
    distinct: Share
    """Delegations that do not repeat a successful one with the same sub-agent and task."""

    @property
    def repeats(self) -> int:
        """Number of delegations of work that was already done."""
        return len(self.distinct.of) - len(self.distinct.met)


def coordination(turns: Sequence[TurnWithSteps]) -> Coordination:
    """Compute the delegation metrics of an attempt's replies."""
    return Coordination(
        hand_offs=sum(len(_delegations(each.tree)) for each in turns),
        right=share(pair for each in turns for pair in _right(each)),
        distinct=share(pair for each in turns for pair in _distinct(each.tree)),
    )


def _delegations(tree: StepTree) -> list[Node]:
    return [node for node in tree.nodes if node.kind == "delegate"]


def _right(turn: TurnWithSteps) -> Iterator[tuple[str, bool]]:
    """Yield each delegation and whether its sub-agent is expected for the task, or at all if the task is not named."""
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
        except InputError:  # reported with the verdict on the step itself
            continue
        if kind_of(wanted.which.kind or "") == "delegate" and wanted.most != 0:
            yield wanted


def _distinct(tree: StepTree) -> Iterator[tuple[str, bool]]:
    """Yield each delegation and whether it is no repeat; retries after a failure and those without a task are none."""
    succeeded: set[tuple[str, str]] = set()
    for node in _delegations(tree):
        agent, task = plain(node.agent or ""), plain(tree.text(node))
        untold = task in ("", agent, node.kind)
        yield node.label, untold or (agent, task) not in succeeded
        if not node.is_error:
            succeeded.add((agent, task))


@dataclass(frozen=True, kw_only=True, slots=True)
class Outline:
    """Metrics of one attempt's steps, with the items each number was computed from."""

    steps: dict[str, int]
    """Step kind → count; unknown kinds count as `other`."""
    spent: ResourceUse
    planning: Planning
    coordination: Coordination
    parallelism: Parallelism | None
    """Parallelism metrics, or None if the steps have no times."""
    recovery: Recovery
    resources: Resources
    oddities: dict[str, int]
    """Anomaly in the reported steps → number of occurrences."""

    def shares(self) -> dict[str, float]:
        """Return each metric that could be computed, with its value from 0 to 1."""
        lay = self.parallelism
        known = {
            "planned": self.planning.planned.value,
            "used": self.planning.used.value,
            "done": self.planning.done.value,
            "right": self.coordination.right.value,
            "distinct": self.coordination.distinct.value,
            "overlap": None if lay is None else lay.overlap,
            "time_needed": None if lay is None else lay.wall / lay.busy,
            "critical": None if lay is None else lay.critical_path / lay.wall,
            "recovered": self.recovery.recovered.value,
            "kept": self.resources.kept.value,
        }
        return {name: value for name, value in known.items() if value is not None}


def outline(exam: Exam, attempt: Attempt) -> Outline | None:
    """Compute the metrics of an attempt, or return None if its replies have no steps."""
    turns = turns_with_steps(exam, attempt.transcript)
    if not turns:
        return None
    return Outline(
        steps=_kinds(turns),
        spent=spent_by(attempt),
        planning=planning(turns),
        coordination=coordination(turns),
        parallelism=parallelism(turns),
        recovery=recovery(turns),
        resources=resources(turns),
        oddities=_oddities(turns),
    )


def _kinds(turns: tuple[TurnWithSteps, ...]) -> dict[str, int]:
    return dict(Counter(node.kind for each in turns for node in each.tree.nodes))


def _oddities(turns: tuple[TurnWithSteps, ...]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in turns:
        total.update(each.tree.oddities)
    return dict(total)
