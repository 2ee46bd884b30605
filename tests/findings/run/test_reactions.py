"""What a reply makes of a wrong result, in many wordings."""

from __future__ import annotations

from collections.abc import Sequence

from tests.findings.run.replies_to_lies import ASIDE, FRESH, READ, Case

from proctor.findings.run.reactions import react
from proctor.transcript import Reply, Turn


def misread(cases: Sequence[Case]) -> list[tuple[str, str | None, str]]:
    """Expected, found, and the reply."""
    read = [(case, react(case.lie(), [_turn(case)]).reaction) for case in cases]
    return [(case.reaction, found, case.reply) for case, found in read if found != case.reaction]


def _turn(case: Case) -> Turn:
    return Turn(number=1, question=case.question, reply=Reply(text=case.reply))


def test_what_the_rules_were_made_with_is_read_as_meant() -> None:
    assert misread(READ) == []


def test_most_of_what_was_kept_aside_is_too() -> None:
    assert len(misread(ASIDE)) <= 3
    assert len(misread(FRESH)) <= 2
