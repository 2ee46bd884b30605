"""Contradictions as lines from one turn to the other."""

from __future__ import annotations

from proctor.reports.battle.conversation import talk
from proctor.run import Attempt, Key
from proctor.score import Contradiction
from proctor.transcript import Reply, Transcript, Turn
from proctor.web.pages.attempt import wires


def attempt(*pairs: tuple[int, int], turns: int = 5, reason: str = "8 is not 6") -> Attempt:
    said = tuple(Turn(number=number, question="?", reply=Reply(text="!")) for number in range(1, turns + 1))
    found = tuple(Contradiction(turns=pair, quotes=("8", "6"), kind="number", reason=reason) for pair in pairs)
    return Attempt(key=Key(run="r", exam="e"), transcript=Transcript(turns=said), contradictions=found)


def drawn(*pairs: tuple[int, int], **others: str) -> list[str]:
    return [str(row) for row in wires(talk(attempt(*pairs, **others), None, name="t"))]  # type: ignore[arg-type]


def test_without_a_contradiction_nothing_is_drawn() -> None:
    assert drawn() == []


def test_a_line_passes_every_row_between_its_ends_and_no_other() -> None:
    rows = drawn((2, 4))
    assert [row.count("<a ") for row in rows] == [0, 1, 1, 1, 0]


def test_each_part_leads_to_the_other_end() -> None:
    rows = drawn((2, 4))
    assert 'href="#t-turn-4"' in rows[1]
    assert 'href="#t-turn-2"' in rows[2]
    assert 'href="#t-turn-2"' in rows[3]


def test_lines_side_by_side_keep_to_lanes_of_their_own() -> None:
    rows = drawn((1, 4), (2, 3))
    assert rows[1].count("<a ") == 2
    assert 'data-bond="0"' in rows[1]
    assert 'data-bond="1"' in rows[1]
    assert rows[0].count('width="28"') == 2


def test_a_reason_is_escaped() -> None:
    rows = drawn((1, 2), reason="<script>")
    assert "<script>" not in "".join(rows)
    assert "&lt;script&gt;" in rows[0]
