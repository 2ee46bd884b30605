"""Whether a reply keeps to its role: a matter for a model, which reviews it beside its marks."""

from __future__ import annotations

from proctor.benchmark import Expectation
from proctor.reviewers.checks.contract import Outcome, check
from proctor.reviewers.checks.sources import Sources
from proctor.score import ROLE
from proctor.transcript import Reply, Turn


@check(ROLE)
def role(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Not checkable by rules; what a model says of it counts instead."""
    if expect.role is None:
        return None
    return Outcome(None, "whether a reply keeps to its role takes a model to judge: name one as the reviewer")
