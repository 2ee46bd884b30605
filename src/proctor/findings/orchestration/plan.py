"""Planning: was what the case expects planned and used, and was what was planned done?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.findings.orchestration.expected import ExpectedStep, StepVerdict, judge, missing_from
from proctor.findings.orchestration.share import Share, share
from proctor.findings.orchestration.step_tree import PLANS, Node, StepTree, TurnWithSteps, kind_of, mentions
from proctor.reading.text.fold import fold
from proctor.reading.text.overlap import content, coverage
from proctor.reading.text.words import stem_set

_Verdicts = Sequence[tuple[ExpectedStep | None, StepVerdict]]

_ENTRY = re.compile(
    r"[ \t]*(?:[-*•–]|\(?\d{1,3}[.):]|(?:step|task)[ \t]+\d{1,3}[.:)]?)[ \t]+(?P<text>\S.*)", re.IGNORECASE
)
_LISTS = ("plan", "steps", "tasks", "items")
_DONE_FROM = 0.5  # of an entry's telling words that a later step must take up


@dataclass(frozen=True, kw_only=True, slots=True)
class Planning:
    """How good the planning was."""

    plans: int
    """Plans made, re-plans not counted."""
    planned: Share
    """Expected sub-agents and steps that a plan names; nothing is judged where no plan is told."""
    used: Share
    """Expected sub-agents and steps that were used."""
    done: Share
    """Entries of the plan that were done; nothing is judged where the plan is no list."""


def planning(turns: Sequence[TurnWithSteps]) -> Planning:
    """What the plans of an attempt's replies were worth."""
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
        told = _to_be_named(wanted) if wanted is not None else []
        if told:
            yield verdict.wanted, any(mentions(plan, name) for name in told)


def _plans(tree: StepTree) -> Iterator[str]:
    """What each plan says; one that has a name and no content cannot be judged."""
    for node in tree.nodes:
        if node.kind in PLANS and tree.text(node) != node.step.name:
            yield tree.text(node)


def _to_be_named(wanted: ExpectedStep) -> list[str]:
    """What a plan would have to name: nothing where only a kind is expected, or where it must not happen."""
    if wanted.most == 0 or kind_of(wanted.which.kind or "") in (*PLANS, "error"):
        return []
    return [name for name in (wanted.which.name, wanted.which.agent) if name]


def _done(tree: StepTree) -> Iterator[tuple[str, bool]]:
    """The entries of the plan in force, which is the last that is a list, and whether each was done."""
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
    """A step does what an entry says where the entry names its agent or itself, or half of its words are about it."""
    if any(name and mentions(entry, name) for name in (node.step.agent, node.step.name)):
        return True
    telling = content(fold(entry))
    return bool(telling) and coverage(telling, words) >= _DONE_FROM


def _entries(plan: str) -> tuple[str, ...]:
    """The entries of a plan that is a list: in JSON, or line by line with bullets or numbers."""
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
