"""What the tests of checks share: one reply held to one expectation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proctor.benchmark import Expectation
from proctor.reviewers.checks import Outcome, Sources
from proctor.reviewers.checks.contract import BuiltIn
from proctor.transcript import Reply, Turn


def asked(check: BuiltIn, reply: Reply | str, *, folder: Path | None = None, **expected: Any) -> Outcome | None:
    """What a check says of a reply."""
    said = Reply(text=reply) if isinstance(reply, str) else reply
    turn = Turn(number=1, question="Which policy covers remote work?", reply=said)
    return check(Expectation(**expected), turn, said, Sources(folder))


def outcome(check: BuiltIn, reply: Reply | str, *, folder: Path | None = None, **expected: Any) -> Outcome:
    """The same, where it has to say something."""
    found = asked(check, reply, folder=folder, **expected)
    assert found is not None
    return found
