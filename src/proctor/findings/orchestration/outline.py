"""One attempt of an orchestrator in outline: Outline."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from proctor.benchmark import Exam
from proctor.findings.orchestration.coordination import Coordination, coordination
from proctor.findings.orchestration.parallelism import Parallelism, parallelism
from proctor.findings.orchestration.plan import Planning, planning
from proctor.findings.orchestration.recovery import Recovery, recovery
from proctor.findings.orchestration.resources import Resources, ResourceUse, resources, spent_by
from proctor.findings.orchestration.step_tree import TurnWithSteps, turns_with_steps
from proctor.run import Attempt


@dataclass(frozen=True, kw_only=True, slots=True)
class Outline:
    """What the steps of one attempt show, each number with what it was computed from."""

    steps: dict[str, int]
    """Kind → how many; kinds that are not known count as other."""
    spent: ResourceUse
    planning: Planning
    coordination: Coordination
    parallelism: Parallelism | None
    """None: the steps tell no times."""
    recovery: Recovery
    resources: Resources
    oddities: dict[str, int]
    """What could not be taken as it was told → how often."""

    def shares(self) -> dict[str, float]:
        """Metric → its value from 0 to 1, for those that could be judged."""
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
    """An attempt in outline; None: its replies have no steps."""
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
