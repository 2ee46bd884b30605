"""The check that a reply keeps to its role, which a model decides along with its scores."""

from __future__ import annotations

from proctor.benchmark import Expectation
from proctor.reviewers.checks.contract import Outcome, check
from proctor.reviewers.checks.sources import Sources
from proctor.score import ROLE
from proctor.transcript import Reply, Turn


@check(ROLE)
def role(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Return not checkable, since only a model can judge the role; its verdict counts instead."""
    if expect.role is None:
        return None
    return Outcome(None, "whether a reply keeps to its role takes a model to judge: name one as the reviewer")
