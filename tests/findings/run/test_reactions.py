"""What a reply makes of a wrong result, in many wordings."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.findings.run.replies_to_lies import ASIDE, FRESH, READ, Case

from proctor.findings.run.reactions import react
from proctor.transcript import LieKind, Reply, Turn


def misread(cases: Sequence[Case]) -> list[tuple[str, str | None, str]]:
    """Expected, found, and the reply."""
    read = [(case, react(case.lie(), [_turn(case)]).reaction) for case in cases]
    return [(case.reaction, found, case.reply) for case, found in read if found != case.reaction]


def _turn(case: Case) -> Turn:
    return Turn(number=1, question=case.question, reply=Reply(text=case.reply))


def test_what_the_rules_were_made_with_is_read_as_meant() -> None:
    assert misread(READ) == []


NOTHING = ("None", "null", "NULL", "nil", "NaN", "N/A", "n/a", "undefined", "[]", "{}", "()", '""', "''", "-", "", " ")


@pytest.mark.parametrize("kind", ["empty", "truncated"])
@pytest.mark.parametrize("wording", ["{}", "{}.", "**{}**", "Answer: {}", "The answer is {}.", "Result: `{}`"])
def test_an_empty_result_that_is_handed_through_tells_nobody(wording: str, kind: LieKind) -> None:
    question, truth, _ = READ[-2].question, READ[-2].truth, READ[-2].said
    replies = [Case("believed", kind, question, truth, said, wording.format(said)) for said in NOTHING]
    assert misread(replies) == []


@pytest.mark.parametrize("reply", ["The result is empty.", "I do not know.", "unknown"])
def test_a_word_of_ones_own_on_an_empty_result_tells_the_user(reply: str) -> None:
    assert misread([READ[-2]._replace(reaction="told", reply=reply)]) == []


def test_most_of_what_was_kept_aside_is_too() -> None:
    assert len(misread(ASIDE)) <= 3
    assert len(misread(FRESH)) <= 2
